/** What a message of a client asks for, and what it takes back, be it one or a batch. Pure. */
import { messagesIn, requestsIn } from '../../wire/batch.js';
import type { Id } from '../../wire/envelope.js';
import { keyOfValue, type Key } from '../../wire/ids.js';
import type { Message } from '../../wire/message.js';

const CANCELLED = 'notifications/cancelled';

/** Requests that the client does not want answered any more. */
export function takenBackBy(message: Message): readonly Key[] {
  const { envelope } = message;
  const all = envelope.kind === 'batch' ? (messagesIn(message) ?? []) : [message];
  return all.flatMap((each) => {
    const isCancellation = each.envelope.kind === 'notification' && each.envelope.method === CANCELLED;
    const key = isCancellation ? keyOfValue(each.read(['params', 'requestId'])) : undefined;
    return key === undefined ? [] : [key];
  });
}

/** One, or those of a batch. */
export function requestsOf(message: Message): readonly { readonly id: Id; readonly message: Message }[] {
  const { envelope } = message;
  if (envelope.kind === 'request') return [{ id: envelope.id, message }];
  return envelope.kind === 'batch' ? requestsIn(message) : [];
}
