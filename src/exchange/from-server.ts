/**
 * The verdict on one message of a generation. The serving one speaks freely; a candidate may ask and log but says
 * nothing of lists before it serves; one that drains finishes what it owes; one that was given up is not heard at all.
 */
import { LISTS, listByMethod, listNamed, pageOf } from '../lists/lists.js';
import { keyOf, keyOfValue } from '../session/ids.js';
import type { Owed } from '../session/ledger.js';
import { AGREEMENTS } from '../session/session.js';
import { answerTo, SESSION, type Route } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { joinBatch, messagesIn } from './batch.js';
import { namesOf, toolNames, toolsBeside, withAgentTools, withToolsCapability } from './agent-calls.js';
import { introducedAfter, isAlive, type Desk } from './desk.js';
import { noteRefusedDiscover } from './eras.js';
import { freeTurn, pump } from './from-client.js';
import { remind } from './handover.js';
import { neverCached, promiseListChanges, withFailure, withNotes } from './patch.js';
import { fallsBehind, forgetProgress } from './progress.js';
import { harmlessTools } from './retry-safety.js';
import { emptyList } from './local-answers.js';
import { acknowledged, endOfStream, endStreams } from './listen-streams.js';
import { concernsTasks, noteTaskAnswer, owesAnything } from './task-messages.js';

/** Only the serving generation's word counts for these. */
const ofTheServing = new Set([...LISTS.map((list) => list.notification), 'notifications/resources/updated']);

const METHOD_NOT_FOUND = -32601;

/** Answers to these may teach something, or have to be changed. */
const LESSONS = new Set([
  'initialize',
  'server/discover',
  'resources/read',
  ...AGREEMENTS,
  ...LISTS.map((list) => list.method),
]);

/** Most are answers that go on as they are, and are not looked into. */
export function fromServer(desk: Desk, generation: number, message: Message): void {
  if (!isAlive(desk, generation)) return;
  const { envelope } = message;
  if (envelope.kind === 'response' && isPlain(desk, generation, envelope.id, envelope.error))
    return desk.ports.client(message, answerTo(envelope.id));
  if (envelope.kind === 'batch') return batch(desk, generation, message);
  const seen = verdict(desk, generation, message);
  if (seen === undefined) return;
  if (desk.ending === generation) endStreams(desk, generation);
  desk.ports.client(seen, routeOf(message));
}

function routeOf({ envelope }: Message): Route {
  return envelope.kind === 'response' ? answerTo(envelope.id) : SESSION;
}

/** What the client sees of it, if anything. */
function verdict(desk: Desk, generation: number, message: Message): Message | undefined {
  const { envelope } = message;
  switch (envelope.kind) {
    case 'response':
      return answer(desk, generation, message, envelope.id, envelope.error);
    case 'request':
      return question(desk, generation, message, envelope.id, envelope.method);
    case 'notification':
      return tell(desk, generation, message, envelope.method);
    case 'batch':
    case 'invalid':
      return undefined;
  }
}

/** Forwarded as it is if all of it is for the client, and unchanged. */
function batch(desk: Desk, generation: number, message: Message): void {
  const inside = messagesIn(message) ?? [];
  const route = routeOf(inside.find(({ envelope }) => envelope.kind === 'response') ?? message);
  const seen = inside.map((own) => verdict(desk, generation, own));
  if (seen.every((own, at) => own === inside[at])) return desk.ports.client(message, route);
  const kept = seen.filter((own) => own !== undefined);
  if (kept.length > 0) desk.ports.client(joinBatch(kept), route);
}

/** Whether it is owed and there is nothing more to it: then it is settled by this. */
function isPlain(desk: Desk, generation: number, id: Id, failed: boolean): boolean {
  if (desk.own.size > 0 || desk.failure !== undefined || desk.notes !== undefined || desk.ending !== undefined)
    return false;
  const owed = desk.ledger.find(keyOf(id), generation);
  if (owed === undefined || (owed.method !== 'tools/call' && LESSONS.has(owed.method))) return false;
  if (desk.tasks.enabled && concernsTasks(desk, owed.method)) return false;
  desk.ledger.strike(owed);
  if (!failed) desk.born = true;
  settled(desk, owed);
  desk.ledger.release(owed);
  return true;
}

function answer(desk: Desk, generation: number, message: Message, id: Id, failed: boolean): Message | undefined {
  if (desk.own.size > 0 && answerOwn(desk, generation, message, id, failed)) return undefined;
  const owed = desk.ledger.settle(id, generation);
  if (owed === undefined) {
    if (desk.listens.size > 0 && endOfStream(desk, generation, keyOf(id), message)) return message;
    // Without an id it is the answer to something that the server could not read: only the client knows what it sent.
    return id === 'null' && generation === desk.serving ? message : undefined;
  }
  if (!failed) desk.born = true;
  if (failed && owed.method === 'server/discover') noteRefusedDiscover(desk, message);
  const isRefused = failed || isNoToolList(desk, owed, message);
  const seen = isRefused ? emptyIfLacking(desk, owed, message) : learn(desk, owed, message);
  settled(desk, owed);
  return seen;
}

function answerOwn(desk: Desk, generation: number, message: Message, id: Id, failed: boolean): boolean {
  const key = keyOf(id);
  const own = desk.own.get(key);
  if (own?.generation !== generation) return false;
  desk.own.delete(key);
  own.reply({ kind: failed ? 'error' : 'result', message });
  return true;
}

/** A server that declares no tools need not know what a list of them is: some answer anything with something. */
function isNoToolList({ capabilityGaps }: Desk, { method, generation }: Owed, message: Message): boolean {
  if (method !== 'tools/list' || capabilityGaps.get(generation)?.lacking.has('tools') !== true) return false;
  return !Array.isArray(message.read(['result', 'tools']));
}

/** A server refuses a list that only the proxy has declared: the client was promised one. */
function emptyIfLacking(desk: Desk, owed: Owed, message: Message): Message {
  const list = listByMethod(owed.method);
  if (list === undefined) return message;
  const lacking = desk.capabilityGaps.get(owed.generation)?.lacking.has(list.capability) === true;
  // A modern client may have learnt on another connection what servers of this command can do.
  const unsaid = list.name === 'tools' && desk.options.promise && desk.session.capabilities === undefined;
  if (!lacking && !(unsaid && message.read(['error', 'code']) === METHOD_NOT_FOUND)) return message;
  return result(owed.id, emptyList(desk, owed.method, owed.message) ?? {});
}

/** What a good answer teaches, and what has to be changed in it. */
function learn(desk: Desk, owed: Owed, said: Message): Message | undefined {
  if (desk.tasks.enabled) noteTaskAnswer(desk, owed.generation, owed.method, owed.message, said);
  let message = said;
  if (owed.method === 'tools/call' && desk.notes !== undefined) message = noted(desk, desk.notes, owed, message);
  if (owed.method === 'tools/call' && desk.failure !== undefined && servesOldCode(desk, owed))
    return withFailure(message, desk.failure, toolNames(desk, owed.message));
  if (!LESSONS.has(owed.method)) return message;
  const isOpening = owed.method === 'initialize' || owed.method === 'server/discover';
  if (isOpening) message = withToolsCapability(desk, owed.generation, owed.message, message);
  const agreed = desk.session.answered(owed, message);
  if (isOpening) desk.ports.introduced(owed.method, said);
  if (agreed !== undefined) {
    for (const newer of introducedAfter(desk, owed.generation)) remind(desk, newer, owed.method, agreed);
  }
  if (owed.method === 'initialize') {
    return desk.options.promise ? promiseListChanges(message, ['result', 'capabilities']) : message;
  }
  if (owed.method === 'server/discover') {
    const fresh = neverCached(message);
    return desk.options.promise ? promiseListChanges(fresh, ['result', 'capabilities']) : fresh;
  }
  const isCacheable = desk.session.era === 'modern';
  if (owed.method === 'resources/read') return isCacheable ? neverCached(message) : message;
  const list = listByMethod(owed.method);
  // Also of one that drains: it is what the client has from now on.
  if (list !== undefined) {
    const answered = message.read(['result']);
    desk.served.onPage(list.name, owed.message.read(['params', 'cursor']), answered, owed.generation);
    const items = list.name === 'tools' ? pageOf(list, answered)?.items : undefined;
    if (items !== undefined) learnTools(desk, owed.generation, items);
    if (items !== undefined && toolsBeside(desk, owed.message).size > 0)
      return firstPage(desk, owed, isCacheable ? neverCached(message) : message);
  }
  return list !== undefined && isCacheable ? neverCached(message) : message;
}

/** Ours go behind the server's on the first page, and a name of theirs on a later page counts too. */
function firstPage(desk: Desk, owed: Owed, answered: Message): Message | undefined {
  const { id, message: request } = owed;
  if (request.has(['params', 'cursor'])) return answered;
  const page = pageOf(listNamed('tools'), answered.read(['result']));
  if (page === undefined) return answered;
  if (page.next === undefined) return withAgentTools(desk, request, answered, namesOf(page.items));
  desk.ports.allTools(owed.generation, (items) =>
    desk.ports.client(withAgentTools(desk, request, answered, namesOf(items ?? page.items)), answerTo(id)),
  );
  return undefined;
}

/** The notes go with the first result that has a place for them, once. A batch stays as it is, and so does a task. */
function noted(desk: Desk, notes: ReadonlyMap<string, string>, owed: Owed, message: Message): Message {
  if (owed.generation !== desk.serving || owed.batch !== undefined || owed.cancelled) return message;
  if (owed.message.has(['params', 'task'])) return message;
  const seen = withNotes(message, [...notes.values()]);
  if (seen === undefined) return message;
  desk.notes = undefined;
  return seen;
}

/** What was begun before the edit, and what a draining server finishes, was not asked of the code that failed. */
function servesOldCode(desk: Desk, owed: Owed): boolean {
  return desk.options.onFailure === 'serve' && owed.generation === desk.serving;
}

/** Pages add up: a name once declared harmless stays so for this generation. */
export function learnTools(desk: Desk, generation: number, items: readonly unknown[]): void {
  const known = desk.harmless.get(generation) ?? [];
  desk.harmless.set(generation, new Set([...known, ...harmlessTools(items)]));
}

function settled(desk: Desk, owed: Owed): void {
  forgetProgress(desk, owed);
  if (!owed.cancelled) freeTurn(desk, owed);
  pump(desk);
  drainedBy(desk, owed.generation);
}

/** A draining generation that the client has nothing more to expect of may go. */
function drainedBy(desk: Desk, generation: number): void {
  if (desk.draining.size > 0 && desk.draining.has(generation) && !owesAnything(desk, generation))
    desk.ports.drained(generation);
}

function question(desk: Desk, generation: number, message: Message, id: Id, method: string): Message | undefined {
  const token = keyOfValue(message.read(['params', '_meta', 'progressToken']));
  const { shown, shownToken } = desk.questions.ask(id, generation, method, token);
  const seen = shown === id ? message : message.with(['id'], shown);
  if (seen === undefined || shownToken === undefined || shownToken === token) return seen;
  return seen.with(['params', '_meta', 'progressToken'], shownToken);
}

function tell(desk: Desk, generation: number, message: Message, method: string): Message | undefined {
  if (ofTheServing.has(method) && generation !== desk.serving) {
    if (generation === desk.candidate) desk.unheard.add(method);
    return undefined;
  }
  if (method === 'notifications/subscriptions/acknowledged') {
    acknowledged(desk, generation, message);
    return undefined;
  }
  if (method === 'notifications/progress' && fallsBehind(desk, message)) return undefined;
  return method === 'notifications/cancelled' ? cancellation(desk, generation, message) : message;
}

/** A server takes a question back, or ends a stream: under the id that the client saw, and never another server's. */
function cancellation(desk: Desk, generation: number, message: Message): Message | undefined {
  const key = keyOfValue(message.read(['params', 'requestId']));
  if (key === undefined) return message;
  if (desk.listens.find(key) !== undefined) return endOfStream(desk, generation, key, message) ? message : undefined;
  const asked = desk.questions.asked(key, generation);
  if (asked === undefined) return desk.questions.isOpen(key) ? undefined : message;
  return asked.shown === asked.id ? message : message.with(['params', 'requestId'], asked.shown);
}
