// What befalls the servers of the soak: edits, crashes, edits that break the code and are mended later, each at about
// its interval, to a project that chance picks. Ends with all code mended. Judges nothing.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.js';
import type { Random } from '../support/random.js';

export interface Intervals {
  /** Milliseconds. */
  readonly edit: number;
  readonly crash: number;
  readonly break: number;
}

export interface Unrest {
  edits: number;
  crashes: number;
  breaks: number;
}

export async function makeUnrest(
  clients: readonly Client[],
  intervals: Intervals,
  random: Random,
  done: Unrest,
  signal: AbortSignal,
): Promise<void> {
  const every = async (ms: number, name: string, act: (client: Client, random: Random) => void | Promise<void>) => {
    const own = random.fork(name);
    for (;;) {
      // Never in step with anything, and the same on average.
      await delay(own.whole(ms / 2, ms * 1.5), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await act(own.pick(clients), own);
    }
  };
  await Promise.all([
    every(intervals.edit, 'edit', ({ sources }, own) => {
      sources.edit(own);
      done.edits += 1;
    }),
    every(intervals.crash, 'crash', (client, own) => {
      crash(client, own);
      done.crashes += 1;
    }),
    every(intervals.break, 'break', async ({ sources }, own) => {
      sources.break(own);
      done.breaks += 1;
      await delay(own.whole(300, 3_000), undefined, { signal }).catch(() => {});
      sources.mend();
    }),
  ]);
}

/** From outside, in the middle of whatever it does; or from inside, by a call. */
function crash(client: Client, random: Random): void {
  const { serving } = client.log;
  if (random.chance(0.5) && serving !== undefined && isOurs(serving, client.marker)) process.kill(serving, 'SIGKILL');
  else client.die(random.pick(['SIGKILL', 'SIGSEGV', 'SIGABRT'] as const));
}

/** The number may be another's by now. */
function isOurs(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(marker);
  } catch {
    return false;
  }
}
