/**
 * The event of a message that has arrived, made of its envelope: kind, method, id and length, and nothing of its
 * content. Made only where somebody wants it (`EventBus.wants`). Pure.
 */
import type { EnvelopeKind, EventOf } from './events.js';

interface Envelope {
  readonly kind: EnvelopeKind;
  readonly id?: string | undefined;
  readonly method?: string | undefined;
}

/** `generation`: of the server that sent it. */
export function trafficOf(
  from: 'client' | 'server',
  generation: number | undefined,
  { kind: message, id, method }: Envelope,
  length: number,
): EventOf<'traffic'> {
  return { kind: 'traffic', from, generation, message, method, id, length };
}
