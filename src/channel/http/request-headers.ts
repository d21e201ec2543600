/**
 * The headers of what is sent to a server: what the transport needs, what the modern era repeats of the body, and what
 * the client has sent along itself, except for what concerns its own connection alone. Pure.
 */
import type { Beside, Message } from '../../wire/message.js';

export type SentHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Of the client's connection with us, or made anew for ours with the server. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a server gets of a client's headers, with names in lower case. */
export function passedOn(headers: Readonly<Record<string, string | readonly string[] | undefined>>): SentHeaders {
  const connection = [headers['connection'] ?? []].flat().join(',');
  const named = new Set(connection.toLowerCase().split(/\s*,\s*/));
  const kept = Object.entries(headers).flatMap(([name, values]) => {
    if (values === undefined || NOT_PASSED_ON.has(name) || name.startsWith('sec-') || named.has(name)) return [];
    return [[name, values.length === 1 && typeof values !== 'string' ? (values[0] ?? '') : values] as const];
  });
  return Object.fromEntries(kept);
}

/** Of one connection alone, or made anew with the body. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a client gets of the headers of a server's reply. */
export function endToEnd(headers: Readonly<Record<string, readonly string[] | undefined>>): SentHeaders {
  const kept = Object.entries(headers).flatMap(([name, values]) =>
    values === undefined || HOP_BY_HOP.has(name)
      ? []
      : [[name, values.length === 1 ? (values[0] ?? '') : values] as const],
  );
  return Object.fromEntries(kept);
}

/** Those of one request alone; the others belong to its client, and go with what is sent in its name too. */
function ofTheClient(headers: SentHeaders): SentHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('mcp-param-')));
}

/** What a client says of itself in headers; undefined: it has none. */
export function headersIn(beside: Beside | undefined): SentHeaders | undefined {
  return beside?.headers === undefined ? undefined : ofTheClient(beside.headers);
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The member of `params` that `Mcp-Name` repeats. */
const NAME_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
  ['tasks/result', 'taskId'],
]);

/** The version that a request of the modern era names; undefined: it is of the legacy era. */
export function modernVersionOf(message: Message): string | undefined {
  if (!message.includes(VERSION_KEY)) return undefined;
  const { envelope } = message;
  if (envelope.kind === 'request' && envelope.method === 'initialize') return undefined;
  const version = message.read(['params', '_meta', VERSION_KEY]);
  return typeof version === 'string' ? version : undefined;
}

export function modernHeaders(message: Message, version: string): SentHeaders {
  const { envelope } = message;
  if (envelope.kind !== 'request' && envelope.kind !== 'notification') return { 'mcp-protocol-version': version };
  const { method } = envelope;
  const member = NAME_MEMBERS.get(method);
  const name = member === undefined ? undefined : message.read(['params', member]);
  return {
    'mcp-protocol-version': version,
    'mcp-method': encodedValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': encodedValue(name) } : {}),
  };
}

const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** As a header can carry it: what is no plain ASCII goes as the Base64 of its UTF-8. */
function encodedValue(value: string): string {
  if (PLAIN.test(value) && !value.startsWith('=?base64?')) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
