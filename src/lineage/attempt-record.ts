/**
 * What the controller keeps of one attempt while it runs: why it began, how long its phases took, and how to end it.
 */
import type { Attempt, Next } from './states.js';
import type { Difference } from './list-diff.js';

export interface Run {
  readonly attempt: Attempt;
  /** What is new on the disk, for the log. */
  readonly files: readonly string[];
  readonly began: number;
  readonly abort: AbortController;
  /** Milliseconds. */
  readonly phases: Record<string, number>;
  /** A build was left out because it had been done before. */
  skipped: boolean;
  /** It is the very first start, and the client has heard of no failure before its end. */
  first: boolean;
  /** That it restarts the server is on record. */
  marked: boolean;
  /** When the last look at the disk began. */
  checked: number;
  difference: Difference | undefined;
  /** What the changes ask for. */
  next: Next;
  readonly signals: readonly NodeJS.Signals[];
}

/** What changes ask of the server, beyond a build. */
export interface Wants {
  readonly next: Next;
  readonly signals: readonly NodeJS.Signals[];
}

export function createRun(attempt: Attempt, files: readonly string[], wants: Wants = nothing): Run {
  return {
    ...wants,
    attempt,
    files,
    began: performance.now(),
    abort: new AbortController(),
    phases: {},
    skipped: false,
    first: false,
    marked: false,
    checked: 0,
    difference: undefined,
  };
}

export const nothing: Wants = { next: 'nothing', signals: [] };

/** Runs one phase and notes how long it took. */
export async function timed<T>(run: Run, phase: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    run.phases[phase] = (run.phases[phase] ?? 0) + Math.round(performance.now() - began);
  }
}
