/**
 * Which request a client takes back with a cancellation, and where it is: with a generation, with an agent's tool,
 * waiting, or open as a stream. What is done about it is in client-actions.ts.
 */
import { keyOfValue, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { DROP, type ClientVerdict, type TakenBack } from './verdicts.js';
import { isRequestOf } from './hold.js';
import { isAlive, type Arrival, type PendingRequest, type Session, type Upstream } from './records.js';

export function cancellationVerdict(session: Session, message: Message): ClientVerdict {
  const key = keyOfValue(message.read(['params', 'requestId']));
  const request = key === undefined ? undefined : takenBack(session, key);
  return request === undefined ? DROP : { do: 'take-back', request };
}

function takenBack(session: Session, key: Key): TakenBack | undefined {
  const { hold, queuedCalls, waitingOpenings } = session.lineage;
  const isIt = (arrival: Arrival): boolean => isRequestOf(arrival, session, key);
  const arrival = hold.find(session, key);
  if (arrival !== undefined) return { at: 'hold', arrival };
  const queued = queuedCalls.find(isIt);
  if (queued !== undefined) return { at: 'queue', arrival: queued };
  const opening = waitingOpenings.find(isIt);
  if (opening !== undefined) return { at: 'openings', arrival: opening };
  const [call] = [...session.agentCalls].findLast(([, id]) => id === key) ?? [];
  if (call !== undefined) return { at: 'agent', call };
  const stream = session.streams.find(key);
  if (stream !== undefined) return { at: 'stream', stream };
  const found = findPending(session, key);
  return found && { at: 'server', ...found };
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
