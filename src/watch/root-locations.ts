// Where the roots are: a root may be missing, be a link that is turned elsewhere, be deleted and made again. The
// directory entries that decide it (the anchors) are watched, and a root whose anchor stirs is located anew. What lies
// inside a root directory is the tree's business.
import { dirname, join } from 'node:path';
import { namedKey } from './entry.js';
import type { Filter } from './filter.js';
import type { Intake } from './hashing.js';
import type { Pace } from './time-slice.js';
import { isBelow } from './paths.js';
import { locate, parentsInProject, type Place, type Root } from './roots.js';
import type { Found, Tree } from './tree.js';

export interface PlacesOptions {
  /** Without symbolic links. */
  cwd: string;
  roots: readonly Root[];
  tree: Tree;
  intake: Intake;
  filter: Filter;
  isNever(path: string): boolean;
  observe(directory: string): void;
  unobserve(directory: string): void;
  /** Files in the directory count by their content. */
  expectChanges(directory: string): void;
  forget(key: string): void;
}

export interface Places {
  isAnchor(path: string): boolean;
  /** The directories that are watched for anchors. */
  readonly holds: ReadonlySet<string>;
  /** Locates the roots that depend on one of these paths (all roots, without) and takes in what is there; returns the
   * directories walked. */
  settle(paths: readonly string[] | undefined, found: Found[], pace: Pace): Promise<ReadonlySet<string>>;
  /** Walks what a root names and something else has let go of. */
  mend(found: Found[], pace: Pace): Promise<void>;
  /** Roots with nothing there, globs that match nothing among them. */
  missing(pace: Pace): Promise<Root[]>;
  /** How many files are named by themselves. */
  files(): number;
}

const NOWHERE: Place = { kind: 'absent', real: '', anchors: [] };

export function createPlaces(options: PlacesOptions): Places {
  const { cwd, tree, intake } = options;
  const places = new Map<Root, Place>(options.roots.map((root) => [root, NOWHERE]));
  const anchors = new Map<string, Set<Root>>();
  const holds = new Set<string>();

  function find(root: Root): Place {
    const place = locate(root.named, cwd);
    if (options.isNever(place.real) || options.isNever(root.named)) return NOWHERE;
    if ((root.glob || root.data) && place.kind === 'file') return { ...place, kind: 'absent' };
    if (place.kind !== 'directory') return place;
    const ignores = parentsInProject(place.real, cwd).map((parent) => join(parent, '.gitignore'));
    return { ...place, anchors: [...place.anchors, ...ignores] };
  }

  // First watched, then looked at again, until there is nothing new to watch: nothing falls in between.
  function watchAndFind(root: Root): Place {
    for (;;) {
      const place = find(root);
      const fresh = place.anchors.map((path) => dirname(path)).filter((directory) => !holds.has(directory));
      if (fresh.length === 0) return place;
      for (const directory of fresh) {
        holds.add(directory);
        if (!tree.directories.has(directory)) options.observe(directory);
      }
    }
  }

  // Another directory may have taken the place of one of these, and the old watch would follow the old one.
  function watchAnew(stirred: string[] | undefined): void {
    for (const directory of holds) {
      if (stirred?.every((path) => directory !== path && !isBelow(directory, path))) continue;
      options.observe(directory);
    }
  }

  function move(root: Root, place: Place): void {
    const before = places.get(root)!;
    places.set(root, place);
    for (const path of before.anchors) anchors.get(path)?.delete(root);
    for (const path of place.anchors) anchors.set(path, (anchors.get(path) ?? new Set()).add(root));
    if (before.kind === place.kind && before.real === place.real) return;
    if (before.kind === 'file' && place.kind !== 'file') options.forget(namedKey(root.label));
    if (before.kind === 'directory') {
      tree.started.get(before.real)?.delete(root);
      tree.drop(before.real);
    }
    if (place.kind === 'directory') {
      tree.started.set(place.real, (tree.started.get(place.real) ?? new Set()).add(root));
    }
  }

  function letGo(): void {
    for (const [path, roots] of anchors) if (roots.size === 0) anchors.delete(path);
    const needed = new Set([...anchors.keys()].map((path) => dirname(path)));
    for (const directory of holds) {
      if (needed.has(directory)) continue;
      holds.delete(directory);
      options.unobserve(directory);
    }
  }

  async function takeFiles(roots: Iterable<Root>, pace: Pace): Promise<void> {
    for (const root of roots) {
      const place = places.get(root)!;
      if (place.kind !== 'file') continue;
      options.expectChanges(dirname(place.real));
      const sharing = options.roots.filter((other) => other.label === root.label && places.get(other)!.kind === 'file');
      const rules = [...new Set(sharing.map((other) => other.rule))].sort();
      await intake.takeNamed(namedKey(root.label), place.real, rules, pace);
    }
  }

  async function hasMatch(root: Root, pace: Pace): Promise<boolean> {
    for (const directory of tree.directories.values()) {
      const scope = directory.scopes.find((each) => each.root === root);
      if (scope === undefined) continue;
      for (const name of directory.files.keys()) {
        if (options.filter.takes(scope, directory, name)) return true;
        const turn = pace();
        if (turn) await turn;
      }
    }
    return false;
  }

  function basesOf(roots: Iterable<Root>): string[] {
    const bases = [...roots].map((root) => places.get(root)!).filter((place) => place.kind === 'directory');
    // Outer ones first: they mostly cover the inner ones.
    return [...new Set(bases.map((place) => place.real))].sort((a, b) => a.length - b.length);
  }

  return {
    isAnchor: (path) => anchors.has(path),
    holds,

    async settle(paths, found, pace) {
      const roots = new Set(
        paths === undefined ? options.roots : paths.flatMap((path) => [...(anchors.get(path) ?? [])]),
      );
      const walked = new Set<string>();
      if (roots.size === 0) return walked;
      watchAnew(paths?.filter((path) => anchors.has(path)));
      for (const root of roots) move(root, watchAndFind(root));
      letGo();
      for (const base of basesOf(roots)) if (!walked.has(base)) await tree.walk(base, true, found, pace, walked);
      await takeFiles(roots, pace);
      return walked;
    },

    async mend(found, pace) {
      for (const base of basesOf(options.roots)) {
        if (!tree.directories.has(base)) await tree.walk(base, true, found, pace);
      }
    },

    files: () => [...places.values()].filter(({ kind }) => kind === 'file').length,

    async missing(pace) {
      const missing: Root[] = [];
      for (const [root, place] of places) {
        if (root.data) continue;
        const isThere = place === NOWHERE || place.kind === 'file';
        const isEmpty = place.kind === 'absent' || (root.glob && !(await hasMatch(root, pace)));
        if (!isThere && isEmpty) missing.push(root);
      }
      return missing;
    },
  };
}
