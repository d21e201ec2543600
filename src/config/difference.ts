// Compares the configuration in force with one that was read later: what applies at once, what needs another server, and
// what has to wait for the next start of the proxy. Pure; putting it in force is config-in-force.ts's.

import { isDeepStrictEqual } from 'node:util';
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

export interface Difference {
  /** What applies from now on. What can't change has the value that it had. */
  readonly config: Config;
  /** The keys of what changes. */
  readonly changed: readonly (keyof Config)[];
  readonly needsRestart: boolean;
  readonly warnings: readonly string[];
}

type Compared = Pick<Resolved, 'config' | 'said'>;

export function compare({ config: current }: Compared, { config: wanted }: Compared): Difference {
  const keys = (Object.keys(effects) as (keyof Config)[]).filter(
    (key) => !isDeepStrictEqual(current[key], wanted[key]),
  );
  const changed = keys.filter((key) => effects[key] !== 'next');
  const kept = keys.filter((key) => effects[key] === 'next');
  // Their default depends on the server: it moves along without anybody having asked for it.
  const moved = changed.some((key) => key === 'command' || key === 'args' || key === 'cwd');
  const asked = kept.filter((key) => key !== 'projectDir' && !(moved && key === 'stateDir'));
  return {
    config: { ...wanted, ...Object.fromEntries(kept.map((key) => [key, current[key]])) },
    changed,
    needsRestart: changed.some((key) => effects[key] === 'restart'),
    warnings: asked.map(
      (key) => `${key} has changed in the configuration file, which takes effect when mcp-hotline is started again`,
    ),
  };
}
