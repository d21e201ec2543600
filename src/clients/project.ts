// The project in which a command is used: its directories, whether mcp-hotline is one of its dependencies, and which
// files git tracks. It only reads facts.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isFile, projectDirectories, readText } from '../config/discovery/disk.js';

export interface Project {
  /** The repository's directory; the current one where there is no repository. */
  readonly root: string;
  /** From the current directory up to the root. */
  readonly directories: readonly string[];
}

export function projectOf(cwd: string): Project {
  const above = projectDirectories(cwd);
  const root = above.at(-1);
  // Without a repository nothing tells how far up the project goes.
  if (root === undefined || !existsSync(join(root, '.git'))) return { root: cwd, directories: [cwd] };
  return { root, directories: above };
}

/** Whether a package.json between this directory and the root names mcp-hotline. */
export function isDependency(directory: string, root: string): boolean {
  return upTo(directory, root).some((at) => {
    try {
      const manifest = JSON.parse(readText(join(at, 'package.json')) ?? '{}') as Record<string, object | undefined>;
      return ['dependencies', 'devDependencies'].some((kind) => Object.hasOwn(manifest[kind] ?? {}, 'mcp-hotline'));
    } catch {
      return false;
    }
  });
}

/** The directory whose node_modules has mcp-hotline. */
export function installedIn(directory: string, root: string): string | undefined {
  return upTo(directory, root).find((at) => isFile(join(at, 'node_modules/mcp-hotline/bin/mcp-hotline.js')));
}

/** Whether git tracks the file; false where there is no git. */
export async function isTracked(file: string): Promise<boolean> {
  const words = ['-C', dirname(file), 'ls-files', '--error-unmatch', '--', basename(file)];
  return new Promise((resolve) => {
    execFile('git', words, { timeout: 5000, windowsHide: true }, (error) => resolve(error === null));
  });
}

function upTo(directory: string, root: string): string[] {
  const found = [directory];
  for (let at = directory; at !== root && dirname(at) !== at;) {
    at = dirname(at);
    found.push(at);
  }
  // A directory that is not below the root has nothing above it that counts.
  return found.at(-1) === root ? found : [directory];
}
