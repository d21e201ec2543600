// Reads directories for discovery: names, subdirectories, the directories that a workspace's patterns stand for, and
// links that lead out of a project. There are no errors: a directory that can't be read counts as empty.

import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isDirectory, isInside, isInstalled, isWide, realOf } from './disk.js';

/** Directories with other people's files, or with output. */
const left = new Set(['node_modules', 'dist', 'build', 'out', 'target', 'venv', '__pycache__', 'vendor', 'coverage']);
/** No workspace is deeper, and a walk must not hold up the start. */
const DEPTH = 6;
const MAX_WALKED = 200;

export function namesIn(directory: string): string[] {
  return entriesIn(directory).map(({ name }) => name);
}

export function directoriesIn(directory: string): string[] {
  return entriesIn(directory)
    .filter((entry) => entry.isDirectory() && isOwn(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The directories that patterns like `packages/*`, `apps/**` and `!packages/old` stand for. */
export function expandDirectories(top: string, patterns: readonly string[]): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const isExcluded = pattern.startsWith('!');
    const segments = pattern
      .replace(/^!/, '')
      .split('/')
      .filter((one) => one !== '' && one !== '.');
    for (const directory of matching(top, segments, 0)) {
      if (isExcluded) found.delete(directory);
      else found.add(directory);
    }
  }
  return [...found];
}

function matching(directory: string, [first, ...rest]: readonly string[], depth: number): string[] {
  if (first === undefined) return isDirectory(directory) ? [directory] : [];
  if (depth > DEPTH) return [];
  if (first === '**') {
    const deeper = directoriesIn(directory).flatMap((name) =>
      matching(join(directory, name), [first, ...rest], depth + 1),
    );
    return [...matching(directory, rest, depth), ...deeper];
  }
  if (!first.includes('*')) return matching(join(directory, first), rest, depth + 1);
  const pattern = new RegExp(`^${first.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`);
  return directoriesIn(directory)
    .filter((name) => pattern.test(name))
    .flatMap((name) => matching(join(directory, name), rest, depth + 1));
}

/** Links in a project to directories outside of it. What is in those is watched only if they are named. */
export function linksOut(top: string): string[] {
  if (isWide(top)) return [];
  const real = realOf(top);
  const found: string[] = [];
  const queue = [top];
  for (let at = 0; at < queue.length && at < MAX_WALKED; at++) {
    for (const entry of entriesIn(queue[at]!)) {
      const path = join(queue[at]!, entry.name);
      if (!isOwn(entry.name)) continue;
      if (entry.isDirectory()) queue.push(path);
      else if (entry.isSymbolicLink() && isDirectory(path)) {
        const target = realOf(path);
        if (!isInside(target, real) && !isInside(real, target) && !isInstalled(target) && !isWide(target))
          found.push(path);
      }
    }
  }
  return found.sort();
}

function isOwn(name: string): boolean {
  return !name.startsWith('.') && !left.has(name);
}

function entriesIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
