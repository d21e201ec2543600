/**
 * The verdict on one message of a generation. The serving one speaks freely; a candidate may ask and log but says
 * nothing of lists before it serves; one that drains finishes what it owes; one that was given up is not heard at all.
 */
import { answerTo, SESSION, type Route } from '../channel/channel.js';
import { LISTS, listByMethod, listNamed, pageOf } from '../lists/lists.js';
import { SETTINGS } from '../session/agreement.js';
import type { Id } from '../wire/envelope.js';
import { keyOf, keyOfValue } from '../wire/ids.js';
import { error, INTERNAL_ERROR, METHOD_NOT_FOUND, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { clientAsked, clientsTold, streamNamed, type Delivery } from './addressees.js';
import { namesOf, toolNames, toolsBeside, withAgentTools } from './agent-calls.js';
import { joinBatch, messagesIn } from './batch.js';
import { endCall, startQueuedCalls } from './concurrency.js';
import { noteRefusedDiscover } from './eras.js';
import { noteIntroduction } from './introductions.js';
import { acknowledge, endOfStream, endStreams, keepBackEnd } from './listen-streams.js';
import { emptyList } from './local-answers.js';
import { isOpening, takeOpening } from './opening-results.js';
import { neverCached, withFailure, withNotes } from './patch.js';
import { forgetProgress, isStaleProgress, progressIn, recordProgress } from './progress.js';
import {
  isAlive,
  onlySession,
  type LineageRecord,
  type PendingRequest,
  type Session,
  type Upstream,
} from './records.js';
import { retrySafeToolsIn } from './retry-safety.js';
import { afterSetting } from './settings.js';
import { concernsTasks, noteTaskAnswer, withOwnTasks } from './task-messages.js';
import { withClientId } from './wire-names.js';

/** Only the serving generation's word counts for these. */
const OF_THE_SERVING = new Set([...LISTS.map((list) => list.notification), 'notifications/resources/updated']);

/** Results that are looked into or changed. */
const INSPECTED_METHODS = new Set([
  'initialize',
  'server/discover',
  'resources/read',
  ...SETTINGS,
  ...LISTS.map((list) => list.method),
]);

/** Most are answers that go on as they are, and are not looked into. */
export function fromServer(lineage: LineageRecord, upstream: Upstream, message: Message): void {
  if (!isAlive(lineage, upstream)) return;
  const { envelope } = message;
  if (envelope.kind === 'response') {
    const pending = plainResponse(lineage, upstream, envelope.id);
    if (pending !== undefined) return takePlainResponse(upstream, pending, message, envelope.error);
  }
  if (envelope.kind === 'batch') return batch(lineage, upstream, message);
  const deliveries = deliveriesOf(lineage, upstream, message);
  if (deliveries.length === 0) return;
  endStreams(lineage, upstream);
  for (const delivery of deliveries) deliver(delivery);
}

function deliver({ session, message, route }: Delivery): void {
  session.client.send(message, route);
}

/** What clients see of it, if anything. */
function deliveriesOf(lineage: LineageRecord, upstream: Upstream, message: Message): readonly Delivery[] {
  const { envelope } = message;
  switch (envelope.kind) {
    case 'response':
      return listOf(response(lineage, upstream, message, envelope.id, envelope.error));
    case 'request':
      return listOf(serverRequest(lineage, upstream, message, envelope.id, envelope.method));
    case 'notification':
      return notification(lineage, upstream, message, envelope.method);
    case 'batch':
    case 'invalid':
      return [];
  }
}

function listOf(delivery: Delivery | undefined): readonly Delivery[] {
  return delivery === undefined ? [] : [delivery];
}

/** Forwarded as it is if all of it is for one client, and unchanged. */
function batch(lineage: LineageRecord, upstream: Upstream, message: Message): void {
  const inside = messagesIn(message);
  if (inside === undefined) return lineage.isShared ? undefined : onlySession(lineage)?.client.send(message, SESSION);
  const each = inside.map((own) => deliveriesOf(lineage, upstream, own));
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
function plainResponse(lineage: LineageRecord, upstream: Upstream, id: Id): PendingRequest | undefined {
  if (upstream.proxyRequests.size > 0 || lineage.failure !== undefined || upstream.isClosingStreams) return undefined;
  const pending = upstream.pending.find(keyOf(id));
  if (pending === undefined || pending.session.notes !== undefined) return undefined;
  if (pending.method !== 'tools/call' && INSPECTED_METHODS.has(pending.method)) return undefined;
  if (lineage.isShared && pending.method === 'tasks/list') return undefined;
  return lineage.runsTasks && concernsTasks(lineage, pending.method) ? undefined : pending;
}

function takePlainResponse(upstream: Upstream, pending: PendingRequest, message: Message, isError: boolean): void {
  const { session } = pending;
  upstream.pending.remove(pending);
  if (!isError) session.hasServerAnswered = true;
  afterResponse(upstream, pending);
  session.client.send(withClientId(pending, message), answerTo(pending.id));
  upstream.pending.recycle(pending);
}

function response(
  lineage: LineageRecord,
  upstream: Upstream,
  said: Message,
  id: Id,
  isError: boolean,
): Delivery | undefined {
  if (upstream.proxyRequests.size > 0 && upstream.completeProxyRequest(id, said, isError)) return undefined;
  const pending = upstream.pending.complete(id);
  if (pending === undefined) return responseToNobody(lineage, upstream, said, id);
  const message = withClientId(pending, said);
  const { session } = pending;
  if (!isError) session.hasServerAnswered = true;
  if (isError && pending.method === 'server/discover') noteRefusedDiscover(session, message);
  const isRefused = isError || isNoToolList(upstream, pending, message);
  const seen = isRefused ? emptyIfMissing(upstream, pending, message) : inspectResult(upstream, pending, message);
  afterResponse(upstream, pending);
  return seen === undefined ? undefined : { session, message: seen, route: answerTo(pending.id) };
}

/** It ends a stream, or has no id: then only the client knows what it sent that the server could not read. */
function responseToNobody(lineage: LineageRecord, upstream: Upstream, message: Message, id: Id): Delivery | undefined {
  const key = keyOf(id);
  const named = streamNamed(lineage, upstream, key);
  if (named !== undefined) {
    const { session, stream } = named;
    const own = stream.key === key ? message : (message.with(['id'], stream.id) ?? message);
    const ends = endsStream(session, upstream, stream, own);
    return ends ? { session, message: own, route: answerTo(stream.id) } : undefined;
  }
  const session = lineage.isShared ? undefined : onlySession(lineage);
  if (id !== 'null' || upstream !== lineage.serving || session === undefined) return undefined;
  return { session, message, route: answerTo(id) };
}

/** Whether the client hears now that the stream has ended; else it goes on, or the message is kept back. */
function endsStream(
  session: Session,
  upstream: Upstream,
  stream: Parameters<typeof endOfStream>[1],
  message: Message,
): boolean {
  const end = endOfStream(session, stream, upstream);
  if (end === 'undecided') keepBackEnd(stream, upstream, message);
  if (end === 'ended') session.streams.end(stream);
  return end === 'ended';
}

/** A server that declares no tools need not know what a list of them is: some answer anything with something. */
function isNoToolList(upstream: Upstream, { session, method }: PendingRequest, message: Message): boolean {
  if (method !== 'tools/list' || !isMissing(upstream, session, 'tools')) return false;
  return !Array.isArray(message.read(['result', 'tools']));
}

function isMissing(upstream: Upstream, session: Session, capability: string): boolean {
  return upstream.capabilityGaps.get(session)?.promisedButMissing.has(capability) === true;
}

/** A server refuses a list that only the proxy has declared: the client was promised one. */
function emptyIfMissing(upstream: Upstream, pending: PendingRequest, message: Message): Message {
  const { session, id, method } = pending;
  const list = listByMethod(method);
  if (list === undefined) return message;
  // A modern client may have learnt on another connection what servers of this command can do.
  const { options } = session.lineage;
  const isUnsaid = list.name === 'tools' && options.promise && session.agreement.capabilities === undefined;
  const isUnknown = isUnsaid && message.read(['error', 'code']) === METHOD_NOT_FOUND;
  if (!isMissing(upstream, session, list.capability) && !isUnknown) return message;
  return result(id, emptyList(session, method, pending.message) ?? {});
}

/** Records what a good answer says, and changes in it what has to be changed. */
function inspectResult(upstream: Upstream, pending: PendingRequest, said: Message): Message | undefined {
  const { session, method, message: request } = pending;
  const { lineage, agreement } = session;
  const { failure } = lineage;
  if (lineage.runsTasks) noteTaskAnswer(upstream, pending, said);
  let message = method === 'tasks/list' ? withOwnTasks(session, upstream, said) : said;
  if (method === 'tools/call' && session.notes !== undefined)
    message = noted(session, session.notes, upstream, pending, message);
  if (method === 'tools/call' && failure !== undefined && servesOldCode(lineage, upstream))
    return withFailure(message, failure, toolNames(session, request));
  if (!INSPECTED_METHODS.has(method)) return message;
  if (isOpening(method)) {
    const opened = takeOpening(session, upstream, method, request, message);
    lineage.ports.introduced(method, said);
    if (method === 'initialize') noteIntroduction(lineage, upstream, said);
    return opened;
  }
  agreement.recordResponse(method, request, message);
  afterSetting(session, upstream, method, request);
  const isCacheable = agreement.era === 'modern';
  if (method === 'resources/read') return isCacheable ? neverCached(message) : message;
  const list = listByMethod(method);
  // Also of one that drains: it is what the client has from now on.
  if (list !== undefined) {
    const answered = message.read(['result']);
    session.served.onPage(list.name, request.read(['params', 'cursor']), answered, upstream.generation);
    const items = list.name === 'tools' ? pageOf(list, answered)?.items : undefined;
    if (items !== undefined) learnTools(upstream, items);
    if (items !== undefined && toolsBeside(session, request).size > 0)
      return firstPage(upstream, pending, isCacheable ? neverCached(message) : message);
  }
  return list !== undefined && isCacheable ? neverCached(message) : message;
}

/** Ours go behind the server's on the first page, and a name of theirs on a later page counts too. */
function firstPage(upstream: Upstream, pending: PendingRequest, answered: Message): Message | undefined {
  const { session, id, message: request } = pending;
  if (request.has(['params', 'cursor'])) return answered;
  const page = pageOf(listNamed('tools'), answered.read(['result']));
  if (page === undefined) return answered;
  if (page.next === undefined) return withAgentTools(session, request, answered, namesOf(page.items));
  session.lineage.ports.allTools(upstream, (items) =>
    session.client.send(withAgentTools(session, request, answered, namesOf(items ?? page.items)), answerTo(id)),
  );
  return undefined;
}

/** The notes go with the first result that has a place for them, once. A batch stays as it is, and so does a task. */
function noted(
  session: Session,
  notes: ReadonlyMap<string, string>,
  upstream: Upstream,
  pending: PendingRequest,
  message: Message,
): Message {
  if (upstream !== session.lineage.serving || pending.batch !== undefined || pending.cancelled) return message;
  if (pending.message.has(['params', 'task'])) return message;
  const seen = withNotes(message, [...notes.values()]);
  if (seen === undefined) return message;
  session.notes = undefined;
  return seen;
}

/** What was begun before the edit, and what a draining server finishes, was not asked of the code that failed. */
function servesOldCode({ options, serving }: LineageRecord, upstream: Upstream): boolean {
  return options.onFailure === 'serve' && upstream === serving;
}

/** Pages add up: a name once declared safe to call again stays so for this generation. */
export function learnTools(upstream: Upstream, items: readonly unknown[]): void {
  upstream.retrySafeTools = new Set([...upstream.retrySafeTools, ...retrySafeToolsIn(items)]);
}

function afterResponse(upstream: Upstream, pending: PendingRequest): void {
  const { session } = pending;
  forgetProgress(session, pending);
  if (!pending.cancelled) endCall(pending);
  startQueuedCalls(session.lineage);
  // One that drains and has nothing more to say to anybody may go.
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
}

function serverRequest(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  id: Id,
  method: string,
): Delivery | undefined {
  const session = clientAsked(lineage, upstream, method, message);
  if (typeof session === 'string') {
    upstream.channel.send(method === 'ping' ? result(id, {}) : error(id, INTERNAL_ERROR, session), answerTo(id));
    if (method !== 'ping') lineage.ports.warnOnce(session);
    return undefined;
  }
  const token = keyOfValue(message.read(['params', '_meta', 'progressToken']));
  const { clientId, clientToken } = session.serverRequests.add(id, upstream, method, token);
  upstream.serverRequests.add(session, clientId, method);
  let seen = clientId === id ? message : message.with(['id'], clientId);
  if (clientToken !== undefined && clientToken !== token)
    seen = seen?.with(['params', '_meta', 'progressToken'], clientToken);
  return seen && { session, message: seen, route: SESSION };
}

function notification(
  lineage: LineageRecord,
  upstream: Upstream,
  message: Message,
  method: string,
): readonly Delivery[] {
  if (OF_THE_SERVING.has(method) && upstream !== lineage.serving) {
    if (upstream === lineage.candidate) upstream.suppressedListChanges.add(method);
    return [];
  }
  if (method === 'notifications/subscriptions/acknowledged') {
    acknowledge(lineage, upstream, message);
    return [];
  }
  if (method === 'notifications/cancelled') return listOf(cancellation(lineage, upstream, message));
  const session = onlySession(lineage);
  if (lineage.isShared) return clientsTold(lineage, upstream, method, message).filter(isNews);
  const delivery = session && { session, message, route: SESSION };
  return delivery !== undefined && isNews(delivery) ? [delivery] : [];
}

/** Progress that the client has seen already is none. */
function isNews({ session, message }: Delivery): boolean {
  const { envelope } = message;
  const isProgress = envelope.kind === 'notification' && envelope.method === 'notifications/progress';
  const progress = isProgress ? progressIn(message) : undefined;
  if (progress === undefined) return true;
  if (isStaleProgress(session, progress)) return false;
  recordProgress(session, progress);
  return true;
}

/**
 * A server takes a request of its own back, or ends a stream: under the id that the client saw, and never another
 * server's.
 */
function cancellation(lineage: LineageRecord, upstream: Upstream, message: Message): Delivery | undefined {
  const key = keyOfValue(message.read(['params', 'requestId']));
  const only = onlySession(lineage);
  const to = (session: Session, seen: Message | undefined): Delivery | undefined =>
    seen && { session, message: seen, route: SESSION };
  if (key === undefined) return only && to(only, message);
  const named = streamNamed(lineage, upstream, key);
  if (named !== undefined) {
    const { session, stream } = named;
    const own = stream.key === key ? message : (message.with(['params', 'requestId'], stream.id) ?? message);
    return endsStream(session, upstream, stream, own) ? to(session, own) : undefined;
  }
  for (const session of lineage.sessions) {
    const asked = session.serverRequests.find(key, upstream);
    if (asked === undefined) continue;
    return to(session, asked.clientId === asked.id ? message : message.with(['params', 'requestId'], asked.clientId));
  }
  return lineage.isShared || only === undefined || only.serverRequests.isOpen(key) ? undefined : to(only, message);
}
