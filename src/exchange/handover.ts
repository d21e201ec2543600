/**
 * What happens to messages when generations come and go: the hold ends, one generation takes over from another, and
 * what a lost one owed is sent again or answered. When that is due is decided in lineage/.
 */
import { askerGone, heldTooLong, type Failure } from '../agent/words.js';
import { answerTo, SESSION } from '../channel/channel.js';
import { notificationsFor } from '../lists/compare.js';
import { listNamed, type ListName } from '../lists/lists.js';
import type { Reply } from '../server/upstream.js';
import type { Id } from '../wire/envelope.js';
import type { Key } from '../wire/ids.js';
import { error, INTERNAL_ERROR, notification } from '../wire/json-rpc.js';
import { Message } from '../wire/message.js';
import { toolNames } from './agent-calls.js';
import { answerAll } from './answer-all.js';
import { joinBatch } from '../wire/batch.js';
import { findPending } from './cancellation.js';
import { endCall, startQueuedCalls } from './client-actions.js';
import { failureAnswer, lostAnswer, unansweredAnswer } from './failure-answers.js';
import { forward } from './client-actions.js';
import { acknowledgeStreams, keepStreams, reopenStreams, tellStreams } from './stream-messages.js';
import { answerLocally } from './local-answers.js';
import { isRequestOf } from './hold.js';
import { startWaitingOpenings } from './introductions.js';
import { forgetProgress, keepProgress } from './progress.js';
import type { Arrival, LineageRecord, PendingRequest, Session, Upstream } from './records.js';
import { isRetrySafe } from './retry-safety.js';
import { taskAnswer, taskOwner } from './task-messages.js';
import { doubtTools } from './known-tools.js';
import { answerToolLists } from './undeclared-tools.js';

/** A server was asked by the client itself to open the session, and will answer us. */
export interface PendingHandshake {
  readonly upstream: Upstream;
  readonly method: string;
  readonly reply: Promise<Reply>;
}

/** The hold has ended: the messages that waited go, in order, to whoever serves now. */
export function endHold(lineage: LineageRecord): void {
  const { hold, failure, serving, sessions } = lineage;
  if (failure !== undefined && serving === undefined) for (const session of sessions) acknowledgeStreams(session);
  for (const arrival of hold.takeRetries()) forward(arrival);
  startQueuedCalls(lineage);
  startWaitingOpenings(lineage);
  for (const arrival of hold.takeAll()) forward(arrival);
}

/** `to` serves already. What clients had of the generation before, if there is one, is carried over, and it drains. */
export function promote(lineage: LineageRecord, from: Upstream | undefined, to: Upstream): void {
  if (from !== undefined) from.isDraining = true;
  keepStreams(lineage, from);
  lineage.lastServing = to;
  for (const session of lineage.sessions) {
    session.promisedButMissing = to.capabilityGaps.get(session)?.promisedButMissing ?? session.promisedButMissing;
    // A candidate has opened the session before it takes over; the first of all has been asked nothing yet.
    if (session.agreement.isOpen) session.hasServerAnswered = true;
    // The names that the client was listed for our tools were chosen without a look at those of this server.
    if (session.memory.standInTools !== 'unlisted') session.areToolNamesKnown = false;
    to.clients?.open(session);
    reopenStreams(session, to);
  }
  // It has said so since it was asked for them.
  if (to.suppressedListChanges.has(listNamed('tools').notification)) doubtTools(lineage, to);
}

/** The generation gets no more requests: it is to be stopped before another one starts. */
export function demote(lineage: LineageRecord, upstream: Upstream): void {
  keepStreams(lineage, upstream);
  upstream.isDraining = true;
}

/** What a lost generation still owed: what was answered in its place, and what is sent again. */
export interface Dropped {
  readonly answered: readonly PendingRequest[];
  readonly retried: readonly PendingRequest[];
}

/**
 * The generation is gone, or given up: nothing it says counts any more, and what it owed is answered or sent again
 * here. `crash`: how it came to its end, for those whose calls it took with it.
 */
export function dropGeneration(lineage: LineageRecord, upstream: Upstream, crash?: Failure): Dropped {
  upstream.isDraining = false;
  keepStreams(lineage, upstream);
  upstream.streams.clear();
  upstream.sessionsReplayedTo.clear();
  for (const { id, session = lineage, isOver } of upstream.tasks.takeAll())
    session.goneTasks.add(id, isOver ? 'over' : 'lost');
  const waiting = upstream.pending.takeAll().filter(({ cancelled }) => !cancelled);
  const owed = crash === undefined ? waiting : answerToolLists(upstream, waiting);
  for (const pending of owed) endCall(pending);
  const retried = owed.filter((pending) => mayRetry(pending, upstream));
  const answered = owed.filter((pending) => !retried.includes(pending));
  answerLost(answered, crash);
  for (const { session, clientId } of upstream.serverRequests.takeAll()) abandonServerRequest(session, clientId);
  upstream.failProxyRequests();
  retry(lineage, retried);
  startQueuedCalls(lineage);
  startWaitingOpenings(lineage);
  return { answered, retried };
}

/**
 * Nobody knows whether the generation, which lives on, has executed these requests: the connection that they went by
 * was lost.
 */
export function loseRequests(lineage: LineageRecord, upstream: Upstream, ids: readonly Id[], problem: string): void {
  const lost: PendingRequest[] = [];
  for (const id of ids) {
    const noReply = error(id, INTERNAL_ERROR, problem);
    if (upstream.completeProxyRequest(id, noReply, true)) continue;
    const pending = upstream.pending.complete(id);
    if (pending !== undefined && !pending.cancelled) lost.push(pending);
  }
  for (const pending of lost) endCall(pending);
  const retried = lost.filter((pending) => !pending.isRetry && mayRetry(pending, upstream));
  for (const pending of lost.filter((each) => !retried.includes(each))) {
    const { session, id } = pending;
    forgetProgress(session, pending);
    session.client.send(unansweredAnswer(session, pending, problem), answerTo(id));
  }
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
  retry(lineage, retried);
  startQueuedCalls(lineage);
}

function mayRetry(pending: PendingRequest, { retrySafeTools }: Upstream): boolean {
  const { lineage, agreement } = pending.session;
  // Before the session is open, a new process is sent what the old one owed, whatever --retry says.
  const retries = lineage.options.retry === 'safe' || !agreement.isOpen;
  return retries && isRetrySafe(pending, retrySafeTools);
}

function abandonServerRequest(session: Session, clientId: string): void {
  session.serverRequests.abandon(clientId);
  const json = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${clientId},"reason":${JSON.stringify(askerGone())}}}`;
  session.client.send(Message.fromJson(json), SESSION);
}

function answerLost(lost: readonly PendingRequest[], crash: Failure | undefined): void {
  const batches = new Map<object, { readonly first: PendingRequest; readonly answers: Message[] }>();
  for (const pending of lost) {
    const { session, id, method, message, batch, isRetry } = pending;
    forgetProgress(session, pending);
    const task = taskOwner(session, method, message);
    const isGone = task === 'lost' || task === 'over';
    const answer = isGone ? taskAnswer(id, message, task) : lostAnswer(session, pending, crash, isRetry);
    const others = batch && batches.get(batch);
    if (batch === undefined) session.client.send(answer, answerTo(id));
    else if (others === undefined) batches.set(batch, { first: pending, answers: [answer] });
    else others.answers.push(answer);
  }
  for (const { first, answers } of batches.values()) first.session.client.send(joinBatch(answers), answerTo(first.id));
}

function retry(lineage: LineageRecord, pending: readonly PendingRequest[]): void {
  const since = pending.length === 0 ? 0 : lineage.ports.now();
  const retries = pending.map((each): Arrival => {
    const { session, message } = each;
    keepProgress(session, each);
    return { session, message, since, isRetry: true };
  });
  if (lineage.isHolding) lineage.hold.addFirst(retries);
  else for (const arrival of retries) forward(arrival);
}

/** Answers what has waited too long. Returns when to look again. */
export function expire(lineage: LineageRecord): number | undefined {
  const { options, hold, ports } = lineage;
  if (options.hold === 0) return undefined;
  for (const arrival of hold.expire(ports.now() - options.hold)) {
    const { session, message, isRetry } = arrival;
    const isFirst = !session.hasServerAnswered;
    const text = heldTooLong(options.hold / 1000, toolNames(session, message), { isRetry, isFirst });
    const facts = { waitedMs: options.hold, ...(isRetry ? { mayHaveRun: true } : {}) };
    answerAll(arrival, (request) => failureAnswer(session, request, { text }, facts));
  }
  const { oldest } = hold;
  return oldest === undefined ? undefined : oldest + options.hold;
}

/**
 * The client waits too long for its session to be opened: it is answered in place of the server, be the request with
 * one or held. What a server that has it says in the end comes to us. `failure`: what is wrong with that server, if
 * anything; the client is told. `nobody`: it has been answered or taken back, or waits for a server that answers
 * others.
 */
export function answerHandshakeLocally(
  session: Session,
  key: Key,
  failure: Failure | undefined,
): PendingHandshake | 'held' | 'nobody' {
  const { hold, waitingOpenings } = session.lineage;
  const waits = waitingOpenings.findIndex((each) => isRequestOf(each, session, key));
  const arrival = hold.remove(session, key) ?? (waits < 0 ? undefined : waitingOpenings.splice(waits, 1)[0]);
  if (arrival?.message.envelope.kind === 'request') {
    const { id, method } = arrival.message.envelope;
    session.client.send(answerLocally(session, { id, method, message: arrival.message }), answerTo(id));
    return 'held';
  }
  const found = findPending(session, key);
  if (found === undefined) return 'nobody';
  const { upstream, pending } = found;
  const { id, method, message, cancelled } = pending;
  // One that has answered other clients is merely slow.
  if (upstream.hasAnswered) return 'nobody';
  if (cancelled && failure === undefined) return 'nobody';
  upstream.pending.remove(pending);
  if (!cancelled) session.client.send(answerLocally(session, { id, method, message }, failure), answerTo(id));
  const reply = new Promise<Reply>((resolve) => void upstream.proxyRequests.set(pending.key, resolve));
  if (upstream.isDraining && upstream.pending.count === 0) upstream.markDrained();
  return { upstream, method, reply };
}

/**
 * Tells the client of changed lists, and of every subscribed resource that the new code may give otherwise. Returns the
 * lists that it was told of: a modern client has to have asked.
 */
export function notifyLists(session: Session, lists: readonly ListName[]): readonly ListName[] {
  if (session.agreement.era === 'modern') return tellStreams(session, lists);
  for (const method of notificationsFor(lists)) session.client.send(notification(method), SESSION);
  for (const uri of session.agreement.subscriptions.keys()) {
    session.client.send(notification('notifications/resources/updated', { uri }), SESSION);
  }
  return lists;
}
