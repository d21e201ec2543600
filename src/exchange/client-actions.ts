/**
 * Does what was decided of a client's message: the one place where such a message is sent, kept or answered, and where
 * that is recorded. What becomes of a message is decided in verdict-on-client.ts.
 */
import { holdIsFull } from '../agent/words.js';
import { answerTo, SESSION } from '../channel/channel.js';
import type { Batch } from '../server/pending-requests.js';
import type { Id } from '../wire/envelope.js';
import { result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { callAgent, learnToolNames, toolNames } from './agent-calls.js';
import { answerAll, answerToBatch } from './answer-all.js';
import { joinBatch, type ClientRequest } from '../wire/batch.js';
import type { ClientVerdict, TakenBack } from './verdicts.js';
import { pinEra } from './eras.js';
import { failureAnswer } from './failure-answers.js';
import { clientVerdict, concerns, forwardVerdict, holdOrForward, newerToTell } from './verdict-on-client.js';
import { MAX_HELD, MAX_HELD_BYTES, type Refusal } from './hold.js';
import { acknowledgeStreams, reopenStreams } from './stream-messages.js';
import { answerLocally, emptyList } from './local-answers.js';
import { noteMalformed } from './malformed.js';
import { takeOpening } from './opening-results.js';
import { forgetProgress } from './progress.js';
import {
  isAlive,
  noteOpener,
  type Arrival,
  type LineageRecord,
  type PendingRequest,
  type Session,
  type Upstream,
} from './records.js';
import { isLimitedByConcurrency } from './retry-safety.js';
import { withSharedLevel } from './settings.js';
import { noteTakenBack } from './addressees.js';
import { noteTaskClient } from './task-messages.js';
import { watchToolList } from './undeclared-tools.js';
import { nameRequest } from './wire-names.js';

/** What waited, or comes back, goes to whoever serves now. */
export function forward(arrival: Arrival): void {
  apply(arrival, forwardVerdict(arrival));
}

export function apply(arrival: Arrival, verdict: ClientVerdict): void {
  const { session, message } = arrival;
  const { lineage, client } = session;
  switch (verdict.do) {
    case 'ask':
      return ask(arrival, verdict.to, verdict.request);
    case 'ask-batch':
      return askBatch(session, verdict.to, message, verdict.inside, verdict.requests);
    case 'listen':
      return listen(session, verdict.request);
    case 'tell':
      return tell(session, verdict.to, verdict.method, message);
    case 'answer':
      return client.send(verdict.answer, verdict.route);
    case 'answer-in-place':
      return client.send(answerLocally(session, verdict.request), answerTo(verdict.request.id));
    case 'answer-batch-in-place': {
      const answers = verdict.requests.map((request) => answerLocally(session, request));
      if (answers.length > 0) client.send(joinBatch(answers), answerToBatch(verdict.requests));
      return;
    }
    case 'answer-empty': {
      const { id, method } = verdict.request;
      return client.send(result(id, emptyList(session, method, message)), answerTo(id));
    }
    case 'set-beside-others': {
      const { id, method } = verdict.request;
      session.agreement.recordSetting(method, message);
      return client.send(result(id, session.agreement.resultOf({})), answerTo(id));
    }
    case 'introduce':
      return introduce(session, verdict.by, verdict.as, verdict.request);
    case 'await-introduction':
      return void lineage.waitingOpenings.push(arrival);
    case 'hold':
      return hold(arrival);
    case 'queue':
      if (lineage.failure !== undefined) lineage.ports.repeatAttempt(false);
      return void lineage.queuedCalls.push(arrival);
    case 'repeat-attempt':
      return lineage.ports.repeatAttempt(true) ? hold(arrival) : apply(arrival, verdict.otherwise);
    case 'call-agent':
      return callAgent(session, verdict.tool, arrival, verdict.id);
    case 'learn-names':
      return learnToolNames(session, verdict.from, verdict.id, () => apply(arrival, holdOrForward(arrival)));
    case 'respond':
      return respond(session, verdict.question, verdict.response);
    case 'tell-progress':
      pinEra(lineage, verdict.to);
      return verdict.to.send(verdict.progress, session, verdict.route);
    case 'take-back':
      return takeBack(session, verdict.request, message);
    case 'take-malformed':
      noteMalformed(session, message);
      if (verdict.answer !== undefined) client.send(verdict.answer, SESSION);
      return verdict.to?.send(message, session);
    case 'several': {
      for (const own of verdict.single) {
        const each = { ...arrival, message: own };
        apply(each, clientVerdict(each));
      }
      const rest = verdict.rest && { ...arrival, message: verdict.rest };
      return rest && apply(rest, holdOrForward(rest));
    }
    case 'drop':
      return;
  }
}

function ask({ session, isRetry }: Arrival, to: Upstream, request: ClientRequest): void {
  const { lineage, agreement } = session;
  const { id, method, message } = request;
  if (method === 'tools/call') {
    if (lineage.failure !== undefined) lineage.ports.repeatAttempt(false);
    if (agreement.era !== 'legacy') noteTaskClient(lineage, message);
    if (lineage.options.concurrency !== undefined) lineage.runningCalls++;
  }
  recordRequest(session, to, method, message);
  const named = nameRequest(session, to, { id, message: withSharedLevel(session, to, method, message) });
  to.pending.add(session, id, method, message, undefined, isRetry, named.wireId);
  lineage.requestCount++;
  to.send(named.message, session);
  if (method === 'tools/list' && session.promisedButMissing.has('tools')) watchToolList(session, id, to);
}

function askBatch(
  session: Session,
  to: Upstream,
  message: Message,
  inside: readonly Message[],
  requests: readonly ClientRequest[],
): void {
  const batch: Batch = {};
  const renamed = new Map<Message, Message>();
  for (const { id, method, message: own } of requests) {
    recordRequest(session, to, method, own);
    const named = nameRequest(session, to, { id, message: withSharedLevel(session, to, method, own) });
    if (named.message !== own) renamed.set(own, named.message);
    to.pending.add(session, id, method, own, batch, false, named.wireId);
  }
  session.lineage.requestCount++;
  // What a shared server is to hear from one client alone is left out of what the others say.
  const heard = inside.filter(
    ({ envelope }) => envelope.kind !== 'notification' || concerns(session, to, envelope.method),
  );
  if (heard.length < inside.length || renamed.size > 0) {
    if (heard.length > 0) to.send(joinBatch(heard.map((own) => renamed.get(own) ?? own)), session);
  } else to.send(message, session);
  for (const own of inside) {
    const { envelope } = own;
    if (envelope.kind !== 'notification') continue;
    const { method } = envelope;
    if (method === 'notifications/initialized') to.isInitialized = true;
    const newer = newerToTell(session, method).filter((upstream) => concerns(session, upstream, method));
    tell(session, newer, method, own);
  }
}

function recordRequest(session: Session, to: Upstream, method: string, message: Message): void {
  session.agreement.recordRequest(method, message);
  noteOpener(session);
  if (!session.agreement.namesEra(message)) pinEra(session.lineage, to);
  else if (method !== 'server/discover') to.eraPinned = true;
}

/** An open stream is no answer that is owed. */
function listen(session: Session, { id, method, message }: ClientRequest): void {
  const { lineage } = session;
  const { serving } = lineage;
  if (serving === undefined) session.agreement.recordRequest(method, message);
  else recordRequest(session, serving, method, message);
  lineage.requestCount++;
  session.streams.open(id, message);
  if (serving === undefined) acknowledgeStreams(session);
  else reopenStreams(session, serving);
}

function tell(session: Session, to: readonly Upstream[], method: string, message: Message): void {
  session.agreement.recordNotification(method);
  for (const upstream of to) {
    if (method === 'notifications/initialized') upstream.isInitialized = true;
    if (upstream === session.lineage.serving) pinEra(session.lineage, upstream);
    upstream.send(message, session);
  }
}

/** What the server has said of itself to another client is told to this one. */
function introduce(session: Session, by: Upstream, as: Message, { id, method, message }: ClientRequest): void {
  session.agreement.recordRequest(method, message);
  session.hasServerAnswered = true;
  by.sessionsReplayedTo.add(session);
  session.client.send(takeOpening(session, by, 'initialize', message, as.with(['id'], id) ?? as), answerTo(id));
}

function respond(
  session: Session,
  question: Extract<ClientVerdict, { do: 'respond' }>['question'],
  response: Message,
): void {
  // The same answer may come twice in one batch.
  if (session.serverRequests.complete(question.clientId) !== question) return;
  const { upstream, id, clientId } = question;
  upstream.serverRequests.remove(session, clientId);
  if (question.isAbandoned || !isAlive(session.lineage, upstream)) return;
  const own = id === clientId ? response : response.with(['id'], id);
  if (own !== undefined) upstream.send(own, session, answerTo(id));
}

/** A cancellation is never sent to a server that has not seen the request. */
function takeBack(session: Session, request: TakenBack, message: Message): void {
  const { lineage } = session;
  switch (request.at) {
    case 'hold':
      return lineage.hold.take(request.arrival);
    case 'queue':
      return void lineage.queuedCalls.splice(lineage.queuedCalls.indexOf(request.arrival), 1);
    case 'openings':
      return void lineage.waitingOpenings.splice(lineage.waitingOpenings.indexOf(request.arrival), 1);
    case 'agent':
      session.agentCalls.delete(request.call);
      return request.call.abort();
    case 'stream': {
      const { stream } = request;
      session.streams.end(stream);
      for (const upstream of lineage.upstreams) {
        const at = upstream.streams.get(stream);
        if (at === undefined) continue;
        upstream.streams.delete(stream);
        if (isAlive(lineage, upstream)) upstream.send(under(at.wireId, stream.id, message), session);
      }
      return;
    }
    case 'server':
      return cancelPending(request.upstream, request.pending, message);
  }
}

/** The client is answered in place of the server, which is told that nobody waits for it any more. */
export function giveUpPending(upstream: Upstream, pending: PendingRequest, cancellation: Message): void {
  endCall(pending);
  forgetProgress(pending.session, pending);
  noteTakenBack(upstream, pending);
  upstream.pending.giveUp(pending);
  upstream.send(cancellation, pending.session);
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
  startQueuedCalls(pending.session.lineage);
}

function cancelPending(upstream: Upstream, pending: PendingRequest, message: Message): void {
  const { lineage } = pending.session;
  if (!pending.cancelled) endCall(pending);
  forgetProgress(pending.session, pending);
  noteTakenBack(upstream, pending);
  upstream.pending.cancel(pending);
  // A server that has seen nothing but a discover would take this for a word of the legacy era, and never leave it.
  if (pending.method !== 'server/discover') upstream.send(under(pending.wireId, pending.id, message), pending.session);
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
  startQueuedCalls(lineage);
}

/** The cancellation names the request as the server knows it. */
function under(wireId: Id, id: Id, message: Message): Message {
  return wireId === id ? message : (message.with(['params', 'requestId'], wireId) ?? message);
}

function hold(arrival: Arrival): void {
  const refusal = arrival.session.lineage.hold.add(arrival);
  if (refusal !== undefined) refuse(arrival, refusal);
}

function refuse(arrival: Arrival, refusal: Refusal): void {
  const { session } = arrival;
  const limit = refusal === 'messages' ? `${MAX_HELD} messages` : `${MAX_HELD_BYTES / 1024 / 1024} MiB of messages`;
  const words = { text: holdIsFull(limit, toolNames(session, arrival.message)) };
  const isAnswered = answerAll(arrival, (request) => failureAnswer(session, request, words, { held: limit }));
  if (!isAnswered)
    session.lineage.ports.warn(`a message of the client was dropped: ${limit} wait for the reload already`);
}

/** A call is not counted any more: it was answered, cancelled or lost. Who waits is started by `startQueuedCalls`. */
export function endCall(pending: PendingRequest): void {
  const { lineage } = pending.session;
  if (lineage.options.concurrency !== undefined && isLimitedByConcurrency(pending)) lineage.runningCalls--;
}

/** Lets the next tool calls go, as far as the limit allows. */
export function startQueuedCalls(lineage: LineageRecord): void {
  const limit = lineage.options.concurrency ?? Infinity;
  for (const { queuedCalls } = lineage; !lineage.isHolding && lineage.runningCalls < limit;) {
    const next = queuedCalls.shift();
    if (next === undefined) return;
    forward(next);
  }
}
