// What the watched files contain: a SHA-256 for each, and the marks that remember an earlier state. It
// knows nothing of disks or events; the tree tells it. A mark costs what has changed since, not what is there.
import { namedKey, pathOf, type Entry } from './entry.js';
import { createFingerprints } from './fingerprint.js';
import type { Pace } from './time-slice.js';

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

type Before = Pick<Entry, 'digest' | 'rules' | 'data'> | undefined;

export interface Contents {
  /** Grows with every change of content. */
  readonly version: number;
  get(key: string): Entry | undefined;
  set(key: string, entry: Entry): void;
  delete(key: string): void;
  /** Until the contents are sealed, what is set is the baseline; this says that a file's baseline can't be known. */
  unknown(key: string, rules: readonly string[], data?: boolean): void;
  seal(): void;
  /** `like`: as that one remembers it. */
  mark(like?: Mark): Mark;
  release(mark: Mark): void;
  changedSince(mark: Mark): readonly Change[];
  /** The same, and what was saved or touched and is what it was. */
  stirredSince(mark: Mark): readonly Change[];
  fingerprint(rule: string): string;
  /** Computes the fingerprints in slices, so that asking for them costs nothing. */
  prepare(rules: readonly string[], pace: Pace): Promise<void>;
  /** When its inode last changed, in milliseconds since 1970, if it is there. */
  changedAt(path: string): number | undefined;
  /** All marks remember it as it is now. */
  accept(path: string): void;
  /** All marks remember it as something else than it is now; the rules are for a file that is gone. */
  distrust(path: string, rules: readonly string[]): void;
}

const UNKNOWN = 'unknown';

export function createContents(): Contents {
  const entries = new Map<string, Entry>();
  const marks = new Map<Mark, Map<string, Before>>();
  /** What was told last, of each mark: one change of thousands of files is asked about several times in a turn. */
  const told = new WeakMap<Mark, { readonly version: number; readonly changes: readonly Change[] }>();
  const unknown = new Map<string, Before>();
  const fingerprints = createFingerprints(entries);
  let sealed = false;
  let version = 0;

  function record(key: string, before: Before, after: Before): void {
    version++;
    fingerprints.changed([...(before?.rules ?? []), ...(after?.rules ?? [])]);
    remember(key, before);
  }

  function remember(key: string, before: Before): void {
    if (!sealed) return;
    for (const overlay of marks.values()) if (!overlay.has(key)) overlay.set(key, before);
  }

  function since(mark: Mark, stirred: boolean): readonly Change[] {
    const changes = new Map<string, Change>();
    for (const [key, before] of marks.get(mark) ?? []) {
      const after = entries.get(key);
      if (!stirred && isSame(before, after)) continue;
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
    const known = told.get(mark);
    if (known?.version === version) return known.changes;
    const changes = since(mark, false);
    told.set(mark, { version, changes });
    return changes;
  }

  return {
    get version() {
      return version;
    },

    get: (key) => entries.get(key),

    set(key, entry) {
      const before = entries.get(key);
      entries.set(key, entry);
      if (before === undefined) fingerprints.added(key);
      if (!isSame(before, entry)) record(key, before, entry);
      else if (before?.changed !== entry.changed || before.ino !== entry.ino) remember(key, before);
    },

    delete(key) {
      const before = entries.get(key);
      if (before === undefined) return;
      entries.delete(key);
      record(key, before, undefined);
    },

    unknown(key, rules, data = false) {
      if (!sealed) unknown.set(key, { digest: UNKNOWN, rules, data });
    },

    seal() {
      sealed = true;
      version++;
      for (const overlay of marks.values()) for (const [key, before] of unknown) overlay.set(key, before);
      unknown.clear();
    },

    mark(like) {
      const mark: Mark = {};
      const known = [...((like && marks.get(like)) ?? [])];
      marks.set(mark, new Map(known.filter(([key, before]) => !isSame(before, entries.get(key)))));
      return mark;
    },

    release(mark) {
      marks.delete(mark);
      told.delete(mark);
    },

    changedSince,

    stirredSince(mark) {
      const changed = changedSince(mark);
      // As a rule what stirs has changed.
      return marks.get(mark)?.size === changed.length ? changed : since(mark, true);
    },

    fingerprint: fingerprints.of,
    prepare: fingerprints.prepare,

    changedAt: (path) => (entries.get(path) ?? entries.get(namedKey(path)))?.changed,

    accept(path) {
      version++;
      for (const key of [path, namedKey(path)]) for (const overlay of marks.values()) overlay.delete(key);
    },

    distrust(path, rules) {
      version++;
      const key = entries.has(namedKey(path)) ? namedKey(path) : path;
      const before = { digest: UNKNOWN, rules: entries.get(key)?.rules ?? rules, data: true };
      for (const overlay of marks.values()) overlay.set(key, before);
    },
  };
}

/** Most are one and the same: a checkout changes thousands. */
function union(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  if (a === b || b.length === 0) return a;
  return a.length === 0 ? b : [...new Set([...a, ...b])];
}

function isSame(a: Before, b: Before): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.digest === b.digest && (a.rules === b.rules || a.rules.join('\0') === b.rules.join('\0'));
}
