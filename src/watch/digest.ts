// The SHA-256 of one file or symbolic link, read synchronously (seven times faster than the thread pool for small
// files), large files in pieces. It neither knows which files count nor remembers any.
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
   * When the inode last changed, as the file system said after the bytes were read: unlike the stamp's, never withheld.
   */
  readonly changed: number;
}

/** `large`: over the limit that was given, and not read. */
export type Reading = Digest | 'absent' | 'unreadable' | 'large';

/** What the file system said before the bytes were read. `began`: when the inode had last changed, never withheld. */
interface StatBefore {
  readonly stamp: Stamp;
  readonly began: number;
}

type ReadResult = (Digest & StatBefore) | 'absent' | 'unreadable' | 'large';

/** So often a file is read that is saved while it is. */
const MAX_READS = 3;

/** The digest of an empty file. */
export const EMPTY = hash('sha256', '');

const CHUNK_BYTES = 256 * 1024;
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const { O_RDONLY } = constants;
// A pipe that took a file's place must not block, nor a link lead elsewhere. Windows has neither flag.
const FLAGS = O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

// A write right after the hash may leave the same stamp as before: kernels keep file times by a coarse clock, some file
// systems by the second. So a stamp counts only once it is older than that.
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

/** Of a regular file of at most `limit` bytes. A promise only if it is large: most need none. */
export function readFile(path: string, slice: TimeSlice, limit = Infinity): Reading | Promise<Reading> {
  return rereadIfTorn(readOnce(path, slice, limit), 1, path, slice, limit);
}

/**
 * Bytes that a save has overtaken are those of nobody: what was read is old already, and its time is the new one's.
 * They are read again, but not for ever: what is written to without end has no better moment.
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
    // Before the bytes: what is written after this is seen as a change, at worst once too often.
    const stats = fstatSync(file);
    const seen = { stamp: stampOf(stats), began: stats.ctimeMs };
    if (!stats.isFile()) return 'absent';
    if (stats.size > limit) return 'large';
    const first = readSync(file, buffer, 0, CHUNK_BYTES, null);
    if (first === CHUNK_BYTES) {
      later = true;
      return readOn(file, seen, slice);
    }
    // All that there was is read; else, or where the size says nothing (0), another look tells the end.
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

/** The time is asked for once more after the bytes: somebody may have saved since the first look. */
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
  /** The path that it leads to, if that lies below one of the `roots`, whatever is there. */
  readonly target: string | undefined;
  /** Nothing is there. */
  readonly broken: boolean;
}

/** Of a symbolic link: its text, and the content behind it unless that is a directory or outside. */
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
  // No stamp: the link's own says nothing about the target.
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
  // ELOOP: a link has taken the file's place; its event is on the way.
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EISDIR' ? 'absent' : 'unreadable';
}
