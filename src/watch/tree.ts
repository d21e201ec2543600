// The directories that are watched, and which of their files count. It walks (a directory is watched first and listed
// then, so that nothing falls in between), takes in what has stirred, and says of a raw event whether it can matter.
// Hashing what it finds is intake.ts's, where the roots lie is places.ts's.
import { basename, dirname, sep } from 'node:path';
import { openScope, withLayer, type Filter, type Place, type Scope } from './filter.js';
import { parseLayer } from './gitignore.js';
import { gitignoresAbove, list, type Listing } from './listing.js';
import type { Pace } from './pace.js';
import { statOf } from './paths.js';
import type { Root } from './roots.js';

export interface Directory extends Place {
  readonly path: string;
  /** The path with a separator at its end. */
  readonly prefix: string;
  readonly label: string;
  top: boolean;
  scopes: readonly Scope[];
  /** The names of the files and links that count, and their rules. */
  files: Map<string, readonly string[]>;
  readonly children: Set<string>;
}

/** A file or link whose content has to be looked at. */
export interface Found {
  readonly directory: Directory;
  readonly name: string;
  readonly link: boolean;
}

export interface TreeOptions {
  /** Without symbolic links. */
  cwd: string;
  filter: Filter;
  isNever(path: string): boolean;
  isExcluded(label: string): boolean;
  observe(directory: string): void;
  unobserve(directory: string): void;
  /** A file no longer counts, or is gone. */
  forget(label: string): void;
  unreadable(directory: string): void;
  /** The directory was listed, and what counts in it is known. */
  listed(directory: Directory, listing: Listing): void;
}

export interface Tree {
  readonly directories: ReadonlyMap<string, Directory>;
  readonly started: Map<string, Set<Root>>;
  walk(path: string, deep: boolean, found: Found[], pace: Pace, walked?: Set<string>): Promise<void>;
  visit(path: string, made: boolean, found: Found[], pace: Pace, walked?: ReadonlySet<string>): Promise<void>;
  drop(path: string): void;
  /** Whether a raw event can matter. */
  stirs(directory: string, name: string): boolean;
}

export function createTree(options: TreeOptions): Tree {
  const { cwd, filter } = options;
  const directories = new Map<string, Directory>();
  const started = new Map<string, Set<Root>>();
  const interned = new Map<string, readonly string[]>();

  function rulesOf(directory: Directory, name: string): readonly string[] | undefined {
    const rules: string[] = [];
    for (const scope of directory.scopes) {
      const { rule } = scope.root;
      if (!rules.includes(rule) && filter.takes(scope, directory, name)) rules.push(rule);
    }
    if (rules.length === 0 || options.isNever(directory.prefix + name)) return undefined;
    if (options.isExcluded(directory.label + name)) return undefined;
    if (rules.length > 1) rules.sort();
    const key = rules.join('\0');
    return interned.get(key) ?? (interned.set(key, rules), rules);
  }

  function scopesInto(parent: Directory | undefined, name: string): Scope[] {
    return (
      parent?.scopes.map((scope) => filter.enter(scope, parent, name)).filter((scope) => scope !== undefined) ?? []
    );
  }

  /** The directory with its scopes as they are now, without its own .gitignore; nothing if no root reaches it. */
  function open(path: string): Directory | undefined {
    const parent = directories.get(dirname(path));
    const name = basename(path);
    const inherited = parent && parent.path !== path ? scopesInto(parent, name) : [];
    const roots = [...(started.get(path) ?? [])];
    const above = roots.length > 0 ? gitignoresAbove(path, cwd) : [];
    const scopes = [...inherited, ...roots.map((root) => openScope(root, path, above))];
    if (scopes.length === 0 || options.isNever(path)) return undefined;
    const shown = inherited.length > 0 ? parent!.label + name : roots.map((root) => root.label).sort()[0];
    const label = shown === '' ? '' : `${shown}/`;
    const known = directories.get(path);
    if (known?.label === label) {
      known.scopes = scopes;
      return known;
    }
    // Reached by another way than before: what is in it has another name now.
    drop(path);
    const prefix = path.endsWith(sep) ? path : path + sep;
    const directory = { path, prefix, label, top: path === cwd, scopes, files: new Map(), children: new Set<string>() };
    directories.set(path, directory);
    parent?.children.add(name);
    return directory;
  }

  async function fill(directory: Directory, listing: Listing, found: Found[], pace: Pace): Promise<void> {
    const { gitignore } = listing;
    directory.top = listing.top || directory.path === cwd;
    if (gitignore !== undefined) {
      const layer = parseLayer(gitignore, '');
      directory.scopes = directory.scopes.map((scope) => withLayer(scope, layer));
    }
    const files: Directory['files'] = new Map();
    for (const [names, link] of [[listing.files, false] as const, [listing.links, true] as const]) {
      for (const name of names) {
        const turn = pace();
        if (turn) await turn;
        const rules = rulesOf(directory, name);
        if (rules === undefined) continue;
        files.set(name, rules);
        found.push({ directory, name, link });
      }
    }
    for (const name of directory.files.keys()) if (!files.has(name)) options.forget(directory.label + name);
    directory.files = files;
    const present = new Set(listing.directories);
    for (const name of directory.children) if (!present.has(name)) drop(directory.prefix + name);
  }

  function drop(path: string): void {
    const directory = directories.get(path);
    if (directory === undefined) return;
    directories.delete(path);
    directories.get(dirname(path))?.children.delete(basename(path));
    options.unobserve(path);
    for (const name of directory.files.keys()) options.forget(directory.label + name);
    directory.files = new Map();
    for (const name of directory.children) drop(directory.prefix + name);
  }

  async function walk(start: string, deep: boolean, found: Found[], pace: Pace, walked?: Set<string>): Promise<void> {
    const stack = [start];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      const turn = pace();
      if (turn) await turn;
      walked?.add(path);
      const known = directories.get(path);
      const directory = open(path);
      if (directory === undefined) {
        drop(path);
        continue;
      }
      // Another directory may have taken its place, and the old watch would follow the old one.
      if (deep || directory !== known) options.observe(path);
      const listed = list(path, pace);
      const listing = listed instanceof Promise ? await listed : listed;
      if (typeof listing === 'string') {
        drop(path);
        if (listing === 'unreadable') options.unreadable(path);
        continue;
      }
      await fill(directory, listing, found, pace);
      options.listed(directory, listing);
      for (const name of listing.directories) {
        if (deep || !directories.has(directory.prefix + name)) stack.push(directory.prefix + name);
      }
    }
  }

  return {
    directories,
    started,
    walk,
    drop,

    async visit(path, made, found, pace, walked) {
      const directory = directories.get(dirname(path));
      const name = basename(path);
      if (directory === undefined) return;
      if (name === '.gitignore') return walk(directory.path, true, found, pace);
      const stats = statOf(path);
      const isDirectory = stats?.isDirectory() ?? false;
      const counts = !isDirectory && (stats?.isFile() || stats?.isSymbolicLink());
      const rules = counts ? rulesOf(directory, name) : undefined;
      if (rules !== undefined) {
        directory.files.set(name, rules);
        found.push({ directory, name, link: stats!.isSymbolicLink() });
      } else if (directory.files.delete(name)) {
        options.forget(directory.label + name);
      }
      if (!isDirectory) drop(path);
      else if (!walked?.has(path)) await walk(path, made, found, pace);
    },

    stirs(path, name) {
      const directory = directories.get(path);
      if (directory === undefined) return false;
      const full = directory.prefix + name;
      if (directories.has(full) || name === '.gitignore') return true;
      if (directory.files.has(name)) return !options.isExcluded(directory.label + name);
      // Whatever this is, it is new or does not count. What is gone already was never known.
      const stats = statOf(full);
      if (stats === undefined || options.isNever(full)) return false;
      return stats.isDirectory() ? scopesInto(directory, name).length > 0 : rulesOf(directory, name) !== undefined;
    },
  };
}
