// Resolves what the programmatic entry was given: data from code that no compiler may have checked. From there on it is
// the same resolution as for the command line, environment included.

import { checkOptions, type Result } from './check.js';
import { noCommand, resolveConfig, type Resolved } from './config.js';
import type { Options } from './options.js';

/** The options of the command line in camel case, and what to run. */
export interface ProxyOptions extends Options {
  /** The server's program; found in PATH if it is no path. May be left out where the environment or a file names it. */
  command?: string;
  args?: readonly string[];
  /** The server's whole environment, also searched for MCP_HOTLINE_… variables; the process's own if left out. */
  env?: NodeJS.ProcessEnv;
}

const noProgram = { ok: false, error: 'command: expected the name or path of a program' } as const;

export function resolveGiven(options: ProxyOptions, cwd: string): Result<Resolved> {
  const { command, args = [], env = process.env, ...rest } = options;
  if (command !== undefined && (!isWord(command) || command === '')) return noProgram;
  if (!Array.isArray(args) || !args.every(isWord)) return { ok: false, error: `args: expected a list of strings` };
  if (typeof env !== 'object' || env === null) return { ok: false, error: `env: expected an object of strings` };
  if (command === undefined && args.length > 0) return { ok: false, error: `args: have no meaning without command` };
  const checked = checkOptions(rest);
  if (!checked.ok) return checked;
  const given = command === undefined ? checked.value : { ...checked.value, command, args };
  const resolved = resolveConfig(given, { cwd, env });
  return !resolved.ok && resolved.error === noCommand ? noProgram : resolved;
}

// A zero byte would make the spawn throw.
function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
