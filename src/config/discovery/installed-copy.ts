// Finds the copy of a Python package that was installed without -e: Python runs the copy, so an edit has no effect
// until the package is installed again. Looks in a virtual environment for the file that Python would import. Nothing
// is run.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstalledCopy } from '../installed-copy.js';
import { namesIn } from './directories.js';
import { isFile, isInside, isInstalled, nearestWith, projectDirectories, readText, realOf, shown } from './disk.js';

export interface Imported {
  /** As in `python -m`. */
  readonly module: string;
  /** Its source file, and the directory from which its imports are resolved. */
  readonly file: string;
  readonly root: string;
  /** The directories that Python searches before the environment: the working directory, PYTHONPATH. */
  readonly first: readonly string[];
}

export function findInstalledCopy(
  { module, file, root, first }: Imported,
  venv: string,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): InstalledCopy | undefined {
  if (first.some((directory) => realOf(directory) === realOf(root))) return undefined;
  for (const packages of sitePackagesOf(venv, platform)) {
    const copy = moduleFiles(join(packages, ...module.split('.'))).find(isFile);
    // A link to the sources is no copy.
    if (copy === undefined || !isInstalled(realOf(copy)) || isEditable(packages, file)) continue;
    const project = nearestWith(projectDirectories(root), ['pyproject.toml', 'setup.py', 'setup.cfg']) ?? root;
    return { copy, sources: shown(root, cwd), install: `pip install -e ${shown(project, cwd)}`, environment: venv };
  }
  return undefined;
}

/** The files that a module can be, in the order in which `python -m` would take them. */
export function moduleFiles(base: string): string[] {
  return [`${base}.py`, join(base, '__main__.py'), join(base, '__init__.py')];
}

export function sitePackagesOf(venv: string, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return [join(venv, 'Lib', 'site-packages')];
  const library = join(venv, 'lib');
  return namesIn(library)
    .filter((name) => /^(python|pypy)\d/.test(name))
    .map((name) => join(library, name, 'site-packages'));
}

/**
 * Some backends put compiled code of an editable package into the environment; its Python code still runs from the
 * sources.
 */
function isEditable(packages: string, source: string): boolean {
  return namesIn(packages)
    .filter((name) => name.endsWith('.dist-info'))
    .some((name) => {
      const origin = originOf(readText(join(packages, name, 'direct_url.json')));
      return origin?.editable === true && isInside(realOf(source), realOf(origin.directory));
    });
}

/** The directory that the package with this command was installed from. */
export function installedFrom(
  command: string,
  venv: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const key = new RegExp(`^${command.replace(/[^\w]/g, '\\$&')}\\s*=`, 'm');
  return sitePackagesOf(venv, platform)
    .flatMap((packages) => namesIn(packages).map((name) => join(packages, name)))
    .filter((path) => path.endsWith('.dist-info') && key.test(readText(join(path, 'entry_points.txt')) ?? ''))
    .map((path) => originOf(readText(join(path, 'direct_url.json')))?.directory)
    .find((directory) => directory !== undefined);
}

/** The directory that a package was installed from, if it was one. */
function originOf(text: string | undefined): { directory: string; editable: boolean } | undefined {
  try {
    const { url, dir_info: info } = JSON.parse(text ?? '') as { url?: unknown; dir_info?: { editable?: unknown } };
    if (typeof url !== 'string' || !url.startsWith('file:')) return undefined;
    return { directory: fileURLToPath(url), editable: info?.editable === true };
  } catch {
    return undefined;
  }
}
