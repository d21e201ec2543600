// Reads the configuration anew while the proxy runs, and tells what follows from a difference: what applies at once,
// what needs another server, and what has to wait for another proxy. Watching the files and acting on it is the
// controller's.

import { isDeepStrictEqual } from 'node:util';
import type { Result } from './check.js';
import type { Config, Resolved } from './config.js';

/**
 * `now`: whoever uses it asks for it each time. `restart`: it is part of a server. `next`: the proxy was built on it.
 */
const effects: Readonly<Record<keyof Config, 'now' | 'restart' | 'next'>> = {
  command: 'restart',
  args: 'restart',
  cwd: 'restart',
  env: 'restart',
  envFiles: 'now',
  reload: 'next',
  rules: 'now',
  ignore: 'now',
  ext: 'now',
  debounce: 'now',
  poll: 'now',
  strategy: 'now',
  drain: 'now',
  hold: 'now',
  startTimeout: 'now',
  buildTimeout: 'now',
  stopTimeout: 'now',
  signal: 'now',
  restartDelay: 'now',
  onFailure: 'now',
  whileReloading: 'now',
  retry: 'now',
  concurrency: 'now',
  maxMessage: 'restart',
  notify: 'now',
  agentTools: 'now',
  reap: 'now',
  stateDir: 'next',
  projectDir: 'next',
  installedCopy: 'now',
  buildProposal: 'now',
  logLevel: 'next',
  logFormat: 'next',
  logFile: 'next',
};

export interface Reread {
  /** What applies from now on. What can't change has the value that it had. */
  readonly config: Config;
  /** What differs from the configuration that is running. */
  readonly changed: readonly (keyof Config)[];
  /** Whether a part of the difference needs a server that is started with it. */
  readonly restart: boolean;
  readonly warnings: readonly string[];
}

export interface LiveConfig {
  /** Files whose content decides, absolute, whether they exist or not. */
  readonly watchTargets: readonly string[];
  /** An error has a line for each problem; what is running stays as it is then. */
  reread(running: Config): Promise<Result<Reread>>;
}

/** `resolve` is the resolution that led to `first`, to be done again. */
export function liveConfig(first: Resolved, resolve: () => Result<Resolved>): LiveConfig {
  const told = new Set(first.warnings);
  let latest = first;
  return {
    get watchTargets() {
      return [...latest.places, ...latest.config.envFiles];
    },
    async reread(running) {
      const resolved = resolve();
      if (!resolved.ok) return resolved;
      latest = resolved.value;
      const { config, warnings } = latest;
      const difference = compare(running, config);
      const fresh = [...warnings, ...difference.warnings].filter((warning) => !told.has(warning));
      for (const warning of fresh) told.add(warning);
      return { ok: true, value: { ...difference, warnings: fresh } };
    },
  };
}

/** Without the warnings that were given before. */
export function compare(running: Config, wanted: Config): Reread {
  const keys = (Object.keys(effects) as (keyof Config)[]).filter(
    (key) => !isDeepStrictEqual(running[key], wanted[key]),
  );
  const changed = keys.filter((key) => effects[key] !== 'next');
  const kept = keys.filter((key) => effects[key] === 'next');
  // Their default depends on the server: it moves along without anybody having asked for it.
  const moved = changed.some((key) => key === 'command' || key === 'args' || key === 'cwd');
  const asked = kept.filter((key) => key !== 'projectDir' && !(moved && key === 'stateDir'));
  return {
    config: { ...wanted, ...Object.fromEntries(kept.map((key) => [key, running[key]])) },
    changed,
    restart: changed.some((key) => effects[key] === 'restart'),
    warnings: asked.map(
      (key) => `${key} has changed in the configuration file, which takes effect when mcp-hotline is started again`,
    ),
  };
}
