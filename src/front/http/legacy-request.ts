/**
 * What a request of the legacy era must satisfy before it reaches its session: Streamable HTTP on /mcp, and HTTP+SSE on
 * /sse and /message. A POST to /mcp comes here after modern-request.ts had nothing against it and its Content-Type and
 * length were right. Which sessions there are, how many may be, and what then happens to the messages, is the caller's.
 * Answers and their order are those of the v1 SDK, which clients know.
 */
import { INVALID_REQUEST } from '../../wire/json-rpc.js';
import type { BodyFacts } from './body-facts.js';
import { type Headers, valueOf } from './headers.js';
import { accepts, EVENT_STREAM, JSON_TYPE } from './media-type.js';
import { type Fault, methodNotAllowed, noMessage, parseError, SESSION_NOT_FOUND, TRANSPORT_ERROR } from './replies.js';

/** The session that a request names, if any. */
export type NamedSession =
  | 'none'
  | 'unknown'
  | {
      /** As its `initialize` was answered; undefined before that. */
      readonly version: string | undefined;
      readonly hasStream: boolean;
    };

export interface LegacyRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly session: NamedSession;
  /** Of a POST. */
  readonly body?: BodyFacts;
}

const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
const MAX_BATCH_MESSAGES = 100;

/** On /mcp. Undefined: it may go on. */
export function legacyFault(request: LegacyRequest): Fault | undefined {
  switch (request.method) {
    case 'GET':
      return accepts(request.headers, EVENT_STREAM) ? (sessionFault(request) ?? streamFault(request)) : onlyStreams;
    case 'DELETE':
      return sessionFault(request);
    case 'POST':
      return postFault(request);
    default:
      return methodNotAllowed('GET, POST, DELETE');
  }
}

/** Whether a POST to which legacyFault() has no objection opens a session. */
export function opensSession(body: BodyFacts): boolean {
  return body.kind === 'request' && body.method === 'initialize';
}

/** On /sse: opens a session, so there is none to name. */
export function sseFault({ method }: Pick<LegacyRequest, 'method'>): Fault | undefined {
  return method === 'GET' ? undefined : methodNotAllowed('GET');
}

/** On /message. The session is the one of its query. */
export function sseMessageFault(request: Omit<LegacyRequest, 'headers'>): Fault | undefined {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  if (request.session === 'none') return noSessionId;
  if (request.session === 'unknown') return sessionNotFound;
  return request.body === undefined ? parseError : (shapeFault(request.body) ?? batchFault(request.body));
}

function postFault(request: LegacyRequest): Fault | undefined {
  const { headers, body, session } = request;
  if (!accepts(headers, JSON_TYPE) || !accepts(headers, EVENT_STREAM)) return bothTypes;
  if (body === undefined) return parseError;
  const fault = shapeFault(body) ?? batchFault(body);
  if (fault !== undefined || !opensSession(body)) return fault ?? sessionFault(request);
  // A stale session is no obstacle: the client has been told that it is gone, and opens another one.
  return typeof session === 'object' ? alreadyInitialized : undefined;
}

function shapeFault(body: BodyFacts): Fault | undefined {
  if (body.kind !== 'invalid') return undefined;
  return body.isJson ? noMessage : parseError;
}

/** Only 2025-03-26 has batches, but the SDKs take them in every version, and so clients may send them. */
function batchFault(body: BodyFacts): Fault | undefined {
  if (body.kind !== 'batch') return undefined;
  if (body.elements.length > MAX_BATCH_MESSAGES) return batchTooLong;
  if (body.elements.some(({ hasNullId }) => hasNullId)) return noMessage;
  return body.elements.some(({ method }) => method === 'initialize') ? initializeInBatch : undefined;
}

function sessionFault({ headers, session }: LegacyRequest): Fault | undefined {
  if (session === 'none') return noSessionHeader;
  if (session === 'unknown') return sessionNotFound;
  const version = valueOf(headers, 'mcp-protocol-version');
  if (version === undefined || version === session.version || LEGACY_VERSIONS.includes(version)) return undefined;
  const supported = LEGACY_VERSIONS.join(', ');
  const what = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${supported})`;
  return refused(400, TRANSPORT_ERROR, what);
}

function streamFault({ session }: LegacyRequest): Fault | undefined {
  return typeof session === 'object' && session.hasStream ? onlyOneStream : undefined;
}

function refused(status: number, code: number, message: string): Fault {
  return { status, code, message };
}

const onlyStreams = refused(406, TRANSPORT_ERROR, 'Not Acceptable: Client must accept text/event-stream');
const bothTypes = refused(
  406,
  TRANSPORT_ERROR,
  'Not Acceptable: Client must accept both application/json and text/event-stream',
);
const onlyOneStream = refused(409, TRANSPORT_ERROR, 'Conflict: Only one SSE stream is allowed per session');
const noSessionHeader = refused(400, TRANSPORT_ERROR, 'Bad Request: Mcp-Session-Id header is required');
const noSessionId = refused(400, TRANSPORT_ERROR, 'Bad Request: the query needs the sessionId of the endpoint event');
const sessionNotFound = refused(404, SESSION_NOT_FOUND, 'Session not found');
const alreadyInitialized = refused(400, INVALID_REQUEST, 'Invalid Request: Server already initialized');
const initializeInBatch = refused(400, INVALID_REQUEST, 'Invalid Request: initialize must not be part of a batch');
const batchTooLong = refused(
  400,
  INVALID_REQUEST,
  `Invalid Request: Batch must not exceed ${MAX_BATCH_MESSAGES} messages`,
);
