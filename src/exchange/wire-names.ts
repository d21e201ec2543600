/**
 * What clients that share a server are called there. Their ids and progress tokens would meet on the wire, so one that
 * another client has used is replaced on the way to the server, and put back on the way to the client. With one client
 * nothing is looked at and no byte changes. Whose a message of the server is, is decided in addressees.ts.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, keyOfValue } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import type { ClientRequest } from '../wire/batch.js';
import type { LineageRecord, PendingRequest, Session, Upstream } from './records.js';

const TOKEN = ['params', '_meta', 'progressToken'] as const;

export interface OnWire {
  readonly wireId: Id;
  readonly message: Message;
}

/** A request as the server is to see it. Its names are the client's from now on. */
export function nameRequest(
  session: Session,
  upstream: Upstream,
  { id, message }: Omit<ClientRequest, 'method'>,
): OnWire {
  if (!session.lineage.isShared) return { wireId: id, message };
  const wireId = keyOf(id) === 'null' ? id : upstream.takeWireId(session, id);
  let named = wireId === id ? message : (message.with(['id'], wireId) ?? message);
  const token = tokenOf(message);
  const wireToken = token === undefined ? undefined : upstream.tokens.take(session, token, id);
  if (wireToken !== undefined && wireToken !== token) named = named.with(TOKEN, wireToken) ?? named;
  return { wireId, message: named };
}

/** An answer under the id that the client knows. */
export function withClientId({ id, wireId }: PendingRequest, answer: Message): Message {
  return wireId === id ? answer : (answer.with(['id'], id) ?? answer);
}

/** A second client comes, or the only one goes while the servers stay: from now on names have to be told apart. */
export function beginSharing(lineage: LineageRecord): void {
  if (lineage.isShared) return;
  lineage.isShared = true;
  const [alone] = lineage.sessions;
  for (const upstream of lineage.upstreams) {
    if (alone !== undefined && lineage.requestCount > 0) {
      upstream.ids.reserve(alone);
      upstream.tokens.reserve(alone);
    }
    for (const { session, id, message } of upstream.pending) {
      upstream.ids.take(session, id, id);
      const token = tokenOf(message);
      if (token !== undefined) upstream.tokens.take(session, token, id);
    }
    for (const session of lineage.sessions) {
      for (const stream of session.streams)
        if (upstream.streams.has(stream)) upstream.ids.take(session, stream.id, stream.id);
    }
  }
}

/** As it is spelt. */
function tokenOf(request: Message): Id | undefined {
  // Most have none. Its name may be written with escapes.
  if (request.length === 0 || !(request.includes(TOKEN[2]) || request.includes('\\u'))) return undefined;
  if (keyOfValue(request.read(TOKEN)) === undefined) return undefined;
  return request.raw(TOKEN);
}
