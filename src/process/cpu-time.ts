/**
 * How much processor time a process group has used, as a sign that it is at work. Only Linux tells it without starting
 * another process; elsewhere it is 0, and the caller goes by other signs.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of all processes of the group, children that have ended included. */
export function groupCpuTicks(group: number, platform: NodeJS.Platform = process.platform): number {
  if (platform !== 'linux') return 0;
  let ticks = 0;
  for (const name of processIds()) {
    const stat = statOf(name);
    if (stat?.group === group) ticks += stat.ticks;
  }
  return ticks;
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function statOf(pid: string): { readonly group: number; readonly ticks: number } | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/**
 * The name in parentheses may hold anything, so fields are counted from behind it: state, parent, group, …, utime to
 * cstime.
 */
export function parseStat(text: string): { readonly group: number; readonly ticks: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (at: number): number => Number(fields[at] ?? 0);
  return { group: number(2), ticks: number(11) + number(12) + number(13) + number(14) };
}
