// The questions of discovery to the disk: small and synchronous, answered with nothing where there is no answer. The
// only decision here is how far up a project can reach.

import { accessSync, constants, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}

export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return undefined;
  }
}

/** The path without symbolic links, as far as it exists. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** `directory` and the directories above it in the repository, without those that are wider than a project. */
export function projectDirectories(directory: string): string[] {
  const found: string[] = [];
  for (let at = resolve(directory); !isWide(at); at = dirname(at)) {
    found.push(at);
    if (statOf(join(at, '.git')) !== undefined) break;
  }
  return found;
}

/** Whether it is a directory like the home directory, where a package.json says nothing about what lies below. */
export function isWide(directory: string): boolean {
  if (directory === dirname(directory)) return true;
  const [home, temporary] = [homeOf(), tmpdir()];
  return (
    [home, realOf(home)].some((path) => isInside(path, directory)) ||
    directory === temporary ||
    directory === realOf(temporary)
  );
}

function homeOf(): string {
  try {
    return homedir();
  } catch {
    return tmpdir();
  }
}

/** The nearest of these directories that has one of these files. */
export function nearestWith(directories: readonly string[], names: readonly string[]): string | undefined {
  return directories.find((directory) => names.some((name) => isFile(join(directory, name))));
}

/** Whether the path belongs to an installed program, which nobody edits in place. */
export function isInstalled(path: string): boolean {
  return (
    /[\\/](node_modules|site-packages|dist-packages)[\\/]/.test(path) ||
    /^\/(usr\/(local\/)?(s?bin|lib|libexec|share)|s?bin|lib|opt\/homebrew|nix\/store|snap)\//.test(path)
  );
}

/** The path as it is shown and written in patterns: relative to `cwd` where that is short, with forward slashes. */
export function shown(path: string, cwd: string): string {
  if (path === cwd) return '.';
  const way = relative(cwd, path);
  const text = way.startsWith(join('..', '..', '..')) ? path : way;
  return sep === '/' ? text : text.replaceAll(sep, '/');
}

/** The ending without its dot, in lower case. */
export function endingOf(path: string): string {
  return /\.([^.]+)$/.exec(basename(path))?.[1]?.toLowerCase() ?? '';
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a name that is too long, a directory that is closed to us
  }
}
