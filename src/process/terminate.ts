/**
 * The termination ladder: end the process's stdin, then signals, each a while after the step before, until it exits.
 * How long each step waits is the caller's to say.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Child, Exit } from './child.js';

export interface Step {
  readonly signal: NodeJS.Signals;
  /** Milliseconds after the step before. */
  readonly after: number;
}

export interface Ladder {
  /** Whether stdin is ended first. */
  readonly end?: boolean;
  readonly steps: readonly Step[];
}

/** Resolves with the exit. An abort stops climbing (somebody else has taken over) and still waits for the exit. */
export async function terminate(child: Omit<Child, 'pid'>, ladder: Ladder, signal?: AbortSignal): Promise<Exit> {
  if (ladder.end === true) child.stdin?.end();
  const done = new AbortController();
  const stop = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]);
  void child.exited.then(() => done.abort());
  void climb(child, ladder.steps, stop);
  return child.exited;
}

async function climb(child: Omit<Child, 'pid'>, steps: readonly Step[], signal: AbortSignal): Promise<void> {
  try {
    for (const step of steps) {
      await delay(step.after, undefined, { signal });
      child.signal(step.signal);
    }
  } catch {
    // Aborted: the process is gone, or the caller climbs another ladder.
  }
}
