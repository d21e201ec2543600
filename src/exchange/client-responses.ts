/**
 * What becomes of what a client says to a server that has asked it something: answers, and progress on them. They never
 * wait, and go to the one that asked, under the names that it used, or to nobody if it is gone.
 */
import { SESSION } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import { keyOfValue } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { joinBatch, messagesIn } from '../wire/batch.js';
import { DROP, type ClientVerdict } from './verdicts.js';
import { isAlive, type Session } from './records.js';

/** They are about a request, or about what a server asks, and name it. */
const NAMES_OTHERS: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/progress']);

export function responseVerdict(session: Session, clientId: Id, response: Message): ClientVerdict {
  const question = session.serverRequests.get(clientId);
  return question === undefined ? DROP : { do: 'respond', question, response };
}

/**
 * Answers go to whoever asked, in a batch too; the rest of it goes on as one. Of what clients of a shared server tell,
 * cancellations and progress are looked into one by one: they may name what another client has under the same name.
 * Undefined: nothing is taken out.
 */
export function splitVerdict(session: Session, batch: Message): ClientVerdict | undefined {
  const { isShared } = session.lineage;
  const inside = messagesIn(batch) ?? [];
  const single = inside.filter(
    ({ envelope }) =>
      envelope.kind === 'response' ||
      (isShared && envelope.kind === 'notification' && NAMES_OTHERS.has(envelope.method)),
  );
  if (single.length === 0) return undefined;
  const rest = inside.filter((message) => !single.includes(message));
  return { do: 'several', single, rest: rest.length === 0 ? undefined : joinBatch(rest) };
}

export function progressVerdict(session: Session, message: Message): ClientVerdict {
  const { lineage } = session;
  const token = keyOfValue(message.read(['params', 'progressToken']));
  const asked = token === undefined ? undefined : session.serverRequests.byToken(token);
  // What another client was asked may have the same token.
  if (asked === undefined && lineage.isShared) return DROP;
  const to = asked === undefined ? lineage.serving : asked.upstream;
  if (to === undefined || !isAlive(lineage, to)) return DROP;
  const isRenamed = asked?.token !== undefined && asked.token !== asked.clientToken;
  const progress = isRenamed ? message.with(['params', 'progressToken'], asked.token) : message;
  if (progress === undefined) return DROP;
  return {
    do: 'tell-progress',
    to,
    progress,
    route: asked === undefined ? SESSION : { kind: 'about', request: asked.id },
  };
}
