// Compares the configuration in force with one that was read later: what applies at once, what needs another server,
// and what has to wait for the next start of the proxy. Pure; putting it in force is config-in-force.ts's.

import { isDeepStrictEqual } from 'node:util';
import { configKeys, type Config, type Resolved } from './config.js';
import type { TakesEffect } from './option-spec.js';
import { camelCase, type Options } from './option-values.js';
import { options } from './options.js';

export interface Difference {
  /** What applies from now on. What can't change has the value that it had. */
  readonly config: Config;
  /** The keys of what changes. */
  readonly changed: readonly (keyof Config)[];
  readonly needsRestart: boolean;
  readonly warnings: readonly string[];
}

type Compared = Pick<Resolved, 'config' | 'explicitOptions'>;

export function compare(before: Compared, { config: wanted, explicitOptions }: Compared): Difference {
  const current = before.config;
  const differing = configKeys.filter(
    ([key]) =>
      !isDeepStrictEqual(current[key], wanted[key]) || isSaidAnew(key, before.explicitOptions, explicitOptions),
  );
  const keysWith = (time: TakesEffect): (keyof Config)[] =>
    differing.flatMap(([key, takesEffect]) => (takesEffect === time ? [key] : []));
  const [now, withServer, later] = [keysWith('now'), keysWith('new-server'), keysWith('next-start')];
  // The default of the state directory depends on the command. It moves along without anybody having asked for it.
  const moved = withServer.some((key) => key === 'command' || key === 'args' || key === 'cwd');
  const asked = later.filter((key) => key !== 'projectDir' && !(moved && key === 'stateDir'));
  return {
    config: { ...wanted, ...Object.fromEntries(later.map((key) => [key, current[key]])) },
    changed: [...withServer, ...now],
    needsRestart: withServer.length > 0,
    warnings: asked.map(
      (key) => `${key} has changed in the configuration file, which takes effect when mcp-hotline is started again`,
    ),
  };
}

const learned = new Set<string>(options.filter((spec) => spec.learned === true).map(({ name }) => camelCase(name)));

/** The file now says what the proxy may have learned otherwise. */
function isSaidAnew(key: keyof Config, before: Options, now: Options): boolean {
  if (!learned.has(key)) return false;
  const name = key as keyof Options;
  return now[name] !== undefined && before[name] === undefined;
}
