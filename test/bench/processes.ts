// What the kernel tells of a process: memory, processor time, inotify watches, and how it shares out the processors.
// Linux only: elsewhere it is not known.
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory in MB, and the most that it was. */
export function memoryOf(pid: number): { now: number; most: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const field = (name: string): number => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: field('VmRSS'), most: field('VmHWM') };
}

/** Milliseconds that all of its threads have run. */
export function processorTimeOf(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0));
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return undefined;
  }
}

export function inotifyWatchesOf(pid: number): number | undefined {
  try {
    const infos = readdirSync(`/proc/${pid}/fdinfo`).map((file) => read(`/proc/${pid}/fdinfo/${file}`) ?? '');
    return infos.reduce((sum, info) => sum + (info.match(/^inotify /gm)?.length ?? 0), 0);
  } catch {
    return undefined;
  }
}

/**
 * Whether processes wait longer for those of another session: the kernel does so with what is in no control group of
 * its own.
 */
export function isScheduledBySession(): boolean {
  const controllers = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  const own =
    controllers.find(([, names]) => names?.split(',').includes('cpu')) ?? controllers.find(([id]) => id === '0');
  return read('/proc/sys/kernel/sched_autogroup_enabled')?.trim() === '1' && own?.[2] === '/';
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
