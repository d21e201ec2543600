/**
 * Back-off: how long to wait before a crashed server is started again. The first start comes at once, later ones after
 * growing pauses. Pure. Takes times of the monotonic clock: if somebody set the wall clock forward, a server that
 * crashes all the time would look healthy.
 */

/** After so long without a crash the next one counts as the first. */
const HEALTHY_AFTER_MS = 60_000;
/** The shortest time between two restarts that the server asks for. */
const RESTART_INTERVAL_MS = 1000;

export class Backoff {
  #crashes = 0;
  #lastCrashAt = -Infinity;
  #lastRestartAt = -Infinity;

  /** Counts a crash at `now`. Returns the delay before the next start. */
  recordCrash(now: number, startedAt: number): number {
    if (now - Math.max(startedAt, this.#lastCrashAt) >= HEALTHY_AFTER_MS) this.#crashes = 0;
    this.#lastCrashAt = now;
    this.#crashes++;
    if (this.#crashes === 1) return 0;
    if (this.#crashes <= 3) return 1000;
    return this.#crashes <= 10 ? 5000 : 10_000;
  }

  /** The server asks for a restart. Returns the delay before it. */
  recordRestartRequest(now: number): number {
    const delay = Math.min(RESTART_INTERVAL_MS, Math.max(0, this.#lastRestartAt + RESTART_INTERVAL_MS - now));
    this.#lastRestartAt = now + delay;
    return delay;
  }

  /** A file has changed, so the next start may go well: starts from the shortest pause again. */
  reset(): void {
    this.#crashes = 0;
  }
}
