// Paths: resolved links, stat, and the labels that are shown. Facts only; which paths matter is decided elsewhere.
import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export function isBelow(path: string, directory: string): boolean {
  return (
    path.startsWith(directory) && path !== directory && (directory.endsWith(sep) || path[directory.length] === sep)
  );
}

/** Without symbolic links, as far as it exists. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

/** Of the entry itself, links not followed. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Of a link: whether there is a directory behind it. */
export function leadsToDirectory(link: string): boolean {
  try {
    return statSync(link, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // it leads to itself, or through what is closed to us
  }
}

/** Relative to the working directory with forward slashes; '' is the working directory itself. */
export function labelOf(path: string, cwd: string): string {
  const label = relative(cwd, path);
  return sep === '/' ? label : label.replaceAll(sep, '/');
}
