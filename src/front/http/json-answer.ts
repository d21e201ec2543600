/**
 * A response that is one message and nothing else; or the one that a server gave, where that is what the message stands
 * for. With which status, and that it is the only one, is decided before.
 */
import type { ServerResponse } from 'node:http';
import type { Beside, Message } from '../../wire/message.js';
import { dataOf } from './event-stream.js';

/** Up to this size a body goes out together with its headers, in one write: node:http does so with text alone. */
const TOGETHER_BYTES = 16 * 1024;

export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  message: Message,
): void {
  const reply = message.beside?.reply;
  if (reply !== undefined) return sendReply(response, headers, reply);
  const data = dataOf(message);
  const type = { 'content-type': 'application/json', 'content-length': String(data.length) };
  response.writeHead(status, { ...headers, ...type });
  // In Latin 1 each byte is a character, so that the bytes stay what they are (P2).
  if (data.length <= TOGETHER_BYTES) response.end(data.toString('latin1'), 'latin1');
  else response.end(data);
}

/** What the server said to us instead of an answer. A session that it has refused is none. */
function sendReply(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { status, headers: own, body }: NonNullable<Beside['reply']>,
): void {
  const all = Object.entries({ ...own, ...headers, 'content-length': String(body.length) });
  const sent = Object.fromEntries(all.filter(([name]) => name !== 'mcp-session-id'));
  response.writeHead(status, sent as Record<string, string | string[]>).end(body);
}
