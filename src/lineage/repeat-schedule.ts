/**
 * When a tool call that meets a failure may have the failed attempt repeated (P7, survives a broken edit). Not right
 * after the last one: a slow build that fails would otherwise run all the time. `state.ts` decides what is attempted.
 * Which requests are sent a second time is another matter (exchange/retry-safety.ts).
 */
import { isLate, type Failure } from '../agent/failure.js';
import { failureOf, isAtRest } from './state.js';
import type { Attempt, Event, State } from './states.js';

/** Nothing has to be built for another try. */
const OF_A_START: ReadonlySet<Failure['kind']> = new Set(['start', 'era', 'away']);
const MIN_REPEAT_PAUSE_MS = 2000;
const REPEAT_PAUSE_IN_ATTEMPT_DURATIONS = 3;

export class RepeatSchedule {
  /** On the monotonic clock. */
  #dueAt = 0;

  /**
   * An attempt has failed now that began at `began`. For a server that has exited by itself, `began` is its start.
   * Returns the failure with the time of the next possible attempt.
   */
  recordFailure(failure: Failure, began: number): Failure {
    const now = performance.now();
    // A start that took too long is likely to get further the next time, because compilers keep finished parts. So the
    // next attempt may come soon.
    const pause = isLate(failure) || failure.kind === 'exit' ? 0 : REPEAT_PAUSE_IN_ATTEMPT_DURATIONS * (now - began);
    const againAfterMs = Math.round(Math.max(MIN_REPEAT_PAUSE_MS, pause));
    this.#dueAt = now + againAfterMs;
    return { ...failure, tried: { at: new Date().toISOString(), againAfterMs } };
  }

  /**
   * The event that a call which meets a failure makes; undefined: none, and the call is answered with the failure. The
   * call joins an attempt that is under way. It does not join a respawn after a crash, or a server that has yet to
   * answer: those may take for ever.
   */
  eventFor(state: State, last: Attempt | undefined, background: boolean): Event | undefined {
    if (!isAtRest(state)) {
      const canJoin = 'attempt' in state && !state.attempt.respawn;
      return canJoin ? { on: 'repeat', forced: false, background } : undefined;
    }
    const failure = failureOf(state);
    if (failure === undefined || !this.isDue(failure)) return undefined;
    const forced = OF_A_START.has(failure.kind) || last?.forced === true;
    return { on: 'repeat', forced, background };
  }

  /** False for a crash: the back-off restarts the server, and calls must not shorten its pauses. */
  isDue(failure: Failure): boolean {
    return failure.kind !== 'crash' && performance.now() >= this.#dueAt;
  }
}
