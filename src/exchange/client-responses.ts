/**
 * What a client says to a server that has asked it something: answers, and progress on them. They never wait, and go to
 * the one that asked, under the names that it used, or to nobody if it is gone.
 */
import { answerTo, SESSION } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { keyOfValue } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { joinBatch, messagesIn } from './batch.js';
import { pinEra } from './eras.js';
import { isAlive, type Session } from './records.js';

export function respond(session: Session, clientId: Id, response: Message): void {
  const asked = session.serverRequests.complete(clientId);
  if (asked === undefined) return;
  const { upstream, id } = asked;
  upstream.serverRequests.remove(session, asked.clientId);
  if (asked.isAbandoned || !isAlive(session.lineage, upstream)) return;
  const own = id === asked.clientId ? response : response.with(['id'], id);
  if (own !== undefined) upstream.channel.send(own, answerTo(id));
}

/** Answers go to whoever asked, in a batch too; the rest of it goes on as one. */
export function respondFromBatch(session: Session, batch: Message): Message | undefined {
  const inside = messagesIn(batch) ?? [];
  const rest = inside.filter(({ envelope }) => envelope.kind !== 'response');
  if (rest.length === inside.length) return batch;
  for (const message of inside) {
    const { envelope } = message;
    if (envelope.kind === 'response') respond(session, envelope.id, message);
  }
  return rest.length === 0 ? undefined : joinBatch(rest);
}

export function progressFromClient(session: Session, message: Message): void {
  const { lineage } = session;
  const token = keyOfValue(message.read(['params', 'progressToken']));
  const asked = token === undefined ? undefined : session.serverRequests.byToken(token);
  // What another client was asked may have the same token.
  if (asked === undefined && lineage.isShared) return;
  const to = asked === undefined ? lineage.serving : asked.upstream;
  if (to === undefined || !isAlive(lineage, to)) return;
  const isRenamed = asked?.token !== undefined && asked.token !== asked.clientToken;
  const own = isRenamed ? message.with(['params', 'progressToken'], asked.token) : message;
  if (own === undefined) return;
  pinEra(lineage, to);
  to.channel.send(own, asked === undefined ? SESSION : { kind: 'about', request: asked.id });
}
