// Resolves options, environment and configuration file into one Config, the only form of the configuration that the
// layers below the command line see: every default is filled in, every path is resolved. options.ts says which values
// there are, check.ts checks them, file/ reads the file.

import { statSync } from 'node:fs';
import path from 'node:path';
import type { BuildProposal } from './build-proposal.js';
import type { Result } from './check.js';
import { readEnvFiles } from './env-file.js';
import { readEnvironment } from './environment.js';
import { resolveOptionPaths, resolveRulePaths } from './file/resolve-paths.js';
import { configFileCandidates, readConfigFile, type FromFile } from './file/read.js';
import { httpProblem, httpWarning } from './http-checks.js';
import type { InstalledCopy } from './installed-copy.js';
import type { TakesEffect } from './option-spec.js';
import { configKeyOf, defaults, optionName, valuesInForce, type Options, type OptionValues } from './option-values.js';
import { options } from './options.js';
import type { Rule } from './rule.js';
import { chooseRules } from './rules.js';
import { serverEnvironment, serverOf } from './server.js';
import { stateDir } from './state-dir.js';
import { fixedPortNote, strategyOf, upstreamProblem } from './upstream-option.js';

export type { Rule };

/** The values of the options (times in milliseconds, where 0 is no limit for time-outs; sizes in bytes), and more. */
export interface Config extends OptionValues {
  /** Empty: the server is somebody else's to start, and `upstream` says where it is. */
  command: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  rules: readonly Rule[];
  stateDir: string;
  /** The directory that all commands of one project share, whatever their state directories: for its builds. */
  projectDir: string;
  /** The copy that runs instead of the sources, if discovery has found one. */
  installedCopy?: InstalledCopy;
  /** Options that would watch and build the sources of the server's program. Discovery is not sure of them. */
  buildProposal?: BuildProposal;
}

/** When an edit of a key takes effect that is no option of its own. */
const takesEffect: Readonly<Record<Exclude<keyof Config, keyof OptionValues>, TakesEffect>> = {
  command: 'new-server',
  args: 'new-server',
  env: 'new-server',
  rules: 'now',
  projectDir: 'next-start',
  installedCopy: 'now',
  buildProposal: 'now',
};

/** Every key of `Config`, with the time at which an edit of it takes effect. */
export const configKeys = Object.entries({
  ...takesEffect,
  ...Object.fromEntries(
    options.flatMap((spec) => {
      const key = configKeyOf(spec);
      return key === undefined ? [] : [[key, spec.takesEffect]];
    }),
  ),
}) as readonly (readonly [keyof Config, TakesEffect])[];

export interface CommandLineOptions extends Options {
  command?: string;
  args?: readonly string[];
}

export interface Resolved {
  config: Config;
  /** Warnings to log as soon as there is a log. */
  warnings: readonly string[];
  /** The configuration file that was read. */
  file: FromFile | undefined;
  /** Every file that is, or could become, the configuration file; absolute. */
  configFileCandidates: readonly string[];
  /** The options that were given, without defaults, paths resolved. `origins` says by whom, also of `command`. */
  explicitOptions: Options;
  origins: Readonly<Record<string, Origin>>;
}

export type Origin = 'option' | 'environment' | 'file';

export const noCommand = 'no server command, expected mcp-hotline [options] -- <command> [args…]';

export interface ResolveBase {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Clients are served over HTTP alone, so that is on, whatever the options say. */
  readonly isHttpOnly?: boolean;
}

/** `given` has been checked before; the environment and the configuration file are checked here. */
export function resolveConfig(given: CommandLineOptions, base: ResolveBase): Result<Resolved> {
  const environment = readEnvironment(base.env);
  if (!environment.ok) return environment;
  const stated = { ...environment.value.options, ...given };
  const here = path.resolve(base.cwd, stated.cwd ?? '');
  if (!isDirectory(here)) return { ok: false, error: `the directory ${here} does not exist` };
  const read = readConfigFile(here, stated.config);
  if (!read.ok) return read;
  const file = read.value;
  const { command, args, directory } = serverOf(given, environment.value, file);
  const upstream = stated.upstream ?? file?.options.upstream;
  if (command === '' && upstream === undefined) return { ok: false, error: noCommand };
  const cwd = stated.cwd === undefined ? (directory ?? here) : here;
  if (!isDirectory(cwd))
    return { ok: false, error: `${locationOf('cwd', stated, file)}the directory ${cwd} does not exist` };

  const explicit = resolveOptionPaths(stated, here, cwd);
  const beside = file === undefined ? cwd : path.dirname(file.path);
  const found = { ...resolveOptionPaths(file?.options ?? {}, beside, cwd), ...explicit };
  const misplaced = ownFilesProblem(found, cwd);
  if (misplaced !== undefined) {
    return { ok: false, error: `${locationOf(misplaced.key, stated, file)}${misplaced.problem}` };
  }
  const hasRules = file?.rules !== undefined && file.rules.length > 0;
  const http = base.isHttpOnly === true && typeof found.http !== 'number' ? true : found.http;
  const unfit = httpProblem(found) ?? upstreamProblem({ options: found, http, command, args, hasRules });
  if (unfit !== undefined) {
    const { key, text } = unfit;
    return {
      ok: false,
      error: `${locationOf(key, stated, file)}${given[key] === undefined ? key : `--${optionName(key)}`}: ${text}`,
    };
  }
  const all = { ...defaults, ...found };
  const fromFile = file?.rules && resolveRulePaths(file.rules, beside, cwd);
  const { rules, warnings } = chooseRules({ explicit, all, fromFile });
  const envFiles = all.envFile ?? [];
  const fromEnvFiles = readEnvFiles(envFiles);
  const strategy =
    found.strategy ?? strategyOf(found, command) ?? (isDebugged(command, args) ? 'replace' : defaults.strategy);
  const isServed = http !== undefined && http !== false;
  const notes = [isServed ? undefined : httpWarning(given), fixedPortNote(found, command)];
  const config: Config = {
    ...valuesInForce({ ...found, strategy, ...(http !== undefined && { http }) }),
    stateDir:
      found.stateDir ?? stateDir({ cwd, command, args: command === '' ? [String(upstream)] : args, env: base.env }),
    command,
    args,
    cwd,
    env: serverEnvironment(base.env, { fallback: fromEnvFiles.variables, added: file?.env ?? {} }),
    rules,
    projectDir: stateDir({ cwd, env: base.env }),
  };
  return {
    ok: true,
    value: {
      config,
      warnings: [
        ...environment.value.warnings,
        ...(file?.warnings ?? []),
        ...warnings,
        ...fromEnvFiles.warnings,
        ...notes.flatMap((note) => note ?? []),
      ],
      file,
      configFileCandidates: configFileCandidates(here, stated.config),
      explicitOptions: found,
      origins: {
        ...originsOf('file', file?.options ?? {}, file?.command === undefined ? {} : { command }),
        ...originsOf('environment', environment.value.options, environment.value.command === '' ? {} : { command }),
        ...originsOf('option', given),
      },
    },
  };
}

/** The position of the key in the file, as a prefix of an error, if the value comes from the file. */
function locationOf(key: keyof Options, stated: Options, file: FromFile | undefined): string {
  const at = stated[key] === undefined ? file?.at[key] : undefined;
  return at === undefined ? '' : `${at}: `;
}

/** Files that the proxy writes are never watched, so its directory must not contain the project. */
function ownFilesProblem(
  { stateDir: state, logFile }: Options,
  cwd: string,
): { key: keyof Options; problem: string } | undefined {
  if (state !== undefined && holds(state, cwd)) {
    const problem = `state-dir: ${state} holds the project itself, expected a directory of its own, such as .mcp-hotline`;
    return { key: 'stateDir', problem };
  }
  if (logFile !== undefined && isDirectory(logFile)) {
    return { key: 'logFile', problem: `log-file: ${logFile} is a directory, expected a file` };
  }
  return undefined;
}

function holds(directory: string, inner: string): boolean {
  const way = path.relative(directory, inner);
  return !path.isAbsolute(way) && way.split(path.sep)[0] !== '..';
}

function originsOf(origin: Origin, ...explicitOptions: readonly object[]): Record<string, Origin> {
  return Object.fromEntries(explicitOptions.flatMap((one) => Object.keys(one)).map((name) => [name, origin]));
}

// Two servers can't listen on the same debugger port.
function isDebugged(command: string, args: readonly string[]): boolean {
  return [path.basename(command), ...args].some(
    (word) => word === 'debugpy' || /^--inspect(-brk|-wait)?(=|$)/.test(word),
  );
}

function isDirectory(dir: string): boolean {
  try {
    return statSync(dir).isDirectory();
  } catch {
    return false;
  }
}
