/**
 * Takes one message of a client: has the verdict on it given (verdict-on-client.ts) and carried out
 * (client-actions.ts). A plain request goes to the server without either.
 */
import { listByMethod } from '../lists/lists.js';
import type { Message } from '../wire/message.js';
import { mayCallOurs } from './agent-calls.js';
import { apply } from './client-actions.js';
import { clientVerdict } from './verdict-on-client.js';
import type { Session } from './records.js';
import { concernsTasks } from './task-messages.js';

/** The message was read at `since`. Most are requests that go on as they are, and are not looked into. */
export function fromClient(session: Session, message: Message, since = session.lineage.ports.now()): void {
  const { lineage } = session;
  const { envelope } = message;
  if (envelope.kind === 'request' && lineage.serving !== undefined && isPlain(session, envelope.method)) {
    lineage.serving.pending.add(session, envelope.id, envelope.method, message);
    lineage.requestCount++;
    return lineage.serving.send(message, session);
  }
  const arrival = { session, message, since, isRetry: false };
  apply(arrival, clientVerdict(arrival));
}

/** Whether nothing can stand in the way of such a request, and nobody has to look into it. */
function isPlain(session: Session, method: string): boolean {
  const { isShared, isHolding, failure, options, runsTasks } = session.lineage;
  if (isShared || isHolding || failure !== undefined || options.concurrency !== undefined) return false;
  if (session.promisedButMissing.size > 0 && listByMethod(method) !== undefined) return false;
  if (runsTasks && concernsTasks(session.lineage, method)) return false;
  return (
    !(mayCallOurs(session) && method === 'tools/call') &&
    method !== 'subscriptions/listen' &&
    session.agreement.isRoutine(method)
  );
}
