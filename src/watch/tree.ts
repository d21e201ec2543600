// The directories that are watched, and which of their files count. A directory is watched first and listed then, so
// that no change in between is missed. The tree is updated after events, and says of a raw event whether it can matter.
// hashing.ts hashes the files that it finds, root-locations.ts knows where the roots are.
import { basename, dirname, sep } from 'node:path';
import { isDataFile, MAX_DATA_DIRECTORIES, MAX_DATA_FILES } from './data-files.js';
import { openScope, withLayer, type Filter, type FilteredDirectory, type Scope } from './filter.js';
import { parseLayer } from './gitignore.js';
import { gitignoresAbove, list, type Listing } from './listing.js';
import type { TimeSlice } from './time-slice.js';
import { isDirectoryIgnoredByDefault } from './default-ignores.js';
import { leadsToDirectory, statOf } from './paths.js';
import type { Root } from './roots.js';

export interface Directory extends FilteredDirectory {
  readonly path: string;
  /** The path with a separator at its end. */
  readonly prefix: string;
  readonly label: string;
  top: boolean;
  scopes: readonly Scope[];
  /** The names of the files and links that count. */
  files: Map<string, Membership>;
  /** It contains too many data files: they are not watched. */
  crowded: boolean;
  readonly children: Set<string>;
}

/** The rules that a file belongs to. One object is shared by all files of the same rules. */
export interface Membership {
  readonly rules: readonly string[];
  /** It belongs to them as a data file only. */
  readonly data: boolean;
}

/** A file or link whose content has to be looked at. */
export interface FileToHash {
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
  onCrowded(directory: string, what: 'files' | 'directories'): void;
  /** The directory was listed, and what counts in it is known. */
  onListed(directory: Directory, listing: Listing): void;
}

export interface Tree {
  readonly directories: ReadonlyMap<string, Directory>;
  readonly rootsAt: Map<string, Set<Root>>;
  walk(path: string, deep: boolean, found: FileToHash[], slice: TimeSlice, walked?: Set<string>): Promise<void>;
  visit(
    path: string,
    made: boolean,
    found: FileToHash[],
    slice: TimeSlice,
    walked?: ReadonlySet<string>,
  ): Promise<void>;
  drop(path: string): void;
  /** Whether a raw event can matter. */
  isRelevant(directory: string, name: string): boolean;
}

export function createTree(options: TreeOptions): Tree {
  const { cwd, filter } = options;
  const directories = new Map<string, Directory>();
  const rootsAt = new Map<string, Set<Root>>();
  const interned = new Map<string, Membership>();
  /** Directories that only roots for data files reach. */
  const dataDirectories = new Set<string>();

  /**
   * `isDirectoryLink`: the entry is a link to a directory. It counts if files in that directory would count, because
   * the link decides which files are there.
   */
  function membershipOf(directory: Directory, name: string, isDirectoryLink: boolean): Membership | undefined {
    const rules: string[] = [];
    let isData = true;
    for (const scope of directory.scopes) {
      const { rule, data } = scope.root;
      if (data && directory.crowded) continue;
      if (rules.includes(rule) && (data || !isData)) continue;
      // A link to `node_modules` is left out as the directory itself would be.
      if (
        isDirectoryLink &&
        isDirectoryIgnoredByDefault(name, directory.top) &&
        !scope.root.glob?.segments.includes(name)
      )
        continue;
      const reaches = isDirectoryLink && !data && filter.enter(scope, directory, name) !== undefined;
      if (!reaches && !filter.accepts(scope, directory, name)) continue;
      if (!data) isData = false;
      if (!rules.includes(rule)) rules.push(rule);
    }
    if (rules.length === 0 || options.isNever(directory.prefix + name)) return undefined;
    if (rules.length > 1) rules.sort();
    const key = `${isData}\0${rules.join('\0')}`;
    let membership = interned.get(key);
    if (membership === undefined) interned.set(key, (membership = { rules, data: isData }));
    return membership;
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
    const roots = [...(rootsAt.get(path) ?? [])];
    const above = roots.length > 0 ? gitignoresAbove(path, cwd) : [];
    const scopes = [...inherited, ...roots.map((root) => openScope(root, path, above))];
    if (scopes.length === 0 || options.isNever(path)) return undefined;
    if (scopes.every((scope) => scope.root.data) && !dataDirectories.has(path)) {
      if (dataDirectories.size >= MAX_DATA_DIRECTORIES) {
        options.onCrowded(path, 'directories');
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
    // The directory is reached by another path than before, so its files have other labels.
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

  async function fill(directory: Directory, listing: Listing, found: FileToHash[], slice: TimeSlice): Promise<void> {
    const { gitignore } = listing;
    directory.top = listing.top || directory.path === cwd;
    if (gitignore !== undefined) {
      const layer = parseLayer(gitignore, '');
      directory.scopes = directory.scopes.map((scope) => withLayer(scope, layer));
    }
    const isForData = directory.scopes.some((scope) => scope.root.data);
    directory.crowded = isForData && listing.files.filter(isDataFile).length > MAX_DATA_FILES;
    if (directory.crowded) options.onCrowded(directory.path, 'files');
    const files: Directory['files'] = new Map();
    for (const [names, link] of [[listing.files, false] as const, [listing.links, true] as const]) {
      for (const name of names) {
        const turn = slice();
        if (turn) await turn;
        const membership = membershipOf(directory, name, link && leadsToDirectory(directory.prefix + name));
        if (membership === undefined) continue;
        files.set(name, membership);
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

  async function walk(
    start: string,
    deep: boolean,
    found: FileToHash[],
    slice: TimeSlice,
    walked?: Set<string>,
  ): Promise<void> {
    const stack = [start];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      const turn = slice();
      if (turn) await turn;
      walked?.add(path);
      const known = directories.get(path);
      const directory = open(path);
      if (directory === undefined) {
        drop(path);
        continue;
      }
      // Another directory may have taken its place, and the watch would stay on the old inode.
      if (deep || directory !== known) options.observe(path);
      const listed = list(path, slice);
      const listing = listed instanceof Promise ? await listed : listed;
      if (typeof listing === 'string') {
        drop(path);
        if (listing === 'unreadable') options.unreadable(path);
        continue;
      }
      await fill(directory, listing, found, slice);
      options.onListed(directory, listing);
      for (const name of listing.directories) {
        if (deep || !directories.has(directory.prefix + name)) stack.push(directory.prefix + name);
      }
    }
  }

  return {
    directories,
    rootsAt,
    walk,
    drop,

    async visit(path, made, found, slice, walked) {
      const directory = directories.get(dirname(path));
      const name = basename(path);
      if (directory === undefined) return;
      if (name === '.gitignore') return walk(directory.path, true, found, slice);
      const stats = statOf(path);
      const isDirectory = stats?.isDirectory() ?? false;
      const link = stats?.isSymbolicLink() ?? false;
      const counts = link || (stats?.isFile() ?? false);
      const membership = counts ? membershipOf(directory, name, link && leadsToDirectory(path)) : undefined;
      if (membership !== undefined) {
        directory.files.set(name, membership);
        found.push({ directory, name, link });
      } else if (directory.files.delete(name)) {
        options.forget(directory.label + name);
      }
      if (!isDirectory) drop(path);
      else if (!walked?.has(path)) await walk(path, made, found, slice);
    },

    isRelevant(path, name) {
      const directory = directories.get(path);
      if (directory === undefined) return false;
      const full = directory.prefix + name;
      if (directories.has(full) || name === '.gitignore') return true;
      if (directory.files.has(name)) return true;
      // The entry is new or does not count. If it does not exist any more, it was never known.
      const stats = statOf(full);
      if (stats === undefined || options.isNever(full)) return false;
      if (stats.isDirectory()) return scopesInto(directory, name).length > 0;
      return membershipOf(directory, name, stats.isSymbolicLink() && leadsToDirectory(full)) !== undefined;
    },
  };
}
