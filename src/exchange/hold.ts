/**
 * The client's messages that wait for a reload to end: in order, bounded in number, bytes and time. What becomes of
 * those that don't fit, or have waited too long, is the exchange's to say.
 */
import { keyOf, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';

/** A message of a client, as it came: to be forwarded, held or answered. `S`: the client whose message it is. */
export interface Arrival<S> {
  readonly session: S;
  readonly message: Message;
  /** When it was read, on the monotonic clock. */
  readonly since: number;
  /** It was with a generation that was lost, and is sent again. */
  readonly isRetry: boolean;
  /** Its progress tokens, once somebody has looked for them. */
  progressTokens?: readonly string[];
}

export const MAX_HELD = 10_000;
export const MAX_HELD_BYTES = 64 * 1024 * 1024;

export type Refusal = 'messages' | 'bytes';

export class Hold<S> implements Iterable<Arrival<S>> {
  #held: Arrival<S>[] = [];
  #bytes = 0;

  get size(): number {
    return this.#held.length;
  }

  [Symbol.iterator](): Iterator<Arrival<S>> {
    return this.#held.values();
  }

  /**
   * When the oldest that asks for an answer began to wait. The first in line may have come back to it later than
   * others.
   */
  get oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { message, since } of this.#held) {
      if (owesAnswer(message) && since < (oldest ?? Infinity)) oldest = since;
    }
    return oldest;
  }

  add(held: Arrival<S>): Refusal | undefined {
    if (this.#held.length >= MAX_HELD) return 'messages';
    if (this.#bytes + held.message.length > MAX_HELD_BYTES) return 'bytes';
    this.#held.push(held);
    this.#bytes += held.message.length;
    return undefined;
  }

  /** In front of all others: these were sent before them. No limit applies, they were taken in already. */
  addFirst(held: readonly Arrival<S>[]): void {
    this.#held.unshift(...held);
    for (const { message } of held) this.#bytes += message.length;
  }

  /**
   * Takes out a request that nobody has seen: the client changed its mind about it, or it is answered without a server.
   */
  remove(session: S, key: Key): Arrival<S> | undefined {
    const at = this.#held.findIndex((held) => isRequestOf(held, session, key));
    if (at < 0) return undefined;
    const [removed] = this.#held.splice(at, 1);
    this.#bytes -= removed?.message.length ?? 0;
    return removed;
  }

  find(session: S, key: Key): Arrival<S> | undefined {
    return this.#held.find((held) => isRequestOf(held, session, key));
  }

  take(held: Arrival<S>): void {
    const at = this.#held.indexOf(held);
    if (at >= 0) this.#bytes -= this.#held.splice(at, 1)[0]?.message.length ?? 0;
  }

  /** The client has left. */
  removeOf(session: S): void {
    if (this.#held.length === 0) return;
    this.#held = this.#held.filter((held) => held.session !== session);
    this.#bytes = this.#held.reduce((bytes, { message }) => bytes + message.length, 0);
  }

  /** Takes out the requests and batches that have waited since before `limit`. Notifications go on waiting. */
  expire(limit: number): Arrival<S>[] {
    const late = this.#held.filter((held) => held.since <= limit && owesAnswer(held.message));
    if (late.length > 0) {
      const gone = new Set(late);
      this.#held = this.#held.filter((held) => !gone.has(held));
      for (const { message } of late) this.#bytes -= message.length;
    }
    return late;
  }

  /** Takes out the first that came after this, and all behind it. What is sent again came before. */
  takeSince(time: number): Arrival<S>[] {
    const at = this.#held.findIndex((held) => !held.isRetry && held.since > time);
    const later = at < 0 ? [] : this.#held.splice(at);
    for (const { message } of later) this.#bytes -= message.length;
    return later;
  }

  /** Takes out what is sent again: it was sent before everything that waits, here or for its turn. */
  takeRetries(): Arrival<S>[] {
    const at = this.#held.findIndex((held) => !held.isRetry);
    const retries = this.#held.splice(0, at < 0 ? this.#held.length : at);
    for (const { message } of retries) this.#bytes -= message.length;
    return retries;
  }

  takeAll(): Arrival<S>[] {
    const all = this.#held;
    this.#held = [];
    this.#bytes = 0;
    return all;
  }
}

/** Whether it is this client's request under this id. */
export function isRequestOf<S>(held: Arrival<S>, session: S, key: Key): boolean {
  const { envelope } = held.message;
  return held.session === session && envelope.kind === 'request' && keyOf(envelope.id) === key;
}

function owesAnswer({ envelope }: Message): boolean {
  return envelope.kind === 'request' || envelope.kind === 'batch';
}
