/**
 * The ways in which a client comes to a server through the proxy: by stdio or HTTP, in either era. Each client here
 * ignores every notification, as some do. What is edited, and what is expected, is for the tests.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { proxyCommand, startDirect, type Started } from '../../support/harness.js';
import type { Json, Message } from '../../support/message.js';
import { bin } from '../../support/paths.js';

export interface Way {
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  readonly http: boolean;
  /** Several clients on one server. */
  readonly shared: boolean;
}

export const ways: readonly Way[] = [
  { name: 'stdio, legacy', era: 'legacy', http: false, shared: false },
  { name: 'stdio, modern', era: 'modern', http: false, shared: false },
  { name: 'HTTP, legacy', era: 'legacy', http: true, shared: false },
  { name: 'HTTP, modern', era: 'modern', http: true, shared: false },
  { name: 'stdio beside HTTP, legacy, shared', era: 'legacy', http: false, shared: true },
  { name: 'stdio beside HTTP, modern, shared', era: 'modern', http: false, shared: true },
  { name: 'HTTP, legacy, shared', era: 'legacy', http: true, shared: true },
  { name: 'HTTP, modern, shared', era: 'modern', http: true, shared: true },
];

export interface Client {
  /** The answer to a request. */
  ask(method: string, params?: Json): Promise<Message>;
}

export interface Served {
  readonly proxy: Started;
  /** Connects a client that calls itself so. */
  connect(name: string): Promise<Client>;
}

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

/** Starts the proxy on `server.mjs` in this directory. On stdio there is one client, and others come over HTTP. */
export async function serve(t: TestContext, way: Way, cwd: string, options: readonly string[] = []): Promise<Served> {
  const server = [process.execPath, 'server.mjs'];
  const shared = way.http ? ['--share'] : ['--share', '--http', '0'];
  const all = ['--watch', 'src', '--watch', 'server.mjs', ...options, ...(way.shared ? shared : [])];
  const command = way.http
    ? [process.execPath, bin, 'serve', '--port', '0', ...all, '--', ...server]
    : proxyCommand(all, server);
  const proxy = startDirect(t, { command, cwd });
  const overHttp = async (name: string): Promise<Client> => {
    const line = await proxy.waitForLog(/http:\/\/\S+\/mcp/);
    const url = /http:\/\/\S+\/mcp/.exec(line)![0];
    return way.era === 'legacy' ? legacyOverHttp(url, name) : modernOverHttp(url, name);
  };
  let isFree = !way.http;
  return {
    proxy,
    connect: (name) => {
      const isStdio = isFree;
      isFree = false;
      return isStdio ? overStdio(proxy, way, name) : overHttp(name);
    },
  };
}

async function overStdio(proxy: Started, { era }: Way, name: string): Promise<Client> {
  if (era === 'legacy') await proxy.initialize({ clientInfo: { name, version: '1' } });
  return { ask: (method, params) => proxy.request(method, era === 'modern' ? withMeta(params, name) : params) };
}

async function legacyOverHttp(url: string, name: string): Promise<Client> {
  let headers: Record<string, string> = {};
  let last = 0;
  const post = async (message: object): Promise<Response> => fetch(url, { ...posted(message, headers) });
  const ask: Client['ask'] = async (method, params = {}) => {
    const response = await post({ jsonrpc: '2.0', id: ++last, method, params });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers = { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
    return answerIn(response);
  };
  await ask('initialize', { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name, version: '1' } });
  await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).text();
  return { ask };
}

function modernOverHttp(url: string, name: string): Promise<Client> {
  const ask: Client['ask'] = async (method, params = {}) => {
    const called: unknown = (params as { name?: unknown }).name;
    const headers = {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof called === 'string' ? { 'mcp-name': called } : {}),
    };
    // All clients count alike: what they are is in each request.
    const message = { jsonrpc: '2.0', id: 1, method, params: withMeta(params, name) };
    return answerIn(await fetch(url, posted(message, headers)));
  };
  return Promise.resolve({ ask });
}

function withMeta(params: Json = {}, name: string): Json {
  const of = 'io.modelcontextprotocol/';
  const meta = {
    [`${of}protocolVersion`]: MODERN,
    [`${of}clientInfo`]: { name, version: '1' },
    [`${of}clientCapabilities`]: {},
  };
  return { ...params, _meta: { ...params['_meta'], ...meta } };
}

function posted(message: object, headers: Record<string, string>): RequestInit {
  const accept = 'application/json, text/event-stream';
  const body = JSON.stringify(message);
  return { method: 'POST', body, headers: { 'content-type': 'application/json', accept, ...headers } };
}

/** Of a response that is JSON, or a stream that ends with it. */
async function answerIn(response: Response): Promise<Message> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const data = isStream ? text.split('\n').filter((line) => line.startsWith('data: ')) : [`data: ${text}`];
  const messages = data.map((line) => line.slice('data: '.length)).filter((json) => json.trim() !== '');
  const answer = messages.map((json) => JSON.parse(json) as Message).find((message) => message.method === undefined);
  assert.ok(answer !== undefined, `${response.status} ${text}`);
  return answer;
}
