// Lists the files that paths and globs stand for at the moment, for callers that read the files before they are
// watched. It judges by name only and ignores .gitignore files, so it may list a little more than is watched.
import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryIgnoredByDefault, isIgnoredByDefault } from './default-ignores.js';
import { parseRoot, type Glob } from './roots.js';

/** Absolute paths. What is named without being a glob is among them even if it does not exist. */
export function expand(paths: readonly string[], cwd: string): string[] {
  const files = paths.flatMap((path) => {
    const { named, glob } = parseRoot('', path, cwd);
    if (glob === undefined && !isDirectory(named)) return [named];
    return below(named, '', glob);
  });
  return [...new Set(files)];
}

function below(base: string, prefix: string, glob: Glob | undefined): string[] {
  return entriesOf(join(base, prefix)).flatMap((entry) => {
    const { name } = entry;
    const path = prefix + name;
    if (entry.isDirectory()) {
      if (glob?.reaches(path) === false) return [];
      const isWanted = glob?.segments.includes(name) === true || !isDirectoryIgnoredByDefault(name, false);
      return isWanted ? below(base, `${path}/`, glob) : [];
    }
    if (!entry.isFile() && !entry.isSymbolicLink()) return [];
    return (glob === undefined ? !isIgnoredByDefault(name) : glob.matches(path)) ? [join(base, path)] : [];
  });
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
