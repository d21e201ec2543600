// Reads the options from the environment: MCP_HOTLINE_<OPTION> for every option, and the variables of older programs
// that its row in the table names. It reads names and values only; config.ts decides precedence and defaults.

import { MARK } from '../process/mark.js';
import { splitCommand } from '../process/split-command.js';
import { negatable, type OptionSpec, type ProxyOptionSpec } from './option-spec.js';
import { camelCase, type Options } from './option-values.js';
import { options } from './options.js';
import { checkTexts, checkValue, toBoolean, type Result } from './check.js';
import { nearest } from './nearest.js';

export interface FromEnvironment {
  options: Options;
  /** Empty if there is none. */
  command: string;
  args: readonly string[];
  warnings: readonly string[];
}

const prefix = 'MCP_HOTLINE_';
const notOptions = new Set(['MCP_HOTLINE_GENERATION', MARK]); // what we tell the server; a proxy may be the server of another

/** The variables of one option, each overriding those before it. */
function variablesOf(spec: ProxyOptionSpec): { variable: string; negated: boolean }[] {
  const name = spec.name.toUpperCase().replaceAll('-', '_');
  return [
    { variable: spec.variable, negated: false },
    { variable: prefix + name, negated: false },
    { variable: negatable(spec) ? `${prefix}NO_${name}` : undefined, negated: true },
  ].flatMap(({ variable, negated }) => (variable === undefined ? [] : [{ variable, negated }]));
}

export function readEnvironment(env: NodeJS.ProcessEnv): Result<FromEnvironment> {
  const found: Record<string, unknown> = {};
  const known = new Set(notOptions);
  for (const spec of options) {
    for (const { variable, negated } of variablesOf(spec)) {
      known.add(variable);
      const text = env[variable] ?? '';
      if (text === '') continue; // an emptied variable is how many tools unset one
      const result = negated ? checkNegated(spec, text) : checkText(spec, text);
      if (!result.ok) return { ok: false, error: `${variable}: ${result.error}` };
      if (result.value !== undefined) found[camelCase(spec.name)] = result.value;
    }
  }

  const args = readArguments(env['MCP_SERVER_ARGS'] ?? '');
  if (!args.ok) return { ok: false, error: `MCP_SERVER_ARGS: ${args.error}` };
  const command = env['MCP_SERVER_COMMAND'] ?? '';
  const warnings = Object.keys(env)
    .filter((variable) => variable.startsWith(prefix) && !known.has(variable))
    .map((variable) => {
      const meant = nearest(variable, [...known]);
      return `${variable} is not an option and has no effect${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
  return { ok: true, value: { options: found, command, args: args.value, warnings } };
}

function checkText(spec: OptionSpec, text: string): Result<unknown> {
  // Where 0 is a number that can be meant, it is no word for "off".
  const isNumber = spec.type === 'number' && spec.min === 0 && text === '0';
  if ('bare' in spec && !isNumber) {
    const word = toBoolean(text);
    if (word !== undefined) return checkValue(spec, word);
  }
  return checkTexts(spec, spec.type === 'list' ? splitList(text) : [text]);
}

// NO_RELOAD=true means --no-reload, and NO_RELOAD=false has no meaning.
function checkNegated(spec: OptionSpec, text: string): Result<unknown> {
  const word = toBoolean(text);
  if (word === undefined) return { ok: false, error: `${JSON.stringify(text)} is not allowed, expected true or false` };
  return word ? checkValue(spec, false) : { ok: true, value: undefined };
}

/** Commas separate, except between the braces of a glob. */
function splitList(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (char === ',' && depth <= 0) items.push('');
    else items.push((items.pop() ?? '') + char);
  }
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function readArguments(text: string): Result<readonly string[]> {
  if (!text.trimStart().startsWith('[')) {
    const split = splitCommand(text);
    return split.ok ? { ok: true, value: split.words } : split;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (Array.isArray(parsed) && parsed.every((item) => typeof item === 'string')) return { ok: true, value: parsed };
  return { ok: false, error: 'it begins like a JSON array, expected one of strings, as in ["server.js","--port","1"]' };
}
