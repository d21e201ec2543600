/**
 * Lines of the client that are no messages, or not quite. They are passed on as they are, since the server may know
 * better (P2), but somebody has to learn of them: the log once a kind, and whoever asks why the server died right after
 * one. Nothing of their content is told. Where it is plain what a line is meant to be, it is treated as that: its
 * answer is owed, and its code has to be new.
 */
import type { MalformedLine } from '../agent/failure.js';
import { lineFaultWarning, type LineFault } from '../agent/line-faults.js';
import { requestWithoutId } from '../agent/words.js';
import { SESSION } from '../channel/channel.js';
import { error, INVALID_REQUEST } from '../wire/json-rpc.js';
import type { Envelope, Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import type { Session, Upstream } from './records.js';

/** A server that dies within this time of such a line may have died of it. */
const CAUSE_WITHIN_MS = 1000;
/** A longer line is not parsed only to name its fault. */
const MAX_PARSED = 1024 * 1024;

/** How a line fails to be a message. */
export function faultOf(line: Message): LineFault {
  if (line.length > MAX_PARSED) return 'not-json-rpc';
  let value: unknown;
  try {
    value = JSON.parse(line.toString().replace(/^\uFEFF/, ''));
  } catch {
    return 'not-json';
  }
  if (Array.isArray(value)) return value.length === 0 ? 'empty-batch' : 'mixed-batch';
  if (typeof value !== 'object' || value === null) return 'not-an-object';
  const message = value as Readonly<Record<string, unknown>>;
  if (message['jsonrpc'] !== '2.0') return 'no-version';
  if (hasBadId(message)) return 'bad-id';
  return 'no-method';
}

function hasBadId({ id }: Readonly<Record<string, unknown>>): boolean {
  // An answer can carry null, and some servers do answer such a request.
  return id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number';
}

/**
 * The message that the client means. A message without `jsonrpc` is understood by many servers, and so is a
 * notification that some serialiser has given the id null: both work without the proxy. A request with the id null is
 * left to the server: an answer can carry it.
 */
export function asMeant(session: Session, message: Message): Message {
  const { envelope, length } = message;
  if (envelope.kind === 'request' && envelope.id === 'null') {
    note(session, 'null-id', length);
    return message.meaning(envelopeWith(envelope.method, envelope.id));
  }
  if (envelope.kind !== 'invalid' || length > MAX_PARSED) return message;
  const meant = withoutVersion(message);
  if (meant === undefined) return message;
  note(session, faultOf(message), length);
  return message.meaning(meant);
}

function withoutVersion(line: Message): Envelope | undefined {
  const message = parsed(line);
  if (message === undefined || message['jsonrpc'] === '2.0' || hasBadId(message)) return undefined;
  const id = line.raw(['id']);
  const { method, error: failure } = message;
  if (typeof method === 'string') return envelopeWith(method, id);
  const isResponse = id !== undefined && method === undefined && (failure !== undefined || 'result' in message);
  return isResponse ? { kind: 'response', id, error: failure !== undefined } : undefined;
}

function envelopeWith(method: string, id: Id | undefined): Envelope {
  const isNotification = id === undefined || (id === 'null' && method.startsWith('notifications/'));
  return isNotification ? { kind: 'notification', method } : { kind: 'request', id, method };
}

/** Undefined if it is no object. */
function parsed(line: Message): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(line.toString()) as unknown;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it asks for something that could never be answered: the id is of a kind that no answer can carry. */
function isRequestWithBadId(line: Message): boolean {
  if (line.length > MAX_PARSED || !line.includes('"method"')) return false;
  const message = parsed(line);
  return message?.['jsonrpc'] === '2.0' && typeof message['method'] === 'string' && hasBadId(message);
}

/** The line goes to nobody if it can be answered here. True: it was. */
export function answerMalformed(session: Session, line: Message): boolean {
  const isAnswered = isRequestWithBadId(line);
  note(session, faultOf(line), line.length, isAnswered);
  if (isAnswered) session.client.send(error('null', INVALID_REQUEST, requestWithoutId()), SESSION);
  return isAnswered;
}

function note(session: Session, fault: LineFault, length: number, isAnswered = false): void {
  if (!session.reportedFaults.has(fault)) {
    session.reportedFaults.add(fault);
    session.lineage.ports.warn(lineFaultWarning(fault, length, isAnswered));
  }
  const { serving: upstream, ports } = session.lineage;
  if (!isAnswered && upstream !== undefined) session.lastMalformed = { upstream, fault, length, at: ports.now() };
}

/** Such a line, if the server was sent one so lately that it may have died of it. */
export function lastMalformed(
  { lastMalformed: line, lineage }: Session,
  upstream: Upstream,
): MalformedLine | undefined {
  if (line?.upstream !== upstream || lineage.ports.now() - line.at > CAUSE_WITHIN_MS) return undefined;
  return { bytes: line.length, fault: line.fault };
}
