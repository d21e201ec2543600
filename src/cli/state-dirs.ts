// Where the proxies of a directory keep their state: one place a server command, found by what they say about themselves.
// What is in there is for status.ts and log.ts.

import { dirname, resolve } from 'node:path';
import type { Result } from '../config/check.js';
import type { Given } from '../config/config.js';
import { stateDir } from '../config/state-dir.js';
import { aboutOf, stateDirsOf, type About } from '../log/shown.js';
import { currentDirectory } from './current-directory.js';

export interface Places {
  readonly cwd: string;
  readonly dirs: readonly { readonly dir: string; readonly about: About }[];
}

export async function findStateDirs(given: Given): Promise<Result<Places>> {
  const here = currentDirectory(given);
  if (!here.ok) return here;
  const { env } = process;
  const cwd = resolve(here.value, given.cwd ?? '');
  const named = given.stateDir ?? env['MCP_HOTLINE_STATE_DIR'];
  if (named === undefined) {
    const dirs = await stateDirsOf(dirname(stateDir({ cwd, env })), cwd);
    return { ok: true, value: { cwd, dirs } };
  }
  const found = await aboutOf(resolve(cwd, named));
  return { ok: true, value: { cwd, dirs: found === undefined ? [] : [found] } };
}

export function nothingFound(cwd: string): string {
  return `nothing is known of ${cwd}: no proxy that reloads has run there. Start one with mcp-hotline [options] -- <command> [args…], or name another directory with --cwd`;
}
