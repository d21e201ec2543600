/**
 * The tools that `--agent-tools` adds, all or some of them, for an agent that develops the server it is using: what
 * they are called, what they take and give. What they do is in lineage/agent-tools.ts, what they say in words.ts,
 * reports.ts and status-report.ts. Pure.
 */

export type AgentTool =
  'restart_server' | 'verify_server_restarted' | 'server_status' | 'list_server_tools' | 'call_server_tool';

type Schema = Readonly<Record<string, unknown>>;

export interface ToolDefinition {
  readonly name: AgentTool;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
  readonly annotations: Schema;
}

export const MAX_REASON = 500;
export const MAX_LOG_LINES = 1000;
/** More than white space. */
const SAYS_SOMETHING = '\\S';
/**
 * A date alone, or one with a time and a zone. What Date.parse accepts beyond that differs from place to place. How
 * many days a month has is checked in arguments.ts.
 */
export const TIMESTAMP = [
  String.raw`^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`,
  String.raw`(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d))?$`,
].join('');

const text = (description: string): Schema => ({ type: 'string', description });
/** What is not named here is refused. */
const input = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});
/** Answers with an error are of this form too: SDK clients check those as well. */
const output = (properties: Schema): Schema => ({
  type: 'object',
  properties: {
    message: text('What happened and what to do next: the same words as in the text.'),
    ...properties,
    truncated: { type: 'boolean', description: 'Something was left out because the answer would be too long.' },
  },
  required: ['message'],
});

const failure = {
  type: 'object',
  properties: {
    kind: text('What failed: build, start, crash, exit or configuration.'),
    command: text('The command.'),
    how: text('How.'),
  },
  description: 'The failure that stands, if any. Its output is in the message.',
};

const phases = { type: 'object', additionalProperties: { type: 'number' }, description: 'Milliseconds by phase.' };
const changes = {
  type: 'array',
  items: { type: 'string' },
  description: 'What changed in the lists, like "+ tool add".',
};

export const toolDefinitions: readonly ToolDefinition[] = [
  {
    name: 'restart_server',
    title: 'Restart the MCP server',
    description:
      'Restarts the MCP server that you are connected to, now, and rebuilds it first if asked. Answers when the new server serves, or with the failure in full. Edits are noticed and reloaded without this; use it when something outside the watched files has changed.',
    inputSchema: input(
      {
        reason: { ...text('Why, for the log.'), minLength: 1, maxLength: MAX_REASON, pattern: SAYS_SOMETHING },
        rebuild: {
          type: 'boolean',
          description: 'Run the build even if the sources have not changed. Default: false.',
        },
      },
      ['reason'],
    ),
    outputSchema: output({
      restarted: { type: 'boolean' },
      generation: { type: 'number' },
      ms: { type: 'number' },
      phases,
      changes,
      failure,
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'verify_server_restarted',
    title: 'Was the MCP server restarted?',
    description:
      'Tells whether the MCP server was restarted since a point in time, when, why, and which generation that was. Restarts by an earlier connection to the same project count too.',
    inputSchema: input(
      {
        since_timestamp: {
          ...text('A time in ISO 8601 with a zone, like 2026-11-16T09:30:00Z, or a date alone.'),
          pattern: TIMESTAMP,
        },
      },
      ['since_timestamp'],
    ),
    outputSchema: output({
      restarted: { type: 'boolean' },
      at: text('When, in ISO 8601.'),
      reason: text('Why.'),
      generation: { type: 'number' },
      failure,
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'server_status',
    title: 'Status of the MCP server',
    description:
      'Tells the state of the MCP server: which generation serves, the last reload and what it changed, the last failure. With wait it answers once nothing is under way any more. Its text says what to do next.',
    inputSchema: input({
      wait: { type: 'boolean', description: 'Answer once the server has settled. Default: false.' },
      log: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_LOG_LINES,
        description:
          'How many of the last lines to add that the server printed on stderr, and on stdout where they were no messages. Default: 0.',
      },
    }),
    outputSchema: output({
      state: text('serving, reloading, failed, broken or waiting.'),
      generation: { type: 'number' },
      uptimeMs: { type: 'number' },
      fingerprint: text('SHA-256 of the watched files.'),
      lastReload: { type: 'object' },
      lastBuild: {
        type: 'object',
        properties: {
          rule: text('Whose build it was.'),
          at: text('When it ended, in ISO 8601.'),
          ms: { type: 'number' },
          files: { type: 'array', items: { type: 'string' }, description: 'The changed files that caused it.' },
          ok: { type: 'boolean' },
        },
      },
      failure,
      lastFailure: { type: 'object' },
      silentCalls: {
        type: 'array',
        items: { type: 'object', properties: { tool: text('Which.'), silentMs: { type: 'number' } } },
        description:
          'Your own calls that the server has left without an answer or progress for half a minute or longer.',
      },
      buildProposal: { type: 'object', description: 'Options that would watch and build the sources.' },
      installedCopy: { type: 'object', description: 'A copy that runs instead of the sources.' },
      log: { type: 'array', items: { type: 'string' } },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'list_server_tools',
    title: 'List the tools of the MCP server',
    description:
      'Gives the current tools of the MCP server with their schemas, or names alone if there are very many; name narrows it. Use it when the server has gained or changed a tool and your own list of tools is still the old one.',
    inputSchema: input({
      name: {
        ...text("Only tools whose names contain this; a tool's whole name gives that tool alone."),
        minLength: 1,
      },
    }),
    outputSchema: output({
      generation: { type: 'number', description: 'The generation of the server whose tools these are.' },
      total: { type: 'number', description: 'How many tools the server has.' },
      tools: { type: 'array', items: { type: 'object' }, description: 'The tools; with their schemas if those fit.' },
      names: { type: 'array', items: { type: 'string' }, description: 'Names alone, if nothing more fits.' },
      failure,
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_server_tool',
    title: 'Call a tool of the MCP server',
    description:
      'Calls a tool of the MCP server by name and gives its result as it is. The way to a tool that your own list of tools does not show yet.',
    inputSchema: input(
      {
        name: { ...text('The name of the tool.'), minLength: 1 },
        arguments: { type: 'object', description: 'Its arguments. Default: none.' },
      },
      ['name'],
    ),
    annotations: { readOnlyHint: false, openWorldHint: true },
  },
];

/** The names under which our tools are shown: their own, unless the server has a tool of that name. */
export function shownNames(taken: ReadonlySet<string>): ReadonlyMap<string, AgentTool> {
  return new Map(toolDefinitions.map(({ name }) => [freeName(name, taken), name]));
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`hotline_${name}`, taken) : name;
}

/** Before it is known what the server has: every name that one of ours may get. */
export function possibleNames(): ReadonlyMap<string, AgentTool> {
  return (possible ??= new Map([
    ...shownNames(new Set(toolDefinitions.map(({ name }) => name))),
    ...shownNames(new Set()),
  ]));
}

let possible: ReadonlyMap<string, AgentTool> | undefined;

/** Those that every client has while no server has ever come up. */
export const STAND_IN_TOOLS: ReadonlySet<AgentTool> = new Set<AgentTool>([
  'server_status',
  'list_server_tools',
  'call_server_tool',
]);

export const ALL_TOOLS: ReadonlySet<AgentTool> = new Set(toolDefinitions.map(({ name }) => name));
export const NO_TOOLS: ReadonlySet<AgentTool> = new Set();

/** Those that lead to a server's new tools, for a client that goes on showing the old ones (`--agent-tools auto`). */
export const TOOLS_OF_AUTO: ReadonlySet<AgentTool> = new Set<AgentTool>(['list_server_tools', 'call_server_tool']);

/** `only`: these tools, not all. `note`: what the description of `server_status` begins with. */
interface Listing {
  readonly only?: ReadonlySet<AgentTool> | undefined;
  readonly note?: string | undefined;
}

/** Our tools as they are listed, each as JSON. */
export function listedTools(taken: ReadonlySet<string>, { only, note }: Listing = {}): string[] {
  const names = new Map([...shownNames(taken)].map(([shown, name]) => [name, shown]));
  const listed = toolDefinitions.filter(({ name }) => only?.has(name) !== false);
  return listed.map((tool) => {
    const isNoted = note !== undefined && tool.name === 'server_status';
    const description = isNoted ? `${note}\n\n${tool.description}` : tool.description;
    return JSON.stringify({ ...tool, description, name: names.get(tool.name) });
  });
}
