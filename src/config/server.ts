// Decides what to run and where: the command with its arguments, its directory, its environment. Pure; whether the
// command exists shows when it is started.

import path from 'node:path';
import type { FromEnvironment } from './environment.js';
import type { FromFile } from './file/read.js';

export interface Server {
  /** Empty if there is none. */
  readonly command: string;
  readonly args: readonly string[];
  /** The directory that the file names. */
  readonly directory: string | undefined;
}

export function serverOf(
  given: { command?: string; args?: readonly string[] },
  environment: FromEnvironment,
  file: FromFile | undefined,
): Server {
  const beside = file === undefined ? '' : path.dirname(file.path);
  const cwd = file?.options.cwd;
  const directory = cwd === undefined ? undefined : path.resolve(beside, cwd);
  // Arguments belong to their command: those from a source of lower precedence are for another command.
  if (given.command !== undefined) return { command: given.command, args: given.args ?? [], directory };
  if (environment.command !== '') return { command: environment.command, args: environment.args, directory };
  if (file?.command === undefined) return { command: '', args: [], directory };
  const args = environment.args.length > 0 ? environment.args : file.args;
  // Paths in the arguments of the file's command are relative to the same directory as all paths in the file.
  return { command: file.command, args, directory: directory ?? beside };
}

type Variables = Readonly<Record<string, string>>;

/** The token that clients send over HTTP is nothing for servers. */
const NOT_FOR_SERVERS = 'MCP_HOTLINE_TOKEN';

/**
 * `fallback`, from `--env-file`, adds variables that the client's environment lacks: a variable that was set for this
 * run takes precedence, as with Node's own `--env-file`. `added`, from the configuration file, replaces variables.
 */
export function serverEnvironment(
  env: NodeJS.ProcessEnv,
  { fallback, added }: { fallback: Variables; added: Variables },
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  return without(NOT_FOR_SERVERS, over(over(fallback, env, platform), added, platform), platform);
}

function without(name: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const removed = Object.keys(env).filter((key) => (platform === 'win32' ? key.toUpperCase() : key) === name);
  if (removed.length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([key]) => !removed.includes(key)));
}

/** On Windows the names of variables are case-insensitive, and the first of two would count. */
export function over(env: NodeJS.ProcessEnv, added: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const names = Object.keys(added);
  if (names.length === 0) return env;
  if (Object.keys(env).length === 0) return added;
  if (platform !== 'win32') return { ...env, ...added };
  const replaced = new Set(names.map((name) => name.toUpperCase()));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !replaced.has(name.toUpperCase()))), ...added };
}
