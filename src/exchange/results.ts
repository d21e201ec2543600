/**
 * What a client gets of a server's result: recorded where the proxy has to know it, and changed where it has to be
 * (P2, same bytes). Whose it is was decided in verdict-on-server.ts.
 */
import { answerTo } from '../channel/channel.js';
import { listByMethod, listNamed, pageOf } from '../lists/lists.js';
import { METHOD_NOT_FOUND, result } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import { namesOf, toolNames, toolsBeside, withAgentTools } from './agent-calls.js';
import { noteIntroduction } from './introductions.js';
import { emptyList } from './local-answers.js';
import { factsOf, isOpening } from './methods.js';
import { takeOpening } from './opening-results.js';
import { cachedUntilReload, withFailure, withNotes } from './patch.js';
import { areOne, type LineageRecord, type PendingRequest, type Session, type Upstream } from './records.js';
import { retrySafeToolsIn } from './retry-safety.js';
import { afterSetting } from './settings.js';
import { concernsTasks, noteTaskAnswer, withOwnTasks } from './task-messages.js';
import { noteToolPage } from './known-tools.js';

/** Whether a result of this method goes on as it is. */
export function isPlainMethod(lineage: LineageRecord, method: string): boolean {
  if (factsOf(method).isInspected) return false;
  if (lineage.isShared && method === 'tasks/list') return false;
  return !(lineage.runsTasks && concernsTasks(lineage, method));
}

/** What the client gets. Undefined: it gets it later. */
export function takeResult(
  upstream: Upstream,
  pending: PendingRequest,
  message: Message,
  isError: boolean,
): Message | undefined {
  const isRefused = isError || isNoToolList(upstream, pending, message);
  return isRefused ? emptyIfMissing(upstream, pending, message) : inspectResult(upstream, pending, message);
}

/** What another client was asked while nobody waited for the answer any more may stand in it. */
export function isForNobody({ cancelled, session }: PendingRequest): boolean {
  return cancelled && areOne(session.lineage);
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
  const { notes } = session.memory;
  if (method === 'tools/call' && notes !== undefined)
    message = withOwedNotes(session, notes, upstream, pending, message);
  if (method === 'tools/call' && failure !== undefined && servesOldCode(lineage, upstream))
    return withFailure(message, failure, toolNames(session, request));
  if (!factsOf(method).isInspected) return message;
  if (isOpening(method)) {
    const opened = takeOpening(session, upstream, method, request, message);
    lineage.ports.onIntroduced(method, said);
    if (method === 'initialize') noteIntroduction(lineage, upstream, said);
    return opened;
  }
  agreement.recordResponse(method, request, message);
  afterSetting(session, upstream, method, request);
  const isCacheable = agreement.era === 'modern';
  if (method === 'resources/read') return isCacheable ? cachedUntilReload(lineage, message) : message;
  const list = listByMethod(method);
  if (list !== undefined) {
    const answered = message.read(['result']);
    const isSeen = !isForNobody(pending);
    // Also of one that drains: it is what the client has from now on.
    if (isSeen) session.served.onPage(list.name, request.read(['params', 'cursor']), answered, upstream.generation);
    if (isSeen && list.name === 'tools') noteToolPage(session, upstream, request, answered);
    const items = list.name === 'tools' ? pageOf(list, answered)?.items : undefined;
    if (items !== undefined) learnTools(upstream, items);
    if (items !== undefined && toolsBeside(session, request).size > 0)
      return firstPage(upstream, pending, isCacheable ? cachedUntilReload(lineage, message) : message);
  }
  return list !== undefined && isCacheable ? cachedUntilReload(lineage, message) : message;
}

/** Ours go behind the server's on the first page, and a name of theirs on a later page counts too. */
function firstPage(upstream: Upstream, pending: PendingRequest, answered: Message): Message | undefined {
  const { session, id, message: request } = pending;
  if (request.has(['params', 'cursor'])) return answered;
  const page = pageOf(listNamed('tools'), answered.read(['result']));
  if (page === undefined) return answered;
  if (page.next === undefined) return withAgentTools(session, request, answered, namesOf(page.items));
  session.lineage.ports.fetchAllTools(upstream, (items) =>
    session.client.send(withAgentTools(session, request, answered, namesOf(items ?? page.items)), answerTo(id)),
  );
  return undefined;
}

/** The notes go with the first result that has a place for them, once. A batch stays as it is, and so does a task. */
function withOwedNotes(
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
  session.memory.notes = undefined;
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
