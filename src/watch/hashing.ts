// Hashes the files that the tree and the root locations found, and stores the digests in the content index. It decides
// which files have to be read again, how an unreadable file counts, and which contents at the start of the server can't
// be known. digest.ts reads a single file.
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContentIndex } from './content-index.js';
import { MAX_DATA_BYTES } from './data-files.js';
import { EMPTY, isUntouched, readFile, readLink, type Reading } from './digest.js';
import type { Stamp } from './entry.js';
import type { Listing } from './listing.js';
import type { TimeSlice } from './time-slice.js';
import { statOf } from './paths.js';
import type { Directory, FileToHash, Membership } from './tree.js';

export interface HashingOptions {
  contents: ContentIndex;
  /** When the server was started. */
  since: number;
  isPending(path: string): boolean;
  observe(directory: string): void;
  unobserve(directory: string): void;
  unreadable(path: string): void;
  /** The file was read again and its content is the same. `touched`: its inode has changed, or is another inode. */
  same(path: string, touched: boolean): void;
}

export interface Hashing {
  hashFiles(found: readonly FileToHash[], slice: TimeSlice): Promise<void>;
  /** Looks for signs that a file was deleted after the server was started and before the directory was listed. */
  recordListing(directory: Directory, listing: Listing): void;
  /** A file that is named explicitly. */
  hashNamedFile(key: string, path: string, rules: readonly string[], slice: TimeSlice): Promise<void>;
  /** The file is empty, and was not when it was hashed. Never for links. */
  wasEmptied(key: string, path: string): boolean;
  readonly hasLinks: boolean;
  /** The links that stand for this file. */
  linksTo(path: string): ReadonlySet<string>;
  /** Links inside a root whose target does not exist. There is no event when the directory of the target is created. */
  readonly broken: ReadonlySet<string>;
  /** Directories outside of all roots that are watched for the targets of links, with the number of links. */
  readonly targetParents: ReadonlyMap<string, number>;
  /** The link is gone or has become something else. */
  unlink(path: string): void;
  endBaseline(): void;
}

// Kernels take file times from a clock that is up to a tick (10 ms) late, so a file that was saved just after the start
// of the server may have an older time. A value that is too large costs a reload, one that is too small loses an edit.
const FILE_CLOCK_LAG_MS = 15;
// A save in place truncates the file first, and the program that saves may take a while to write the content.
const TRUNCATED_WAIT_MS = 250;
const REREAD_EVERY_MS = 5;
const NO_STAMP: Stamp = { size: 0, ctime: NaN, ino: 0 };
const NONE: ReadonlySet<string> = new Set();

function limitOf({ data }: Membership): number {
  return data ? MAX_DATA_BYTES : Infinity;
}

export function createHashing(options: HashingOptions): Hashing {
  const { contents } = options;
  const links = new Map<string, Set<string>>();
  const targets = new Map<string, string>();
  const targetParents = new Map<string, number>();
  const broken = new Set<string>();
  let baselineEnded = false;
  let firstUntil: number | undefined;

  function record(key: string, path: string, { rules, data }: Membership, reading: Reading): void {
    if (reading === 'absent') {
      // It existed when the directory was listed, so the server may have read it.
      contents.setUnknownBaseline(key, rules, data);
      contents.delete(key);
    } else if (reading === 'large') {
      contents.delete(key);
    } else if (reading === 'unreadable') {
      contents.set(key, { digest: 'unreadable', changed: 0, rules, data, ...NO_STAMP });
      options.unreadable(path);
    } else {
      const before = contents.get(key);
      if (baselineEnded && before?.digest === reading.digest) {
        options.same(path, before.changed !== reading.changed || before.ino !== reading.stamp.ino);
      }
      contents.set(key, { digest: reading.digest, changed: reading.changed, rules, data, ...reading.stamp });
      if (!baselineEnded && (isAfterStart(reading.changed) || options.isPending(path)))
        contents.setUnknownBaseline(key, rules, data);
    }
  }

  /** Whether this time is after the start of the server, or may be. */
  function isAfterStart(time = -Infinity): boolean {
    return time >= options.since - FILE_CLOCK_LAG_MS;
  }

  /**
   * Returns whether the file is known and was not touched. Then what is known of it is kept, for the rules that it
   * belongs to now.
   */
  function keepKnown(key: string, path: string, { rules, data }: Membership): boolean {
    const entry = contents.get(key);
    if (entry === undefined || Number.isNaN(entry.ctime)) return false;
    const stats = statOf(path);
    if (!stats?.isFile() || !isUntouched(stats, entry)) return false;
    if (entry.rules !== rules || entry.data !== data) contents.set(key, { ...entry, rules, data });
    return true;
  }

  function isEmptied(key: string, reading: Reading): boolean {
    if (typeof reading === 'string' || reading.digest !== EMPTY) return false;
    const before = contents.get(key)?.digest;
    // Before the baseline ends there is no earlier content to compare with: the file may have been truncated since the
    // start.
    return before === undefined ? !baselineEnded && isAfterStart(reading.changed) : before !== EMPTY;
  }

  /** Waits for the content of a file that was read while a save had truncated it. */
  async function readWhole(
    key: string,
    path: string,
    reading: Reading,
    slice: TimeSlice,
    limit: number,
  ): Promise<Reading> {
    let until = performance.now() + TRUNCATED_WAIT_MS;
    // Before the baseline ends many files may be empty: one wait is enough for all of them.
    if (!baselineEnded) until = firstUntil ??= until;
    let latest = reading;
    while (isEmptied(key, latest) && performance.now() < until) {
      await delay(REREAD_EVERY_MS);
      latest = await readFile(path, slice, limit);
    }
    return latest;
  }

  function retarget(path: string, target: string | undefined): void {
    const before = targets.get(path);
    if (target === undefined) broken.delete(path);
    if (before === target) return;
    if (before !== undefined) {
      links.get(before)?.delete(path);
      if (links.get(before)?.size === 0) links.delete(before);
      targets.delete(path);
      hold(dirname(before), -1);
    }
    if (target !== undefined) {
      targets.set(path, target);
      links.set(target, (links.get(target) ?? new Set()).add(path));
      hold(dirname(target), 1);
    }
  }

  function hold(directory: string, by: number): void {
    const count = (targetParents.get(directory) ?? 0) + by;
    if (count > 0) targetParents.set(directory, count);
    else targetParents.delete(directory);
    if (count === 0) options.unobserve(directory);
    // Also if it is observed: another directory may have taken its place.
    if (by === 1) options.observe(directory);
  }

  async function hashLink({ directory, name }: FileToHash, membership: Membership, slice: TimeSlice): Promise<void> {
    const path = directory.prefix + name;
    const bases = directory.scopes.map((scope) => scope.base);
    // Read twice if the target is new: there was no event for a save before the target was watched.
    for (;;) {
      const link = await readLink(path, bases, slice, limitOf(membership));
      const isNew =
        link.target !== undefined && (targets.get(path) !== link.target || (broken.has(path) && !link.broken));
      if (isNew) retarget(path, undefined);
      retarget(path, link.target);
      if (link.target !== undefined && link.broken) broken.add(path);
      if (isNew) continue;
      record(directory.label + name, path, membership, link.reading);
      return;
    }
  }

  return {
    async hashFiles(found, slice) {
      for (const item of found) {
        const turn = slice();
        if (turn) await turn;
        const { directory, name } = item;
        const membership = directory.files.get(name);
        if (membership === undefined) continue;
        const path = directory.prefix + name;
        const key = directory.label + name;
        if (item.link) {
          await hashLink(item, membership, slice);
          continue;
        }
        retarget(path, undefined);
        if (keepKnown(key, path, membership)) continue;
        const limit = limitOf(membership);
        const started = readFile(path, slice, limit);
        const reading = started instanceof Promise ? await started : started;
        record(
          key,
          path,
          membership,
          isEmptied(key, reading) ? await readWhole(key, path, reading, slice, limit) : reading,
        );
      }
    },

    recordListing(directory, listing) {
      if (baselineEnded || !isAfterStart(statOf(directory.path)?.ctimeMs)) return;
      // The directory was changed after the start, so an entry was created or deleted. A new entry shows by its birth
      // time.
      const names = ['.gitignore', ...listing.files, ...listing.links, ...listing.directories];
      if (names.some((name) => isAfterStart(statOf(directory.prefix + name)?.birthtimeMs))) return;
      // Not for data: servers keep temporary files beside their data, so a deletion there means nothing.
      const roots = directory.scopes.map((scope) => scope.root).filter(({ data }) => !data);
      const rules = new Set(roots.map(({ rule }) => rule));
      if (rules.size > 0) contents.setUnknownBaseline(directory.label === '' ? './' : directory.label, [...rules]);
    },

    async hashNamedFile(key, path, rules, slice) {
      const membership = { rules, data: false };
      if (keepKnown(key, path, membership)) return;
      record(key, path, membership, await readWhole(key, path, await readFile(path, slice), slice, Infinity));
    },

    wasEmptied(key, path) {
      const sizeBefore = contents.get(key)?.size ?? 0;
      return sizeBefore > 0 && statOf(path)?.size === 0;
    },

    broken,
    get hasLinks() {
      return links.size > 0;
    },
    linksTo: (path) => links.get(path) ?? NONE,
    unlink: (path) => retarget(path, undefined),
    targetParents,
    endBaseline: () => (baselineEnded = true),
  };
}
