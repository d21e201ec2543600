/**
 * The arguments of the agent's tools, checked: every problem names the field, what it is and what is expected. Pure.
 */
import { MAX_LOG_LINES, MAX_REASON, TIMESTAMP, type AgentTool } from './tools.js';
import { briefJson } from './brief-json.js';

export type Arguments =
  | { readonly tool: 'restart_server'; readonly reason: string; readonly rebuild: boolean }
  | { readonly tool: 'verify_server_restarted'; readonly since: number }
  | { readonly tool: 'server_status'; readonly wait: boolean; readonly log: number }
  | { readonly tool: 'list_server_tools'; readonly name: string | undefined }
  | { readonly tool: 'call_server_tool'; readonly name: string; readonly arguments: object };

export type Checked =
  { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly problem: string };

type CommandLineOptions = Readonly<Record<string, unknown>>;

const fields: Readonly<Record<AgentTool, readonly string[]>> = {
  restart_server: ['reason', 'rebuild'],
  verify_server_restarted: ['since_timestamp'],
  server_status: ['wait', 'log'],
  list_server_tools: ['name'],
  call_server_tool: ['name', 'arguments'],
};

export function checkArguments(tool: AgentTool, given: unknown): Checked {
  if (given !== undefined && !isObject(given)) return bad('arguments', given, 'an object');
  const all: CommandLineOptions = given ?? {};
  const unknown = Object.keys(all).find((name) => !fields[tool].includes(name));
  if (unknown !== undefined) {
    return { ok: false, problem: `"${unknown}" is not an argument of ${tool}; it takes ${fields[tool].join(', ')}.` };
  }
  switch (tool) {
    case 'restart_server':
      return checkRestart(all);
    case 'verify_server_restarted':
      return checkVerify(all);
    case 'server_status':
      return checkStatus(all);
    case 'list_server_tools':
      return checkList(all);
    case 'call_server_tool': {
      const { name, arguments: args = {} } = all;
      if (typeof name !== 'string' || name === '') return bad('name', name, 'the name of a tool');
      return isObject(args)
        ? { ok: true, value: { tool, name, arguments: args } }
        : bad('arguments', args, 'an object');
    }
  }
}

function checkRestart({ reason, rebuild = false }: CommandLineOptions): Checked {
  const expected = `a text of 1 to ${MAX_REASON} characters`;
  // As the schema counts: characters, of which some are two units of a string.
  if (typeof reason !== 'string' || reason.trim() === '' || Array.from(reason).length > MAX_REASON)
    return bad('reason', reason, expected);
  if (typeof rebuild !== 'boolean') return bad('rebuild', rebuild, 'true or false');
  return { ok: true, value: { tool: 'restart_server', reason, rebuild } };
}

const iso = new RegExp(TIMESTAMP);

function checkVerify({ since_timestamp: given }: CommandLineOptions): Checked {
  const since = typeof given === 'string' && iso.test(given) && isDay(given) ? Date.parse(given) : NaN;
  if (Number.isNaN(since))
    return bad('since_timestamp', given, 'a time in ISO 8601 with a zone, like 2026-11-16T09:30:00Z');
  return { ok: true, value: { tool: 'verify_server_restarted', since } };
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

function checkStatus({ wait = false, log = 0 }: CommandLineOptions): Checked {
  if (typeof wait !== 'boolean') return bad('wait', wait, 'true or false');
  if (typeof log !== 'number' || !Number.isInteger(log) || log < 0 || log > MAX_LOG_LINES) {
    return bad('log', log, `a whole number from 0 to ${MAX_LOG_LINES}`);
  }
  return { ok: true, value: { tool: 'server_status', wait, log } };
}

function checkList({ name }: CommandLineOptions): Checked {
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    return bad('name', name, 'the name of a tool, or a part of one');
  return { ok: true, value: { tool: 'list_server_tools', name } };
}

function bad(field: string, given: unknown, expected: string): Checked {
  const { text, isWhole } = briefJson(given, 60);
  const shown = given === undefined ? 'missing' : `${text}${isWhole ? '' : '…'}`;
  return { ok: false, problem: `"${field}" is ${shown}; expected ${expected}. Call the tool again with it.` };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
