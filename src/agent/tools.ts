/**
 * The tools that `--agent-tools` adds for an agent that develops the server it is using: what they are called, what they take
 * and give. What they do is in reload/agent-tools.ts, what they say in words.ts and reports.ts. Pure.
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

const text = (description: string): Schema => ({ type: 'string', description });
const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});

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
    inputSchema: object(
      {
        reason: { ...text('Why, for the log.'), minLength: 1, maxLength: MAX_REASON },
        rebuild: {
          type: 'boolean',
          description: 'Run the build even if the sources have not changed. Default: false.',
        },
      },
      ['reason'],
    ),
    outputSchema: object({
      restarted: { type: 'boolean' },
      generation: { type: 'number' },
      ms: { type: 'number' },
      phases,
      changes,
      failure: text('What went wrong, if anything.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'verify_server_restarted',
    title: 'Was the MCP server restarted?',
    description:
      'Tells whether the MCP server was restarted since a point in time, when, why, and which generation that was. Restarts by an earlier connection to the same project count too.',
    inputSchema: object({ since_timestamp: text('A time in ISO 8601 with a zone, like 2026-11-16T09:30:00Z.') }, [
      'since_timestamp',
    ]),
    outputSchema: object({
      restarted: { type: 'boolean' },
      at: text('When, in ISO 8601.'),
      reason: text('Why.'),
      generation: { type: 'number' },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'server_status',
    title: 'Status of the MCP server',
    description:
      'Tells the state of the MCP server: which generation serves, the last reload and what it changed, the last failure. With wait it answers once nothing is under way any more. Its text says what to do next.',
    inputSchema: object({
      wait: { type: 'boolean', description: 'Answer once the server has settled. Default: false.' },
      log: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_LOG_LINES,
        description: "How many of the server's last lines on stderr to add. Default: 0.",
      },
    }),
    outputSchema: object({
      state: text('serving, reloading, failed, broken or waiting.'),
      generation: { type: 'number' },
      uptimeMs: { type: 'number' },
      fingerprint: text('SHA-256 of the watched files.'),
      lastReload: { type: 'object' },
      lastFailure: { type: 'object' },
      log: { type: 'array', items: { type: 'string' } },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'list_server_tools',
    title: 'List the tools of the MCP server',
    description:
      'Gives the current tools of the MCP server with their schemas. Use it when the server has gained or changed a tool and your own list of tools is still the old one.',
    inputSchema: object({}),
    outputSchema: object({ tools: { type: 'array', items: { type: 'object' } } }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_server_tool',
    title: 'Call a tool of the MCP server',
    description:
      'Calls a tool of the MCP server by name and gives its result as it is. The way to a tool that your own list of tools does not show yet.',
    inputSchema: object(
      {
        name: text('The name of the tool.'),
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
  const all = toolDefinitions.map(({ name }) => name);
  return new Map([...shownNames(new Set(all)), ...shownNames(new Set())]);
}

/** Our tools as they are listed, each as JSON. */
export function listedTools(taken: ReadonlySet<string>): string[] {
  const names = new Map([...shownNames(taken)].map(([shown, name]) => [name, shown]));
  return toolDefinitions.map((tool) => JSON.stringify({ ...tool, name: names.get(tool.name) }));
}
