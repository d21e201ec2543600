/*
 * Says in which items two versions of a list differ, for the client's notifications and for people. Pure. Where the two
 * versions come from, and what an unknown one means, is left to the reload.
 */
import type { List, ListName } from './lists.js';
import { isRecord, listNamed, LISTS } from './lists.js';

export interface ListChange {
  list: ListName;
  kind: '+' | '-' | '~';
  name: string;
  /** The top-level members that differ, sorted; empty unless `~`. */
  fields: readonly string[];
}

// Caching hints and annotations for the transport: a client offers the same item whatever they say. Deeper down these
// may be names of the author's, such as a property in a schema, and count.
const NO_DIFFERENCE = new Set(['_meta', 'ttlMs']);

/** Compares by name or URI; the order of the items and of their members is no difference. */
export function compareLists(list: List, before: readonly unknown[], after: readonly unknown[]): ListChange[] {
  const old = byName(list, before);
  const now = byName(list, after);
  const changes: ListChange[] = [];
  for (const [name, items] of now) {
    const was = old.get(name);
    if (was === undefined) changes.push({ list: list.name, kind: '+', name, fields: [] });
    else if (was.length !== items.length) changes.push({ list: list.name, kind: '~', name, fields: [] });
    else {
      const fields = new Set(items.flatMap((item, i) => differingFields(was[i], item)));
      if (fields.size > 0) changes.push({ list: list.name, kind: '~', name, fields: [...fields].sort() });
    }
  }
  for (const name of old.keys()) {
    if (!now.has(name)) changes.push({ list: list.name, kind: '-', name, fields: [] });
  }
  return changes;
}

/** One change for the log: `+ tool add`, `~ tool search (inputSchema)`. */
export function describe(change: ListChange): string {
  const fields = change.fields.length > 0 ? ` (${change.fields.map(printable).join(', ')})` : '';
  return `${change.kind} ${listNamed(change.list).noun} ${printable(change.name)}${fields}`;
}

/** The notifications that tell a client of these lists, each once. */
export function notificationsFor(changed: Iterable<ListName>): string[] {
  const names = new Set(changed);
  return [...new Set(LISTS.filter((list) => names.has(list.name)).map((list) => list.notification))];
}

/** Items of one name keep their order: it decides which of them a client takes. */
function byName(list: List, items: readonly unknown[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const name = isRecord(item) ? item[list.itemKey] : undefined;
    const key = typeof name === 'string' ? name : '(unnamed)';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function differingFields(before: unknown, after: unknown): string[] {
  if (!isRecord(before) || !isRecord(after)) return equalJson(before, after) ? [] : ['item'];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) =>
      !NO_DIFFERENCE.has(name) &&
      !(Object.hasOwn(before, name) === Object.hasOwn(after, name) && equalJson(before[name], after[name])),
  );
}

/** Deep equality of JSON values; a loop, since a schema may nest deeper than the stack. */
export function equalJson(before: unknown, after: unknown): boolean {
  const pairs: [unknown, unknown][] = [[before, after]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) pairs.push([a[i], b[i]]);
    } else if (isRecord(a) && isRecord(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return false;
      for (const key of keys) pairs.push([a[key], b[key]]);
    } else return false;
  }
  return true;
}

/** A name that could break a line of the log is shown as a JSON string. */
function printable(name: string): string {
  return /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name) ? name : JSON.stringify(name);
}
