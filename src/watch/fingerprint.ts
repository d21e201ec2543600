// Fingerprints: SHA-256 over the sorted (path, digest) of a rule's files, remembered until one of them changes. For
// large trees they can be computed in slices ahead of time. The entries belong to the content
// index and are only read here.
import { createHash } from 'node:crypto';
import { namedKey, pathOf, type FileEntry } from './entry.js';
import type { TimeSlice } from './time-slice.js';

export interface Fingerprints {
  of(rule: string): string;
  /** Computes them in slices, so that asking for them costs nothing. */
  prepare(rules: readonly string[], slice: TimeSlice): Promise<void>;
  /** There is an entry that was not there. */
  add(key: string): void;
  /** Something of these rules is no longer what it was. */
  invalidate(rules: readonly string[]): void;
}

// Characters of text between two looks at the clock.
const STEP = 32 * 1024;

export function createFingerprints(entries: ReadonlyMap<string, FileEntry>): Fingerprints {
  const known = new Map<string, string>();
  // Every path, some of them twice or gone: sorting all anew for each fingerprint would hold up the traffic, appending
  // to what is in order already is cheap.
  let order: string[] = [];
  let isOrdered = true;
  let hasNamed = false;
  let version = 0;

  function inOrder(): readonly string[] {
    if (order.length > 2 * entries.size + 1000) {
      order = [...entries.keys()].map(pathOf);
      isOrdered = false;
    }
    if (!isOrdered) order.sort();
    isOrdered = true;
    return order;
  }

  function* steps(rule: string): Generator<void, string> {
    const sum = createHash('sha256');
    let lines = '';
    let previous: string | undefined;
    for (const path of inOrder()) {
      if (path === previous) continue;
      previous = path;
      let entry = entries.get(path);
      if (hasNamed && !entry?.rules.includes(rule)) entry = entries.get(namedKey(path));
      if (entry?.rules.includes(rule)) lines += `${path}\0${entry.digest}\n`;
      if (lines.length < STEP) continue;
      sum.update(lines);
      lines = '';
      yield;
    }
    return sum.update(lines).digest('hex');
  }

  return {
    of(rule) {
      let fingerprint = known.get(rule);
      if (fingerprint === undefined) {
        const computing = steps(rule);
        let step = computing.next();
        while (!step.done) step = computing.next();
        fingerprint = step.value;
        known.set(rule, fingerprint);
      }
      return fingerprint;
    },

    async prepare(rules, slice) {
      for (const rule of rules) {
        if (known.has(rule)) continue;
        const before = version;
        const computing = steps(rule);
        let step = computing.next();
        for (; !step.done; step = computing.next()) {
          const turn = slice();
          if (turn) await turn;
          if (version !== before) return;
        }
        known.set(rule, step.value);
      }
    },

    add(key) {
      const path = pathOf(key);
      if (path !== key) hasNamed = true;
      order.push(path);
      isOrdered = false;
      version++;
    },

    invalidate(rules) {
      for (const rule of rules) known.delete(rule);
      version++;
    },
  };
}
