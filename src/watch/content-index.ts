// The content index: path → SHA-256 of each watched file, and marks that remember an earlier state. It reads no disk
// and gets no events; hashing.ts fills it. A mark stores only the files that have changed since, so it costs little in
// a large tree.
import { namedKey, pathOf, type FileEntry } from './entry.js';
import { createFingerprints } from './fingerprint.js';
import type { TimeSlice } from './time-slice.js';

export interface Change {
  /** Relative to the working directory, with forward slashes. */
  readonly path: string;
  readonly rules: readonly string[];
  readonly kind: 'added' | 'changed' | 'removed';
  /** Watched as data of the package, and named by nobody. */
  readonly data?: true;
}

/** A remembered state. Opaque: only the Watch that gave it can read it. */
declare const markBrand: unique symbol;
export interface Mark {
  readonly [markBrand]?: never;
}

type Before = Pick<FileEntry, 'digest' | 'rules' | 'data'> | undefined;

export interface ContentIndex {
  /** Grows with every change of content. */
  readonly version: number;
  /** Grows with every file that was saved, come or gone, whatever its content. */
  readonly saves: number;
  get(key: string): FileEntry | undefined;
  set(key: string, entry: FileEntry): void;
  delete(key: string): void;
  /**
   * Says that the content of a file at the start of the server can't be known. Only before `endBaseline`: until then,
   * what is set counts as the content at the start.
   */
  setUnknownBaseline(key: string, rules: readonly string[], data?: boolean): void;
  endBaseline(): void;
  /** `like`: as that one remembers it. */
  mark(like?: Mark): Mark;
  release(mark: Mark): void;
  changedSince(mark: Mark): readonly Change[];
  /** The same, and what was saved or touched and is what it was. */
  touchedSince(mark: Mark): readonly Change[];
  fingerprint(rule: string): string;
  /** Computes the fingerprints in slices, so that asking for them costs nothing. */
  prepare(rules: readonly string[], slice: TimeSlice): Promise<void>;
  /** When its inode last changed, in milliseconds since 1970, if it is there. */
  changedAt(path: string): number | undefined;
  /** All marks remember it as it is now. */
  accept(path: string): void;
  /**
   * The mark remembers it as it is now. Unless `since` is undefined, only if it has remembered the same as that one:
   * what had changed before then still counts.
   */
  acceptFor(mark: Mark, path: string, since: Mark | undefined): void;
  /** All marks remember it as something else than it is now; the rules are for a file that is gone. */
  distrust(path: string, rules: readonly string[]): void;
}

const UNKNOWN = 'unknown';

export function createContentIndex(): ContentIndex {
  const entries = new Map<string, FileEntry>();
  const marks = new Map<Mark, Map<string, Before>>();
  /** The last result for each mark: callers ask several times in a turn, and there may be thousands of changes. */
  const cachedChanges = new WeakMap<Mark, { readonly version: number; readonly changes: readonly Change[] }>();
  const unknownBaselines = new Map<string, Before>();
  const fingerprints = createFingerprints(entries);
  let baselineEnded = false;
  let version = 0;
  let saves = 0;

  function record(key: string, before: Before, after: Before): void {
    version++;
    fingerprints.invalidate([...(before?.rules ?? []), ...(after?.rules ?? [])]);
    remember(key, before);
  }

  function remember(key: string, before: Before): void {
    saves++;
    if (!baselineEnded) return;
    for (const overlay of marks.values()) if (!overlay.has(key)) overlay.set(key, before);
  }

  function since(mark: Mark, withTouched: boolean): readonly Change[] {
    const changes = new Map<string, Change>();
    for (const [key, before] of marks.get(mark) ?? []) {
      const after = entries.get(key);
      if (!withTouched && isSame(before, after)) continue;
      const path = pathOf(key);
      const rules = union(changes.get(path)?.rules, union(before?.rules, after?.rules));
      const kind = isSame(before, after) || (before && after) ? 'changed' : before === undefined ? 'added' : 'removed';
      const other = changes.get(path);
      const data = (after ?? before)?.data === true && (other === undefined || other.data === true);
      changes.set(path, data ? { path, rules, kind, data } : { path, rules, kind });
    }
    return [...changes.keys()].sort().map((path) => changes.get(path)!);
  }

  function changedSince(mark: Mark): readonly Change[] {
    const known = cachedChanges.get(mark);
    if (known?.version === version) return known.changes;
    const changes = since(mark, false);
    cachedChanges.set(mark, { version, changes });
    return changes;
  }

  return {
    get version() {
      return version;
    },

    get saves() {
      return saves;
    },

    get: (key) => entries.get(key),

    set(key, entry) {
      const before = entries.get(key);
      entries.set(key, entry);
      if (before === undefined) fingerprints.add(key);
      if (!isSame(before, entry)) record(key, before, entry);
      else if (before?.changed !== entry.changed || before.ino !== entry.ino) remember(key, before);
    },

    delete(key) {
      const before = entries.get(key);
      if (before === undefined) return;
      entries.delete(key);
      record(key, before, undefined);
    },

    setUnknownBaseline(key, rules, data = false) {
      if (!baselineEnded) unknownBaselines.set(key, { digest: UNKNOWN, rules, data });
    },

    endBaseline() {
      baselineEnded = true;
      version++;
      saves++;
      for (const overlay of marks.values()) for (const [key, before] of unknownBaselines) overlay.set(key, before);
      unknownBaselines.clear();
    },

    mark(like) {
      const mark: Mark = {};
      const known = [...((like && marks.get(like)) ?? [])];
      marks.set(mark, new Map(known.filter(([key, before]) => !isSame(before, entries.get(key)))));
      return mark;
    },

    release(mark) {
      marks.delete(mark);
      cachedChanges.delete(mark);
    },

    changedSince,

    touchedSince(mark) {
      const changed = changedSince(mark);
      // Usually every file that was touched has also changed.
      return marks.get(mark)?.size === changed.length ? changed : since(mark, true);
    },

    fingerprint: fingerprints.of,
    prepare: fingerprints.prepare,

    changedAt: (path) => (entries.get(path) ?? entries.get(namedKey(path)))?.changed,

    accept(path) {
      version++;
      for (const key of [path, namedKey(path)]) for (const overlay of marks.values()) overlay.delete(key);
    },

    acceptFor(mark, path, other) {
      const overlay = marks.get(mark);
      const overlayOfOther = other && marks.get(other);
      if (overlay === undefined || (other !== undefined && overlayOfOther === undefined)) return;
      version++;
      for (const key of [path, namedKey(path)]) {
        const isAlike = overlayOfOther?.has(key) === true && isSame(overlay.get(key), overlayOfOther.get(key));
        if (other === undefined || isAlike) overlay.delete(key);
      }
    },

    distrust(path, rules) {
      version++;
      saves++;
      const key = entries.has(namedKey(path)) ? namedKey(path) : path;
      const before = { digest: UNKNOWN, rules: entries.get(key)?.rules ?? rules, data: true };
      for (const overlay of marks.values()) overlay.set(key, before);
    },
  };
}

/** Returns one of the two arrays where possible, because a checkout changes thousands of files of the same rules. */
function union(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  if (a === b || b.length === 0) return a;
  return a.length === 0 ? b : [...new Set([...a, ...b])];
}

function isSame(a: Before, b: Before): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.digest === b.digest && (a.rules === b.rules || a.rules.join('\0') === b.rules.join('\0'));
}
