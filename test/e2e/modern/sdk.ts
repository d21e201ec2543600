// The published SDKs on both sides of the proxy: servers of either generation as projects that a test edits, and
// clients of either generation, in every mode, behind one small face. What is asked of them, and what must come of it,
// is the tests'.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import type { ClientOptions as Options2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransport2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { cleanup } from '../../support/cleanup.js';
import { newMarker, processesLeft, project, proxyCommand, testEnvironment } from '../../support/harness.js';
import type { Project } from '../../support/project.js';
import { transportV1, transportV2 } from '../../support/sdk-clients.js';
import type { UrlTarget } from '../../support/sdk-clients.js';
import { createWaits } from '../../support/waits.js';

const from = (name: string) => JSON.stringify(import.meta.resolve(name));

const register = `for (const [name, run] of Object.entries(tools))
  server.registerTool(name, {}, async () => ({ content: [{ type: 'text', text: await run() }] }));`;

/** The entry of a project; what it offers is in `src/tools.mjs`. */
export const servers = {
  v1: `import { McpServer } from ${from('@modelcontextprotocol/sdk/server/mcp.js')};
import { StdioServerTransport } from ${from('@modelcontextprotocol/sdk/server/stdio.js')};
import { tools } from './src/tools.mjs';
const server = new McpServer({ name: 'v1', version: '1.0.0' });
${register}
await server.connect(new StdioServerTransport());
`,
  v2: `import { McpServer } from ${from('@modelcontextprotocol/server')};
import { serveStdio } from ${from('@modelcontextprotocol/server/stdio')};
import { tools } from './src/tools.mjs';
serveStdio(() => {
  const server = new McpServer({ name: 'v2', version: '1.0.0' });
  ${register}
  return server;
});
`,
  'v2 wired by hand': `import { McpServer } from ${from('@modelcontextprotocol/server')};
import { StdioServerTransport } from ${from('@modelcontextprotocol/server/stdio')};
import { tools } from './src/tools.mjs';
const server = new McpServer({ name: 'v2', version: '1.0.0' });
${register}
await server.connect(new StdioServerTransport());
`,
} as const;

export type ServerName = keyof typeof servers;

/** The source of `src/tools.mjs`: `which` says the generation, the others only have names. */
export function tools(...more: string[]): string {
  const others = more.map((name) => `${name}: () => '${name}'`).join(', ');
  return `export const tools = { which: () => process.env.MCP_HOTLINE_GENERATION ?? 'direct', ${others} };\n`;
}

/** A subclass, which the client does not try out on a process of its own. */
class InPlace extends StdioTransport2 {}

export type ClientName = 'v1' | 'v2 legacy' | 'v2 auto' | 'v2 auto in place' | 'v2 pinned';

const modes: Record<Exclude<ClientName, 'v1'>, Options2['versionNegotiation']> = {
  'v2 legacy': { mode: 'legacy' },
  'v2 auto': { mode: 'auto' },
  'v2 auto in place': { mode: 'auto' },
  'v2 pinned': { mode: { pin: '2026-07-28' } },
};

export interface Sdk {
  readonly client: Client1 | Client2;
  readonly era: string;
  call(name: string, given?: Record<string, unknown>): Promise<string>;
  tools(): Promise<string[]>;
  /** Resolves when the client has heard of a change and then found just these tools. */
  changed(...names: string[]): Promise<unknown>;
}

interface Command {
  readonly command: readonly string[];
  readonly cwd: string;
}

/** On top of the client's own. */
interface More {
  readonly options?: Options2;
}

export async function connect(t: TestContext, name: ClientName, target: (Command | UrlTarget) & More): Promise<Sdk> {
  const marker = newMarker();
  const log: Buffer[] = [];
  const { options } = target;
  const lists = createWaits<string>(() => `${Buffer.concat(log)}`);
  const heard = (_: Error | null, items: readonly { name: string }[] | null) => lists.offer(namesOf(items ?? []));
  const listChanged = { tools: { onChanged: heard, debounceMs: 0 } };
  const info = { name: 'test-client', version: '1.0.0' };
  const { capabilities } = options ?? {};
  // What both generations know of.
  const declared = capabilities === undefined ? {} : { capabilities };
  const client =
    name === 'v1'
      ? new Client1(info, { listChanged, ...declared })
      : new Client2(info, { listChanged, ...options, versionNegotiation: modes[name]! });
  cleanup(t, async () => {
    await client.close();
    assert.deepEqual(await processesLeft(marker), [], `${Buffer.concat(log)}`);
  });
  await client.connect('url' in target ? urlTransport(client, target) : stdioTransport(name, target, marker, log));
  return {
    client,
    era: client instanceof Client2 ? String(client.getProtocolEra()) : 'legacy',
    async call(tool, given = {}) {
      const { content } = (await client.callTool({ name: tool, arguments: given })) as { content: { text: string }[] };
      return content[0]!.text;
    },
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    changed: (...names) => lists.wait((seen) => seen === names.join(), `the tools ${names.join()}`),
  };
}

function urlTransport(client: Client1 | Client2, target: UrlTarget): Transport {
  return client instanceof Client1 ? transportV1(target) : transportV2(target);
}

/** What the process prints on stderr goes to `log`. */
function stdioTransport(name: ClientName, { command, cwd }: Command, marker: string, log: Buffer[]): Transport {
  const [file, ...args] = command;
  const parameters = { command: file!, args, cwd, env: testEnvironment(marker), stderr: 'pipe' as const };
  const Stdio = name === 'v1' ? StdioTransport1 : name === 'v2 auto in place' ? InPlace : StdioTransport2;
  const transport = new Stdio(parameters);
  transport.stderr?.on('data', (chunk: Buffer) => log.push(chunk));
  return transport;
}

/** A project with this server, and the client on it through the proxy. */
export async function live(
  t: TestContext,
  client: ClientName,
  files: Record<string, string>,
  more: { options?: readonly string[]; client?: Options2 } = {},
): Promise<Sdk & { readonly files: Project }> {
  const here = project(t, files);
  const command = proxyCommand(['--watch', 'src', ...(more.options ?? [])], [process.execPath, 'server.mjs']);
  const options = more.client === undefined ? {} : { options: more.client };
  return { ...(await connect(t, client, { command, cwd: here.directory, ...options })), files: here };
}

function namesOf(items: readonly { name: string }[]): string {
  return items.map(({ name }) => name).join();
}
