/**
 * The generations whose process is there: counted and stopped here, in groups or alone. Which of them serves is for the
 * state machine to say, and when one has to go, too.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Upstream } from '../exchange/records.js';
import type { Ladder } from '../process/terminate.js';
import { fence } from '../project/fence.js';

export class LiveGenerations implements Iterable<Upstream> {
  readonly #byNumber = new Map<number, Upstream>();
  #lastGone: Upstream | undefined;
  /** The server that was stopped last did not exit by itself when its stdin ended: its successor won't either. */
  staysAfterStdin = false;

  add(upstream: Upstream): void {
    this.#byNumber.set(upstream.generation, upstream);
  }

  get(generation: number | undefined): Upstream | undefined {
    return generation === undefined ? undefined : this.#byNumber.get(generation);
  }

  /** The same, or the one that has gone last. */
  find(generation: number): Upstream | undefined {
    return this.get(generation) ?? (this.#lastGone?.generation === generation ? this.#lastGone : undefined);
  }

  /** The one that has gone last. */
  get last(): Upstream | undefined {
    return this.#lastGone;
  }

  get size(): number {
    return this.#byNumber.size;
  }

  [Symbol.iterator](): Iterator<Upstream> {
    return this.#byNumber.values();
  }

  remove(upstream: Upstream): void {
    if (!this.#byNumber.delete(upstream.generation)) return;
    this.#lastGone = upstream;
    upstream.markGone();
  }

  /** Resolves when the generation owes nothing, is gone, or has had `limit` ms (0: as long as it takes). */
  async untilDrained({ drained, gone }: Upstream, limit: number, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    const late = delay(limit, undefined, { signal: AbortSignal.any([timer.signal, signal]) });
    // After a standstill of our own the timer is due before what the generation has answered long ago is read.
    const patience = late.then(fence).catch(() => {});
    await Promise.race([drained, gone, ...(limit === 0 ? [] : [patience])]);
    timer.abort();
  }

  async stop(upstream: Upstream, ladder: Ladder): Promise<void> {
    if (!this.#byNumber.has(upstream.generation)) return;
    upstream.process.stop(ladder);
    await upstream.gone;
  }

  /** Stops a candidate that nobody waits for any more. */
  abandon(upstream: Upstream, ladder: Ladder): void {
    upstream.isAbandoned = true;
    void this.stop(upstream, ladder);
  }

  async untilAbandonedGone(): Promise<void> {
    const abandoned = [...this].filter(({ isAbandoned }) => isAbandoned);
    await Promise.all(abandoned.map(({ gone }) => gone));
  }

  /** Resolves when none is left but this one. */
  async untilAlone(upstream: Upstream | undefined): Promise<void> {
    await Promise.all([...this].filter((other) => other !== upstream).map(({ gone }) => gone));
  }
}
