/**
 * Finds living processes by a variable in their environment. Linux tells it in /proc, macOS by `ps`, Windows not at
 * all. What is found has been proved: a process whose environment can't be read is never among it. What becomes of them
 * is for others to say.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseStat } from './cpu-time.js';
import { parseEnvironments } from './ps-environments.js';

export interface MarkedProcess {
  readonly pid: number;
  readonly group: number;
  /** The program, without its directory and arguments. */
  readonly name: string;
}

/** How many processes are looked at before the event loop gets its turn: each takes 20 to 90 µs. */
const AT_ONCE = 16;

export function canFindMarked(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux' || platform === 'darwin';
}

/** The processes whose variable of this name has a value that `matches`. Zombies are none: they have no environment. */
export async function findMarked(name: string, matches: (value: string) => boolean): Promise<MarkedProcess[]> {
  if (process.platform === 'darwin') return findByPs(name, matches);
  if (process.platform !== 'linux') return [];
  const found: MarkedProcess[] = [];
  for (const [at, pid] of pids().entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await turn();
    const one = look(pid, name, matches);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function pids(): string[] {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}

function look(pid: string, name: string, matches: (value: string) => boolean): MarkedProcess | undefined {
  try {
    // Bytes first: most processes don't have the variable, and need not be decoded.
    const environment = readFileSync(`/proc/${pid}/environ`);
    if (!environment.includes(`${name}=`)) return undefined;
    const variable = environment
      .toString()
      .split('\0')
      .find((one) => one.startsWith(`${name}=`));
    if (variable === undefined || !matches(variable.slice(name.length + 1))) return undefined;
    const { group } = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return { pid: Number(pid), group, name: programOf(pid) };
  } catch {
    return undefined; // it has ended, or belongs to somebody else
  }
}

/** Not what the process calls itself: that may hold its arguments. */
function programOf(pid: string): string {
  return basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
}

async function findByPs(name: string, matches: (value: string) => boolean): Promise<MarkedProcess[]> {
  const [commands, environments] = await Promise.all([ps([]), ps(['-E'])]);
  return parseEnvironments(commands, environments, name).flatMap(({ value, ...one }) => (matches(value) ? [one] : []));
}

function ps(options: readonly string[]): Promise<string> {
  const args = ['-axww', ...options, '-o', 'pid=,pgid=,command='];
  const limits = { timeout: 5_000, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => execFile('ps', args, limits, (error, text) => resolve(error === null ? text : '')));
}
