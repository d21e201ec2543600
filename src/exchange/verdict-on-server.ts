/**
 * The verdict on a server's message. The serving generation speaks freely; a candidate may ask and log but says nothing
 * of lists before it serves; one that drains finishes what it owes. Nothing is done here: from-server.ts does it.
 */
import { answerTo, SESSION } from '../channel/channel.js';
import { LISTS } from '../lists/lists.js';
import type { ListenStream } from '../session/listen-streams.js';
import type { Id } from '../wire/envelope.js';
import { keyOf, keyOfValue } from '../wire/ids.js';
import { error, INTERNAL_ERROR, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { clientAsked, clientsTold, streamNamed, type Delivery } from './addressees.js';
import { endOfStream } from './stream-messages.js';
import { isStaleProgress, progressIn } from './progress.js';
import { onlySession, type LineageRecord, type Session, type Upstream } from './records.js';
import { DROP, type ServerVerdict } from './verdicts.js';

/** Only the serving generation's word counts for these. */
const OF_THE_SERVING = new Set([...LISTS.map((list) => list.notification), 'notifications/resources/updated']);

const LOG_OF_NOBODY =
  "a log message of the server was passed on to nobody: clients share the server, and it can't be told whose request it is about unless exactly one of those that run has asked for log messages";

export function serverVerdict(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  of?: Session,
): ServerVerdict {
  const { envelope } = message;
  switch (envelope.kind) {
    case 'response':
      return answerVerdict(lineage, upstream, message, envelope.id, envelope.error, of);
    case 'request':
      return questionVerdict(lineage, upstream, message, envelope.id, envelope.method, of);
    case 'notification':
      return notificationVerdict(lineage, upstream, message, envelope.method, of);
    case 'batch':
    case 'invalid':
      return DROP;
  }
}

function answerVerdict(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  id: Id,
  isError: boolean,
  of: Session | undefined,
): ServerVerdict {
  const key = keyOf(id);
  if (upstream.proxyRequests.has(key)) return { do: 'answer-proxy', id, isError };
  const pending = upstream.pending.find(key);
  if (pending !== undefined) return { do: 'answer', pending, isError };
  const named = streamNamed(lineage, upstream, key);
  if (named !== undefined) {
    const { session, stream } = named;
    const own = stream.key === key ? message : (message.with(['id'], stream.id) ?? message);
    return endVerdict(upstream, stream, { session, message: own, route: answerTo(stream.id) });
  }
  // Without an id only the client knows what it sent that the server could not read.
  if (of === undefined && lineage.isShared) return { do: 'forget-call', key };
  const session = of ?? onlySession(lineage);
  if (id !== 'null' || upstream !== lineage.serving || session === undefined) return DROP;
  return { do: 'deliver', deliveries: [{ session, message, route: answerTo(id) }] };
}

/** The server's last words on a stream. */
function endVerdict(upstream: Upstream, stream: ListenStream, end: Delivery): ServerVerdict {
  switch (endOfStream(end.session, stream, upstream)) {
    case 'ended':
      return { do: 'end-stream', stream, end };
    case 'undecided':
      return { do: 'keep-back-end', stream, end };
    case 'open':
      return DROP;
  }
}

function questionVerdict(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  id: Id,
  method: string,
  of: Session | undefined,
): ServerVerdict {
  const session = of ?? clientAsked(lineage, upstream, method, message);
  if (typeof session !== 'string') return { do: 'ask', session, id, method };
  if (method === 'ping') return { do: 'refuse', id, of, answer: result(id, {}), warning: undefined };
  return { do: 'refuse', id, of, answer: error(id, INTERNAL_ERROR, session), warning: session };
}

function notificationVerdict(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  method: string,
  of: Session | undefined,
): ServerVerdict {
  if (OF_THE_SERVING.has(method) && upstream !== lineage.serving)
    return upstream === lineage.candidate ? { do: 'suppress', method } : DROP;
  if (method === 'notifications/subscriptions/acknowledged') return { do: 'acknowledge' };
  if (method === 'notifications/cancelled') return cancellationVerdict(lineage, upstream, message, of);
  const session = onlySession(lineage);
  const alone = session === undefined ? [] : [{ session, message, route: SESSION }];
  const deliveries = lineage.isShared ? clientsTold(lineage, upstream, method, message, of) : alone;
  // A legacy client that has asked for no level wants none.
  const isLost = lineage.isShared && deliveries.length === 0 && method === 'notifications/message';
  if (isLost && lineage.agreement.era === 'modern') return { do: 'warn', text: LOG_OF_NOBODY };
  const [delivery] = method === 'notifications/progress' ? deliveries : [];
  if (delivery !== undefined) return { do: 'progress', delivery, isNews: isNews(delivery) };
  return { do: 'deliver', deliveries };
}

/** Progress that the client has seen already is none. */
function isNews({ session, message }: Delivery): boolean {
  const progress = progressIn(message);
  return progress === undefined || !isStaleProgress(session, progress);
}

/**
 * A server takes a request of its own back, or ends a stream: under the id that the client saw, and never another
 * server's.
 */
function cancellationVerdict(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  of: Session | undefined,
): ServerVerdict {
  const key = keyOfValue(message.read(['params', 'requestId']));
  const only = of ?? onlySession(lineage);
  const to = (session: Session | undefined, seen: Message | undefined): ServerVerdict =>
    session === undefined || seen === undefined
      ? DROP
      : { do: 'deliver', deliveries: [{ session, message: seen, route: SESSION }] };
  if (key === undefined) return lineage.isShared ? DROP : to(only, message);
  const named = streamNamed(lineage, upstream, key);
  if (named !== undefined) {
    const { session, stream } = named;
    const own = stream.key === key ? message : (message.with(['params', 'requestId'], stream.id) ?? message);
    return endVerdict(upstream, stream, { session, message: own, route: SESSION });
  }
  for (const session of of === undefined ? lineage.sessions : [of]) {
    const asked = session.serverRequests.find(key, upstream);
    if (asked === undefined) continue;
    return to(session, asked.clientId === asked.id ? message : message.with(['params', 'requestId'], asked.clientId));
  }
  return lineage.isShared || only?.serverRequests.isOpen(key) === true ? DROP : to(only, message);
}
