/**
 * How long to wait before a crashed server is started again: at once, then longer the more often it happens. Pure. Its
 * times are of a clock that nobody sets: a wall clock that is set on would look like health.
 */

/** After so long without a crash the ladder starts from the bottom. */
const HEALTHY_AFTER_MS = 60_000;
/** A server that asks to be restarted gets it at most this often. */
const RESTART_INTERVAL_MS = 1000;

export class Backoff {
  #crashes = 0;
  #lastCrashAt = -Infinity;
  #lastRestartAt = -Infinity;

  /** The delay before the start that follows a crash at `now`. */
  afterCrash(now: number, startedAt: number): number {
    if (now - Math.max(startedAt, this.#lastCrashAt) >= HEALTHY_AFTER_MS) this.#crashes = 0;
    this.#lastCrashAt = now;
    this.#crashes++;
    if (this.#crashes === 1) return 0;
    if (this.#crashes <= 3) return 1000;
    return this.#crashes <= 10 ? 5000 : 10_000;
  }

  /** The delay before a restart that the server asked for. */
  afterRestartRequest(now: number): number {
    const delay = Math.min(RESTART_INTERVAL_MS, Math.max(0, this.#lastRestartAt + RESTART_INTERVAL_MS - now));
    this.#lastRestartAt = now + delay;
    return delay;
  }

  /** Something changed: what failed before may work now. */
  reset(): void {
    this.#crashes = 0;
  }
}
