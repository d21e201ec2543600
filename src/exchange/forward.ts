/**
 * Where a client's requests and notifications go: to the generation that serves, to the one that runs the task they are
 * about, to the hold, or to the proxy itself, which answers where no server can. Whose turn it is under `--concurrency`
 * is decided here too; letting the next go is left to concurrency.ts.
 */
import { holdIsFull, notForSharedServer, notParsable } from '../agent/words.js';
import { answerTo, SESSION } from '../channel/channel.js';
import { listByMethod } from '../lists/lists.js';
import type { Batch } from '../server/pending-requests.js';
import { error, PARSE_ERROR, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import {
  agentTool,
  callAgent,
  learnToolNames,
  mustLearnToolNames,
  passesHold,
  toolNames,
  toolsBeside,
} from './agent-calls.js';
import { answerAll, answerToBatch } from './answer-all.js';
import { joinBatch, messagesIn, requestsAmong, type ClientRequest } from './batch.js';
import { pinEra } from './eras.js';
import { failureAnswer, lostAnswer } from './failure-answers.js';
import { MAX_HELD, MAX_HELD_BYTES, type Refusal } from './hold.js';
import { acknowledgeStreams, reopenStreams } from './listen-streams.js';
import { answerLocally, emptyList } from './local-answers.js';
import { answerMalformed } from './malformed.js';
import { takeOpening } from './opening-results.js';
import { noteOpener, replayedAfter, type Held, type LineageRecord, type Session, type Upstream } from './records.js';
import { noteTaskClient, taskAnswer, taskOwner } from './task-messages.js';
import { sharedSetting, withSharedLevel } from './settings.js';
import { watchToolList } from './undeclared-tools.js';
import { nameRequest } from './wire-names.js';

/** Waits while a reload runs, unless it needs no newer code. */
export function forwardOrHold(held: Held): void {
  const { session, message } = held;
  const { envelope } = message;
  if (!session.lineage.isHolding || passesHold(agentTool(session, message))) return forward(held);
  if (envelope.kind === 'request') {
    const { id, method } = envelope;
    if (forwardToTask(held, { id, method, message })) return;
    if (isPing(session, method)) return session.client.send(result(id, {}), answerTo(id));
  }
  hold(held);
}

/** To the serving generation; if there is none, or a failure stands in the way, an answer says so. */
export function forward(held: Held): void {
  const { session, message } = held;
  const { serving } = session.lineage;
  const { envelope } = message;
  switch (envelope.kind) {
    case 'request':
      return forwardRequest(held, { id: envelope.id, method: envelope.method, message });
    case 'batch':
      return forwardBatch(held);
    case 'notification':
      return forwardNotification(session, message, envelope.method);
    default:
      if (answerMalformed(session, message)) return;
      // Nobody can say what a server takes it for, and whom it would answer.
      if (session.lineage.isShared) session.client.send(error('null', PARSE_ERROR, notForSharedServer()), SESSION);
      else if (serving !== undefined) serving.channel.send(message);
      else session.client.send(error('null', PARSE_ERROR, notParsable()), SESSION);
  }
}

function forwardRequest(held: Held, request: ClientRequest): void {
  const { session, isRetry } = held;
  const { lineage } = session;
  const { id, method, message } = request;
  if (method === 'subscriptions/listen') return listen(session, request);
  const tool = agentTool(session, message);
  if (tool !== undefined) {
    if (lineage.serving !== undefined && mustLearnToolNames(session))
      learnToolNames(session, lineage.serving, id, () => forwardOrHold(held));
    else callAgent(session, tool, held, id);
    return;
  }
  if (forwardToTask(held, request)) return;
  const calls = method === 'tools/call';
  if (calls && session.agreement.era !== 'legacy') noteTaskClient(lineage, message);
  if (lineage.serving === undefined || (calls && isRefused(lineage))) {
    // A call that has been with a server before may have been executed there: nothing may be said to the contrary.
    if (isRetry && (calls || (session.hasServerAnswered && lineage.failure === undefined)))
      session.client.send(lostAnswer(session, request, lineage.failure, false), answerTo(id));
    else if (!(calls && waitsForRetry(held))) session.client.send(answerLocally(session, request), answerTo(id));
    return;
  }
  if (calls && lineage.failure !== undefined) lineage.ports.retryFailure(false);
  if (session.promisedButMissing.size > 0 && isEmptyForSure(session, method, message)) {
    session.client.send(result(id, emptyList(session, method, message)), answerTo(id));
    return;
  }
  if (calls && lineage.options.concurrency !== undefined) {
    if (lineage.runningCalls >= lineage.options.concurrency) {
      lineage.queuedCalls.push(held);
      return;
    }
    lineage.runningCalls++;
  }
  const to = lineage.serving;
  if (method === 'initialize' && opensBesideOthers(held, to, request)) return;
  const setting = sharedSetting(session, request);
  if (setting !== undefined) return session.client.send(setting, answerTo(id));
  sendRequest(session, to, request, isRetry);
  if (method === 'tools/list' && session.promisedButMissing.has('tools')) watchToolList(session, id, to);
}

/**
 * A request about a task goes to the generation that runs it, be it draining; it needs no newer code, so no hold keeps
 * it.
 */
function forwardToTask({ session, isRetry }: Held, request: ClientRequest): boolean {
  const { id, method, message } = request;
  const owner = taskOwner(session, method, message);
  if (owner === undefined) return false;
  if (typeof owner === 'string') session.client.send(taskAnswer(id, message, owner), answerTo(id));
  else sendRequest(session, owner, request, isRetry);
  return true;
}

function sendRequest(session: Session, to: Upstream, { id, method, message }: ClientRequest, isRetry: boolean): void {
  recordRequest(session, to, method, message);
  const named = nameRequest(session, to, { id, message: withSharedLevel(session, to, method, message) });
  to.pending.add(session, id, method, message, undefined, isRetry, named.wireId);
  session.lineage.requestCount++;
  to.channel.send(named.message);
}

/**
 * A process takes one `initialize`. True: the server has one of another client, so this client gets the same answer, or
 * waits for it.
 */
function opensBesideOthers(held: Held, to: Upstream, { id, method, message }: ClientRequest): boolean {
  const { session } = held;
  const { lineage, agreement } = session;
  if (!lineage.isShared) return false;
  const { introduction } = to;
  if (introduction !== undefined) {
    agreement.recordRequest(method, message);
    const said = introduction.with(['id'], id) ?? introduction;
    session.hasServerAnswered = true;
    to.sessionsReplayedTo.add(session);
    session.client.send(takeOpening(session, to, 'initialize', message, said), answerTo(id));
    return true;
  }
  if (!to.isIntroducing && ![...to.pending].some((pending) => pending.method === 'initialize')) return false;
  lineage.waitingOpenings.push(held);
  return true;
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

/**
 * A tool call that meets a failure triggers one more attempt, or joins the one under way, and waits for its end (P7).
 */
function waitsForRetry(held: Held): boolean {
  const { lineage } = held.session;
  if (lineage.failure === undefined || !lineage.ports.retryFailure(true)) return false;
  hold(held);
  return true;
}

/**
 * A server may have tools that it doesn't declare: unless ours are to be listed in any case, it is asked; see
 * undeclared-tools.ts.
 */
function isEmptyForSure(session: Session, method: string, message: Message): boolean {
  const capability = listByMethod(method)?.capability;
  if (capability === undefined || !session.promisedButMissing.has(capability)) return false;
  if (session.agreement.isLocalResult || (session.ignoresToolList && capability === 'tools')) return true;
  return toolsBeside(session, message).size > 0;
}

/** While a failure stands, old code executes no tool, unless that was asked for. */
function isRefused({ failure, options }: LineageRecord): boolean {
  return failure !== undefined && options.onFailure === 'report';
}

/** The modern era has no ping: there a server is left to say so. */
function isPing({ agreement }: Session, method: string): boolean {
  return method === 'ping' && agreement.era !== 'modern';
}

/** What the client says to the server that serves, and a newer one may have to know as well. */
function forwardNotification(session: Session, message: Message, method: string): void {
  const { serving } = session.lineage;
  if (serving !== undefined && concerns(session, serving, method)) {
    pinEra(session.lineage, serving);
    serving.channel.send(message);
  }
  forwardToNewer(session, message, method);
}

function forwardToNewer(session: Session, message: Message, method: string): void {
  session.agreement.recordNotification(method);
  if (!session.agreement.concernsEveryServer(method)) return;
  for (const newer of replayedAfter(session, session.lineage.serving))
    if (concerns(session, newer, method)) newer.channel.send(message);
}

/** A server that clients share is told once that the session stands, and knows the roots of the first client alone. */
function concerns(session: Session, upstream: Upstream, method: string): boolean {
  const { isShared, sessions } = session.lineage;
  if (method === 'notifications/initialized') {
    const isNew = !upstream.isInitialized;
    upstream.isInitialized = true;
    return isNew || !isShared;
  }
  const [opener] = sessions;
  return !isShared || method !== 'notifications/roots/list_changed' || session === opener;
}

function forwardBatch(held: Held): void {
  const { session, message } = held;
  const { lineage } = session;
  const { serving } = lineage;
  const inside = messagesIn(message);
  const requests = requestsAmong(inside ?? []);
  const calls = requests.some((request) => request.method === 'tools/call');
  if (serving === undefined || (calls && isRefused(lineage))) {
    if (calls && waitsForRetry(held)) return;
    const answers = requests.map((request) => answerLocally(session, request));
    if (inside === undefined) session.client.send(error('null', PARSE_ERROR, notParsable()), SESSION);
    else if (answers.length > 0) session.client.send(joinBatch(answers), answerToBatch(requests));
    return;
  }
  if (inside === undefined && lineage.isShared)
    return session.client.send(error('null', PARSE_ERROR, notParsable()), SESSION);
  const batch: Batch = {};
  const renamed = new Map<Message, Message>();
  for (const { id, method, message: own } of requests) {
    recordRequest(session, serving, method, own);
    const named = nameRequest(session, serving, { id, message: own });
    if (named.message !== own) renamed.set(own, named.message);
    serving.pending.add(session, id, method, own, batch, false, named.wireId);
  }
  lineage.requestCount++;
  const isChanged = inside !== undefined && renamed.size > 0;
  serving.channel.send(isChanged ? joinBatch(inside.map((own) => renamed.get(own) ?? own)) : message);
  for (const own of inside ?? []) {
    const { envelope } = own;
    if (envelope.kind === 'notification') forwardToNewer(session, own, envelope.method);
  }
}

function hold(held: Held): void {
  const refusal = held.session.lineage.hold.add(held);
  if (refusal !== undefined) refuse(held, refusal);
}

function refuse(held: Held, refusal: Refusal): void {
  const { session } = held;
  const limit = refusal === 'messages' ? `${MAX_HELD} messages` : `${MAX_HELD_BYTES / 1024 / 1024} MiB of messages`;
  const words = { text: holdIsFull(limit, toolNames(session, held.message)) };
  const isAnswered = answerAll(held, (request) => failureAnswer(session, request, words, { held: limit }));
  if (!isAnswered)
    session.lineage.ports.warn(`a message of the client was dropped: ${limit} wait for the reload already`);
}
