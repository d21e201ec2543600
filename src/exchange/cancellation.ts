/**
 * A client takes a request back. Wherever the request is, with a generation, with an agent's tool, waiting or open as a
 * stream, it ends there. The cancellation is never sent to a server that has not seen the request.
 */
import type { Id } from '../wire/envelope.js';
import { keyOfValue, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { endCall, startQueuedCalls } from './concurrency.js';
import { isRequestOf } from './hold.js';
import { forgetProgress } from './progress.js';
import { isAlive, type PendingRequest, type Session, type Upstream } from './records.js';

export function cancel(session: Session, message: Message): void {
  const { lineage } = session;
  const key = keyOfValue(message.read(['params', 'requestId']));
  if (key === undefined || lineage.hold.remove(session, key) !== undefined) return;
  const queued = lineage.queuedCalls.findIndex((held) => isRequestOf(held, session, key));
  if (queued >= 0) {
    lineage.queuedCalls.splice(queued, 1);
    return;
  }
  const opening = lineage.waitingOpenings.findIndex((held) => isRequestOf(held, session, key));
  if (opening >= 0) {
    lineage.waitingOpenings.splice(opening, 1);
    return;
  }
  const [call] = [...session.agentCalls].findLast(([, id]) => id === key) ?? [];
  if (call !== undefined) {
    session.agentCalls.delete(call);
    return call.abort();
  }
  const stream = session.streams.find(key);
  if (stream !== undefined) {
    session.streams.end(stream);
    for (const upstream of lineage.upstreams) {
      const at = upstream.streams.get(stream);
      if (at === undefined) continue;
      upstream.streams.delete(stream);
      if (isAlive(lineage, upstream)) upstream.channel.send(under(at.wireId, stream.id, message));
    }
    return;
  }
  const found = findPending(session, key);
  if (found !== undefined) cancelPending(found.upstream, found.pending, message);
}

/** The client's newest request under this id, and who owes the answer. */
export function findPending(
  session: Session,
  key: Key,
): { readonly upstream: Upstream; readonly pending: PendingRequest } | undefined {
  const { lineage } = session;
  let newest: { readonly upstream: Upstream; readonly pending: PendingRequest } | undefined;
  for (const upstream of lineage.upstreams) {
    const pending = isAlive(lineage, upstream) ? upstream.pending.findOf(session, key) : undefined;
    if (pending !== undefined && pending.order > (newest?.pending.order ?? 0)) newest = { upstream, pending };
  }
  return newest;
}

function cancelPending(upstream: Upstream, pending: PendingRequest, message: Message): void {
  const { lineage } = pending.session;
  if (!pending.cancelled) endCall(pending);
  forgetProgress(pending.session, pending);
  upstream.pending.cancel(pending);
  // A server that has seen nothing but a discover would take this for a word of the legacy era, and never leave it.
  if (pending.method !== 'server/discover') upstream.channel.send(under(pending.wireId, pending.id, message));
  if (upstream.isDraining && !upstream.owesAnything) upstream.markDrained();
  startQueuedCalls(lineage);
}

/** The cancellation names the request as the server knows it. */
function under(wireId: Id, id: Id, message: Message): Message {
  return wireId === id ? message : (message.with(['params', 'requestId'], wireId) ?? message);
}
