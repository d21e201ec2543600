/**
 * The verdict on one message of the client. Requests and notifications wait while a reload runs; cancellations go at
 * once to the generation they are meant for, and so does what a server has asked for (to-asker.ts).
 */
import { holdIsFull, notParsable } from '../agent/words.js';
import { listByMethod } from '../lists/lists.js';
import { answerTo, SESSION, type Route } from '../channel/channel.js';
import { keyOfValue } from '../session/ids.js';
import type { Owed } from '../session/ledger.js';
import type { Id } from '../wire/envelope.js';
import { error, PARSE_ERROR, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import {
  agentTool,
  callAgent,
  mayCallOurs,
  mustLearnNames,
  passesHold,
  toolNames,
  toolsBeside,
} from './agent-calls.js';
import { joinBatch, messagesIn, requestsIn, type ClientRequest } from './batch.js';
import { introducedAfter, isAlive, type Desk } from './desk.js';
import { failureAnswer, lostAnswer } from './failure-answers.js';
import { acknowledgeStreams, reopenStreams } from './listen-streams.js';
import { isRequest, MAX_HELD, MAX_HELD_BYTES, type Held, type Refusal } from './hold.js';
import { answerMalformed } from './malformed.js';
import { concernsTasks, goneTaskAnswer, noteTaskClient, owesAnything, taskOwner } from './task-messages.js';
import { settleEra } from './proxy-requests.js';
import { forgetProgress } from './progress.js';
import { takesTurn } from './retry-safety.js';
import { watchToolList } from './undeclared-tools.js';
import { emptyList, standIn } from './local-answers.js';
import { answer, progress, withoutAnswers } from './client-responses.js';

/** The message was read at `since`. Most are requests that go on as they are, and are not looked into. */
export function fromClient(desk: Desk, message: Message, since = desk.ports.now()): void {
  const { envelope } = message;
  if (envelope.kind === 'request' && desk.serving !== undefined && isPlain(desk, envelope.method)) {
    desk.ledger.enter(envelope.id, envelope.method, message, desk.serving);
    desk.requests++;
    return desk.ports.server(desk.serving, message);
  }
  if (envelope.kind === 'response') return answer(desk, envelope.id, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled') return cancel(desk, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/progress') return progress(desk, message);
  const kept = envelope.kind === 'batch' ? withoutAnswers(desk, message) : message;
  if (kept === undefined) return;
  const held: Held = { message: kept, since, isRetry: false };
  if (!desk.holding || passesHold(agentTool(desk, kept))) return forward(desk, held);
  if (envelope.kind === 'request' && forwardToTask(desk, held, envelope.id, envelope.method)) return;
  if (envelope.kind === 'request' && isPing(desk, envelope.method))
    return desk.ports.client(result(envelope.id, {}), answerTo(envelope.id));
  const refusal = desk.hold.add(held);
  if (refusal !== undefined) refuse(desk, held, refusal);
}

/** Whether nothing can stand in the way of such a request, and nobody has to look into it. */
function isPlain(desk: Desk, method: string): boolean {
  const { concurrency } = desk.options;
  if (desk.holding || desk.failure !== undefined || concurrency !== undefined) return false;
  if (desk.lacking.size > 0 && listByMethod(method) !== undefined) return false;
  if (desk.tasks.enabled && concernsTasks(desk, method)) return false;
  return (
    !(mayCallOurs(desk) && method === 'tools/call') && method !== 'subscriptions/listen' && desk.session.knows(method)
  );
}

/** To the serving generation; if there is none, or a failure stands in the way, an answer says so. */
export function forward(desk: Desk, held: Held): void {
  const { message } = held;
  const { envelope } = message;
  switch (envelope.kind) {
    case 'request':
      return forwardRequest(desk, held, envelope.id, envelope.method);
    case 'batch':
      return forwardBatch(desk, held);
    case 'notification':
      if (desk.serving !== undefined) {
        settleEra(desk, desk.serving);
        desk.ports.server(desk.serving, message);
      }
      return tell(desk, envelope.method, message);
    default:
      if (answerMalformed(desk, message)) return;
      if (desk.serving !== undefined) desk.ports.server(desk.serving, message);
      else desk.ports.client(error('null', PARSE_ERROR, notParsable()), SESSION);
  }
}

function forwardRequest(desk: Desk, held: Held, id: Id, method: string): void {
  const { message } = held;
  if (method === 'subscriptions/listen') return listen(desk, id, message);
  const tool = agentTool(desk, message);
  if (tool !== undefined) {
    if (!mustLearnNames(desk, id, () => fromClient(desk, message, held.since))) callAgent(desk, tool, held, id);
    return;
  }
  if (forwardToTask(desk, held, id, method)) return;
  const calls = method === 'tools/call';
  if (calls && desk.session.era !== 'legacy') noteTaskClient(desk, message);
  if (desk.serving === undefined || (calls && isRefused(desk))) {
    // A request that has been with a server before may have been executed there: nothing may be said to the contrary.
    if (held.isRetry && desk.born && (calls || desk.failure === undefined))
      desk.ports.client(lostAnswer(desk, { id, method, message }, desk.failure, false), answerTo(id));
    else if (!(calls && waitsForRetry(desk, held))) desk.ports.client(standIn(desk, id, method, message), answerTo(id));
    return;
  }
  if (calls && desk.failure !== undefined) desk.ports.retryFailure(false);
  if (desk.lacking.size > 0 && isEmptyForSure(desk, method, message)) {
    desk.ports.client(result(id, emptyList(desk, method, message)), answerTo(id));
    return;
  }
  if (calls && desk.options.concurrency !== undefined) {
    if (desk.calls >= desk.options.concurrency) {
      desk.waiting.push(held);
      return;
    }
    desk.calls++;
  }
  askedOf(desk, desk.serving, method, message);
  desk.ledger.enter(id, method, message, desk.serving, undefined, held.isRetry);
  desk.requests++;
  desk.ports.server(desk.serving, message);
  if (method === 'tools/list' && desk.lacking.has('tools')) watchToolList(desk, id, desk.serving);
}

/**
 * A request about a task goes to the generation that runs it, be it draining; it needs no newer code, so no hold keeps
 * it.
 */
function forwardToTask(desk: Desk, { message, isRetry }: Held, id: Id, method: string): boolean {
  const owner = taskOwner(desk, method, message);
  if (owner === undefined) return false;
  if (typeof owner === 'string') desk.ports.client(goneTaskAnswer(id, message, owner), answerTo(id));
  else {
    askedOf(desk, owner, method, message);
    desk.ledger.enter(id, method, message, owner, undefined, isRetry);
    desk.requests++;
    desk.ports.server(owner, message);
  }
  return true;
}

function askedOf(desk: Desk, generation: number, method: string, message: Message): void {
  if (!desk.session.asked(method, message)) settleEra(desk, generation);
  else if (method !== 'server/discover') desk.settled.add(generation);
}

/** An open stream is no answer that is owed. */
function listen(desk: Desk, id: Id, message: Message): void {
  const { serving } = desk;
  if (serving === undefined) desk.session.asked('subscriptions/listen', message);
  else askedOf(desk, serving, 'subscriptions/listen', message);
  desk.requests++;
  desk.listens.open(id, message);
  if (serving === undefined) acknowledgeStreams(desk);
  else reopenStreams(desk, serving);
}

/**
 * A tool call that meets a failure triggers one more attempt, or joins the one under way, and waits for its end (P7).
 */
function waitsForRetry(desk: Desk, held: Held): boolean {
  // Messages are held under `--while-reloading serve` too: those that come after this call must not overtake it (P3).
  if (desk.failure === undefined || !desk.ports.retryFailure(true)) return false;
  const refusal = desk.hold.add(held);
  if (refusal !== undefined) refuse(desk, held, refusal);
  return true;
}

/**
 * A server may have tools that it doesn't declare: unless ours are to be listed in any case, it is asked; see
 * undeclared-tools.ts.
 */
function isEmptyForSure(desk: Desk, method: string, message: Message): boolean {
  const capability = listByMethod(method)?.capability;
  if (capability === undefined || !desk.lacking.has(capability)) return false;
  if (desk.session.vouched || (desk.ignoresToolList && capability === 'tools')) return true;
  return toolsBeside(desk, message).size > 0;
}

/** While a failure stands, old code executes no tool, unless that was asked for. */
function isRefused(desk: Desk): boolean {
  return desk.failure !== undefined && desk.options.onFailure === 'report';
}

/** The modern era has no ping: there a server is left to say so. */
function isPing(desk: Desk, method: string): boolean {
  return method === 'ping' && desk.session.era !== 'modern';
}

/**
 * A call is no longer counted under `--concurrency`: it was answered, cancelled or lost. Letting the next go is pump's.
 */
export function freeTurn(desk: Desk, owed: Owed): void {
  if (desk.options.concurrency !== undefined && takesTurn(owed)) desk.calls--;
}

/** Lets the next tool calls go, as far as `--concurrency` allows. */
export function pump(desk: Desk): void {
  const limit = desk.options.concurrency ?? Infinity;
  while (!desk.holding && desk.waiting.length > 0 && desk.calls < limit) {
    forward(desk, desk.waiting.shift() as Held);
  }
}

/** What the client tells the server that serves, and a newer one may have to know as well. */
function tell(desk: Desk, method: string, message: Message): void {
  if (!desk.session.told(method)) return;
  for (const newer of introducedAfter(desk, desk.serving)) desk.ports.server(newer, message);
}

function forwardBatch(desk: Desk, held: Held): void {
  const { message } = held;
  const inside = messagesIn(message);
  const requests = requestsIn(message);
  const calls = requests.some((request) => request.method === 'tools/call');
  if (desk.serving === undefined || (calls && isRefused(desk))) {
    if (calls && waitsForRetry(desk, held)) return;
    const answers = requests.map((request) => standIn(desk, request.id, request.method, request.message));
    if (inside === undefined) desk.ports.client(error('null', PARSE_ERROR, notParsable()), SESSION);
    else if (answers.length > 0) desk.ports.client(joinBatch(answers), answerToBatch(requests));
    return;
  }
  const batch = {};
  for (const { id, method, message: own } of requests) {
    askedOf(desk, desk.serving, method, own);
    desk.ledger.enter(id, method, own, desk.serving, batch);
  }
  desk.requests++;
  desk.ports.server(desk.serving, message);
  for (const own of inside ?? []) {
    const { envelope } = own;
    if (envelope.kind === 'notification') tell(desk, envelope.method, own);
  }
}

function refuse(desk: Desk, held: Held, refusal: Refusal): void {
  const limit = refusal === 'messages' ? `${MAX_HELD} messages` : `${MAX_HELD_BYTES / 1024 / 1024} MiB of messages`;
  const words = { text: holdIsFull(limit, toolNames(desk, held.message)) };
  const isAnswered = answerAll(desk, held, (request) => failureAnswer(desk, request, words, { held: limit }));
  if (!isAnswered) desk.ports.warn(`a message of the client was dropped: ${limit} wait for the reload already`);
}

/** Answers a request, or each request of a batch, in the same way. False if nothing asks for an answer. */
export function answerAll(desk: Desk, { message }: Held, make: (request: ClientRequest) => Message): boolean {
  const { envelope } = message;
  if (envelope.kind === 'request') {
    desk.ports.client(make({ id: envelope.id, method: envelope.method, message }), answerTo(envelope.id));
    return true;
  }
  const requests = envelope.kind === 'batch' ? requestsIn(message) : [];
  if (requests.length > 0) desk.ports.client(joinBatch(requests.map(make)), answerToBatch(requests));
  return requests.length > 0;
}

/** The answers to a batch go where that to its first request would go. */
function answerToBatch([first]: readonly ClientRequest[]): Route {
  return first === undefined ? SESSION : answerTo(first.id);
}

/** Never sent to a server that has not seen the request. */
function cancel(desk: Desk, message: Message): void {
  const key = keyOfValue(message.read(['params', 'requestId']));
  if (key === undefined || desk.hold.remove(key) !== undefined) return;
  const waits = desk.waiting.findIndex((held) => isRequest(held.message, key));
  if (waits >= 0) {
    desk.waiting.splice(waits, 1);
    return;
  }
  const [call] = [...desk.agentCalls].findLast(([, id]) => id === key) ?? [];
  if (call !== undefined) {
    desk.agentCalls.delete(call);
    return call.abort();
  }
  const stream = desk.listens.find(key);
  if (stream !== undefined) {
    desk.listens.end(stream);
    for (const generation of stream.told.keys()) if (isAlive(desk, generation)) desk.ports.server(generation, message);
    return;
  }
  const owed = desk.ledger.find(key);
  if (owed === undefined || !isAlive(desk, owed.generation)) return;
  if (!owed.cancelled) freeTurn(desk, owed);
  forgetProgress(desk, owed);
  desk.ledger.cancel(owed);
  // A server that has seen nothing but a discover would take this for a word of the legacy era, and never leave it.
  if (owed.method !== 'server/discover') desk.ports.server(owed.generation, message);
  if (desk.draining.has(owed.generation) && !owesAnything(desk, owed.generation)) desk.ports.drained(owed.generation);
  pump(desk);
}
