// Tells by their names whether files lie at paths and globs, for warnings that a file is left out. Ignored names and
// .gitignore files are not considered.
import { relative, sep } from 'node:path';
import { isBelow, realOf } from './paths.js';
import { parseRoot } from './roots.js';

export function coverage(paths: readonly string[], cwd: string): (file: string) => boolean {
  const roots = paths
    .map((path) => parseRoot('', path, cwd))
    .map(({ named, glob }) => ({ named: realOf(named), glob }));
  return (file) => {
    const real = realOf(file);
    return roots.some(({ named, glob }) => {
      if (glob === undefined) return real === named || isBelow(real, named);
      return isBelow(real, named) && glob.matches(relative(named, real).replaceAll(sep, '/'));
    });
  };
}
