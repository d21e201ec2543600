/**
 * Bounds how many servers of one project start at the same time: a save may concern dozens of lineages, and more starts
 * than processors only make all of them slow. What a start consists of is for others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';

/** A start that takes longer than this stands in nobody's way any more. */
const MAX_SLOT_MS = 5_000;

export class StartSlots {
  readonly #queue: PQueue;

  constructor(slots: number) {
    this.#queue = new PQueue({ concurrency: slots });
  }

  /** Waits for a slot, then starts. Undefined if the signal came first. */
  run<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => resolve(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#queue.add(async () => {
        signal.removeEventListener('abort', giveUp);
        if (signal.aborted) return giveUp();
        const over = new AbortController();
        const started = start().then(resolve, reject);
        await Promise.race([
          started,
          delay(MAX_SLOT_MS, undefined, { signal: over.signal, ref: false }).catch(() => {}),
        ]);
        over.abort();
      });
    });
  }
}
