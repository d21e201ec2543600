// Computes the SHA-256 of one file or symbolic link. Reads are synchronous, which is seven times faster than the thread
// pool for small files; large files are read in chunks. Which files count, and what their digests were before, is left
// to hashing.ts.
import { createHash, hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Stamp } from './entry.js';
import type { TimeSlice } from './time-slice.js';
import { isBelow, realOf } from './paths.js';

export interface Digest {
  readonly digest: string;
  readonly stamp: Stamp;
  /**
   * The inode time after the bytes were read. The stamp leaves a young time out, this one never.
   */
  readonly changed: number;
}

/** `large`: over the limit that was given, and not read. */
export type Reading = Digest | 'absent' | 'unreadable' | 'large';

/** What stat returned before the bytes were read. `began`: the inode time, which is never left out. */
interface StatBefore {
  readonly stamp: Stamp;
  readonly began: number;
}

type ReadResult = (Digest & StatBefore) | 'absent' | 'unreadable' | 'large';

/** How many times to read a file that changes while it is being read. */
const MAX_READS = 3;

/** The digest of an empty file. */
export const EMPTY = hash('sha256', '');

const CHUNK_BYTES = 256 * 1024;
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const { O_RDONLY } = constants;
// Another entry may have taken the file's place: a pipe must not block the open, a link must not be followed. Windows
// has neither flag.
const FLAGS = O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

// A write right after the hash may leave the same stamp, because kernels take file times from a coarse clock and some
// file systems store only seconds. So a stamp counts only if it is older than this.
const STAMP_TRUSTED_AFTER_MS = 2500;
const NO_STAMP: Stamp = { size: 0, ctime: NaN, ino: 0 };

function stampOf(stats: Stats): Stamp {
  const ctime = Date.now() - stats.ctimeMs > STAMP_TRUSTED_AFTER_MS ? stats.ctimeMs : NaN;
  return { size: stats.size, ctime, ino: stats.ino };
}

/** Whether the file can't have changed since it was hashed. */
export function isUntouched(stats: Stats, stamp: Stamp): boolean {
  return stats.ctimeMs === stamp.ctime && stats.size === stamp.size && stats.ino === stamp.ino;
}

/** Reads a regular file of at most `limit` bytes. Returns a promise only for a large file. */
export function readFile(path: string, slice: TimeSlice, limit = Infinity): Reading | Promise<Reading> {
  return rereadIfTorn(readOnce(path, slice, limit), 1, path, slice, limit);
}

/**
 * The inode time changed while the file was read, so the bytes may belong to two versions. Reads the file again, at
 * most `MAX_READS` times in all: a file that is written all the time has no quiet moment.
 */
function rereadIfTorn(
  attempt: ReadResult | Promise<ReadResult>,
  count: number,
  path: string,
  slice: TimeSlice,
  limit: number,
): Reading | Promise<Reading> {
  if (attempt instanceof Promise) return attempt.then((made) => rereadIfTorn(made, count, path, slice, limit));
  const isTorn = typeof attempt !== 'string' && attempt.began !== attempt.changed;
  return isTorn && count < MAX_READS
    ? rereadIfTorn(readOnce(path, slice, limit), count + 1, path, slice, limit)
    : attempt;
}

function readOnce(path: string, slice: TimeSlice, limit: number): ReadResult | Promise<ReadResult> {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch (error) {
    return failure(error);
  }
  let later = false;
  try {
    // Before the bytes are read: a write after this is found as a change later, at worst once too often.
    const stats = fstatSync(file);
    const seen = { stamp: stampOf(stats), began: stats.ctimeMs };
    if (!stats.isFile()) return 'absent';
    if (stats.size > limit) return 'large';
    const first = readSync(file, buffer, 0, CHUNK_BYTES, null);
    if (first === CHUNK_BYTES) {
      later = true;
      return readOn(file, seen, slice);
    }
    // The size tells whether all bytes are read. Where it does not (it is 0 for some files), a second read has to find
    // the end.
    const isWhole =
      first === 0 || first === stats.size || readSync(file, buffer, first, CHUNK_BYTES - first, null) === 0;
    if (isWhole) return resultOf(file, seen, hash('sha256', buffer.subarray(0, first)));
    later = true;
    return readOn(file, seen, slice);
  } catch (error) {
    return failure(error);
  } finally {
    if (!later) closeSync(file);
  }
}

/** Asks for the inode time once more after the bytes were read: the file may have been saved meanwhile. */
function resultOf(file: number, seen: StatBefore, digest: string): ReadResult {
  return { digest, ...seen, changed: fstatSync(file).ctimeMs };
}

async function readOn(file: number, seen: StatBefore, slice: TimeSlice): Promise<ReadResult> {
  try {
    const sum = createHash('sha256');
    for (let position = 0; ;) {
      const count = readSync(file, buffer, 0, CHUNK_BYTES, position);
      if (count === 0) return resultOf(file, seen, sum.digest('hex'));
      sum.update(buffer.subarray(0, count));
      position += count;
      const turn = slice();
      if (turn) await turn;
    }
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(file);
  }
}

export interface Link {
  readonly reading: Reading;
  /** The target's path if it lies below one of the `roots`, whether it exists or not. */
  readonly target: string | undefined;
  /** The target does not exist. */
  readonly broken: boolean;
}

/** The digest of a symbolic link covers its text, and the target's content if that is a file below a root. */
export async function readLink(
  path: string,
  roots: readonly string[],
  slice: TimeSlice,
  limit = Infinity,
): Promise<Link> {
  let text: string;
  let changed: number;
  try {
    text = readlinkSync(path);
    changed = lstatSync(path).ctimeMs;
  } catch (error) {
    return { reading: failure(error), target: undefined, broken: false };
  }
  const present = targetOf(path);
  const real = present ?? realOf(resolve(dirname(path), text));
  const target = roots.some((root) => isBelow(real, root)) ? real : undefined;
  const broken = present === undefined;
  const reading = target === undefined ? 'absent' : await readFile(target, slice, limit);
  const content = typeof reading === 'string' ? reading : reading.digest;
  if (typeof reading !== 'string') changed = Math.max(changed, reading.changed);
  const digest = hash('sha256', `link\0${text}\0${content}`);
  // No stamp: the link's own stamp says nothing about the target.
  return { reading: { digest, stamp: NO_STAMP, changed }, target, broken };
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync.native(link);
  } catch {
    return undefined;
  }
}

function failure(error: unknown): 'absent' | 'unreadable' {
  const { code, errno } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  // ELOOP: a link has taken the file's place, and there will be an event for it.
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EISDIR' ? 'absent' : 'unreadable';
}
