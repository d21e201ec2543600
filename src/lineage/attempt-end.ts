/** How an attempt comes to its end, well or not: by a last look at the disk. */
import type { Run } from './attempt-record.js';
import type { Freshness } from '../project/freshness.js';
import { fence } from '../project/fence.js';

/** `outdated`: something was saved meanwhile, so it starts over. `given up`: its successor is under way. */
export type End = 'over' | 'outdated' | 'given up';

/** Nothing that was saved while it ran may be missed. */
export async function isOver(run: Run, fresh: Freshness | undefined): Promise<End> {
  if (fresh === undefined || !fresh.ready) return 'over';
  run.checked = performance.now();
  await fence();
  await fresh.check();
  // One that was given up meanwhile is no witness of what changed during it: its successor is.
  if (run.abort.signal.aborted) return 'given up';
  const stands = await fresh.stands(run.abort.signal);
  if (run.abort.signal.aborted) return 'given up';
  return stands ? 'over' : 'outdated';
}
