/**
 * A client comes to a lineage, or leaves it. What a client that leaves still has there ends with it, and nothing of it
 * reaches those that stay (P17, apart). Who comes and when is decided by the fronts.
 */
import { clientLeft } from '../agent/words.js';
import { answerTo } from '../channel/channel.js';
import { Agreement } from '../session/agreement.js';
import type { Id } from '../wire/envelope.js';
import { error, INTERNAL_ERROR } from '../wire/json-rpc.js';
import { Message } from '../wire/message.js';
import { endCall, startQueuedCalls } from './client-actions.js';
import { adoptIntroduction, startWaitingOpenings } from './introductions.js';
import {
  createSession,
  isAlive,
  type Arrival,
  type LineageRecord,
  type Role,
  type Session,
  type Upstream,
} from './records.js';
import { withdrawSettings } from './settings.js';
import { isOpening } from './methods.js';
import { noteTakenBack } from './addressees.js';
import { beginSharing } from './wire-names.js';

/**
 * The first client is the one that servers are opened for. Its messages stay as they are for as long as it is alone.
 */
export function attachSession(lineage: LineageRecord, client: Session['client'], role: Role = 'client'): Session {
  const isFirst = lineage.sessions.size === 0 && !lineage.isShared;
  if (!isFirst || role === 'request') beginSharing(lineage);
  const session = createSession(lineage, client, isFirst ? lineage.agreement : new Agreement(), role);
  // It has agreed to nothing yet, so there is nothing that a newer server would have to be told.
  for (const upstream of lineage.upstreams)
    if (upstream.introduction !== undefined && upstream.clients === undefined) upstream.sessionsReplayedTo.add(session);
  lineage.sessions.add(session);
  return session;
}

/** The client has left, and the servers stay. */
export function detachSession(session: Session): void {
  const { lineage } = session;
  if (!lineage.sessions.has(session)) return;
  // A server that nobody but us has spoken to is as good as new.
  const isUntouched = session.role === 'probe' && !lineage.isShared && session.agreement.era === undefined;
  if (isUntouched) lineage.agreement = new Agreement();
  else beginSharing(lineage);
  lineage.sessions.delete(session);
  if (session.hasServerAnswered) lineage.hasAnsweredBefore = true;
  lineage.hold.removeOf(session);
  removeOf(lineage.queuedCalls, session);
  removeOf(lineage.waitingOpenings, session);
  for (const call of session.agentCalls.keys()) call.abort();
  session.agentCalls.clear();
  withdrawSettings(session);
  for (const upstream of lineage.upstreams) leave(session, upstream);
  passOnAgreement(session);
  startWaitingOpenings(lineage);
  startQueuedCalls(lineage);
}

/** A modern request of the proxy's own is sent in the words of a client that is there. */
function passOnAgreement({ lineage, agreement }: Session): void {
  const isApart = lineage.options.isApart === true;
  if (lineage.agreement !== agreement || (agreement.era !== 'modern' && !isApart)) return;
  const isFit = (other: Session): boolean => (isApart ? other.agreement.isOpen : other.agreement.era === 'modern');
  const next = [...lineage.sessions].find(isFit);
  if (next !== undefined) lineage.agreement = next.agreement;
}

function leave(session: Session, upstream: Upstream): void {
  const { lineage } = session;
  const isThere = isAlive(lineage, upstream);
  const takeBack = (wireId: Id): void => {
    if (isThere) upstream.send(cancellationOf(wireId), session);
  };
  for (const pending of upstream.pending.of(session)) {
    noteTakenBack(upstream, pending);
    upstream.pending.giveUp(pending);
    if (!pending.cancelled) endCall(pending);
    if (pending.method === 'initialize') adoptIntroduction(lineage, upstream, pending.key);
    else if (!pending.cancelled && !isOpening(pending.method)) takeBack(pending.wireId);
  }
  for (const stream of session.streams) {
    const at = upstream.streams.get(stream);
    if (at !== undefined && upstream.streams.delete(stream)) takeBack(at.wireId);
  }
  for (const { clientId } of upstream.serverRequests.takeOf(session)) {
    const asked = session.serverRequests.complete(clientId);
    if (asked === undefined || asked.isAbandoned || !isThere) continue;
    upstream.send(error(asked.id, INTERNAL_ERROR, clientLeft()), session, answerTo(asked.id));
  }
  for (const task of upstream.tasks.openOf(session)) {
    upstream.tasks.end(task);
    const params = session.agreement.paramsFor({ taskId: task });
    if (isThere) upstream.sendProxyRequest('tasks/cancel', params, () => {}, session);
  }
  upstream.ids.disown(session);
  upstream.tokens.disown(session);
  upstream.capabilityGaps.delete(session);
  upstream.sessionsReplayedTo.delete(session);
  upstream.clients?.close(session);
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
}

function cancellationOf(wireId: Id): Message {
  return Message.fromJson(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${wireId},"reason":"The client has left."}}`,
  );
}

function removeOf(all: Arrival[], session: Session): void {
  if (all.length === 0) return;
  const others = all.filter((arrival) => arrival.session !== session);
  all.splice(0, all.length, ...others);
}
