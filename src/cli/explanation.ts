// What would be done with a server, as data: everything is resolved as for a run, the files are listed by the watch
// itself, and nothing is started. How it is put into words is explain-text.ts's.

import { relative } from 'node:path';
import { planBuild } from '../build/plan.js';
import type { Config, Rule } from '../config/config.js';
import type { CompletedConfig } from '../config/discovery/complete.js';
import { createImports } from '../config/imports.js';
import { camelCase, defaults } from '../config/option-values.js';
import { options } from '../config/options.js';
import { expand } from '../watch/expand.js';
import { openWatch } from '../watch/watch.js';
import { leftOutWarning } from './left-out.js';

export type Source = 'option' | 'environment' | 'file' | 'found' | 'default';

export interface Explanation {
  readonly command: readonly string[];
  readonly commandFrom: Source;
  readonly cwd: string;
  readonly configurationFile: string | null;
  readonly reload: boolean;
  /** The line that a run would log, if something was looked for. */
  readonly why: string | null;
  readonly found: readonly { what: string; value: string; from: string }[];
  readonly rules: readonly (Rule & {
    readonly from: Source;
    readonly buildFrom?: Source;
    /** The very command that is run, and the file that decided which package manager runs it. */
    readonly buildCommand?: string;
    readonly buildDecidedBy?: string;
    readonly files: readonly string[];
  })[];
  readonly ignore: readonly string[];
  readonly strategy: { readonly value: string; readonly from: Source };
  readonly warnings: readonly string[];
  /** The words that run this server through this installation, from any directory. */
  readonly start: readonly string[];
  /** Every option of the proxy by its name on the command line. */
  readonly options: readonly { readonly name: string; readonly value: unknown; readonly from: Source }[];
}

export async function explanationOf(completed: CompletedConfig, start: readonly string[]): Promise<Explanation> {
  const { config, found, said, origins, file, warnings } = completed;
  const rules = config.reload ? config.rules : [];
  const { files, problems } = await filesOf(config, rules);
  // Rules come as a whole from a file, from --watch, or from discovery.
  const isFound = isOpen(said.watch) && file?.rules === undefined;
  const from = isFound ? 'found' : (origins['watch'] ?? 'file');
  const buildFrom = origins['build'] ?? (found === undefined ? from : 'found');
  return {
    command: [config.command, ...config.args],
    commandFrom: origins['command'] ?? 'option',
    cwd: config.cwd,
    configurationFile: file?.path ?? null,
    reload: config.reload,
    why: found?.why ?? null,
    found: found?.facts ?? [],
    rules: await Promise.all(
      rules.map(async (rule) => ({
        ...rule,
        from,
        ...(rule.build === undefined ? {} : { buildFrom, ...(await buildOf(rule.build, config)) }),
        files: files.get(rule.name) ?? [],
      })),
    ),
    ignore: config.ignore,
    strategy: {
      value: config.strategy,
      from: origins['strategy'] ?? (config.strategy === defaults.strategy ? 'default' : 'found'),
    },
    warnings: [...warnings, ...[leftOutWarning(completed) ?? []].flat(), ...problems],
    start,
    options: optionsOf(completed),
  };
}

/** A build that can't be planned is told by its failure; here it is shown as it was named. */
async function buildOf(
  build: string,
  { cwd, env }: Config,
): Promise<{ buildCommand?: string; buildDecidedBy?: string }> {
  const planned = await planBuild(build, cwd, env);
  if (!planned.ok) return {};
  const { label, decidedBy } = planned.plan;
  return { buildCommand: label, ...(decidedBy !== undefined && { buildDecidedBy: relative(cwd, decidedBy) }) };
}

/** Whether it says nothing. So does an empty list: what to watch is found then. */
function isOpen(said: unknown): boolean {
  return said === undefined || (Array.isArray(said) && said.length === 0);
}

function optionsOf({ config, said, origins, found }: CompletedConfig): Explanation['options'] {
  return options.map(({ name }) => {
    const key = camelCase(name) as keyof typeof said;
    if (!isOpen(said[key])) return { name, value: said[key], from: origins[key] ?? 'default' };
    if (key === 'strategy' && config.strategy !== defaults.strategy)
      return { name, value: config.strategy, from: 'found' };
    const value =
      key === 'watch' ? found?.rules.at(-1)?.watch : key === 'build' ? config.rules.at(-1)?.build : undefined;
    if (value !== undefined) return { name, value, from: 'found' };
    const usual = { ...config, ...defaults } as Partial<Record<string, unknown>>;
    return { name, value: usual[key] ?? null, from: 'default' };
  });
}

/** The files of each rule, as the watch would take them. */
async function filesOf(
  config: Config,
  rules: readonly Rule[],
): Promise<{ files: Map<string, string[]>; problems: string[] }> {
  const files = new Map(rules.map(({ name }): [string, string[]] => [name, []]));
  const problems: string[] = [];
  if (rules.length === 0) return { files, problems };
  const { cwd, ignore, ext, debounce, poll, stateDir, projectDir, logFile } = config;
  const imports = createImports(rules, cwd, (paths) => expand(paths, cwd));
  const followed = await imports.follow();
  problems.push(...followed.problems);
  const watch = openWatch(
    {
      cwd,
      rules: rules.map(({ name, watch: paths, data = [] }) => ({
        name,
        paths: [...paths, ...(imports.files.get(name) ?? [])],
        data,
      })),
      ignore,
      ext,
      debounce,
      poll,
      never: [stateDir, projectDir, ...(logFile === undefined ? [] : [logFile])],
      // As if the server had been started before all of them were written: then every file counts as changed.
      since: 0,
    },
    { settled: () => {}, warn: ({ text }) => problems.push(text) },
  );
  const mark = watch.mark();
  await watch.ready;
  // A directory from which a file may have gone since counts as one, but nothing is there.
  const there = watch.changedSince(mark).filter(({ kind }) => kind !== 'removed');
  for (const change of there) for (const rule of change.rules) files.get(rule)?.push(change.path);
  await watch.close();
  return { files, problems };
}
