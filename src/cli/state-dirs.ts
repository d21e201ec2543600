// Finds the state directories of the proxies of a directory, one for each server command, by the descriptions in them.
// status.ts and log.ts read their content.

import { basename, dirname, resolve } from 'node:path';
import type { Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';
import { stateDir } from '../config/state-dir.js';
import { aboutOf, stateDirsOf, type About } from '../state/status-file.js';
import { currentDirectory } from './current-directory.js';

export interface Places {
  readonly cwd: string;
  readonly dirs: readonly { readonly dir: string; readonly about: About }[];
}

export async function findStateDirs(given: CommandLineOptions): Promise<Result<Places>> {
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

/** The command as it was typed. Arguments that look like keys are masked already. */
export function commandText({ command, args = [] }: About): string {
  return [command, ...args].map((word) => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/**
 * Identifies a server among others of the same directory: a part of the digest of its command, or the name of its state
 * directory.
 */
export function idOf(dir: string): string {
  return /-[0-9a-f]{12}([0-9a-f]{4})$/.exec(dir)?.[1] ?? basename(dir);
}

/** The names of servers without their arguments, which no log shows; as long as each other. */
export function labelsOf(dirs: Places['dirs']): string[] {
  const labels = dirs.map(({ dir, about }) => `${nameOf(about)}${dirs.length > 1 ? ` ${idOf(dir)}` : ''}`);
  const width = Math.max(...labels.map((label) => label.length));
  return labels.map((label) => label.padEnd(width));
}

/** A server that somebody else starts is known by its URL. */
function nameOf({ command }: About): string {
  return /^https?:/.test(command) ? command : basename(command);
}

export function nothingFound(cwd: string): string {
  return `nothing is known of ${cwd}: no proxy that reloads has run there. Start one with mcp-hotline [options] -- <command> [args…], or name another directory with --cwd`;
}
