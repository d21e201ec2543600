// Follows the imports of YAML and JSON files: the files that they name, the files that those name, and so on. While a
// file can't be parsed, the names that it had last still count. It reads and does not watch; the caller decides when to
// follow again.

import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { formatOf, parseData } from './data-file.js';
import { isPath, stringsAt } from './import-paths.js';
import type { Rule } from './rule.js';

export interface Followed {
  /** Every file that was reached, absolute, the starting files first; files that do not exist yet are among them. */
  readonly files: readonly string[];
  readonly missing: readonly string[];
  /** One line each: `file:line:column: what is wrong`. */
  readonly problems: readonly string[];
}

/** Path of a file → the names in it when it could last be read. */
export type Known = Map<string, readonly string[]>;

/** More files than anybody imports. It stops files that are generated with ever new names. */
const MOST = 10_000;

export async function followImports(
  files: readonly string[],
  pattern: string,
  cwd: string,
  known: Known = new Map(),
): Promise<Followed> {
  const reached = new Set<string>();
  const visited = new Set<string>();
  const missing: string[] = [];
  const problems: string[] = [];
  const queue = files.map((file) => path.resolve(cwd, file));
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (reached.has(file)) continue;
    if (reached.size === MOST) {
      problems.push(`${shownAs(file, cwd)}: more than ${MOST} files are imported, the rest is not watched`);
      break;
    }
    reached.add(file);
    const seen = await look(file, pattern, visited);
    if (seen.kind === 'missing') missing.push(file);
    if (seen.kind === 'broken') problems.push(`${shownAs(file, cwd)}${seen.problem}`);
    if (seen.kind === 'names') known.set(file, seen.names);
    else if (seen.kind !== 'broken') known.delete(file);
    queue.push(...(known.get(file) ?? []));
  }
  return { files: [...reached], missing, problems };
}

type Seen =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly problem: string }
  /** The file was visited under another name, or is of a format that names no files. */
  | { readonly kind: 'end' };

async function look(file: string, pattern: string, visited: Set<string>): Promise<Seen> {
  let text: string;
  const format = formatOf(file);
  const directory = path.dirname(file);
  try {
    // A link that leads back up would result in ever longer names of the same file.
    const real = `${await realpath(file)}\0${await realpath(directory)}`;
    if (visited.has(real) || format === undefined) return { kind: 'end' };
    visited.add(real);
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return code === 'EISDIR' ? { kind: 'end' } : { kind: 'broken', problem: `: it can't be read: ${message}` };
  }
  const data = await parseData(text, format);
  if (!data.ok) return { kind: 'broken', problem: `:${data.line}:${data.column}: ${data.problem}` };
  const names = data.values.flatMap((value) => stringsAt(value, pattern)).filter(isPath);
  return { kind: 'names', names: names.map((name) => path.resolve(directory, name)) };
}

export interface Imports {
  /**
   * Name of a rule → the files that it imports, as of the last `follow`. After a change of one of them, follow again.
   */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Follows the imports of all rules. `changed`: a rule imports other files than before. */
  follow(): Promise<{ changed: boolean; missing: readonly string[]; problems: readonly string[] }>;
}

/** `expand` lists the files that paths and globs stand for at the moment. */
export function createImports(
  rules: readonly Rule[],
  cwd: string,
  expand: (paths: readonly string[]) => readonly string[],
): Imports {
  const knownOf = new Map<string, Known>();
  let files = new Map<string, readonly string[]>();
  return {
    get files() {
      return files;
    },
    async follow() {
      const before = files;
      const next = new Map<string, readonly string[]>();
      const missing = new Set<string>();
      const problems = new Set<string>();
      for (const { name, watch, imports } of rules) {
        if (imports === undefined) continue;
        const own = expand(watch);
        const known: Known = knownOf.get(name) ?? new Map();
        knownOf.set(name, known);
        const followed = await followImports(own, imports, cwd, known);
        const mine = new Set(own.map((file) => path.resolve(cwd, file)));
        next.set(name, followed.files.filter((file) => !mine.has(file)).sort());
        for (const file of followed.missing) if (!mine.has(file)) missing.add(file);
        for (const problem of followed.problems) problems.add(problem);
      }
      files = next;
      const changed = [...next].some(([name, now]) => now.join('\0') !== before.get(name)?.join('\0'));
      return { changed, missing: [...missing], problems: [...problems] };
    },
  };
}

function shownAs(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
