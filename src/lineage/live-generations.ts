/**
 * The generations whose process runs: finds, counts and stops them. The state machine decides which of them serves and
 * when one is stopped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Upstream } from '../exchange/records.js';
import type { Ladder } from '../process/terminate.js';
import { fence } from '../project/fence.js';

export class LiveGenerations implements Iterable<Upstream> {
  readonly #byNumber = new Map<number, Upstream>();
  #lastGone: Upstream | undefined;
  /** The server that was stopped last did not exit when its stdin ended. Its successor is expected not to either. */
  staysAfterStdin = false;

  add(upstream: Upstream): void {
    this.#byNumber.set(upstream.generation, upstream);
  }

  get(generation: number | undefined): Upstream | undefined {
    return generation === undefined ? undefined : this.#byNumber.get(generation);
  }

  /** Like `get`, and also finds the generation that exited last. */
  find(generation: number): Upstream | undefined {
    return this.get(generation) ?? (this.#lastGone?.generation === generation ? this.#lastGone : undefined);
  }

  /** The generation that exited last. */
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

  /** Resolves when no response of the generation is pending, it has exited, or `limit` ms have passed (0: no limit). */
  async untilDrained({ drained, gone }: Upstream, limit: number, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    const late = delay(limit, undefined, { signal: AbortSignal.any([timer.signal, signal]) });
    // If the event loop was blocked, the timer fires before answers are read that arrived long ago: poll once more.
    const patience = late.then(fence).catch(() => {});
    await Promise.race([drained, gone, ...(limit === 0 ? [] : [patience])]);
    timer.abort();
  }

  async stop(upstream: Upstream, ladder: Ladder): Promise<void> {
    if (!this.#byNumber.has(upstream.generation)) return;
    upstream.process.stop(ladder);
    await upstream.gone;
  }

  /** Stops a candidate whose attempt was given up. */
  abandon(upstream: Upstream, ladder: Ladder): void {
    upstream.isAbandoned = true;
    void this.stop(upstream, ladder);
  }

  async untilAbandonedGone(): Promise<void> {
    const abandoned = [...this].filter(({ isAbandoned }) => isAbandoned);
    await Promise.all(abandoned.map(({ gone }) => gone));
  }

  /** Resolves when every other generation has exited. */
  async untilAlone(upstream: Upstream | undefined): Promise<void> {
    await Promise.all([...this].filter((other) => other !== upstream).map(({ gone }) => gone));
  }
}
