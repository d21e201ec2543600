// The published SDK clients, of both generations, and their transports, behind one small face: connect to a command or
// a URL and ask for everything that a plan names. What comes back is plain data, so that a run through the proxy can
// be compared with a direct one.

import { StdioClientTransport as StdioTransport2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client2, StreamableHTTPClientTransport as HttpTransport2 } from '@modelcontextprotocol/client';
import type { VersionNegotiationMode } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseTransport1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CreateMessageRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from './message.js';

/** What to ask a server for, besides its lists. */
export interface Plan {
  tools?: readonly { name: string; arguments?: Record<string, unknown> }[];
  prompts?: readonly { name: string; arguments?: Record<string, string> }[];
  resources?: readonly string[];
  completions?: readonly Json[];
  /** `ping` and `logging/setLevel`, which only the legacy era has. */
  legacy?: boolean;
}

export type SdkClient = Client1 | Client2;

const info = { name: 'test-client', version: '1.0.0' };
const capabilities = { roots: { listChanged: true }, sampling: {} };
const roots = { roots: [{ uri: 'file:///tmp/project', name: 'project' }] };
const sample = { model: 'none', role: 'assistant' as const, content: { type: 'text' as const, text: 'a sample' } };

/** A command that the client starts itself, on pipes. */
export interface CommandTarget {
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** A server that runs already. */
export interface UrlTarget {
  url: string;
  /** The URL is that of HTTP+SSE (2024-11-05), which only the first generation speaks here. */
  sse?: boolean;
  /** On top of what the client sends. */
  headers?: Record<string, string>;
}

export type Target = CommandTarget | UrlTarget;

export async function connectV1(target: Target): Promise<Client1> {
  const client = new Client1(info, { capabilities });
  client.setRequestHandler(ListRootsRequestSchema, () => roots);
  client.setRequestHandler(CreateMessageRequestSchema, () => sample);
  await client.connect(transportV1(target));
  return client;
}

export async function connectV2(target: Target, mode: VersionNegotiationMode): Promise<Client2> {
  const client = new Client2(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('roots/list', () => roots);
  client.setRequestHandler('sampling/createMessage', () => sample);
  await client.connect(transportV2(target));
  return client;
}

export function transportV1(target: Target): Transport1 {
  if (!('url' in target)) return new StdioTransport1(parameters(target));
  const url = new URL(target.url);
  const options = { requestInit: { headers: { ...target.headers } } };
  return target.sse === true ? new SseTransport1(url, options) : new HttpTransport1(url, options);
}

export function transportV2(target: Target): StdioTransport2 | HttpTransport2 {
  if (!('url' in target)) return new StdioTransport2(parameters(target));
  return new HttpTransport2(new URL(target.url), { requestInit: { headers: { ...target.headers } } });
}

function parameters({ command, cwd, env }: CommandTarget) {
  return { command: command[0]!, args: command.slice(1), cwd, env, stderr: 'ignore' as const };
}

/** Everything that the plan asks for, by what was asked; an error is an outcome like any other. */
export async function survey(client: SdkClient, plan: Plan): Promise<Record<string, Json>> {
  const seen: Record<string, Json> = {};
  const record = async (what: string, ask: () => Promise<Json>) => {
    const outcome: Json = await ask().catch((error: unknown) => ({ failed: String(error) }));
    // A trip through JSON drops what only one SDK adds: undefined members, prototypes.
    seen[what] = JSON.parse(JSON.stringify(outcome));
  };
  seen['server'] = [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()];
  await record('tools/list', () => client.listTools());
  await record('prompts/list', () => client.listPrompts());
  await record('resources/list', () => client.listResources());
  await record('resources/templates/list', () => client.listResourceTemplates());
  for (const params of plan.tools ?? [])
    await record(`tools/call ${JSON.stringify(params)}`, () => client.callTool(params));
  for (const params of plan.prompts ?? [])
    await record(`prompts/get ${JSON.stringify(params)}`, () => client.getPrompt(params));
  for (const uri of plan.resources ?? []) await record(`resources/read ${uri}`, () => client.readResource({ uri }));
  for (const params of plan.completions ?? [])
    await record(`completion/complete ${JSON.stringify(params)}`, () => client.complete(params));
  if (plan.legacy === true) {
    await record('ping', () => client.ping());
    await record('logging/setLevel', () => client.setLoggingLevel('debug'));
  }
  return seen;
}
