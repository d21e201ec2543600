// Completes a resolved configuration with what discovery finds, where nothing was said: what to watch, the build, the
// strategy. Also when it is read anew, since what was found depends on files that may be edited. It looks only when it
// has to.

import { isAbsolute, join } from 'node:path';
import type { Result } from '../check.js';
import type { Resolved } from '../config.js';
import { createConfigInForce, type ConfigInForce } from '../config-in-force.js';
import { serverRule, withMore } from '../rules.js';
import { isInside } from './disk.js';
import type { Found } from './found.js';

export interface CompletedConfig extends Resolved {
  /** What was looked for, if anything was left open. */
  readonly found: Found | undefined;
  /** What would have been found, where what to watch was said. */
  readonly discovered?: Found;
}

/** The same for what may have failed. */
export async function completeIfResolved(resolved: Result<Resolved>): Promise<Result<CompletedConfig>> {
  return resolved.ok ? { ok: true, value: await completeConfig(resolved.value) } : resolved;
}

export async function completeConfig(resolved: Resolved): Promise<CompletedConfig> {
  const found = await withFound(resolved);
  const { config, said } = found;
  if (!config.reload || said.alsoWatch === undefined) return found;
  const build = said.build === true ? 'build' : said.build || undefined;
  const rules = withMore(config.rules, said.alsoWatch, build);
  return { ...found, found: found.found && despite(found.found, said.alsoWatch), config: { ...config, rules } };
}

async function withFound(resolved: Resolved): Promise<CompletedConfig> {
  const { config, said, file } = resolved;
  const isOpen = config.rules.length === 0;
  // With --watch alone the build is still to be found; rules of a file are complete.
  const isBuildOpen = said.build === undefined && said.watch !== undefined && file?.rules === undefined;
  // It is looked for even where everything is said: what a build writes, a copy that runs instead of the sources, and
  // whether they are left out.
  const isComplete = !isOpen && !isBuildOpen;
  if (!config.reload) return { ...resolved, found: undefined };
  const { discover, copyText } = await import('./discover.js');
  const { command, args, cwd, env, ext } = config;
  const build = isComplete ? (serverRule(config.rules)?.build ?? false) : said.build === true ? 'build' : said.build;
  const found = await discover({ command, args, cwd, env, ext, ...(build === undefined ? {} : { build }) });
  const copied = found.copy && { installedCopy: found.copy };
  const warnings = found.copy && !isOpen ? [...resolved.warnings, copyText(found.copy, cwd)] : resolved.warnings;
  if (isComplete) {
    const before = { ...resolved, warnings, found: undefined, discovered: found, config: { ...config, ...copied } };
    return withOutputs(before, found);
  }
  const strategy = said.strategy ?? found.strategy ?? config.strategy;
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

/** Where nothing was found, what is named besides is watched all the same. */
function despite(found: Found, more: readonly string[]): Found {
  if (found.rules.length > 0 || more.length === 0) return found;
  const why = found.why.replace(/^[^:]*/, `watching ${more.join(', ')} and nothing else`);
  return { ...found, why, level: 'info' };
}

/** Only what the build of the server's own rule writes can be known. */
function withOutputs(before: CompletedConfig, found: Found): CompletedConfig {
  const { config } = before;
  const server = serverRule(config.rules);
  const outputs = found.rules.at(-1)?.outputs;
  if (server?.build === undefined || outputs === undefined) return before;
  return {
    ...before,
    config: { ...config, rules: config.rules.map((rule) => (rule === server ? { ...rule, outputs } : rule)) },
  };
}

/** Where the output itself is watched, somebody else builds it. */
function withBuild(before: CompletedConfig, found: Found): CompletedConfig {
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
      return [...new Set([...latest.places, ...latest.config.envFiles, ...(first.found?.sources ?? [])])];
    },
    async read(current) {
      const again = await resolve();
      if (!again.ok) return again;
      latest = again.value;
      // A manifest that is half written says nothing: what was found before stays in force.
      if (latest.found?.rules.length !== 0) return again;
      const { rules, ignore } = current;
      return { ok: true, value: { ...latest, config: { ...latest.config, rules, ignore } } };
    },
  });
}
