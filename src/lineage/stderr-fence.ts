/**
 * `--hints stderr`: what a server writes on stderr before it answers comes by another pipe, and may be read after the
 * answer. So the answer of a failed call waits until everything has been read that the kernel had by then, and what the
 * server says behind it waits too, which keeps the order (P3). What is made of it is for exchange/hints.ts.
 */
import { failureIn } from '../exchange/hints.js';
import type { LineageRecord, Session, Upstream } from '../exchange/records.js';
import { fence } from '../project/fence.js';
import { keyOf } from '../wire/ids.js';
import type { Message } from '../wire/message.js';

/** `of`: in whose session it was said, if the server keeps clients apart. */
type Take = (upstream: Upstream, message: Message, of?: Session) => void;

interface Waiting {
  readonly message: Message;
  readonly of: Session | undefined;
}

export class StderrFence {
  readonly #lineage: LineageRecord;
  readonly #take: Take;
  readonly #waiting = new Map<Upstream, Waiting[]>();

  constructor(lineage: LineageRecord, take: Take) {
    this.#lineage = lineage;
    this.#take = take;
  }

  /** Whether what this server says may have to wait. */
  concerns(upstream: Upstream): boolean {
    return this.#lineage.options.hints === 'stderr' || this.#waiting.has(upstream);
  }

  /** Takes the message, now or in a moment. */
  pass(upstream: Upstream, message: Message, of?: Session): void {
    const waiting = this.#waiting.get(upstream);
    if (waiting !== undefined) return void waiting.push({ message, of });
    if (!this.#isFailedCall(upstream, message)) return this.#take(upstream, message, of);
    this.#waiting.set(upstream, [{ message, of }]);
    void this.#passLater(upstream);
  }

  /** Takes what waits, at once: the server is gone. */
  flush(upstream: Upstream): void {
    const waiting = this.#waiting.get(upstream) ?? [];
    this.#waiting.delete(upstream);
    for (const { message, of } of waiting) this.#take(upstream, message, of);
  }

  async #passLater(upstream: Upstream): Promise<void> {
    const waiting = this.#waiting.get(upstream) ?? [];
    while (waiting.length > 0) {
      await fence();
      // Nobody waits any more, or others do: it was flushed.
      if (this.#waiting.get(upstream) !== waiting) return;
      do {
        const next = waiting.shift();
        if (next !== undefined) this.#take(upstream, next.message, next.of);
      } while (waiting[0] !== undefined && !this.#isFailedCall(upstream, waiting[0].message));
    }
    this.#waiting.delete(upstream);
  }

  #isFailedCall(upstream: Upstream, message: Message): boolean {
    const { envelope } = message;
    if (this.#lineage.options.hints !== 'stderr' || envelope.kind !== 'response') return false;
    const pending = upstream.pending.find(keyOf(envelope.id));
    return pending?.method === 'tools/call' && failureIn(message, envelope.error) !== undefined;
  }
}
