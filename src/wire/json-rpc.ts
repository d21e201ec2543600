/**
 * JSON-RPC messages of our own making, ready to be sent. Ids are raw JSON tokens, so an answer carries exactly the id
 * that was asked with. What the messages say is the caller's.
 */
import type { Id } from './envelope.js';
import { Message } from './message.js';
import { toJson } from './to-json.js';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** `params` is JSON already: a client's own words are repeated to the byte. */
export function request(id: Id, method: string, params?: string): Message {
  const rest = params === undefined ? '' : `,"params":${params}`;
  return Message.fromJson(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${rest}}`);
}

export function notification(method: string, params?: unknown): Message {
  return Message.fromJson(`{"jsonrpc":"2.0","method":${JSON.stringify(method)}${member('params', params)}}`);
}

export function result(id: Id, value: unknown): Message {
  return Message.fromJson(`{"jsonrpc":"2.0","id":${id},"result":${toJson(value)}}`);
}

export function error(id: Id, code: number, message: string, data?: unknown): Message {
  return Message.fromJson(
    `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${member('data', data)}}}`,
  );
}

function member(name: string, value: unknown): string {
  return value === undefined ? '' : `,"${name}":${toJson(value)}`;
}
