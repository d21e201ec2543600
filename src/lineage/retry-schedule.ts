/**
 * When a failure may be tried again by a tool call that meets it (P7). Not right after the last attempt: a build that
 * takes long and fails would otherwise run all the time. Who tries, and how, is decided in controller.ts and state.ts.
 */
import { isLate, type Failure } from '../agent/failure.js';

const RETRY_AFTER_MS = 2000;
const RETRY_AFTER_DURATIONS = 3;

export class RetrySchedule {
  /** On the monotonic clock. */
  #dueAt = 0;

  /**
   * An attempt that began at `began` has failed now; a server that ended by itself had its start then. Returns the
   * failure with what its words say of the next try.
   */
  failed(failure: Failure, began: number): Failure {
    const now = performance.now();
    // A start that was given up is likely to get further the next time (a compilation goes on from what is done), so
    // that is soon.
    const pause = isLate(failure) || failure.kind === 'exit' ? 0 : RETRY_AFTER_DURATIONS * (now - began);
    const againAfterMs = Math.round(Math.max(RETRY_AFTER_MS, pause));
    this.#dueAt = now + againAfterMs;
    return { ...failure, tried: { at: new Date().toISOString(), againAfterMs } };
  }

  /** A crashed server is started again by itself, with pauses that calls must not shorten. */
  isDue(failure: Failure): boolean {
    return failure.kind !== 'crash' && performance.now() >= this.#dueAt;
  }
}
