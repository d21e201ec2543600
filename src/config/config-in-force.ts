// The configuration in force: one current value, which an edit of the configuration file may replace while the proxy
// runs, and an event for each replacement. What an edit changes is decided by difference.ts. Watching the files, and
// calling `reread` when one of them has changed, is left to the project.

import type { Config, Resolved } from './config.js';
import type { Result } from './check.js';
import { compare } from './difference.js';

/** One replacement of the configuration in force. */
export interface ConfigChange {
  readonly previous: Config;
  readonly current: Config;
  /** The keys whose values differ, or are said again (`difference.ts`). */
  readonly changed: readonly (keyof Config)[];
  /** A server reads part of the difference at its start only, so a new one is needed. */
  readonly needsRestart: boolean;
}

export interface Reread {
  /** Undefined: what is in force has not changed. */
  readonly change: ConfigChange | undefined;
  /** Warnings that have not been returned before. */
  readonly warnings: readonly string[];
}

export interface ConfigInForce {
  readonly current: Config;
  /** Files whose content decides, absolute, whether they exist or not. None: the configuration can't change. */
  readonly watchTargets: readonly string[];
  /**
   * Reads the files again, puts the result in force and tells the listeners. An error has a line for each problem; then
   * the current configuration stays in force.
   */
  reread(): Promise<Result<Reread>>;
  /** Calls back after each replacement, in the order of subscription, before `reread` resolves. */
  onChange(listener: (change: ConfigChange) => void): Disposable;
}

/** What a configuration is read from. */
export interface ConfigSource {
  readonly watchTargets: readonly string[];
  /** `current`: the configuration in force, for what the files leave open at the moment. */
  read(current: Config): Promise<Result<Pick<Resolved, 'config' | 'explicitOptions' | 'warnings'>>>;
}

/** `first`: the resolution that the proxy was started with. */
export function createConfigInForce(
  first: Pick<Resolved, 'config' | 'explicitOptions' | 'warnings'>,
  source: ConfigSource,
): ConfigInForce {
  const listeners = new Set<(change: ConfigChange) => void>();
  const warned = new Set(first.warnings);
  let current = first.config;
  let { explicitOptions } = first;
  return {
    get current() {
      return current;
    },
    get watchTargets() {
      return source.watchTargets;
    },
    async reread() {
      const read = await source.read(current);
      if (!read.ok) return read;
      const previous = current;
      const difference = compare({ config: previous, explicitOptions }, read.value);
      ({ explicitOptions } = read.value);
      const warnings = [...read.value.warnings, ...difference.warnings].filter((warning) => !warned.has(warning));
      for (const warning of warnings) warned.add(warning);
      const { config, changed, needsRestart } = difference;
      if (changed.length === 0) return { ok: true, value: { change: undefined, warnings } };
      current = config;
      const change = { previous, current, changed, needsRestart };
      for (const listener of listeners) listener(change);
      return { ok: true, value: { change, warnings } };
    },
    onChange(listener) {
      // Wrapped, so that a function that is passed twice is two listeners.
      const own = (change: ConfigChange): void => listener(change);
      listeners.add(own);
      return { [Symbol.dispose]: () => void listeners.delete(own) };
    },
  };
}

/** A configuration that nothing can change. */
export function fixedConfig(config: Config): ConfigInForce {
  return {
    current: config,
    watchTargets: [],
    reread: async () => ({ ok: true, value: { change: undefined, warnings: [] } }),
    onChange: () => ({ [Symbol.dispose]: () => {} }),
  };
}
