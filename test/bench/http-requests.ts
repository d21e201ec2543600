// What the benchmark sends over HTTP: the same call in both eras, with the headers that a client of that era sends.
// Each client counts its ids for itself, as clients do, so those of several meet.
import { initialize } from './connection.js';
import type { Answer, HttpConnection } from './http-connection.js';

export type HttpEra = 'legacy' | 'modern';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const FIRST_ID = 100_000;

let lastId = 0;

const nextId = (): number => FIRST_ID + lastId++;

function request(message: object, headers: Readonly<Record<string, string>>, method = 'POST'): Buffer[] {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return [head(method, { ...headers, 'Content-Length': String(body.length) }), body];
}

function head(method: string, headers: Readonly<Record<string, string>>): Buffer {
  const usual = {
    Host: '127.0.0.1',
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
  };
  const lines = Object.entries({ ...usual, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} /mcp HTTP/1.1\r\n${lines.join('')}\r\n`);
}

/** The request that opens a session. */
export function opening(): Buffer[] {
  return request({ ...initialize, id: nextId() }, {});
}

/** The headers of a session that is opened by this, if the listener has sessions. */
export async function openSession(connection: HttpConnection): Promise<Readonly<Record<string, string>>> {
  const answer = await connection.ask(opening());
  ok(answer);
  const id = /^mcp-session-id: (\S+)/im.exec(answer.head)?.[1];
  if (id === undefined) return {};
  const session = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' };
  await connection.ask(request({ method: 'notifications/initialized' }, session));
  return session;
}

/** A source of calls of 200 bytes, apart from what its era adds; each as two pieces, head and body. */
export function calls(era: HttpEra, session: Readonly<Record<string, string>>): () => Buffer[] {
  const headers =
    era === 'legacy' ? session : { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' };
  const params = {
    name: 'echo',
    arguments: { text: 'x'.repeat(200 - 96) },
    ...(era === 'modern' ? { _meta: META } : {}),
  };
  const before = '{"jsonrpc":"2.0","id":';
  const after = `,"method":"tools/call","params":${JSON.stringify(params)}}`;
  let id = FIRST_ID;
  const length = before.length + String(FIRST_ID).length + after.length;
  const shared = head('POST', { ...headers, 'Content-Length': String(length) });
  return () => [shared, Buffer.from(`${before}${id++}${after}`)];
}

/** A call of the tool that says which version of its code the server runs. */
export function versionCall(session: Readonly<Record<string, string>>): Buffer[] {
  return request({ id: nextId(), method: 'tools/call', params: { name: 'version', arguments: {} } }, session);
}

/** A stream that a client of the modern era leaves open. */
export function listening(): Buffer[] {
  const params = { _meta: META, notifications: { toolsListChanged: true } };
  const message = { id: `listen:${nextId()}`, method: 'subscriptions/listen', params };
  return request(message, { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'subscriptions/listen' });
}

/** The stream of a session. */
export function getting(session: Readonly<Record<string, string>>): Buffer[] {
  return [head('GET', { ...session, Accept: 'text/event-stream' })];
}

export function ok({ status, head: text, body }: Answer): void {
  if (status !== 200 || !body.includes('"result"')) throw new Error(`${text}\n${String(body)}`);
}
