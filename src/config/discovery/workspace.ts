// The packages of one workspace: which dependencies of a package are sources next to it, which package builds it, and
// how that build is named when it is run from elsewhere. Reads manifests and links only.

import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isFile, isInstalled, nearestWith, projectDirectories, realOf, shown } from './disk.js';
import { manifestIn, readManifest, type Manifest } from './manifest.js';

export interface Build {
  /** A script of package.json, or a command. */
  readonly script: string;
  /** The package whose script it is. */
  readonly directory: string;
}

/** How a package manager is told to run a script of a package that it is not in, by the name of its lock file. */
const elsewhere: readonly (readonly [lock: string, command: string])[] = [
  ['pnpm-lock.yaml', 'pnpm --dir'],
  ['yarn.lock', 'yarn --cwd'],
  ['bun.lock', 'bun --cwd'],
  ['bun.lockb', 'bun --cwd'],
  ['package-lock.json', 'npm --prefix'],
  ['npm-shrinkwrap.json', 'npm --prefix'],
];
const locks = elsewhere.map(([lock]) => lock);

/** The first of these directories that is a package. */
export function packageIn(directories: readonly string[]): Manifest | undefined {
  const directory = nearestWith(directories, ['package.json']);
  return directory === undefined ? undefined : manifestIn(directory);
}

/** Where the lock file of the package lies. */
export function lockDirectory(directories: readonly string[]): string | undefined {
  return nearestWith(directories, locks);
}

/** The nearest package that has the script; one that never ends is no build. */
export function buildIn(directories: readonly string[], script = 'build'): Build | undefined {
  const found = nearestScript(directories, script);
  return found === undefined || neverEnds(found.text) ? undefined : { script, directory: found.directory };
}

/** The text of the script where that is no build because it never ends. */
export function endlessBuildIn(directories: readonly string[], script = 'build'): string | undefined {
  const found = nearestScript(directories, script);
  return found !== undefined && neverEnds(found.text) ? found.text : undefined;
}

function nearestScript(
  directories: readonly string[],
  script: string,
): { readonly text: string; readonly directory: string } | undefined {
  for (const directory of directories) {
    const text = manifestIn(directory)?.scripts[script];
    if (text !== undefined) return { text, directory };
  }
  return undefined;
}

function neverEnds(text: string): boolean {
  return /\s(--watch|-w)(\s|$)/.test(text);
}

/** The build as it is written in `cwd`: the script alone if `cwd` lies in its package. */
export function buildText({ script, directory }: Build, cwd: string): string {
  if (manifestIn(directory)?.scripts[script] === undefined) return script;
  if (readManifest(cwd)?.directory === directory) return script;
  const place = lockDirectory(projectDirectories(directory));
  const found = elsewhere.find(([lock]) => place !== undefined && isFile(join(place, lock)))?.[1] ?? 'npm --prefix';
  return `${found} ${quoted(shown(directory, cwd))} run ${script}`;
}

/** As one word of a command. */
export function quoted(path: string): string {
  if (/^[\w./:\\@+-]+$/.test(path)) return path;
  return path.includes("'") ? `"${path}"` : `'${path}'`;
}

/** The main files of the dependencies that are links to packages outside of node_modules. */
export function linkedMains({ directory, dependencies }: Manifest): string[] {
  return dependencies.flatMap((name) => {
    const target = linkTarget(name, directory);
    const manifest = target === undefined ? undefined : manifestIn(target);
    if (manifest === undefined) return [];
    const main = resolve(manifest.directory, manifest.main ?? 'index.js');
    return isFile(main) || manifest.main !== undefined ? [main] : [];
  });
}

function linkTarget(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at, 'node_modules', name);
    const kind = kindOf(path);
    if (kind !== undefined || at === dirname(at)) {
      const real = kind === 'link' ? realOf(path) : path;
      return kind === 'link' && !isInstalled(real) ? real : undefined;
    }
  }
}

function kindOf(path: string): 'link' | 'other' | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : stats.isSymbolicLink() ? 'link' : 'other';
  } catch {
    return undefined;
  }
}
