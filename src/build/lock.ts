// One build a project at a time, also between processes: a lock file names its owner, and is void when that process is
// gone. The process that finds it void kills a build that is still running, because that build would overwrite the
// output of the next one. An owner can name a successor, which goes on with the build. If the directory can't be
// written there is no lock, but the build runs. Whether a build is still needed after the wait is decided in project/.
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tempName, removeStaleTempFiles } from '../state/temp-files.js';
import { NotRegular, readStateFile, writeAtomically } from '../state/state-file.js';
import { isGone, ownerOf, parseOwner } from './owner.js';

export interface Lock {
  /** Records the process of the build, which leads a group of its own. */
  building(pid: number): Promise<void>;
  /**
   * Names another process as the owner in one step (a rename), so that there is always an owner. Resolves with the text
   * of the lock file.
   */
  handTo(pid: number): Promise<string | undefined>;
  /** `release` does nothing from now on: the new owner releases the lock. */
  forget(): void;
  release(): Promise<void>;
}

type LockResult = 'taken' | 'held' | 'impossible';

const NAME = 'build.lock';

/** For an owner that was killed, which no file event tells, and for file systems without events. */
const RECHECK_EVERY_MS = 1000;

/** How many times to check, every 5 ms, whether a killed build is gone. Usually the first time is enough. */
const MAX_CHECKS = 200;

/**
 * Waits for the lock. Resolves with undefined if there can be no lock, or once the signal is aborted. `onWait`: another
 * process has the lock. `onRefused`: there is something else than a regular file in its place.
 */
export async function acquireBuildLock(
  dir: string,
  signal: AbortSignal,
  onWait: () => void = () => {},
  onRefused: (problem: string) => void = () => {},
): Promise<Lock | undefined> {
  if (signal.aborted) return undefined;
  const path = join(dir, NAME);
  const claim = tempName(path);
  const owner = { ...(await ownerOf(process.pid)), claim };
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // Claims of processes that were killed while they waited.
    await removeStaleTempFiles(dir);
    // A hard link creates the lock file with its content in one step, so a lock without an owner is never read.
    await writeFile(claim, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch {
    await remove(claim);
    return undefined;
  }
  try {
    let result = await tryToLock(path, claim);
    if (result === 'held') {
      onWait();
      result = await waitFor(dir, () => tryToLock(path, claim), signal);
    }
    return result === 'taken' ? lockOf(path, JSON.stringify(owner)) : undefined;
  } catch (error) {
    if (!(error instanceof NotRegular)) throw error;
    onRefused(error.message);
    return undefined;
  } finally {
    await remove(claim);
  }
}

/** For the process that `handTo` has named; `text` is the text of the lock file. */
export function adoptBuildLock(dir: string, text: string): Lock {
  return lockOf(join(dir, NAME), text);
}

function lockOf(path: string, initialText: string): Lock {
  let text = initialText;
  let isForgotten = false;
  const change = async (members: object): Promise<boolean> => {
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...members });
    const written = await writeAtomically(path, changed);
    if (written.ok) text = changed;
    return written.ok;
  };
  return {
    building: async (pid) => void (await change({ build: await ownerOf(pid) })),
    handTo: async (pid) => ((await change(await ownerOf(pid))) ? text : undefined),
    forget: () => void (isForgotten = true),
    release: async () => {
      if (!isForgotten) await release(path, text);
    },
  };
}

async function waitFor(dir: string, tryAgain: () => Promise<LockResult>, signal: AbortSignal): Promise<LockResult> {
  const over = new AbortController();
  const changes = watchLock(dir, over.signal);
  try {
    while (!signal.aborted) {
      const turn = new AbortController();
      // Listen before trying, so that a release in between is not missed.
      const woken = nextChange(changes, AbortSignal.any([signal, turn.signal]));
      const outcome = await tryAgain();
      if (outcome === 'held') await woken;
      turn.abort();
      if (outcome !== 'held') return outcome;
    }
    return 'held';
  } finally {
    over.abort();
  }
}

async function nextChange(changes: EventEmitter, signal: AbortSignal): Promise<void> {
  const changed = once(changes, 'change', { signal });
  const timer = delay(RECHECK_EVERY_MS, undefined, { signal });
  await Promise.race([changed, timer]).catch(() => {});
}

function watchLock(dir: string, signal: AbortSignal): EventEmitter {
  const changes = new EventEmitter();
  try {
    const watcher = watch(dir, { signal }, (_, file) => {
      if (file === null || file === NAME) changes.emit('change');
    });
    // Without a watch, checking from time to time has to do.
    watcher.on('error', () => {});
  } catch {
    return changes;
  }
  return changes;
}

/** Tries once, and removes a lock whose owner is gone first. */
async function tryToLock(path: string, claim: string): Promise<LockResult> {
  for (;;) {
    try {
      await link(claim, path);
      return 'taken';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return 'impossible';
    }
    const state = await stateOf(path);
    if (state === 'void') {
      const cleared = await clear(path, claim);
      if (cleared !== 'taken') return cleared;
    } else if (state !== 'free') return state;
  }
}

/**
 * Removes a void lock. Between looking and removing, another could have removed it and a third have locked anew, and
 * the wrong lock would go; so whoever removes holds a lock of its own for that moment, made and broken in the same way.
 */
async function clear(path: string, claim: string): Promise<LockResult> {
  const guard = `${path}.clear`;
  const guarded = await tryToLock(guard, claim);
  if (guarded !== 'taken') return guarded;
  if ((await stateOf(path)) === 'void') {
    await endBuild(path);
    await remove(path);
  }
  await remove(guard);
  return 'taken';
}

/** Kills the build of an owner that is gone, if it is certain that the process is that build. */
async function endBuild(path: string): Promise<void> {
  const build = parseOwner(await readStateFile(path).catch(() => ''))?.build;
  if (build === undefined || build.start === '' || (await isGone(build))) return;
  try {
    process.kill(-build.pid, 'SIGKILL');
  } catch {
    return; // it has just ended
  }
  for (let checks = 0; checks < MAX_CHECKS && !(await isGone(build)); checks++) await delay(5);
}

async function stateOf(path: string): Promise<'free' | 'void' | 'held' | 'impossible'> {
  let text: string;
  try {
    text = await readStateFile(path);
  } catch (error) {
    if (error instanceof NotRegular) throw error;
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'free' : 'impossible';
  }
  const owner = parseOwner(text);
  return owner === undefined || (await isGone(owner)) ? 'void' : 'held';
}

async function release(path: string, owner: string): Promise<void> {
  const text = await readStateFile(path).catch(() => undefined);
  if (text === owner) await remove(path);
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => {});
}
