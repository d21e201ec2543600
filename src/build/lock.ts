/*
 * One build a project at a time, also with two proxies on it: a lock file that names its owner and is void when the
 * owner is gone. Whoever finds it void ends the build that was left running: it would undo what is built next. An owner
 * can name its successor, who goes on with the build. A directory that can't be written means no lock, never no build.
 * What the one that waited does with a build that the other has made is left to the reload.
 */
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tempName, removeStaleTempFiles } from '../state/temp-files.js';
import { NotRegular, readStateFile, writeAtomically } from '../state/state-file.js';
import { isGone, ownerOf, parseOwner } from './owner.js';

export interface Lock {
  /** Whether somebody else had it first. */
  readonly waited: boolean;
  /** The build runs as this process, in a group of its own. */
  building(pid: number): Promise<void>;
  /**
   * Names another process as the owner, in one step: at no moment is there no owner. Resolves with the text that makes
   * it so.
   */
  handTo(pid: number): Promise<string | undefined>;
  /** From now on the lock is the new owner's to release. */
  forget(): void;
  release(): Promise<void>;
}

type Attempt = 'taken' | 'held' | 'impossible';

const NAME = 'build.lock';

/** For an owner that died without a word, and for file systems that tell nothing. */
const LOOK_AGAIN = 1000;

/** How often a killed build is looked at: it is gone in no time, unless the kernel is busy with it. */
const LOOKS = 200;

/**
 * Waits for the lock; undefined if there can be none, or when the signal ends the waiting. `onWait`: somebody else has
 * it.
 * `onRefused`: what lies in its place is no file of ours.
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
    // Of those that were killed while they waited.
    await removeStaleTempFiles(dir);
    // A link puts the file there whole or not at all: nobody ever reads a lock without its owner.
    await writeFile(claim, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch {
    await remove(claim);
    return undefined;
  }
  try {
    let attempt = await take(path, claim);
    const waited = attempt === 'held';
    if (waited) onWait();
    if (waited) attempt = await waitFor(dir, () => take(path, claim), signal);
    return attempt === 'taken' ? lockOf(path, JSON.stringify(owner), waited) : undefined;
  } catch (error) {
    if (!(error instanceof NotRegular)) throw error;
    onRefused(error.message);
    return undefined;
  } finally {
    await remove(claim);
  }
}

/** For the process that was named as the owner: `text` is what names it. */
export function adoptBuildLock(dir: string, text: string): Lock {
  return lockOf(join(dir, NAME), text, true);
}

function lockOf(path: string, initialText: string, waited: boolean): Lock {
  let text = initialText;
  let isForgotten = false;
  const change = async (members: object): Promise<boolean> => {
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...members });
    const written = await writeAtomically(path, changed);
    if (written.ok) text = changed;
    return written.ok;
  };
  return {
    waited,
    building: async (pid) => void (await change({ build: await ownerOf(pid) })),
    handTo: async (pid) => ((await change(await ownerOf(pid))) ? text : undefined),
    forget: () => void (isForgotten = true),
    release: async () => {
      if (!isForgotten) await release(path, text);
    },
  };
}

async function waitFor(dir: string, attempt: () => Promise<Attempt>, signal: AbortSignal): Promise<Attempt> {
  const over = new AbortController();
  const stirs = watchLock(dir, over.signal);
  try {
    while (!signal.aborted) {
      const turn = new AbortController();
      // Listening before looking: a release in between is not missed.
      const woken = nextStir(stirs, AbortSignal.any([signal, turn.signal]));
      const outcome = await attempt();
      if (outcome === 'held') await woken;
      turn.abort();
      if (outcome !== 'held') return outcome;
    }
    return 'held';
  } finally {
    over.abort();
  }
}

async function nextStir(stirs: EventEmitter, signal: AbortSignal): Promise<void> {
  const stirred = once(stirs, 'stir', { signal });
  const timer = delay(LOOK_AGAIN, undefined, { signal });
  await Promise.race([stirred, timer]).catch(() => {});
}

function watchLock(dir: string, signal: AbortSignal): EventEmitter {
  const stirs = new EventEmitter();
  try {
    const watcher = watch(dir, { signal }, (_, file) => {
      if (file === null || file === NAME) stirs.emit('stir');
    });
    // No watch to be had: looking again from time to time does.
    watcher.on('error', () => {});
  } catch {
    return stirs;
  }
  return stirs;
}

/** One attempt, which first clears away a lock whose owner is gone. */
async function take(path: string, claim: string): Promise<Attempt> {
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
async function clear(path: string, claim: string): Promise<Attempt> {
  const guard = `${path}.clear`;
  const guarded = await take(guard, claim);
  if (guarded !== 'taken') return guarded;
  if ((await stateOf(path)) === 'void') {
    await endBuild(path);
    await remove(path);
  }
  await remove(guard);
  return 'taken';
}

/** Of an owner that is gone. Only where it is certain that the process is that build and no other. */
async function endBuild(path: string): Promise<void> {
  const build = parseOwner(await readStateFile(path).catch(() => ''))?.build;
  if (build === undefined || build.start === '' || (await isGone(build))) return;
  try {
    process.kill(-build.pid, 'SIGKILL');
  } catch {
    return; // it has just ended
  }
  for (let look = 0; look < LOOKS && !(await isGone(build)); look++) await delay(5);
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
