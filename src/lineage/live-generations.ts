/**
 * The generations that are alive: started, counted and stopped here, in groups or alone. Which of them serves is the
 * desk's to know, and when one has to go, the controller's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Ladder } from '../process/terminate.js';
import type { Generation } from '../server/generation.js';
import { fence } from '../project/fence.js';

interface Entry {
  readonly generation: Generation;
  /** By the clock that nobody sets. */
  readonly since: number;
  readonly drained: Promise<void>;
  readonly markDrained: () => void;
  readonly gone: Promise<void>;
  readonly markGone: () => void;
}

export class Roster implements Iterable<Generation> {
  readonly #entries = new Map<number, Entry>();
  readonly #abandoned = new Set<number>();
  #last: Generation | undefined;
  /** The server that was stopped last did not exit by itself when its stdin ended: its successor won't either. */
  staysAfterStdin = false;

  add(generation: Generation): void {
    const [drained, markDrained] = deferred();
    const [gone, markGone] = deferred();
    this.#entries.set(generation.number, {
      generation,
      since: performance.now(),
      drained,
      markDrained,
      gone,
      markGone,
    });
  }

  get(number: number | undefined): Generation | undefined {
    return number === undefined ? undefined : this.#entries.get(number)?.generation;
  }

  /** The one that has gone last. */
  get last(): Generation | undefined {
    return this.#last;
  }

  get size(): number {
    return this.#entries.size;
  }

  since(number: number): number {
    return this.#entries.get(number)?.since ?? 0;
  }

  *[Symbol.iterator](): Iterator<Generation> {
    for (const { generation } of this.#entries.values()) yield generation;
  }

  remove(number: number): void {
    const entry = this.#entries.get(number);
    entry?.markGone();
    this.#last = entry?.generation ?? this.#last;
    this.#entries.delete(number);
    this.#abandoned.delete(number);
  }

  /** It owes nothing any more. */
  drained(number: number): void {
    this.#entries.get(number)?.markDrained();
  }

  /** Resolves when the generation owes nothing, is gone, or has had `limit` ms (0: as long as it takes). */
  async untilDrained(number: number, limit: number, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(number);
    if (entry === undefined) return;
    const over = new AbortController();
    const late = delay(limit, undefined, { signal: AbortSignal.any([over.signal, signal]) });
    // After a standstill of our own the timer is due before what the generation has answered long ago is read.
    const patience = late.then(fence).catch(() => {});
    await Promise.race([entry.drained, entry.gone, ...(limit === 0 ? [] : [patience])]);
    over.abort();
  }

  async stop(number: number, ladder: Ladder): Promise<void> {
    const entry = this.#entries.get(number);
    if (entry === undefined) return;
    entry.generation.process.stop(ladder);
    await entry.gone;
  }

  /** Stops a candidate that nobody waits for any more. */
  abandon(number: number, ladder: Ladder): void {
    this.#abandoned.add(number);
    void this.stop(number, ladder);
  }

  async untilAbandonedGone(): Promise<void> {
    const abandoned = [...this.#entries.values()].filter(({ generation }) => this.#abandoned.has(generation.number));
    await Promise.all(abandoned.map((entry) => entry.gone));
  }

  /** Resolves when none is left but this one. */
  async untilAlone(number: number | undefined): Promise<void> {
    const others = [...this.#entries.values()].filter((entry) => entry.generation.number !== number);
    await Promise.all(others.map((entry) => entry.gone));
  }
}

function deferred(): [Promise<void>, () => void] {
  let settle: () => void = () => {};
  const promise = new Promise<void>((resolve) => (settle = resolve));
  return [promise, settle];
}
