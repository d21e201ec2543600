/** What a look at the disk means in each state of a reload: an event, or nothing. */
import type { Freshness } from '../project/freshness.js';
import type { Event, State } from './states.js';

export function judge(state: State, fresh: Freshness): Event | undefined {
  if (!fresh.ready) return undefined;
  switch (state.at) {
    case 'serving':
      if (state.standing === undefined) return changed(fresh, 'serving');
      // What failed is not tried again on the same content, be it the content that serves.
      if (!fresh.edited('failed')) return undefined;
      return changed(fresh, 'serving') ?? { on: 'restored' };
    case 'broken':
    case 'waiting':
      return changed(fresh, fresh.has('failed') ? 'failed' : 'serving');
    case 'building':
    case 'refreshing':
    case 'starting':
    case 'retiring':
      return fresh.outdated() ? { on: 'change' } : undefined;
    case 'leaving':
    case 'closing':
      return undefined;
  }
}

function changed(fresh: Freshness, base: 'serving' | 'failed'): Event | undefined {
  return fresh.edited(base) ? { on: 'change' } : undefined;
}
