// The directories that are watched, and which of their files count. It walks (a directory is watched first and listed
// then, so that nothing falls in between), takes in what has stirred, and says of a raw event whether it can matter.
// Hashing what it finds is intake.ts's, where the roots lie is places.ts's.
import { basename, dirname, sep } from 'node:path';
import { isDataFile, MAX_DATA_DIRECTORIES, MAX_DATA_FILES } from './data-files.js';
import { openScope, withLayer, type Filter, type Place, type Scope } from './filter.js';
import { parseLayer } from './gitignore.js';
import { gitignoresAbove, list, type Listing } from './listing.js';
import type { Pace } from './time-slice.js';
import { isDullDirectory } from './default-ignores.js';
import { leadsToDirectory, statOf } from './paths.js';
import type { Root } from './roots.js';

export interface Directory extends Place {
  readonly path: string;
  /** The path with a separator at its end. */
  readonly prefix: string;
  readonly label: string;
  top: boolean;
  scopes: readonly Scope[];
  /** The names of the files and links that count. */
  files: Map<string, Taken>;
  /** It holds too many data files to watch them. */
  crowded: boolean;
  readonly children: Set<string>;
}

/** What a file counts for; shared by all files of which it is the same. */
export interface Taken {
  readonly rules: readonly string[];
  /** Only as data of the package. */
  readonly data: boolean;
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
  observe(directory: string): void;
  unobserve(directory: string): void;
  /** A file no longer counts, or is gone. */
  forget(label: string): void;
  unreadable(directory: string): void;
  /** There are too many data files in the directory, or too many directories that might hold some. */
  crowded(directory: string, what: 'files' | 'directories'): void;
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
  const interned = new Map<string, Taken>();
  /** Directories that no other root than those for data reaches. */
  const dataDirectories = new Set<string>();

  /**
   * `isDirectoryLink`: the entry is a link to a directory. It counts if files behind it would: it decides which ones
   * are there.
   */
  function takenFor(directory: Directory, name: string, isDirectoryLink: boolean): Taken | undefined {
    const rules: string[] = [];
    let isData = true;
    for (const scope of directory.scopes) {
      const { rule, data } = scope.root;
      if (data && directory.crowded) continue;
      if (rules.includes(rule) && (data || !isData)) continue;
      // A link to `node_modules` is left out as the directory itself would be.
      if (isDirectoryLink && isDullDirectory(name, directory.top) && !scope.root.glob?.segments.includes(name))
        continue;
      const reaches = isDirectoryLink && !data && filter.enter(scope, directory, name) !== undefined;
      if (!reaches && !filter.takes(scope, directory, name)) continue;
      if (!data) isData = false;
      if (!rules.includes(rule)) rules.push(rule);
    }
    if (rules.length === 0 || options.isNever(directory.prefix + name)) return undefined;
    if (rules.length > 1) rules.sort();
    const key = `${isData}\0${rules.join('\0')}`;
    let taken = interned.get(key);
    if (taken === undefined) interned.set(key, (taken = { rules, data: isData }));
    return taken;
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
    if (scopes.every((scope) => scope.root.data) && !dataDirectories.has(path)) {
      if (dataDirectories.size >= MAX_DATA_DIRECTORIES) {
        options.crowded(path, 'directories');
        return undefined;
      }
      dataDirectories.add(path);
    }
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
    const directory: Directory = {
      path,
      prefix,
      label,
      scopes,
      top: path === cwd,
      files: new Map(),
      crowded: false,
      children: new Set<string>(),
    };
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
    const isForData = directory.scopes.some((scope) => scope.root.data);
    directory.crowded = isForData && listing.files.filter(isDataFile).length > MAX_DATA_FILES;
    if (directory.crowded) options.crowded(directory.path, 'files');
    const files: Directory['files'] = new Map();
    for (const [names, link] of [[listing.files, false] as const, [listing.links, true] as const]) {
      for (const name of names) {
        const turn = pace();
        if (turn) await turn;
        const taken = takenFor(directory, name, link && leadsToDirectory(directory.prefix + name));
        if (taken === undefined) continue;
        files.set(name, taken);
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
    dataDirectories.delete(path);
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
      const link = stats?.isSymbolicLink() ?? false;
      const counts = link || (stats?.isFile() ?? false);
      const taken = counts ? takenFor(directory, name, link && leadsToDirectory(path)) : undefined;
      if (taken !== undefined) {
        directory.files.set(name, taken);
        found.push({ directory, name, link });
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
      if (directory.files.has(name)) return true;
      // Whatever this is, it is new or does not count. What is gone already was never known.
      const stats = statOf(full);
      if (stats === undefined || options.isNever(full)) return false;
      if (stats.isDirectory()) return scopesInto(directory, name).length > 0;
      return takenFor(directory, name, stats.isSymbolicLink() && leadsToDirectory(full)) !== undefined;
    },
  };
}
