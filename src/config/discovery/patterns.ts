// Writes what was found as the watch understands it: paths and globs from the working directory, and absolute globs for
// what is left out. How they are matched is watch/'s.

import { isWide, realOf, shown } from './disk.js';

const special = /[*?[\]{}()]|^!/;

/** Everything in the directory whose name matches `glob`, which may reach into directories below. */
export function inDirectory(directory: string, glob: string, cwd: string): string {
  const base = shown(directory, cwd);
  // A glob can't stand below a directory whose own name looks like one: then the directory is watched as a whole.
  if (special.test(base)) return base;
  return base === '.' ? glob : `${base.replace(/\/$/, '')}/${glob}`;
}

/**
 * All files below the directory with one of these endings; of a directory that holds more than a project only its own.
 */
export function withEndings(directory: string, endings: readonly string[], cwd: string): string {
  const names = `*.${anyOf(endings)}`;
  return inDirectory(directory, isWide(directory) ? names : `**/${names}`, cwd);
}

/** Where data files lie: all through the directories, unless one of them holds more than a project. */
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
  // The watch knows directories without symbolic links.
  const base = realOf(directory).replaceAll('\\', '/').replace(/\/$/, '');
  const rest = glob === '' ? '' : `/${glob}`;
  return escape(base) + rest;
}

/** So that a glob means these characters and nothing else. */
export function escape(text: string): string {
  return text.replace(/[[\]{}()!+@*?]/g, '\\$&');
}
