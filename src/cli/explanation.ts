// What would be done with a server, as data: everything is resolved as for a run, the watch itself lists the files, and
// nothing is started. explain-text.ts puts it into words.

import { relative } from 'node:path';
import { planBuild } from '../build/plan.js';
import type { Config, Rule } from '../config/config.js';
import type { CompletedConfig } from '../config/discovery/complete.js';
import { USUAL_PORT } from '../config/http-checks.js';
import { endpointUrl } from '../config/http-options.js';
import { portWords, takesFreePort } from '../config/upstream-option.js';
import { createImports } from '../config/imports.js';
import { camelCase, defaults, withoutSecrets } from '../config/option-values.js';
import { options } from '../config/options.js';
import { expand } from '../watch/expand.js';
import { openWatch } from '../watch/watch.js';
import { leftOutWarning } from '../project/left-out.js';
import { tokenFile } from '../state/http-token.js';

export type Source = 'option' | 'environment' | 'file' | 'found' | 'default';

export interface Explanation {
  readonly command: readonly string[];
  readonly commandFrom: Source;
  readonly cwd: string;
  readonly configurationFile: string | null;
  readonly reload: boolean;
  /** The line that a run would log about discovery, if an option was left open. */
  readonly why: string | null;
  readonly found: readonly { what: string; value: string; from: string }[];
  readonly rules: readonly (Rule & {
    readonly from: Source;
    readonly buildFrom?: Source;
    /** The command that is run, and the file that decided which package manager runs it. */
    readonly buildCommand?: string;
    readonly buildDecidedBy?: string;
    readonly files: readonly string[];
  })[];
  readonly ignore: readonly string[];
  readonly strategy: { readonly value: string; readonly from: Source };
  /** What would be served over HTTP, if anything. */
  readonly http: HttpExplanation | null;
  /** Where the server itself would be reached over HTTP, if it is. */
  readonly upstream: UpstreamExplanation | null;
  readonly warnings: readonly string[];
  /** The words that run this server through this installation, from any directory. */
  readonly start: readonly string[];
  /** Every option of the proxy by its name on the command line. */
  readonly options: readonly { readonly name: string; readonly value: unknown; readonly from: Source }[];
}

export interface HttpExplanation {
  readonly host: string;
  /** Null: the usual one, or the next free one. 0: any. */
  readonly port: number | null;
  /** Of the endpoint, unless any port may be taken. */
  readonly url: string | null;
  readonly from: Source;
  /** What clients have to send, and where it is kept. */
  readonly token: 'none' | 'chosen' | 'auto';
  readonly tokenFile: string | null;
  readonly share: boolean;
}

export interface UpstreamExplanation {
  readonly url: string;
  readonly from: Source;
  /** Whether the command starts it; else somebody else does. */
  readonly starts: boolean;
  /** Whether every start gets a free port. */
  readonly freePort: boolean;
  /** The arguments that the port is written into. */
  readonly portIn: readonly string[];
}

export async function explanationOf(completed: CompletedConfig, start: readonly string[]): Promise<Explanation> {
  const { config, found, explicitOptions, origins, file, warnings } = completed;
  const rules = config.reload ? config.rules : [];
  const { files, problems } = await filesOf(config, rules);
  // All rules come from the same source: a file, --watch, or discovery.
  const isFound = isOpen(explicitOptions.watch) && file?.rules === undefined;
  const from = isFound ? 'found' : (origins['watch'] ?? 'file');
  const buildFrom = origins['build'] ?? (found === undefined ? from : 'found');
  return {
    command: config.command === '' ? [] : [config.command, ...config.args],
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
    http: httpOf(completed),
    upstream: upstreamOf(completed),
    warnings: [...warnings, ...[leftOutWarning(completed) ?? []].flat(), ...problems],
    start,
    options: optionsOf(completed),
  };
}

function httpOf({ config, origins }: CompletedConfig): HttpExplanation | null {
  const { http, host, token, share, stateDir } = config;
  if (http === undefined) return null;
  const port = http === true ? null : http;
  return {
    host,
    port,
    url: port === 0 ? null : endpointUrl(host, port ?? USUAL_PORT),
    from: origins['http'] ?? 'default',
    token: token === undefined ? 'none' : token === 'auto' ? 'auto' : 'chosen',
    tokenFile: token === 'auto' ? tokenFile(stateDir) : null,
    share,
  };
}

function upstreamOf({ config, origins }: CompletedConfig): UpstreamExplanation | null {
  const { upstream, command, args } = config;
  if (upstream === undefined) return null;
  const freePort = takesFreePort({ upstream });
  return {
    url: upstream,
    from: origins['upstream'] ?? 'option',
    starts: command !== '',
    freePort,
    portIn: freePort ? portWords(args) : [],
  };
}

/** A build that can't be planned is shown as it was named; a run reports the failure. */
async function buildOf(
  build: string,
  { cwd, env }: Config,
): Promise<{ buildCommand?: string; buildDecidedBy?: string }> {
  const planned = await planBuild(build, cwd, env);
  if (!planned.ok) return {};
  const { label, decidedBy } = planned.plan;
  return { buildCommand: label, ...(decidedBy !== undefined && { buildDecidedBy: relative(cwd, decidedBy) }) };
}

/** Whether the value leaves the option open. An empty list does too: what to watch is found then. */
function isOpen(explicitOptions: unknown): boolean {
  return explicitOptions === undefined || (Array.isArray(explicitOptions) && explicitOptions.length === 0);
}

function optionsOf({ config, explicitOptions: given, origins, found }: CompletedConfig): Explanation['options'] {
  const explicitOptions = withoutSecrets(given);
  return options.map(({ name }) => {
    const key = camelCase(name) as keyof typeof explicitOptions;
    if (!isOpen(explicitOptions[key])) return { name, value: explicitOptions[key], from: origins[key] ?? 'default' };
    if (key === 'strategy' && config.strategy !== defaults.strategy)
      return { name, value: config.strategy, from: 'found' };
    const value =
      key === 'watch' ? found?.rules.at(-1)?.watch : key === 'build' ? config.rules.at(-1)?.build : undefined;
    if (value !== undefined) return { name, value, from: 'found' };
    const usual = { ...config, ...defaults } as Partial<Record<string, unknown>>;
    return { name, value: usual[key] ?? null, from: 'default' };
  });
}

/** The files of each rule, as the watch lists them. */
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
      // A start of the server in 1970 makes every file count as changed, which lists all files.
      since: 0,
    },
    { onQuiet: () => {}, warn: ({ text }) => problems.push(text) },
  );
  const mark = watch.mark();
  await watch.ready;
  // A directory from which a file may have been deleted counts as removed: it is no file.
  const there = watch.changedSince(mark).filter(({ kind }) => kind !== 'removed');
  for (const change of there) for (const rule of change.rules) files.get(rule)?.push(change.path);
  await watch.close();
  return { files, problems };
}
