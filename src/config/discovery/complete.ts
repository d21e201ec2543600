// Completes a resolved configuration with what discovery finds, where an option was left open: what to watch, the
// build, the strategy. The same happens whenever the configuration is read again, because what was found depends on
// files that may be edited. Discovery is loaded only if it is needed.

import { isAbsolute, join } from 'node:path';
import type { Result } from '../check.js';
import type { Resolved } from '../config.js';
import { createConfigInForce, type ConfigInForce } from '../config-in-force.js';
import { serverRule, withMore } from '../rules.js';
import { isInside } from './disk.js';
import type { Discovery } from './discovery.js';

export interface CompletedConfig extends Resolved {
  /** The result of discovery, if an option was left open. */
  readonly found: Discovery | undefined;
  /** The result of discovery where an option says what to watch: it is not applied. */
  readonly discovered?: Discovery;
}

/** Passes an error on. */
export async function completeIfResolved(resolved: Result<Resolved>): Promise<Result<CompletedConfig>> {
  return resolved.ok ? { ok: true, value: await completeConfig(resolved.value) } : resolved;
}

export async function completeConfig(resolved: Resolved): Promise<CompletedConfig> {
  const found = await withFound(resolved);
  const { config, explicitOptions } = found;
  if (!config.reload || explicitOptions.alsoWatch === undefined) return found;
  const build = explicitOptions.build === true ? 'build' : explicitOptions.build || undefined;
  const rules = withMore(config.rules, explicitOptions.alsoWatch, build);
  return {
    ...found,
    found: found.found && despite(found.found, explicitOptions.alsoWatch),
    config: { ...config, rules },
  };
}

async function withFound(resolved: Resolved): Promise<CompletedConfig> {
  const { config, explicitOptions, file } = resolved;
  const isOpen = config.rules.length === 0;
  // With --watch alone the build is still open. The rules of a file are complete.
  const isBuildOpen =
    explicitOptions.build === undefined && explicitOptions.watch !== undefined && file?.rules === undefined;
  // Discovery runs even if nothing is open: for the outputs of the build, for a copy that runs instead of the sources,
  // and for the warning that sources are left out.
  const isComplete = !isOpen && !isBuildOpen;
  if (!config.reload || config.command === '') return { ...resolved, found: undefined };
  const { discover, copyText } = await import('./discover.js');
  const { command, args, cwd, env, ext } = config;
  const build = isComplete
    ? (serverRule(config.rules)?.build ?? false)
    : explicitOptions.build === true
      ? 'build'
      : explicitOptions.build;
  const found = await discover({ command, args, cwd, env, ext, ...(build === undefined ? {} : { build }) });
  const copied = found.copy && { installedCopy: found.copy };
  // Where a rule says that the server reloads itself, that is what its watch mode is for.
  const isMeant = config.rules.some(({ then }) => then === 'notify');
  const warnings = [
    ...resolved.warnings,
    ...(found.copy && !isOpen ? [copyText(found.copy, cwd)] : []),
    ...(found.watcherWarning !== undefined && !isOpen && !isMeant ? [found.watcherWarning] : []),
  ];
  if (isComplete) {
    const before = { ...resolved, warnings, found: undefined, discovered: found, config: { ...config, ...copied } };
    return withOutputs(before, found);
  }
  const strategy = explicitOptions.strategy ?? found.strategy ?? config.strategy;
  if (isOpen) {
    const { rules, ignore } = found;
    const ignored = [...config.ignore, ...ignore];
    const proposed = found.proposal && { buildProposal: found.proposal };
    return { ...resolved, found, config: { ...config, ...copied, ...proposed, strategy, rules, ignore: ignored } };
  }
  return withBuild(
    { ...resolved, found, discovered: found, warnings, config: { ...config, ...copied, strategy } },
    found,
  );
}

/** If nothing was found, the files of --also-watch are watched all the same. */
function despite(found: Discovery, more: readonly string[]): Discovery {
  if (found.rules.length > 0 || more.length === 0) return found;
  const why = found.why.replace(/^[^:]*/, `watching ${more.join(', ')} and nothing else`);
  return { ...found, why, level: 'info' };
}

/** Adds the outputs to the rule of the server. Those of other rules can't be known. */
function withOutputs(before: CompletedConfig, found: Discovery): CompletedConfig {
  const { config } = before;
  const server = serverRule(config.rules);
  const outputs = found.rules.at(-1)?.outputs;
  if (server?.build === undefined || outputs === undefined) return before;
  return {
    ...before,
    config: { ...config, rules: config.rules.map((rule) => (rule === server ? { ...rule, outputs } : rule)) },
  };
}

/** Adds the build that was found, unless the output is watched: then the user builds it. */
function withBuild(before: CompletedConfig, found: Discovery): CompletedConfig {
  const { config } = before;
  const { build, outputs } = found.rules.at(-1) ?? {};
  const paths = config.rules
    .flatMap(({ watch }) => watch)
    .map((path) => (isAbsolute(path) ? path : join(config.cwd, path)));
  const isWatched = found.outputs.some((output) => paths.some((path) => isInside(path, output)));
  if (build === undefined || isWatched) return { ...before, found: undefined };
  const why = `building with "${build}": ${found.why.replace(/^.*?: /, '')}`;
  return {
    ...before,
    found: { ...found, why },
    config: { ...config, rules: config.rules.map((rule) => ({ ...rule, build, ...(outputs && { outputs }) })) },
  };
}

/**
 * The configuration in force, as the files say it at any time. `resolve` completes a resolution anew, from the same
 * options and environment as `first`.
 */
export function watchConfig(first: CompletedConfig, resolve: () => Promise<Result<CompletedConfig>>): ConfigInForce {
  let latest = first;
  return createConfigInForce(first, {
    get watchTargets() {
      return [...new Set([...latest.configFileCandidates, ...latest.config.envFiles, ...(first.found?.sources ?? [])])];
    },
    async read(current) {
      const again = await resolve();
      if (!again.ok) return again;
      latest = again.value;
      // A half-written manifest leads to no rules: those in force stay.
      if (latest.found?.rules.length !== 0) return again;
      const { rules, ignore } = current;
      return { ok: true, value: { ...latest, config: { ...latest.config, rules, ignore } } };
    },
  });
}
