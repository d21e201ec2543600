// Where the roots are. A root may be missing, be a link whose target changes, or be deleted and created again. The
// directory entries that decide this (the anchors) are watched, and a root is located again after an event of one of
// its anchors. tree.ts watches what lies inside a root directory.
import { dirname, join } from 'node:path';
import { namedKey } from './entry.js';
import type { Filter } from './filter.js';
import type { Hashing } from './hashing.js';
import type { TimeSlice } from './time-slice.js';
import { isBelow } from './paths.js';
import { locate, parentsInProject, type RootLocation, type Root } from './roots.js';
import type { FileToHash, Tree } from './tree.js';

export interface RootLocationsOptions {
  /** Without symbolic links. */
  cwd: string;
  roots: readonly Root[];
  tree: Tree;
  hashing: Hashing;
  filter: Filter;
  isNever(path: string): boolean;
  observe(directory: string): void;
  unobserve(directory: string): void;
  /** The content of files in this directory counts. */
  expectChanges(directory: string): void;
  forget(key: string): void;
}

export interface RootLocations {
  isAnchor(path: string): boolean;
  /** The directories that are watched because they contain an anchor. */
  readonly watchedParents: ReadonlySet<string>;
  /**
   * Locates the roots that depend on one of these paths (all roots, without) and takes in what is there; returns the
   * directories walked.
   */
  locateRoots(
    paths: readonly string[] | undefined,
    found: FileToHash[],
    slice: TimeSlice,
  ): Promise<ReadonlySet<string>>;
  /** Walks roots whose directories were dropped because of another root. */
  rewalkDropped(found: FileToHash[], slice: TimeSlice): Promise<void>;
  /** Roots with nothing there, globs that match nothing among them. */
  missing(slice: TimeSlice): Promise<Root[]>;
  /** The files that are named by themselves: key and path. */
  namedFiles(): readonly (readonly [string, string])[];
}

const NOWHERE: RootLocation = { kind: 'absent', real: '', anchors: [] };

export function createRootLocations(options: RootLocationsOptions): RootLocations {
  const { cwd, tree, hashing } = options;
  const locations = new Map<Root, RootLocation>(options.roots.map((root) => [root, NOWHERE]));
  const anchors = new Map<string, Set<Root>>();
  const watchedParents = new Set<string>();

  function find(root: Root): RootLocation {
    const location = locate(root.named, cwd);
    if (options.isNever(location.real) || options.isNever(root.named)) return NOWHERE;
    if ((root.glob || root.data) && location.kind === 'file') return { ...location, kind: 'absent' };
    if (location.kind !== 'directory') return location;
    const ignores = parentsInProject(location.real, cwd).map((parent) => join(parent, '.gitignore'));
    return { ...location, anchors: [...location.anchors, ...ignores] };
  }

  // Watches first and looks again then, until there is nothing new to watch: so no change in between is missed.
  function watchAndFind(root: Root): RootLocation {
    for (;;) {
      const location = find(root);
      const fresh = location.anchors.map((path) => dirname(path)).filter((directory) => !watchedParents.has(directory));
      if (fresh.length === 0) return location;
      for (const directory of fresh) {
        watchedParents.add(directory);
        if (!tree.directories.has(directory)) options.observe(directory);
      }
    }
  }

  // Another directory may have taken the place of a watched one, and the watch would stay on the old inode.
  function watchAnew(changedAnchors: string[] | undefined): void {
    for (const directory of watchedParents) {
      if (changedAnchors?.every((path) => directory !== path && !isBelow(directory, path))) continue;
      options.observe(directory);
    }
  }

  function move(root: Root, location: RootLocation): void {
    const before = locations.get(root)!;
    locations.set(root, location);
    for (const path of before.anchors) anchors.get(path)?.delete(root);
    for (const path of location.anchors) anchors.set(path, (anchors.get(path) ?? new Set()).add(root));
    if (before.kind === location.kind && before.real === location.real) return;
    if (before.kind === 'file' && location.kind !== 'file') options.forget(namedKey(root.label));
    if (before.kind === 'directory') {
      tree.rootsAt.get(before.real)?.delete(root);
      tree.drop(before.real);
    }
    if (location.kind === 'directory') {
      tree.rootsAt.set(location.real, (tree.rootsAt.get(location.real) ?? new Set()).add(root));
    }
  }

  function unwatchUnused(): void {
    for (const [path, roots] of anchors) if (roots.size === 0) anchors.delete(path);
    const needed = new Set([...anchors.keys()].map((path) => dirname(path)));
    for (const directory of watchedParents) {
      if (needed.has(directory)) continue;
      watchedParents.delete(directory);
      options.unobserve(directory);
    }
  }

  async function takeFiles(roots: Iterable<Root>, slice: TimeSlice): Promise<void> {
    for (const root of roots) {
      const location = locations.get(root)!;
      if (location.kind !== 'file') continue;
      options.expectChanges(dirname(location.real));
      const sharing = options.roots.filter(
        (other) => other.label === root.label && locations.get(other)!.kind === 'file',
      );
      const rules = [...new Set(sharing.map((other) => other.rule))].sort();
      await hashing.hashNamedFile(namedKey(root.label), location.real, rules, slice);
    }
  }

  async function hasMatch(root: Root, slice: TimeSlice): Promise<boolean> {
    for (const directory of tree.directories.values()) {
      const scope = directory.scopes.find((each) => each.root === root);
      if (scope === undefined) continue;
      for (const name of directory.files.keys()) {
        if (options.filter.accepts(scope, directory, name)) return true;
        const turn = slice();
        if (turn) await turn;
      }
    }
    return false;
  }

  function basesOf(roots: Iterable<Root>): string[] {
    const bases = [...roots].map((root) => locations.get(root)!).filter((location) => location.kind === 'directory');
    // Outer directories first: walking them covers most of the inner ones.
    return [...new Set(bases.map((location) => location.real))].sort((a, b) => a.length - b.length);
  }

  return {
    isAnchor: (path) => anchors.has(path),
    watchedParents,

    async locateRoots(paths, found, slice) {
      const roots = new Set(
        paths === undefined ? options.roots : paths.flatMap((path) => [...(anchors.get(path) ?? [])]),
      );
      const walked = new Set<string>();
      if (roots.size === 0) return walked;
      watchAnew(paths?.filter((path) => anchors.has(path)));
      for (const root of roots) move(root, watchAndFind(root));
      unwatchUnused();
      for (const base of basesOf(roots)) if (!walked.has(base)) await tree.walk(base, true, found, slice, walked);
      await takeFiles(roots, slice);
      return walked;
    },

    async rewalkDropped(found, slice) {
      for (const base of basesOf(options.roots)) {
        if (!tree.directories.has(base)) await tree.walk(base, true, found, slice);
      }
    },

    namedFiles: () =>
      [...locations].flatMap(([root, { kind, real }]) =>
        kind === 'file' ? [[namedKey(root.label), real] as const] : [],
      ),

    async missing(slice) {
      const missing: Root[] = [];
      for (const [root, location] of locations) {
        if (root.data) continue;
        const isThere = location === NOWHERE || location.kind === 'file';
        const isEmpty = location.kind === 'absent' || (root.glob && !(await hasMatch(root, slice)));
        if (!isThere && isEmpty) missing.push(root);
      }
      return missing;
    },
  };
}
