// The owner of a lock, and the build that it runs, recorded so that a later process with the same number is not taken
// for it. On Linux a process is identified by its number and its start time, elsewhere by its number alone. lock.ts
// decides what that means for the lock.
import { readFile } from 'node:fs/promises';

export interface Owner {
  pid: number;
  /** Ticks between boot and start; empty where it can't be known. */
  start: string;
}

export interface Builder extends Owner {
  build?: Owner;
}

export async function ownerOf(pid: number): Promise<Owner> {
  return { pid, start: (await processStat(pid))?.start ?? '' };
}

export async function isGone(owner: Owner): Promise<boolean> {
  const stat = await processStat(owner.pid);
  if (stat !== undefined) {
    // A killed process that its parent has not reaped yet still has its number.
    return stat.state === 'Z' || stat.state === 'X' || (owner.start !== '' && owner.start !== stat.start);
  }
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    // Anything but "no such process" comes from one that exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

export function parseOwner(text: string): Builder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const owner = asOwner(value);
    const build = owner && asOwner((value as { build?: unknown }).build);
    return owner && { ...owner, ...(build && { build }) };
  } catch {
    return undefined;
  }
}

function asOwner(value: unknown): Owner | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('start' in value)) return undefined;
  const { pid, start } = value;
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof start === 'string'
    ? { pid: Number(pid), start }
    : undefined;
}

async function processStat(pid: number): Promise<{ state: string; start: string } | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, and may contain anything; state is the third, start the
  // 22nd.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}
