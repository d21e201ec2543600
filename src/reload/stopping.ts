/** How a generation goes while the proxy stays: one that was replaced finishes first, one that nobody waits for does not. */
import type { FlowContext } from '../flow/flow.js';
import { lose } from '../pipeline/handover.js';
import type { History } from './history.js';
import type { Roster } from './roster.js';
import type { Traffic } from './traffic.js';

export interface Stopping {
  readonly flow: FlowContext;
  readonly traffic: Traffic;
  readonly roster: Roster;
  /** Aborted when the proxy ends. */
  readonly over: AbortSignal;
  readonly history: History;
}

/** How long a server has to go by itself after its stdin ended. */
const BY_ITSELF = 300;

/** Lets a replaced generation finish what it owes, then sees it go. */
export async function drain({ flow, traffic, roster, over, history }: Stopping, number: number): Promise<void> {
  const { drain: limit, signal, stopTimeout } = flow.config;
  if (traffic.desk.ledger.owing(number) > 0) await roster.untilDrained(number, limit, over);
  if (over.aborted) return;
  lose(traffic.desk, number);
  traffic.watchHold();
  // Who looks for the marker after the old server has gone has to find it.
  await history.written();
  const kill = stopTimeout === 0 ? [] : [{ signal: 'SIGKILL' as const, after: stopTimeout }];
  await roster.stop(number, { end: true, steps: [{ signal, after: BY_ITSELF }, ...kill] });
}

/** A candidate that nobody waits for any more. */
export function abandon({ traffic, roster }: Stopping, number: number): void {
  lose(traffic.desk, number);
  const steps = [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 500 },
  ] as const;
  void roster.stop(number, { end: true, steps });
}
