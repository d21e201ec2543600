// Writes what was found as the watch understands it: paths and globs relative to the working directory, and absolute
// globs for what is ignored. watch/ matches them.

import { isWide, realOf, shown } from './disk.js';

const special = /[*?[\]{}()]|^!/;

/** Everything in the directory whose name matches `glob`, which may reach into directories below. */
export function inDirectory(directory: string, glob: string, cwd: string): string {
  const base = shown(directory, cwd);
  // If the name of the directory looks like a glob, no glob can be added to it: the whole directory is watched.
  if (special.test(base)) return base;
  return base === '.' ? glob : `${base.replace(/\/$/, '')}/${glob}`;
}

/**
 * All files below the directory with one of these endings. If the directory is wider than a project, only its own
 * files.
 */
export function withEndings(directory: string, endings: readonly string[], cwd: string): string {
  const names = `*.${anyOf(endings)}`;
  return inDirectory(directory, isWide(directory) ? names : `**/${names}`, cwd);
}

/** The patterns for data files: whole directories, except those that are wider than a project. */
export function dataIn(directories: readonly string[], cwd: string): string[] {
  return directories.map((directory) =>
    isWide(directory) ? inDirectory(directory, '.env*', cwd) : shown(directory, cwd),
  );
}

export function anyOf(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `{${words.join(',')}}`;
}

/** A glob to ignore: `glob` in the directory, or all of it. */
export function ignored(directory: string, glob = ''): string {
  // The watch uses the paths of directories without symbolic links.
  const base = realOf(directory).replaceAll('\\', '/').replace(/\/$/, '');
  const rest = glob === '' ? '' : `/${glob}`;
  return escape(base) + rest;
}

/** Escapes the characters that have a meaning in globs. */
export function escape(text: string): string {
  return text.replace(/[[\]{}()!+@*?]/g, '\\$&');
}
