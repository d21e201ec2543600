/**
 * Takes one message of a generation: has the verdict on it given (verdict-on-server.ts), carries it out, and sends
 * clients what they get. A plain answer goes to its client without a verdict. One that was given up is not heard at
 * all.
 */
import { answerTo, SESSION, type Route } from '../channel/channel.js';
import { listNamed } from '../lists/lists.js';
import type { Id } from '../wire/envelope.js';
import { keyOf, keyOfValue } from '../wire/ids.js';
import { joinBatch, messagesIn } from '../wire/batch.js';
import type { Message } from '../wire/message.js';
import type { Delivery } from './addressees.js';
import { endCall, startQueuedCalls } from './client-actions.js';
import { noteRefusedDiscover } from './eras.js';
import { mayGetHint, withHints } from './hints.js';
import { acknowledge, endStreams, keepBackEnd } from './stream-messages.js';
import { forgetProgress, progressIn, recordProgress } from './progress.js';
import {
  isAlive,
  onlySession,
  type LineageRecord,
  type PendingRequest,
  type Session,
  type Upstream,
} from './records.js';
import { isForNobody, isPlainMethod, takeResult } from './results.js';
import type { ServerVerdict } from './verdicts.js';
import { doubtTools } from './known-tools.js';
import { serverVerdict } from './verdict-on-server.js';
import { withClientId } from './wire-names.js';

const TOOLS = listNamed('tools');

/**
 * Most are answers that go on as they are, and are not looked into. `of`: the client in whose session it was said, if
 * the server keeps clients apart.
 */
export function fromServer(lineage: LineageRecord, upstream: Upstream, message: Message, of?: Session): void {
  if (!isAlive(lineage, upstream)) return;
  const { envelope } = message;
  if (envelope.kind === 'response') {
    const pending = plainAnswer(lineage, upstream, envelope.id, message);
    if (pending !== undefined) return takePlainAnswer(upstream, pending, message, envelope.error);
  }
  if (envelope.kind === 'batch') return batch(lineage, upstream, message, of);
  const deliveries = apply(lineage, upstream, message, serverVerdict(lineage, upstream, message, of));
  if (deliveries.length === 0) return;
  endStreams(lineage, upstream);
  for (const delivery of deliveries) deliver(delivery);
}

function deliver({ session, message, route }: Delivery): void {
  session.client.send(message, route);
}

/** Forwarded as it is if all of it is for one client, and unchanged. */
function batch(lineage: LineageRecord, upstream: Upstream, message: Message, of: Session | undefined): void {
  const inside = messagesIn(message);
  if (inside === undefined) return lineage.isShared ? undefined : onlySession(lineage)?.client.send(message, SESSION);
  const each = inside.map((own) => apply(lineage, upstream, own, serverVerdict(lineage, upstream, own, of)));
  const deliveries = each.flat();
  const [first] = deliveries;
  if (
    first !== undefined &&
    each.every((own, at) => own.length === 1 && own[0]?.session === first.session && own[0].message === inside[at])
  )
    return deliver({ ...first, message, route: routeOfBatch(deliveries) });
  for (const session of new Set(deliveries.map((own) => own.session))) {
    const own = deliveries.filter((delivery) => delivery.session === session);
    deliver({ session, message: joinBatch(own.map((delivery) => delivery.message)), route: routeOfBatch(own) });
  }
}

function routeOfBatch(deliveries: readonly Delivery[]): Route {
  return deliveries.find((delivery) => delivery.route.kind === 'answer')?.route ?? SESSION;
}

/** The request that is answered, if it is owed and there is nothing more to it. */
function plainAnswer(lineage: LineageRecord, upstream: Upstream, id: Id, answer: Message): PendingRequest | undefined {
  if (upstream.proxyRequests.size > 0 || lineage.failure !== undefined || upstream.isClosingStreams) return undefined;
  const pending = upstream.pending.find(keyOf(id));
  if (pending === undefined || pending.session.memory.notes !== undefined) return undefined;
  if (mayGetHint(upstream, pending, answer)) return undefined;
  return isPlainMethod(lineage, pending.method) ? pending : undefined;
}

/** Does what was decided. Returns what clients get, to be sent in this order. */
function apply(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  verdict: ServerVerdict,
): readonly Delivery[] {
  switch (verdict.do) {
    case 'deliver':
      noteNews(lineage, upstream, message);
      return verdict.deliveries;
    case 'progress':
      noteProgress(verdict.delivery);
      return verdict.isNews ? [verdict.delivery] : [];
    case 'answer':
      return listOf(takeAnswer(upstream, verdict.pending, message, verdict.isError));
    case 'answer-proxy':
      upstream.completeProxyRequest(verdict.id, message, verdict.isError);
      return [];
    case 'forget-call':
      upstream.takenBack.delete(verdict.key);
      return [];
    case 'ask':
      return listOf(ask(upstream, verdict.session, message, verdict.id, verdict.method));
    case 'refuse':
      upstream.send(verdict.answer, verdict.of, answerTo(verdict.id));
      if (verdict.warning !== undefined) lineage.ports.warnOnce(verdict.warning);
      return [];
    case 'end-stream':
      verdict.end.session.streams.end(verdict.stream);
      return [verdict.end];
    case 'keep-back-end':
      keepBackEnd(verdict.stream, upstream, verdict.end.message);
      return [];
    case 'acknowledge':
      acknowledge(lineage, upstream, message);
      return [];
    case 'suppress':
      upstream.suppressedListChanges.add(verdict.method);
      return [];
    case 'warn':
      lineage.ports.warnOnce(verdict.text);
      return [];
    case 'drop':
      return [];
  }
}

function listOf(delivery: Delivery | undefined): readonly Delivery[] {
  return delivery === undefined ? [] : [delivery];
}

/** What the proxy has to know of what clients are told. */
function noteNews(lineage: LineageRecord, upstream: Upstream, message: Message): void {
  const { envelope } = message;
  if (envelope.kind !== 'notification') return;
  if (envelope.method === TOOLS.notification) return doubtTools(lineage, upstream);
  if (envelope.method !== 'notifications/cancelled') return;
  const key = keyOfValue(message.read(['params', 'requestId']));
  if (key === undefined) return;
  for (const session of lineage.sessions) {
    const asked = session.serverRequests.find(key, upstream);
    if (asked !== undefined) upstream.serverRequests.takenBack(session, asked.clientId);
  }
}

function noteProgress({ session, message }: Delivery): void {
  const progress = progressIn(message);
  if (progress !== undefined) recordProgress(session, progress);
}

/** A result that goes on as it is. */
function takePlainAnswer(upstream: Upstream, pending: PendingRequest, message: Message, isError: boolean): void {
  const { session } = pending;
  upstream.pending.remove(pending);
  if (!isError) noteAnswered(upstream, session);
  afterAnswer(upstream, pending);
  if (!isForNobody(pending)) session.client.send(withClientId(pending, message), answerTo(pending.id));
  upstream.pending.recycle(pending);
}

function takeAnswer(
  upstream: Upstream,
  pending: PendingRequest,
  said: Message,
  isError: boolean,
): Delivery | undefined {
  upstream.pending.remove(pending);
  const message = withClientId(pending, said);
  const { session } = pending;
  if (!isError) noteAnswered(upstream, session);
  if (isError && pending.method === 'server/discover') noteRefusedDiscover(session, message);
  const taken = takeResult(upstream, pending, message, isError);
  const seen = taken && withHints(upstream, pending, taken, isError);
  afterAnswer(upstream, pending);
  const isSeen = seen !== undefined && !isForNobody(pending);
  return isSeen ? { session, message: seen, route: answerTo(pending.id) } : undefined;
}

function noteAnswered(upstream: Upstream, session: Session): void {
  session.hasServerAnswered = true;
  if (session.role === 'client') upstream.hasAnswered = true;
}

function afterAnswer(upstream: Upstream, pending: PendingRequest): void {
  const { session } = pending;
  forgetProgress(session, pending);
  if (pending.cancelled) upstream.takenBack.delete(pending.key);
  if (!pending.cancelled) endCall(pending);
  startQueuedCalls(session.lineage);
  // One that drains and has nothing more to say to anybody may go.
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
}

/** The client sees names of ours where it has been asked under the same ones by another server. */
function ask(upstream: Upstream, session: Session, message: Message, id: Id, method: string): Delivery | undefined {
  const token = keyOfValue(message.read(['params', '_meta', 'progressToken']));
  const { clientId, clientToken } = session.serverRequests.add(id, upstream, method, token);
  upstream.serverRequests.add(session, clientId, method);
  let seen = clientId === id ? message : message.with(['id'], clientId);
  if (clientToken !== undefined && clientToken !== token)
    seen = seen?.with(['params', '_meta', 'progressToken'], clientToken);
  return seen && { session, message: seen, route: SESSION };
}
