// `mcp-hotline clients`: the MCP clients on this machine, their files and servers, for people or as data. Changes
// nothing.

import type { Evidence } from '../../clients/client.js';
import { overviewOf, type ClientOverview, type ServerOverview } from '../../clients/overview.js';
import type { Context } from '../../clients/plan.js';
import { hidden, shownCommand } from '../../clients/shown-words.js';
import type { Result } from '../../config/check.js';
import type { CommandLineOptions } from '../../config/config.js';
import { escapeControls } from '../../sinks/escape-controls.js';
import { contextOf } from './context.js';
import { pathText } from './plan-text.js';

const WIDTH = 100;

/** What to print. */
export async function clientsReport(given: CommandLineOptions & { json?: boolean }): Promise<Result<string>> {
  const context = contextOf(given);
  if (!context.ok) return context;
  const overview = await overviewOf(context.value);
  return { ok: true, value: given.json === true ? asJson(overview) : asText(overview, context.value) };
}

function asText(overview: readonly ClientOverview[], context: Context): string {
  const [here, absent] = [overview.filter(({ isHere }) => isHere), overview.filter(({ isHere }) => !isHere)];
  const blocks = here.map((one) =>
    clientLines(one, context)
      .flatMap((line) => fitted(escapeControls(line)))
      .join('\n'),
  );
  const others =
    absent.length === 0
      ? []
      : [
          fitted(`Not found here: ${absent.map(({ client: { id, name } }) => `${name} (${id})`).join(', ')}`).join(
            '\n',
          ),
        ];
  return [...(here.length === 0 ? ['No MCP client was found.'] : blocks), ...others].join('\n\n');
}

function clientLines({ client, files, problems }: ClientOverview, context: Context): string[] {
  const { id, name, note } = client;
  return [
    `${name} (${id}): ${toolsText(client.listChanged)}`,
    ...files.flatMap(({ path, servers }) => [
      `  ${pathText(path, context)}${servers.length === 0 ? ': no servers' : ''}`,
      ...serverLines(servers),
    ]),
    ...problems.map((problem) => `  ! ${problem}`),
    `  ${note}`,
  ];
}

function serverLines(servers: readonly ServerOverview[]): string[] {
  const width = Math.max(0, ...servers.map(({ name }) => name.length));
  return servers.flatMap((server) => {
    const { name, state, command, disabled, gone, problem } = server;
    const words = command.length === 0 ? '' : `  ${shownCommand(command)}`;
    const line = `    ${name.padEnd(width)}  ${(state + (disabled ? ', off' : '')).padEnd(11)}${words}`.trimEnd();
    return [
      line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line,
      ...(problem === undefined ? [] : [`      ! ${problem}`]),
      ...gone.map((path) => `      ! ${path} is gone: unwrap ${name}, and wrap it again`),
    ];
  });
}

const evidences: Readonly<Record<Evidence, string>> = {
  run: 'seen in a run',
  source: 'read in its source',
  documentation: 'says its documentation',
  hearsay: 'hearsay',
};

function toolsText({ heeds, evidence, note }: ClientOverview['client']['listChanged']): string {
  const known = [note, evidence && evidences[evidence]].filter((one) => one !== undefined).join(', ');
  const about = known === '' ? '' : ` (${known})`;
  if (heeds === undefined) return `not known whether it shows new tools after an edit${about}`;
  return heeds ? `shows new tools after an edit${about}` : `shows new tools only after a reconnect${about}`;
}

/** Breaks a line between words; the lines that follow are indented a little more than the first. */
function fitted(line: string, indent = `${/^ */.exec(line)?.[0] ?? ''}  `): string[] {
  if (line.length <= WIDTH) return [line];
  const at = line.lastIndexOf(' ', WIDTH);
  if (at <= indent.length) return [line];
  return [line.slice(0, at), ...fitted(indent + line.slice(at + 1), indent)];
}

function asJson(overview: readonly ClientOverview[]): string {
  const clients = overview.map(({ client, isHere, files, problems }) => ({
    id: client.id,
    name: client.name,
    found: isHere,
    clientInfoName: client.clientInfoName ?? null,
    showsNewTools: client.listChanged.heeds ?? null,
    evidence: client.listChanged.evidence ?? null,
    startsServersInProject: client.startsIn === 'project',
    note: client.note,
    files: files.map((file) => ({
      ...file,
      servers: file.servers.map((server) => ({
        ...server,
        command: hidden(server.command),
        problem: server.problem ?? null,
      })),
    })),
    problems,
  }));
  return JSON.stringify({ clients }, undefined, 2);
}
