/**
 * The settings that clients have in force with servers: the log level and the subscriptions to resources. Of clients
 * that share a server it has the most verbose level of all, and each resource is subscribed to with the first client
 * and given up with the last. What one client has agreed to is kept in session/agreement.ts.
 */
import { readAt } from '../wire/edit.js';
import type { Message } from '../wire/message.js';
import type { ClientRequest } from '../wire/batch.js';
import type { Reply } from '../server/upstream.js';
import { areOne, replayedAfter, type LineageRecord, type Session, type Upstream } from './records.js';

const SET_LEVEL = 'logging/setLevel';
const SUBSCRIBE = 'resources/subscribe';
const UNSUBSCRIBE = 'resources/unsubscribe';

/** The most verbose first. */
const LEVELS: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Makes a setting with a generation that another one had accepted. If this one doesn't, the client can't be told. */
export function replayRequest(
  { ports }: LineageRecord,
  upstream: Upstream,
  method: string,
  params: string,
  of?: Session,
): void {
  const { generation } = upstream;
  if (method === SET_LEVEL) upstream.logLevel = params;
  const onReply = (reply: Reply): void => {
    if (reply.kind === 'error')
      ports.warn(`generation ${generation} refused ${method} ${params}, which the server before it had accepted`);
  };
  upstream.sendProxyRequest(method, params, onReply, of);
}

/** The params of the most verbose `logging/setLevel` that is in force. */
export function logLevelOf({ sessions }: LineageRecord): string | undefined {
  let most: string | undefined;
  for (const { agreement } of sessions) {
    const { logLevel } = agreement;
    if (logLevel !== undefined && (most === undefined || rankIn(logLevel) < rankIn(most))) most = logLevel;
  }
  return most;
}

/** The params of a `resources/subscribe` for each resource that some client is subscribed to. */
export function subscriptionsOf({ sessions }: LineageRecord): Iterable<string> {
  const all = new Map<string, string>();
  for (const { agreement } of sessions)
    for (const [uri, params] of agreement.subscriptions) if (!all.has(uri)) all.set(uri, params);
  return all.values();
}

/** Whether the client has asked for log messages of this level. */
export function wantsLevel({ agreement }: Session, level: unknown): boolean {
  return agreement.logLevel !== undefined && LEVELS.indexOf(level) >= rankIn(agreement.logLevel);
}

/** Whether the client is subscribed to the resource, or to one that it is a part of. */
export function isSubscribed({ agreement }: Session, uri: unknown): boolean {
  if (typeof uri !== 'string') return false;
  for (const subscribed of agreement.subscriptions.keys()) {
    if (uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`)) return true;
  }
  return false;
}

/** Whether the server has what is asked for from another client already, and keeps it for that one. */
export function isSetForOthers(session: Session, { method, message }: ClientRequest): boolean {
  const isSubscription = method === SUBSCRIBE || method === UNSUBSCRIBE;
  return areOne(session.lineage) && isSubscription && isWantedByOthers(session, message);
}

/** The request as the server is to get it: the level that it is asked for is no less verbose than others want. */
export function withSharedLevel(session: Session, to: Upstream, method: string, message: Message): Message {
  if (method !== SET_LEVEL || !areOne(session.lineage)) return message;
  const own = message.raw(['params']) ?? '{}';
  const others = [...session.lineage.sessions].filter((other) => other !== session);
  let most = own;
  for (const { agreement } of others)
    if (agreement.logLevel !== undefined && rankIn(agreement.logLevel) < rankIn(most)) most = agreement.logLevel;
  to.logLevel = most;
  const isKnown = rankIn(own) < LEVELS.length;
  return most === own || !isKnown
    ? message
    : (message.with(['params', 'level'], JSON.stringify(levelIn(most))) ?? message);
}

/** A server has accepted a setting: newer ones are told, and what others want stays in force. */
export function afterSetting(session: Session, upstream: Upstream, method: string, request: Message): void {
  const { lineage, agreement } = session;
  const params = agreement.settingIn(method, request);
  if (params === undefined) return;
  const newer = replayedAfter(session, upstream);
  if (!areOne(lineage)) return replayTo(session, newer, method, params);
  if (method === SET_LEVEL) for (const each of [upstream, ...newer]) restoreLevel(lineage, each);
  else if (method === SUBSCRIBE || !isWantedByOthers(session, request)) replayTo(session, newer, method, params);
  else replayRequest(lineage, upstream, SUBSCRIBE, params);
}

/** A client that had these settings has left. */
export function withdrawSettings(session: Session): void {
  const { lineage, agreement } = session;
  // Where each client has a session of its own, that ends with the client.
  if (lineage.options.isApart === true) return;
  if (agreement.subscriptions.size === 0 && agreement.logLevel === undefined) return;
  const wanted = new Set([...lineage.sessions].flatMap((other) => [...other.agreement.subscriptions.keys()]));
  for (const upstream of lineage.upstreams) {
    if (upstream !== lineage.serving && !upstream.sessionsReplayedTo.has(session)) continue;
    for (const [uri, params] of agreement.subscriptions)
      if (!wanted.has(uri)) replayRequest(lineage, upstream, UNSUBSCRIBE, params);
    if (agreement.logLevel !== undefined) restoreLevel(lineage, upstream);
  }
}

function replayTo(session: Session, upstreams: readonly Upstream[], method: string, params: string): void {
  for (const upstream of upstreams) replayRequest(session.lineage, upstream, method, params, session);
}

function restoreLevel(lineage: LineageRecord, upstream: Upstream): void {
  const wanted = logLevelOf(lineage);
  if (wanted === undefined || levelIn(wanted) === levelIn(upstream.logLevel ?? '{}')) return;
  replayRequest(lineage, upstream, SET_LEVEL, wanted);
}

function isWantedByOthers(session: Session, request: Message): boolean {
  const uri = String(request.read(['params', 'uri']));
  return [...session.lineage.sessions].some((other) => other !== session && other.agreement.subscriptions.has(uri));
}

/** Of params as JSON; a level that nobody knows is less verbose than all. */
function rankIn(params: string): number {
  const rank = LEVELS.indexOf(levelIn(params));
  return rank < 0 ? LEVELS.length : rank;
}

function levelIn(params: string): unknown {
  return readAt(Buffer.from(params), ['level']);
}
