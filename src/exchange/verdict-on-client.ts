/**
 * The verdict on a message of a client that has just come: what it is decides who decides. Nothing is done here.
 */
import { cancellationVerdict } from './cancellation.js';
import { batchVerdict, progressVerdict, responseVerdict } from './client-responses.js';
import type { ClientVerdict } from './client-verdict.js';
import { arrivalVerdict } from './forward.js';
import type { Held } from './records.js';

/** What becomes of a message that has just come. */
export function clientVerdict(held: Held): ClientVerdict {
  const { session, message } = held;
  const { envelope } = message;
  if (envelope.kind === 'response') return responseVerdict(session, envelope.id, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled')
    return cancellationVerdict(session, message);
  if (envelope.kind === 'notification' && envelope.method === 'notifications/progress')
    return progressVerdict(session, message);
  return (envelope.kind === 'batch' ? batchVerdict(session, message) : undefined) ?? arrivalVerdict(held);
}
