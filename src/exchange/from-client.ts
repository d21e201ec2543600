/**
 * Takes one message of a client. Requests and notifications are forwarded or wait while a reload runs (forward.ts);
 * cancellations go at once to the generation they are meant for (cancellation.ts), and so does what a server has asked
 * for (client-responses.ts): verdict-on-client.ts tells them apart. What is decided is done in client-actions.ts.
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
  const held = { session, message, since, isRetry: false };
  apply(held, clientVerdict(held));
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
