// Reads one line of the proxy's stdout as strictly as a peer may: UTF-8, JSON, and a complete JSON-RPC 2.0 message. The
// caller knows what the message should say.

import { isRecord } from '../lists/lists.js';

export type Id = string | number | null;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'result'; readonly id: Id; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: Id; readonly error: RpcError }
  | { readonly kind: 'fault'; readonly fault: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readMessage(line: Buffer): Message {
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(line));
  } catch {
    return fault('is not JSON', line);
  }
  if (Array.isArray(parsed)) return fault('is a batch, which this version of the protocol does not have', line);
  if (!isRecord(parsed)) return fault('is not a JSON-RPC message', line);
  if (parsed['jsonrpc'] !== '2.0') return fault('lacks "jsonrpc":"2.0"', line);
  return 'method' in parsed ? readCall(parsed, line) : readResponse(parsed, line);
}

function readCall(parsed: Record<string, unknown>, line: Buffer): Message {
  const { id, method } = parsed;
  if (typeof method !== 'string') return fault('has a method that is not a string', line);
  if (id === undefined) return { kind: 'notification', method };
  if (typeof id !== 'string' && typeof id !== 'number') return fault('has an id that is not a string or number', line);
  return { kind: 'request', id, method };
}

function readResponse(parsed: Record<string, unknown>, line: Buffer): Message {
  const { id, result, error } = parsed;
  if (typeof id !== 'string' && typeof id !== 'number' && id !== null) return fault('has neither method nor id', line);
  if ((result === undefined) === (error === undefined)) return fault('has not just one of result and error', line);
  if (error === undefined) return { kind: 'result', id, result };
  if (!isRecord(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return fault('has an error without code or message', line);
  }
  const { code, message, data } = error as { code: number; message: string; data?: unknown };
  return { kind: 'error', id, error: { code, message, data } };
}

function fault(what: string, line: Buffer): Message {
  return { kind: 'fault', fault: `a line ${what}: ${excerpt(line.toString('utf8').trimEnd())}` };
}

export function excerpt(text: string, most = 200): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
