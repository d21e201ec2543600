// Tells quickly that discovery will find no build for a command, so that the server can be started before discovery is
// loaded: a start takes a few milliseconds less. It says yes only if that is certain; discover.ts handles all other
// cases.

import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Resolved } from '../config.js';
import { hasBuild } from '../rules.js';
import { isFile, projectDirectories, readText } from './disk.js';

/** Endings that Node runs as they are. */
const SCRIPTS = new Set(['.js', '.mjs', '.cjs']);
/** A build script, or packages next to this one, which may have a build script. */
const MAY_BUILD = /"build"|"workspaces"|"(workspace|link|file|portal):/;

export function hasNoBuild({ config, explicitOptions }: Pick<Resolved, 'config' | 'explicitOptions'>): boolean {
  if (!config.reload || explicitOptions.build === false) return true;
  if (explicitOptions.build !== undefined || hasBuild(config.rules)) return false;
  const [entry = ''] = config.args;
  if (entry.startsWith('-')) return false;
  const program = basename(config.command).replace(/\.exe$/i, '');
  if (/^python[\d.]*$/.test(program)) return extname(entry) === '.py';
  return program === 'node' && SCRIPTS.has(extname(entry)) && isAlone(resolve(config.cwd, entry));
}

/** No package.json above the entry names a build or other packages of a workspace. */
function isAlone(entry: string): boolean {
  return projectDirectories(dirname(entry)).every(
    (directory) =>
      !isFile(join(directory, 'pnpm-workspace.yaml')) &&
      !MAY_BUILD.test(readText(join(directory, 'package.json')) ?? ''),
  );
}
