/**
 * The verdict on one message of the client. Requests and notifications wait while a reload runs; cancellations go at
 * once to the generation they are meant for, and so does what a server has asked for (to-asker.ts).
 */
import { holdIsFull, notParsable } from '../agent/words.js';
import { listByMethod } from '../lists/lists.js';
import { keyOf, keyOfValue } from '../session/ids.js';
import type { Owed } from '../session/ledger.js';
import { readAt } from '../wire/edit.js';
import { error, PARSE_ERROR, result } from '../wire/json-rpc.js';
import { cutOut, lengthOf, type Run } from '../wire/run.js';
import type { Envelope, Id } from '../wire/scan.js';
import {
  agentTool,
  callAgent,
  mayCallOurs,
  mustLearnNames,
  passesHold,
  toolNames,
  toolsBeside,
} from './agent-calls.js';
import { joinBatch, lookInside, requestsIn } from './batch.js';
import { introducedAfter, isAlive, type Desk } from './desk.js';
import { failureAnswer, lostAnswer, type FailedRequest } from './failure-answers.js';
import { acknowledgeStreams, reopenStreams } from './listen-streams.js';
import { MAX_HELD, MAX_HELD_BYTES, type Held, type Refusal } from './hold.js';
import { answerMalformed } from './malformed.js';
import { concernsTasks, goneTaskAnswer, noteTaskClient, owesAnything, taskOwner } from './task-messages.js';
import { settleEra } from './proxy-requests.js';
import { forgetProgress } from './progress.js';
import { takesTurn } from './retry-safety.js';
import { watchToolList } from './undeclared-tools.js';
import { emptyList, standIn } from './local-answers.js';
import { answer, progress, withoutAnswers } from './client-responses.js';

/**
 * The message lies in `run` between `from` and `to` and was read at `since`. Most are requests that go on as they are,
 * and are not cut out of it.
 */
export function fromClient(
  desk: Desk,
  run: Run,
  envelope: Envelope,
  since = desk.ports.now(),
  from = 0,
  to = lengthOf(run),
): void {
  if (envelope.kind === 'request' && desk.serving !== undefined && isPlain(desk, envelope.method)) {
    desk.ledger.enterSpan(envelope.id, envelope.method, run, from, to, desk.serving);
    desk.requests++;
    return desk.ports.server(desk.serving, run, from, to);
  }
  let line = cutOut(run, from, to);
  if (envelope.kind === 'response') return answer(desk, envelope.id, line);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled') return cancel(desk, line);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/progress') return progress(desk, line);
  if (envelope.kind === 'batch') {
    const rest = withoutAnswers(desk, line);
    if (rest === undefined) return;
    line = rest;
  }
  const held: Held = { line, envelope, since, again: false };
  if (!desk.holding || passesHold(agentTool(desk, envelope, line))) return forward(desk, held);
  if (envelope.kind === 'request' && forwardToTask(desk, held, envelope.id, envelope.method)) return;
  if (envelope.kind === 'request' && isPing(desk, envelope.method)) return desk.ports.client(result(envelope.id, {}));
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
  const { envelope, line } = held;
  switch (envelope.kind) {
    case 'request':
      return forwardRequest(desk, held, envelope.id, envelope.method);
    case 'batch':
      return forwardBatch(desk, held);
    case 'notification':
      if (desk.serving !== undefined) {
        settleEra(desk, desk.serving);
        desk.ports.server(desk.serving, line);
      }
      return tell(desk, envelope.method, line);
    default:
      if (answerMalformed(desk, line)) return;
      if (desk.serving !== undefined) desk.ports.server(desk.serving, line);
      else desk.ports.client(error('null', PARSE_ERROR, notParsable()));
  }
}

function forwardRequest(desk: Desk, held: Held, id: Id, method: string): void {
  const { line } = held;
  if (method === 'subscriptions/listen') return listen(desk, id, line);
  const tool = agentTool(desk, held.envelope, line);
  if (tool !== undefined) {
    if (!mustLearnNames(desk, id, () => fromClient(desk, line, held.envelope, held.since)))
      callAgent(desk, tool, held, id);
    return;
  }
  if (forwardToTask(desk, held, id, method)) return;
  const calls = method === 'tools/call';
  if (calls && desk.session.era !== 'legacy') noteTaskClient(desk, line);
  if (desk.serving === undefined || (calls && isRefused(desk))) {
    // A request that has been with a server before may have been executed there: nothing may be said to the contrary.
    if (held.again && desk.born && (calls || desk.failure === undefined))
      desk.ports.client(lostAnswer(desk, { id, method, line }, desk.failure, false));
    else if (!(calls && waitsForRetry(desk, held))) desk.ports.client(standIn(desk, id, method, line));
    return;
  }
  if (calls && desk.failure !== undefined) desk.ports.retryFailure(false);
  if (desk.lacking.size > 0 && isEmptyForSure(desk, method, line)) {
    desk.ports.client(result(id, emptyList(desk, method, line)));
    return;
  }
  if (calls && desk.options.concurrency !== undefined) {
    if (desk.calls >= desk.options.concurrency) {
      desk.waiting.push(held);
      return;
    }
    desk.calls++;
  }
  askedOf(desk, desk.serving, method, line);
  desk.ledger.enter(id, method, line, desk.serving, { again: held.again });
  desk.requests++;
  desk.ports.server(desk.serving, line);
  if (method === 'tools/list' && desk.lacking.has('tools')) watchToolList(desk, id, desk.serving);
}

/**
 * A request about a task goes to the generation that runs it, be it draining; it needs no newer code, so no hold keeps
 * it.
 */
function forwardToTask(desk: Desk, { line, again }: Held, id: Id, method: string): boolean {
  const owner = taskOwner(desk, method, line);
  if (owner === undefined) return false;
  if (typeof owner === 'string') desk.ports.client(goneTaskAnswer(id, line, owner));
  else {
    askedOf(desk, owner, method, line);
    desk.ledger.enter(id, method, line, owner, { again });
    desk.requests++;
    desk.ports.server(owner, line);
  }
  return true;
}

function askedOf(desk: Desk, generation: number, method: string, line: Buffer): void {
  if (!desk.session.asked(method, line)) settleEra(desk, generation);
  else if (method !== 'server/discover') desk.settled.add(generation);
}

/** An open stream is no answer that is owed. */
function listen(desk: Desk, id: Id, line: Buffer): void {
  const { serving } = desk;
  if (serving === undefined) desk.session.asked('subscriptions/listen', line);
  else askedOf(desk, serving, 'subscriptions/listen', line);
  desk.requests++;
  desk.listens.open(id, line);
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
function isEmptyForSure(desk: Desk, method: string, line: Buffer): boolean {
  const capability = listByMethod(method)?.capability;
  if (capability === undefined || !desk.lacking.has(capability)) return false;
  if (desk.session.vouched || (desk.ignoresToolList && capability === 'tools')) return true;
  return toolsBeside(desk, line).size > 0;
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
function tell(desk: Desk, method: string, line: Buffer): void {
  if (!desk.session.told(method)) return;
  for (const newer of introducedAfter(desk, desk.serving)) desk.ports.server(newer, line);
}

function forwardBatch(desk: Desk, held: Held): void {
  const { line } = held;
  const inside = lookInside(line);
  const requests = requestsIn(line);
  const calls = requests.some((request) => request.method === 'tools/call');
  if (desk.serving === undefined || (calls && isRefused(desk))) {
    if (calls && waitsForRetry(desk, held)) return;
    const answers = requests.map((request) => standIn(desk, request.id, request.method, request.line));
    if (inside === undefined) desk.ports.client(error('null', PARSE_ERROR, notParsable()));
    else if (answers.length > 0) desk.ports.client(joinBatch(answers));
    return;
  }
  const batch = { line };
  for (const { id, method, line: own } of requests) {
    askedOf(desk, desk.serving, method, own);
    desk.ledger.enter(id, method, own, desk.serving, { batch });
  }
  desk.requests++;
  desk.ports.server(desk.serving, line);
  for (const { envelope, line: own } of inside ?? []) {
    if (envelope.kind === 'notification') tell(desk, envelope.method, own);
  }
}

function refuse(desk: Desk, held: Held, refusal: Refusal): void {
  const limit = refusal === 'messages' ? `${MAX_HELD} messages` : `${MAX_HELD_BYTES / 1024 / 1024} MiB of messages`;
  const words = { text: holdIsFull(limit, toolNames(desk, held.line)) };
  const answers = answerAll(held, (request) => failureAnswer(desk, request, words, { held: limit }));
  if (answers === undefined)
    desk.ports.warn(`a message of the client was dropped: ${limit} wait for the reload already`);
  else desk.ports.client(answers);
}

/** The same answer to a request, or to each request of a batch; undefined if nothing asks for one. */
export function answerAll(held: Held, make: (request: FailedRequest) => Buffer): Buffer | undefined {
  const { envelope, line } = held;
  if (envelope.kind === 'request') return make({ id: envelope.id, method: envelope.method, line });
  if (envelope.kind !== 'batch') return undefined;
  const requests = requestsIn(line);
  return requests.length === 0 ? undefined : joinBatch(requests.map(make));
}

/** Never sent to a server that has not seen the request. */
function cancel(desk: Desk, line: Buffer): void {
  const key = keyOfValue(readAt(line, ['params', 'requestId']));
  if (key === undefined || desk.hold.remove(key) !== undefined) return;
  const waits = desk.waiting.findIndex(({ envelope }) => envelope.kind === 'request' && keyOf(envelope.id) === key);
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
    for (const generation of stream.told.keys()) if (isAlive(desk, generation)) desk.ports.server(generation, line);
    return;
  }
  const owed = desk.ledger.find(key);
  if (owed === undefined || !isAlive(desk, owed.generation)) return;
  if (!owed.cancelled) freeTurn(desk, owed);
  forgetProgress(desk, owed);
  desk.ledger.cancel(owed);
  // A server that has seen nothing but a discover would take this for a word of the legacy era, and never leave it.
  if (owed.method !== 'server/discover') desk.ports.server(owed.generation, line);
  if (desk.draining.has(owed.generation) && !owesAnything(desk, owed.generation)) desk.ports.drained(owed.generation);
  pump(desk);
}
