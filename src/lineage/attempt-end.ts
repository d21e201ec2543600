/**
 * How an attempt comes to its end, well or not: by a last look at the disk. What the attempt did, and what follows from
 * its end, is left to `attempts.ts`.
 */
import type { Run } from './attempt-record.js';
import type { Snapshots } from './snapshots.js';

/** `superseded`: something was saved meanwhile, so it is made again. `given up`: its successor is under way. */
export type AttemptEnd = 'stands' | 'superseded' | 'given up';

/** Nothing that was saved while the attempt ran may be missed. */
export async function finishAttempt(run: Run, snapshots: Snapshots | undefined): Promise<AttemptEnd> {
  if (snapshots === undefined || !snapshots.isReady) return 'stands';
  const { signal } = run.abort;
  run.checked = performance.now();
  await snapshots.disk.fresh();
  // One that was given up meanwhile is no witness of what changed during it: its successor is.
  if (signal.aborted) return 'given up';
  const { verdict, pauseMs } = snapshots.endAttempt();
  if (verdict === 'undecided' && pauseMs > 0) await snapshots.pauseForEdits(pauseMs, signal);
  if (signal.aborted) return 'given up';
  return verdict === 'undecided' || snapshots.isConfigurationOutdated ? 'superseded' : 'stands';
}
