// What the operating system says about live processes: which carry a marker in their environment (so that even an
// orphan with no tie left to its starter is found), and how much memory one holds. Linux only; elsewhere nothing is
// found.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

/** Live processes whose environment holds `TEST_MARKER=<marker>`. A zombie has no environment and does not count. */
export function processesOf(marker: string): LiveProcess[] {
  if (process.platform !== 'linux') return [];
  const wanted = `TEST_MARKER=${marker}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'environ').split('\0').includes(wanted))
    .map((pid) => ({ pid: Number(pid), command: readProc(pid, 'cmdline').split('\0').join(' ').trim() }));
}

/** Resolves with [] as soon as none is left, or with those that are still alive at the deadline. */
export async function processesLeft(marker: string, within = 2_000): Promise<LiveProcess[]> {
  const deadline = performance.now() + within;
  for (;;) {
    const left = processesOf(marker);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(20);
  }
}

/** Ends the given processes for good. */
export function killAll(processes: readonly LiveProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended between the look and the signal.
    }
  }
}

/** Resident memory of a process in MiB: at present, and the most it ever held. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readProc(String(pid), 'status');
  const mebibytes = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024;
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // Gone, or another user's.
  }
}
