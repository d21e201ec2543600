/**
 * What a difference between the disk and the snapshots means in each state of a reload. Pure: the evidence that lies in
 * it is recorded by `change-detector.ts`.
 */
import { pathsOf } from '../project/disk.js';
import type { SnapshotName, Snapshots } from './snapshots.js';
import type { Event, State } from './states.js';

export interface ChangesFound {
  readonly when: 'in an attempt' | 'at rest';
  /** Files that differ at rest. */
  readonly changed: readonly string[];
  readonly event: Event | undefined;
}

/** What is asked of the snapshots. */
type Differences = Pick<Snapshots, 'isReady' | 'isConfigurationOutdated' | 'has' | 'changesSince' | 'isSuperseded'>;

const CHANGE: Event = { on: 'change' };

/** Undefined: in this state nobody wants to know. */
export function eventForChanges(state: State, snapshots: Differences): ChangesFound | undefined {
  if (!snapshots.isReady) return undefined;
  switch (state.at) {
    case 'serving':
      if (state.standing === undefined) return atRest(snapshots, ['serving']);
      // What failed is not tried again on the same content, be it the content that serves.
      return atRest(snapshots, ['failed', 'serving']);
    case 'broken':
    case 'waiting':
      return atRest(snapshots, [snapshots.has('failed') ? 'failed' : 'serving']);
    case 'building':
    case 'refreshing':
    case 'starting':
    case 'retiring':
      return { when: 'in an attempt', changed: [], event: snapshots.isSuperseded() ? CHANGE : undefined };
    case 'leaving':
    case 'closing':
      return undefined;
  }
}

/** All of them must differ. If only the first does, the disk is back to what serves. */
function atRest(snapshots: Differences, names: readonly SnapshotName[]): ChangesFound {
  const changed: string[] = [];
  let event: Event | undefined = snapshots.isConfigurationOutdated ? CHANGE : undefined;
  for (const name of names) {
    const files = pathsOf(snapshots.changesSince(name));
    if (files.length === 0) {
      if (changed.length > 0) event ??= { on: 'restored' };
      return { when: 'at rest', changed, event };
    }
    changed.push(...files);
  }
  return { when: 'at rest', changed, event: CHANGE };
}
