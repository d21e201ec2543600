/**
 * How generations go: one that was replaced finishes first, even if no other is left; one that nobody waits for does not. And
 * what is still answered before the proxy goes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FlowContext } from '../flow/flow.js';
import { lose, release } from '../pipeline/handover.js';
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
/** How long a client that has closed its side may wait for what it asked before. */
const LAST_ANSWERS = 1000;

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

/**
 * The server has left for good: nothing is held for another one, and what was replaced before may finish as if it had stayed (P1).
 * Resolves when nobody owes anything.
 */
export async function lastAnswers({ flow, traffic, roster, over }: Stopping): Promise<void> {
  const { desk, gate } = traffic;
  release(desk, undefined);
  const owing = [...roster].filter(({ number }) => desk.ledger.owing(number) > 0);
  await Promise.all(owing.map(({ number }) => roster.untilDrained(number, flow.config.drain, over)));
  await gate.emptied();
}

/** What is held when the client closes its side is answered, if the reload that it waits for takes no longer than a moment. */
export async function lastHeld({ traffic }: Stopping, reload: { idle(): Promise<void> }): Promise<void> {
  if (traffic.desk.hold.size === 0) return;
  const late = new AbortController();
  await Promise.race([
    reload.idle().then(() => traffic.gate.emptied()),
    delay(LAST_ANSWERS, undefined, { signal: late.signal }).catch(() => {}),
  ]);
  late.abort();
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
