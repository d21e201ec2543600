/**
 * Which clients a message of a server is for, if several share the server. An answer, progress and the news of a stream
 * are for the client whose name they carry; a question for the only one that has something running there; a log message
 * for those that asked for its level. What could be meant for several is for nobody (P17, apart).
 */
import { askedAmongSeveral, clientLeft } from '../agent/words.js';
import { SESSION, type Route } from '../channel/channel.js';
import { LISTS } from '../lists/lists.js';
import type { ListenStream } from '../session/listen-streams.js';
import { membersOf } from '../session/agreement.js';
import { keyOf, keyOfValue, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { factsOf } from './methods.js';
import {
  areOne,
  onlySession,
  type LineageRecord,
  type PendingRequest,
  type Session,
  type Upstream,
} from './records.js';
import { isSubscribed, wantsLevel } from './settings.js';

/** A message and the client that gets it. */
export interface Delivery {
  readonly session: Session;
  readonly message: Message;
  readonly route: Route;
}

const META = ['params', '_meta'];
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const LIST_CHANGES: ReadonlySet<string> = new Set(LISTS.map((list) => list.notification));

/** Whether a modern request asks to be told what the server logs meanwhile. */
function asksForLog(request: Message): boolean {
  return request.has([...META, LOG_LEVEL]);
}

/**
 * A client of a shared server takes a request back or leaves it behind while the server may be at it: to whom that may
 * still speak depends on it.
 */
export function noteTakenBack(upstream: Upstream, pending: PendingRequest): void {
  const { session, key, method, message, cancelled } = pending;
  const { lineage } = session;
  if (!areOne(lineage) || cancelled || factsOf(method).isQuiet) return;
  upstream.takenBack.add(key, { session, at: lineage.ports.now(), asksForLog: asksForLog(message) });
}

/** Who is asked; or, in words, why that can't be told. */
export function clientAsked(
  lineage: LineageRecord,
  upstream: Upstream,
  method: string,
  question: Message,
): Session | string {
  const only = onlySession(lineage);
  if (only !== undefined && !lineage.isShared) return only;
  if (lineage.sessions.size === 0) return clientLeft();
  const ofTask = taskOwner(lineage, upstream, question);
  if (ofTask !== undefined) return ofTask;
  const running = clientsRunning(lineage, upstream);
  // A server asks for roots as soon as it is opened, or told that they have changed.
  const [opener] = lineage.sessions;
  if (running.length === 0 && method === 'roots/list' && opener !== undefined) return opener;
  return onlyOneAtWork(lineage, upstream, running) ?? askedAmongSeveral(method, running.length);
}

/**
 * The clients that a notification is for, each with the message as it gets it. `lineage` is shared. `of`: the one in
 * whose session it was said, if the server keeps clients apart.
 */
export function clientsTold(
  lineage: LineageRecord,
  upstream: Upstream,
  method: string,
  message: Message,
  of?: Session,
): readonly Delivery[] {
  if (method === 'notifications/progress') return ofProgress(lineage, upstream, message);
  const stream = keyOfValue(message.read([...META, SUBSCRIPTION]));
  if (stream !== undefined) return ofStream(lineage, upstream, stream, message);
  const all = [...lineage.sessions];
  const toAll = (sessions: readonly Session[]): Delivery[] =>
    sessions.map((session) => ({ session, message, route: SESSION }));
  if (of !== undefined) return toAll([of]);
  if (method === 'notifications/message') return toAll(loggedTo(lineage, upstream, message));
  if (method === 'notifications/resources/updated') {
    const uri = message.read(['params', 'uri']);
    return toAll(all.filter((session) => isSubscribed(session, uri)));
  }
  if (LIST_CHANGES.has(method))
    return toAll(all.filter(({ agreement }) => agreement.era !== 'modern' && agreement.isInitialized));
  if (taskNamed(message) !== undefined) {
    const owner = taskOwner(lineage, upstream, message);
    return owner === undefined ? [] : toAll([owner]);
  }
  const one = onlyOneAtWork(lineage, upstream, clientsRunning(lineage, upstream));
  return one === undefined ? [] : toAll([one]);
}

/**
 * The only client that what a server says can be about: the one for which it works, or, in the legacy era, the only one
 * that there is. Undefined if it may as well be about what another one has taken back.
 */
function onlyOneAtWork(lineage: LineageRecord, upstream: Upstream, running: readonly Session[]): Session | undefined {
  const only = onlySession(lineage);
  const alone = only?.agreement.era === 'modern' ? undefined : only;
  const one = running.length === 0 ? alone : running.length === 1 ? running[0] : undefined;
  return one !== undefined && upstream.takenBack.isAnyOfOthers(one, lineage.ports.now()) ? undefined : one;
}

/** The stream that a server names, and whose it is. */
export function streamNamed(
  lineage: LineageRecord,
  upstream: Upstream,
  key: Key,
): { readonly session: Session; readonly stream: ListenStream } | undefined {
  const session = lineage.isShared ? upstream.ids.find(key)?.owner : onlySession(lineage);
  if (session === undefined || session.streams.size === 0) return undefined;
  if (!lineage.isShared) {
    const stream = session.streams.find(key);
    return stream && { session, stream };
  }
  for (const stream of session.streams) {
    const at = upstream.streams.get(stream);
    if (at !== undefined && keyOf(at.wireId) === key) return { session, stream };
  }
  return undefined;
}

function ofProgress(lineage: LineageRecord, upstream: Upstream, message: Message): Delivery[] {
  const token = keyOfValue(message.read(['params', 'progressToken']));
  const name = upstream.tokens.find(token);
  if (name?.owner === undefined || !lineage.sessions.has(name.owner)) return [];
  const seen = keyOf(name.own) === token ? message : message.with(['params', 'progressToken'], name.own);
  if (seen === undefined) return [];
  return [{ session: name.owner, message: seen, route: { kind: 'about', request: name.request } }];
}

function ofStream(lineage: LineageRecord, upstream: Upstream, key: Key, message: Message): Delivery[] {
  const found = streamNamed(lineage, upstream, key);
  if (found === undefined) return [];
  const { session, stream } = found;
  const seen = stream.key === key ? message : message.with([...META, SUBSCRIPTION], stream.id);
  return seen === undefined ? [] : [{ session, message: seen, route: { kind: 'about', request: stream.id } }];
}

/**
 * A modern client asks for log messages with each request, and the messages do not say which of them they are about. A
 * legacy one that is alone gets what a server says of its own accord, too.
 */
function loggedTo(lineage: LineageRecord, upstream: Upstream, message: Message): readonly Session[] {
  const level = message.read(['params', 'level']);
  const asked = [...lineage.sessions].filter((session) => wantsLevel(session, level));
  if (asked.length > 0) return asked;
  const now = lineage.ports.now();
  if (lineage.agreement.era !== 'modern') {
    const only = onlySession(lineage);
    const isItsOwn = only?.agreement.logLevel === undefined && !upstream.takenBack.isAnyOfOthers(only, now);
    return only !== undefined && isItsOwn ? [only] : [];
  }
  const open = [...upstream.pending].filter(
    (request) => !request.cancelled && asksForLog(request.message) && lineage.sessions.has(request.session),
  );
  const [one, other] = new Set(open.map(({ session }) => session));
  if (one === undefined || other !== undefined) return [];
  return upstream.takenBack.isAnyOfOthers(one, now, true) ? [] : [one];
}

/** The clients with a request in whose course the server may say something, or with a task. */
function clientsRunning(lineage: LineageRecord, upstream: Upstream): readonly Session[] {
  const running = new Set<Session>();
  for (const { session, method, cancelled } of upstream.pending)
    if (!cancelled && !factsOf(method).isQuiet) running.add(session);
  for (const session of lineage.sessions) if (upstream.tasks.openOf(session).length > 0) running.add(session);
  return [...running];
}

function taskOwner({ sessions }: LineageRecord, upstream: Upstream, message: Message): Session | undefined {
  const id = taskNamed(message);
  const owner = id === undefined ? undefined : upstream.tasks.ownerOf(id);
  return owner !== undefined && sessions.has(owner) ? owner : undefined;
}

/** The task that a message is about, or came up in the course of. */
function taskNamed(message: Message): string | undefined {
  const related = membersOf(message.read([...META, RELATED_TASK]))['taskId'];
  const id = related ?? message.read(['params', 'taskId']);
  return typeof id === 'string' ? id : undefined;
}
