/**
 * The answers to HTTP requests that go to no server, as status, headers and body. An error of JSON-RPC carries the id
 * in the client's own spelling where it can be read. When each is given is decided elsewhere; here are their words, the
 * SDKs' own where clients know them.
 */
import type { Id } from '../../wire/envelope.js';
import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../../wire/json-rpc.js';

/** Why a request is not served. */
export interface Fault {
  readonly status: number;
  /** Of JSON-RPC. Without one, the body is the message as plain text. */
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What SDKs use for errors of the transport. */
export const TRANSPORT_ERROR = -32000;
export const SESSION_NOT_FOUND = -32001;

/** Without an `id`, or with none that could be read, it is null. */
export function replyTo(fault: Fault, id?: Id): HttpReply {
  const type = fault.code === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    status: fault.status,
    headers: { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', ...fault.headers },
    body: fault.code === undefined ? `${fault.message}\n` : errorBody(fault.code, fault, id),
  };
}

function errorBody(code: number, { message, data }: Fault, id: Id = 'null'): string {
  const error = JSON.stringify({ code, message, ...(data !== undefined && { data }) });
  return `{"jsonrpc":"2.0","error":${error},"id":${id}}`;
}

/** `limit`: in bytes. */
export function bodyTooLarge(limit: number): Fault {
  const message = `The body is longer than ${limit} bytes. --max-message allows more.`;
  // What is left of the body is read, for as long as a request may take: a client that writes on does not see an answer
  // if the connection ends.
  return { status: 413, code: PARSE_ERROR, message };
}

export const notJson: Fault = {
  status: 415,
  code: TRANSPORT_ERROR,
  message: 'Unsupported Media Type: Content-Type must be application/json',
};

export function tooManySessions(limit: number): Fault {
  const message = `All ${limit} sessions are in use. End one with DELETE, or raise --max-sessions.`;
  return { status: 503, code: TRANSPORT_ERROR, message };
}

/** Of one session, or of the clients that have none. */
export function tooManyRequests(limit: number): Fault {
  const message = `${limit} requests are open already. Send this one again when one of them has been answered.`;
  return { status: 429, code: TRANSPORT_ERROR, message };
}

/** A client of HTTP+SSE has come back with a new stream, and its session can't be found again. */
export const sessionLost: Fault = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message: 'Session not found: this stream has none yet. Send initialize first.',
};

/** While the proxy is going down, or before it serves. */
export const ending: Fault = {
  status: 503,
  code: TRANSPORT_ERROR,
  message: 'The proxy is ending. Connect again when it has been started anew.',
};

/** What only the server can say. */
export const nobodyThere: Fault = { status: 503, message: 'The server can not be reached at the moment.' };

export const nothingHere: Fault = {
  status: 404,
  message: 'There is nothing at this path. MCP is at /mcp, HTTP+SSE at /sse.',
};

/** To a modern request, where the server speaks only the legacy era: clients fall back to `initialize` then. */
export const legacyServerOnly: Fault = {
  status: 400,
  code: TRANSPORT_ERROR,
  message: 'Bad Request: Server not initialized',
};

export const parseError: Fault = { status: 400, code: PARSE_ERROR, message: 'Parse error: Invalid JSON' };

/** JSON, but no JSON-RPC. */
export const noMessage: Fault = {
  status: 400,
  code: INVALID_REQUEST,
  message: 'Invalid Request: the body must be a JSON-RPC 2.0 message.',
};

/** Of the modern era: whatever the server speaks, it has no such method. */
export const methodNotFound: Fault = { status: 404, code: METHOD_NOT_FOUND, message: 'Method not found' };

/** `allowed`: HTTP methods. */
export function methodNotAllowed(allowed: string): Fault {
  return { status: 405, code: TRANSPORT_ERROR, message: 'Method not allowed.', headers: { Allow: allowed } };
}
