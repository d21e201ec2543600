/** The record of one attempt while it runs: its cause, the duration of its phases, and how to abort it. */
import type { Attempt, Next } from './states.js';
import type { Difference } from './list-diff.js';

export interface AttemptRecord {
  readonly attempt: Attempt;
  /** Changed files, for the log. */
  readonly files: readonly string[];
  /** It is there because of a save that no attempt of this lineage has tried yet, and for no other reason. */
  readonly isForChange: boolean;
  readonly began: number;
  readonly abort: AbortController;
  /** The duration of each phase in milliseconds. */
  readonly phases: Record<string, number>;
  /** A build was skipped because the record says that its result exists already. */
  isBuildSkipped: boolean;
  /** It is the very first start, and no failure was reported to the client before its end. */
  isFirstStart: boolean;
  /** `history.ts` has recorded that this attempt restarts the server. */
  isRestartRecorded: boolean;
  /** When the last check of the disk began, on the monotonic clock. */
  lastCheckAt: number;
  difference: Difference | undefined;
  /** What the rules of the changed files ask of the server. */
  next: Next;
  readonly signals: readonly NodeJS.Signals[];
}

/** What the rules of changed files ask of the server, beyond a build. */
export interface RequestedAction {
  readonly next: Next;
  readonly signals: readonly NodeJS.Signals[];
}

export function createAttemptRecord(
  attempt: Attempt,
  files: readonly string[],
  action: RequestedAction = NO_ACTION,
  isForChange = false,
): AttemptRecord {
  return {
    ...action,
    attempt,
    files,
    isForChange,
    began: performance.now(),
    abort: new AbortController(),
    phases: {},
    isBuildSkipped: false,
    isFirstStart: false,
    isRestartRecorded: false,
    lastCheckAt: 0,
    difference: undefined,
  };
}

export const NO_ACTION: RequestedAction = { next: 'nothing', signals: [] };

/** Runs one phase and records its duration. */
export async function timed<T>(record: AttemptRecord, phase: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    record.phases[phase] = (record.phases[phase] ?? 0) + Math.round(performance.now() - began);
  }
}
