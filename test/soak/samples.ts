// What the proxies of the soak take of the machine over time: memory, descriptors, inotify watches, and processes that
// should be gone. Linux only; elsewhere there is nothing to see. Whether it grows without end is judged here, on plain
// numbers.

import { readdirSync, readFileSync } from 'node:fs';
import { memoryOf, processesOf } from '../support/processes.js';
import type { Client } from './client.js';

export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  /** MiB. */
  readonly memory: number;
  readonly descriptors: number;
  readonly watches: number;
}

/** Nobody replaced is alive longer than it may drain and take to stop, and that several times over. */
const OVERDUE = 60;

export function sample(pid: number, at: number): Sample | undefined {
  const { now } = memoryOf(pid);
  if (Number.isNaN(now)) return undefined;
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`);
    return { at, memory: now, descriptors: descriptors.length, watches: watchesOf(pid, descriptors) };
  } catch {
    return undefined;
  }
}

function watchesOf(pid: number, descriptors: readonly string[]): number {
  return descriptors.reduce((sum, descriptor) => {
    try {
      const text = readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8');
      return sum + (text.match(/^inotify /gm)?.length ?? 0);
    } catch {
      return sum; // Closed meanwhile.
    }
  }, 0);
}

/** Looks for processes of a client that belong to no server in use and have been so for too long. */
export function createOverdue(client: Client): (at: number) => string[] {
  const since = new Map<number, number>();
  return (at) => {
    const idle = processesOf(client.marker).filter(
      ({ pid }) => pid !== client.pid && groupOf(pid) !== client.log.serving,
    );
    const alive = new Set(idle.map(({ pid }) => pid));
    for (const pid of since.keys()) if (!alive.has(pid)) since.delete(pid);
    for (const { pid } of idle) if (!since.has(pid)) since.set(pid, at);
    const overdue = idle.filter(({ pid }) => at - (since.get(pid) ?? at) > OVERDUE);
    // Each is told once.
    for (const { pid } of overdue) since.set(pid, Infinity);
    return overdue.map(({ pid, command }) => `${pid} ${command}`);
  };
}

/** A server leads its own process group. */
function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return undefined;
  }
}

/** Too short to tell growth from warming up. */
const SHORTEST = 120;

/**
 * The least that was held in the last third of the run against the least in the first: garbage comes and goes, what is
 * never let go shows in the least. Says what has grown, if anything.
 */
export function growth(samples: readonly Sample[]): string[] {
  const end = samples.at(-1)?.at ?? 0;
  if (end < SHORTEST) return [];
  const least = (what: 'memory' | 'descriptors' | 'watches', from: number, to: number) =>
    Math.min(...samples.filter(({ at }) => at >= from && at <= to).map((one) => one[what]));
  const grown = (what: 'memory' | 'descriptors' | 'watches', factor: number, free: number) => {
    const first = least(what, 0, end / 3);
    const last = least(what, (end * 2) / 3, end);
    return last > first * factor + free ? [`${what}: at least ${first} at first, ${last} in the end`] : [];
  };
  return [...grown('memory', 1.5, 32), ...grown('descriptors', 1, 10), ...grown('watches', 1, 10)];
}
