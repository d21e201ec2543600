/** A response that is one message and nothing else. With which status, and that it is the only one, is decided before. */
import type { ServerResponse } from 'node:http';
import type { Message } from '../../wire/message.js';
import { dataOf } from './event-stream.js';

/** Up to this size a body goes out together with its headers, in one write: node:http does so with text alone. */
const TOGETHER_BYTES = 16 * 1024;

export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  message: Message,
): void {
  const data = dataOf(message);
  const type = { 'content-type': 'application/json', 'content-length': String(data.length) };
  response.writeHead(status, { ...headers, ...type });
  // In Latin 1 each byte is a character, so that the bytes stay what they are (P2).
  if (data.length <= TOGETHER_BYTES) response.end(data.toString('latin1'), 'latin1');
  else response.end(data);
}
