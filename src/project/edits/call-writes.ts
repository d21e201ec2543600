/**
 * Counts in how many calls a file has changed, and decides when that is enough to take it for data that the server
 * writes (P6). Counted are paths, and for files that come and go also patterns: an ending in a directory, and below the
 * directory above it.
 *
 * | changed …                                                          | taken for the server's                |
 * |--------------------------------------------------------------------|---------------------------------------|
 * | clearly during CALLS calls (CALLS_IN_ALL for a whole tree)         | certain                               |
 * | during CALLS calls, in some so close to the answer that it may have come after it | likely                |
 * | during calls or after their answers, CALLS_IN_ALL in all, running  | likely                                |
 * | the same, and CALLER_RESTS of these calls came after a rest        | certain                               |
 * | CHANGES_IN_ONE_CALL times in one call, with no other call meanwhile | likely                               |
 * | otherwise, or with no call running (`apart`)                       | no: an edit                           |
 *
 * Pure. What follows is decided in `server-data.ts`.
 */
import { CALL_AFTERMATH, type CallTimes } from '../../server/call-times.js';
import type { Certainty } from './background-writes.js';

/**
 * File times come from a clock that is up to a tick (10 ms) late: a write right after a call was forwarded may seem
 * older, and one right after the answer may seem to belong to the call.
 */
const FILE_CLOCK_LAG_MS = 15;
/** So many calls, during each of which the file changed, are enough. */
const CALLS = 2;
/** The wall clock, which these are compared by, is cut to whole milliseconds. */
const WALL_CLOCK_STEP_MS = 1;
/**
 * So many, if in some of them it changed only after the answer, which may also be a script that was waiting for the
 * answer. These must follow on each other: whoever edits also calls without having edited. For a directory above, too:
 * it holds much.
 */
const CALLS_IN_ALL = 3;
/** So many changes during one and the same call, with no other call in between. */
const CHANGES_IN_ONE_CALL = 3;
/** Nobody edits right after an answer and then calls only so much later, so many times: a server writes like that. */
export const REST_MS = 1000;
const CALLER_RESTS = 2;

/** When a file changed, as seen from the calls: while one ran, soon after its answer, or at another time. */
export type When = 'during' | 'after' | 'apart';

export interface ChangeTime {
  readonly at: number;
  readonly when: When;
  /** The number of the newest call that may have caused it; undefined if only one that has run longer may. */
  readonly call?: number;
  /** The one before may have caused it, too. */
  readonly orBefore?: true;
  /** During a call, but so close to its answer that it may have been after it. */
  readonly close?: true;
}

/** Times by the same clock. */
export function changeTimeOf(at: number, times: CallTimes): ChangeTime {
  const when = whenOf(at, times);
  const { open, idleSince, calls, newestBegan, newestEnded } = times;
  if (when === 'apart') return { at, when };
  if (at < newestBegan - FILE_CLOCK_LAG_MS) return { at, when, call: calls - 1, close: true };
  const isClose = when === 'during' && !open && at > idleSince - FILE_CLOCK_LAG_MS;
  const time = isClose ? ({ at, when, close: true } as const) : { at, when };
  if (at > newestEnded + CALL_AFTERMATH) return time;
  return at < newestBegan + WALL_CLOCK_STEP_MS ? { ...time, call: calls, orBefore: true } : { ...time, call: calls };
}

function whenOf(at: number, { open, busySince, idleSince, activeSince }: CallTimes): When {
  if (at < busySince - FILE_CLOCK_LAG_MS) return at >= activeSince - FILE_CLOCK_LAG_MS ? 'during' : 'apart';
  if (open || at <= idleSince) return 'during';
  return at <= idleSince + CALL_AFTERMATH ? 'after' : 'apart';
}

interface Count {
  during: number;
  /** Of these, how many were not close to the answer. */
  clearly: number;
  inOneCall: number;
  after: number;
  /** How often the next call came only after a rest. */
  rests: number;
  call: number | undefined;
  /** How many calls there were when it was counted last. */
  calls: number;
  at: number;
}

export class CallWrites {
  readonly #counts = new Map<string, Count>();

  /** Returns whether what changed then is taken for the server's by now. `wide`: the key stands for a whole tree. */
  record(key: string, time: ChangeTime, { calls, newestBegan }: CallTimes, wide: boolean): Certainty | undefined {
    const count = this.#counts.get(key) ?? blank();
    this.#counts.set(key, count);
    if (newestBegan - count.at >= REST_MS) count.rests++;
    if (time.when === 'after') {
      if (calls !== count.calls) count.after = calls - count.calls > 1 ? 1 : count.after + 1;
    } else if (time.call !== undefined && time.call !== count.call) {
      count.during++;
      if (time.close !== true) count.clearly++;
      count.inOneCall = 1;
    } else {
      // An edit while a long call runs looks the same, but whoever edits also calls.
      count.inOneCall = calls === count.calls ? count.inOneCall + 1 : 1;
    }
    count.call = time.call ?? count.call;
    count.calls = calls;
    count.at = time.at;
    return certaintyOf(count, wide);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}

function certaintyOf(count: Count, wide: boolean): Certainty | undefined {
  const { during, clearly, inOneCall, after, rests } = count;
  const enough = wide ? CALLS_IN_ALL : CALLS;
  if (clearly >= enough) return 'certain';
  if (during >= enough || during + after >= CALLS_IN_ALL) return rests >= CALLER_RESTS ? 'certain' : 'likely';
  return inOneCall >= CHANGES_IN_ONE_CALL && !wide ? 'likely' : undefined;
}

function blank(): Count {
  return { during: 0, clearly: 0, inOneCall: 0, after: 0, rests: 0, call: undefined, calls: -1, at: Infinity };
}
