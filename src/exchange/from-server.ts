/**
 * The verdict on one message of a generation. The serving one speaks freely; a candidate may ask and log but says
 * nothing of lists before it serves; one that drains finishes what it owes; one that was given up is not heard at all.
 */
import { LISTS, listByMethod, listNamed, pageOf } from '../lists/lists.js';
import { keyOf, keyOfValue } from '../session/ids.js';
import { lineOf, type Owed } from '../session/ledger.js';
import { AGREEMENTS } from '../session/session.js';
import { locate, readAt, setAt } from '../wire/edit.js';
import { result } from '../wire/json-rpc.js';
import { cutOut, lengthOf, type Run } from '../wire/run.js';
import type { Envelope, Id } from '../wire/scan.js';
import { joinBatch, lookInside } from './batch.js';
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

/**
 * The message lies in `run` between `from` and `to`. Most are answers that go on as they are, and are not cut out of
 * it.
 */
export function fromServer(
  desk: Desk,
  generation: number,
  run: Run,
  envelope: Envelope,
  from = 0,
  to = lengthOf(run),
): void {
  if (!isAlive(desk, generation)) return;
  if (envelope.kind === 'response' && isPlain(desk, generation, envelope.id, envelope.error))
    return desk.ports.client(run, from, to);
  const line = cutOut(run, from, to);
  if (envelope.kind === 'batch') return batch(desk, generation, line);
  const seen = verdict(desk, generation, line, envelope);
  if (seen === undefined) return;
  if (desk.ending === generation) endStreams(desk, generation);
  desk.ports.client(seen);
}

/** What the client sees of it, if anything. */
function verdict(desk: Desk, generation: number, line: Buffer, envelope: Envelope): Buffer | undefined {
  switch (envelope.kind) {
    case 'response':
      return answer(desk, generation, line, envelope.id, envelope.error);
    case 'request':
      return question(desk, generation, line, envelope.id, envelope.method);
    case 'notification':
      return tell(desk, generation, line, envelope.method);
    case 'batch':
    case 'invalid':
      return undefined;
  }
}

/** Forwarded as it is if all of it is for the client, and unchanged. */
function batch(desk: Desk, generation: number, line: Buffer): void {
  const inside = lookInside(line) ?? [];
  const seen = inside.map((member) => verdict(desk, generation, member.line, member.envelope));
  if (seen.every((own, at) => own === inside[at]?.line)) return desk.ports.client(line);
  const kept = seen.filter((own) => own !== undefined);
  if (kept.length > 0) desk.ports.client(joinBatch(kept));
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

function answer(desk: Desk, generation: number, line: Buffer, id: Id, failed: boolean): Buffer | undefined {
  if (desk.own.size > 0 && answerOwn(desk, generation, line, id, failed)) return undefined;
  const owed = desk.ledger.settle(id, generation);
  if (owed === undefined) {
    if (desk.listens.size > 0 && endOfStream(desk, generation, keyOf(id), line)) return line;
    // Without an id it is the answer to something that the server could not read: only the client knows what it sent.
    return id === 'null' && generation === desk.serving ? line : undefined;
  }
  if (!failed) desk.born = true;
  if (failed && owed.method === 'server/discover') noteRefusedDiscover(desk, line);
  const isRefused = failed || isNoToolList(desk, owed, line);
  const seen = isRefused ? emptyIfLacking(desk, owed, line) : learn(desk, owed, line);
  settled(desk, owed);
  return seen;
}

function answerOwn(desk: Desk, generation: number, line: Buffer, id: Id, failed: boolean): boolean {
  const key = keyOf(id);
  const own = desk.own.get(key);
  if (own?.generation !== generation) return false;
  desk.own.delete(key);
  own.reply({ kind: failed ? 'error' : 'result', line });
  return true;
}

/** A server that declares no tools need not know what a list of them is: some answer anything with something. */
function isNoToolList({ capabilityGaps }: Desk, { method, generation }: Owed, line: Buffer): boolean {
  if (method !== 'tools/list' || capabilityGaps.get(generation)?.lacking.has('tools') !== true) return false;
  return !Array.isArray(readAt(line, ['result', 'tools']));
}

/** A server refuses a list that only the proxy has declared: the client was promised one. */
function emptyIfLacking(desk: Desk, owed: Owed, line: Buffer): Buffer {
  const list = listByMethod(owed.method);
  if (list === undefined) return line;
  const lacking = desk.capabilityGaps.get(owed.generation)?.lacking.has(list.capability) === true;
  // A modern client may have learnt on another connection what servers of this command can do.
  const unsaid = list.name === 'tools' && desk.options.promise && desk.session.capabilities === undefined;
  if (!lacking && !(unsaid && readAt(line, ['error', 'code']) === METHOD_NOT_FOUND)) return line;
  return result(owed.id, emptyList(desk, owed.method, lineOf(owed)) ?? {});
}

/** What a good answer teaches, and what has to be changed in it. */
function learn(desk: Desk, owed: Owed, line: Buffer): Buffer | undefined {
  if (desk.tasks.enabled) noteTaskAnswer(desk, owed.generation, owed.method, lineOf(owed), line);
  if (owed.method === 'tools/call' && desk.notes !== undefined) line = noted(desk, desk.notes, owed, line);
  if (owed.method === 'tools/call' && desk.failure !== undefined && servesOldCode(desk, owed))
    return withFailure(line, desk.failure, toolNames(desk, lineOf(owed)));
  if (!LESSONS.has(owed.method)) return line;
  const said = line;
  const isOpening = owed.method === 'initialize' || owed.method === 'server/discover';
  if (isOpening) line = withToolsCapability(desk, owed.generation, lineOf(owed), line);
  const agreed = desk.session.answered(owed, line);
  if (isOpening) desk.ports.introduced(owed.method, said);
  if (agreed !== undefined) {
    for (const newer of introducedAfter(desk, owed.generation)) remind(desk, newer, owed.method, agreed);
  }
  if (owed.method === 'initialize') {
    return desk.options.promise ? promiseListChanges(line, ['result', 'capabilities']) : line;
  }
  if (owed.method === 'server/discover') {
    const fresh = neverCached(line);
    return desk.options.promise ? promiseListChanges(fresh, ['result', 'capabilities']) : fresh;
  }
  const isCacheable = desk.session.era === 'modern';
  if (owed.method === 'resources/read') return isCacheable ? neverCached(line) : line;
  const list = listByMethod(owed.method);
  // Also of one that drains: it is what the client has from now on.
  if (list !== undefined) {
    const answered = readAt(line, ['result']);
    desk.served.onPage(list.name, readAt(lineOf(owed), ['params', 'cursor']), answered, owed.generation);
    const items = list.name === 'tools' ? pageOf(list, answered)?.items : undefined;
    if (items !== undefined) learnTools(desk, owed.generation, items);
    if (items !== undefined && toolsBeside(desk, lineOf(owed)).size > 0)
      return firstPage(desk, owed, isCacheable ? neverCached(line) : line);
  }
  return list !== undefined && isCacheable ? neverCached(line) : line;
}

/** Ours go behind the server's on the first page, and a name of theirs on a later page counts too. */
function firstPage(desk: Desk, owed: Owed, line: Buffer): Buffer | undefined {
  const request = lineOf(owed);
  if (locate(request, ['params', 'cursor']) !== undefined) return line;
  const page = pageOf(listNamed('tools'), readAt(line, ['result']));
  if (page === undefined) return line;
  if (page.next === undefined) return withAgentTools(desk, request, line, namesOf(page.items));
  desk.ports.allTools(owed.generation, (items) =>
    desk.ports.client(withAgentTools(desk, request, line, namesOf(items ?? page.items))),
  );
  return undefined;
}

/** The notes go with the first result that has a place for them, once. A batch stays as it is, and so does a task. */
function noted(desk: Desk, notes: ReadonlyMap<string, string>, owed: Owed, line: Buffer): Buffer {
  if (owed.generation !== desk.serving || owed.batch !== undefined || owed.cancelled) return line;
  if (locate(lineOf(owed), ['params', 'task']) !== undefined) return line;
  const seen = withNotes(line, [...notes.values()]);
  if (seen === undefined) return line;
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

function question(desk: Desk, generation: number, line: Buffer, id: Id, method: string): Buffer | undefined {
  const token = keyOfValue(readAt(line, ['params', '_meta', 'progressToken']));
  const { shown, shownToken } = desk.questions.ask(id, generation, method, token);
  const seen = shown === id ? line : setAt(line, ['id'], shown);
  if (seen === undefined || shownToken === undefined || shownToken === token) return seen;
  return setAt(seen, ['params', '_meta', 'progressToken'], shownToken);
}

function tell(desk: Desk, generation: number, line: Buffer, method: string): Buffer | undefined {
  if (ofTheServing.has(method) && generation !== desk.serving) {
    if (generation === desk.candidate) desk.unheard.add(method);
    return undefined;
  }
  if (method === 'notifications/subscriptions/acknowledged') {
    acknowledged(desk, generation, line);
    return undefined;
  }
  if (method === 'notifications/progress' && fallsBehind(desk, line)) return undefined;
  return method === 'notifications/cancelled' ? cancellation(desk, generation, line) : line;
}

/** A server takes a question back, or ends a stream: under the id that the client saw, and never another server's. */
function cancellation(desk: Desk, generation: number, line: Buffer): Buffer | undefined {
  const key = keyOfValue(readAt(line, ['params', 'requestId']));
  if (key === undefined) return line;
  if (desk.listens.find(key) !== undefined) return endOfStream(desk, generation, key, line) ? line : undefined;
  const asked = desk.questions.asked(key, generation);
  if (asked === undefined) return desk.questions.isOpen(key) ? undefined : line;
  return asked.shown === asked.id ? line : setAt(line, ['params', 'requestId'], asked.shown);
}
