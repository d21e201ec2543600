// Waiting for what happens in another process and is seen only by looking: on the disk, in /proc, in what was printed.
// What a peer tells by itself is waited for there (waits.ts), without looking again and again.

import { setTimeout as delay } from 'node:timers/promises';
import type { Peer } from './peer.js';

const DEADLINE = 30_000;
const PAUSE = 5;

/** Whose story is told when it takes too long. */
type Witness = Pick<Peer, 'transcript'> & Partial<Pick<Peer, 'child'>>;

/** Resolves with the first value that is neither false nor undefined. */
export async function until<T>(
  look: () => T | Promise<T>,
  what: string,
  witness: Witness,
  /** With `whileRunning` the end of its process is the end of the wait, too. */
  { whileRunning = false }: { whileRunning?: boolean } = {},
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + DEADLINE;
  for (;;) {
    const found = await look();
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>;
    const { child } = witness;
    const isGone = whileRunning && child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    if (isGone || performance.now() > deadline)
      throw new Error(
        `waiting for ${what}: ${isGone ? 'the process has ended' : 'nothing in 30 s'}\n${witness.transcript()}`,
      );
    await delay(PAUSE);
  }
}

/** A value that has stopped changing. */
export async function settled(read: () => number | Promise<number>, pause = 200): Promise<number> {
  for (let last = -1; ;) {
    const value = await read();
    if (value === last) return value;
    last = value;
    await delay(pause);
  }
}
