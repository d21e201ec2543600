// Resolves the options of the programmatic entry: data from code that no compiler may have checked. After the checks
// the resolution is the same as for the command line, environment included.

import { checkOptions, type Result } from './check.js';
import { noCommand, resolveConfig, type Resolved } from './config.js';
import type { Options } from './option-values.js';

/** The options of the command line in camel case, and what to run. */
export interface ProxyOptions extends Options {
  /** The server's program; found in PATH if it is no path. May be left out where the environment or a file names it. */
  command?: string;
  args?: readonly string[];
  /** The server's whole environment, also searched for MCP_HOTLINE_… variables; the process's own if left out. */
  env?: NodeJS.ProcessEnv;
}

const noProgram = 'command: expected the name or path of a program';

/** The error has a line for each problem. */
export function resolveGiven(options: ProxyOptions, cwd: string): Result<Resolved> {
  const { command, args, env, ...rest } = options;
  const checked = checkOptions(rest);
  const problems = [...serverProblems({ command, args, env }), ...(checked.ok ? [] : checked.error.split('\n'))];
  const usable = checked.ok ? checked.value : checked.usable;
  const given = isProgram(command) ? { ...usable, command, args: areWords(args) ? args : [] } : usable;
  const resolved = resolveConfig(given, { cwd, env: isObject(env) ? env : process.env });
  if (!resolved.ok) {
    const error = resolved.error === noCommand ? noProgram : resolved.error;
    if (!problems.includes(error)) problems.push(error);
  }
  return resolved.ok && problems.length === 0 ? resolved : { ok: false, error: problems.join('\n') };
}

/** Checks the three keys that are no options of the command line. */
function serverProblems({ command, args, env }: Record<'command' | 'args' | 'env', unknown>): string[] {
  return [
    ...(command === undefined || isProgram(command) ? [] : [noProgram]),
    ...(args === undefined || areWords(args) ? [] : ['args: expected a list of strings']),
    ...(env === undefined || isObject(env) ? [] : ['env: expected an object of strings']),
    ...(command === undefined && areWords(args) && args.length > 0 ? ['args: have no meaning without command'] : []),
  ];
}

function isProgram(value: unknown): value is string {
  return isWord(value) && value !== '';
}

function areWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isWord);
}

function isObject(value: unknown): value is NodeJS.ProcessEnv {
  return typeof value === 'object' && value !== null;
}

// A zero byte would make the spawn throw.
function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
