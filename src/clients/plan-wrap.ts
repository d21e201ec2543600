// Plans `wrap`: which servers of the configurations are put behind the proxy, and what is written for each. Reads the
// project to find out which servers belong to it, and writes nothing.

import { belongingOf, type Belonging } from './belonging.js';
import type { Configuration } from './configurations.js';
import { decideWrap } from './decision.js';
import { readServers, wrappedWords, wrapServer } from './documents.js';
import { directoryOf, goneFiles } from './gone.js';
import { reasonOf, type Context, type Plan, type Planned, type Request, type Step } from './plan.js';
import { cwdOption, isTemporary, prefixOf, says } from './prefix.js';
import { installedIn, isDependency, isTracked } from './project.js';
import type { ServerEntry } from './shape.js';
import { expandVariables } from './variables.js';

export interface WrapRequest extends Request {
  /** Found out for each file if it was not said. */
  readonly portable: boolean | undefined;
  /** Options of the proxy, as they were given. */
  readonly options: readonly string[];
}

export async function planWrap(
  configurations: readonly Configuration[],
  request: WrapRequest,
  context: Context,
): Promise<Plan> {
  const texts = new Map<string, string>();
  const planned: Planned[] = [];
  for (const configuration of configurations) {
    const portable = request.portable ?? isPortable(configuration, context);
    const steps: Step[] = [];
    for (const entry of configuration.servers) {
      if (request.names.length > 0 && !request.names.includes(entry.name)) continue;
      steps.push(await stepOf(entry, configuration, { ...request, portable }, context, texts));
    }
    planned.push({ configuration, steps, warnings: await warningsOf(configuration, steps, portable, context) });
  }
  return { planned, texts };
}

/** Files that others use too: those of a project that has mcp-hotline among its dependencies. */
function isPortable({ scope, path, base }: Configuration, { project }: Context): boolean {
  return scope === 'project' && path.startsWith(base) && isDependency(base, project.root);
}

async function stepOf(
  entry: ServerEntry,
  configuration: Configuration,
  request: WrapRequest & { readonly portable: boolean },
  context: Context,
  texts: Map<string, string>,
): Promise<Step> {
  const { names, all, options } = request;
  const { name, words = [] } = entry;
  const isNamed = names.includes(name);
  const saysWatch = says(options, 'watch') || says(options, 'also-watch');
  const belonging =
    entry.words === undefined ? undefined : await serverBelonging(entry.words, entry.cwd, configuration, context);
  const gone = goneFiles(entry, configuration, context.machine);
  const decision = decideWrap(entry, belonging, {
    isNamed,
    all,
    saysWatch,
    gone,
    hasOptions: options.length > 0,
  });
  if (decision.action === 'leave') return { action: 'leave', name, reason: decision.reason };

  const { shape, file } = configuration;
  const belongs = belonging?.kind === 'project' || (isNamed && saysWatch);
  const prefix = prefixOf({
    platform: context.machine.platform,
    installation: context.installation,
    portable: request.portable,
    project: installedIn(configuration.base, context.project.root) ?? configuration.base,
    ...startOf(entry.cwd, configuration, context, belongs),
    options,
  });
  const wrapped = wrapServer(texts.get(file.realPath) ?? file.text, shape, name, prefix);
  if (!wrapped.ok) return { action: 'leave', name, reason: reasonOf(wrapped.error, name) };
  texts.set(file.realPath, wrapped.value.text);
  const after = readServers(wrapped.value.text, shape);
  const written = after.ok ? after.value.find((one) => one.name === name)?.words : undefined;
  return {
    action: 'wrap',
    name,
    before: words,
    after: written ?? [...prefix, ...words],
    warnings: decision.warnings,
    undo: wrapped.value.undo,
  };
}

/** Where the server will be started, and whether that has to be said. */
function startOf(
  cwd: string | undefined,
  configuration: Configuration,
  context: Context,
  belongs: boolean,
): { startedIn: string | undefined; directory: string | undefined; projectVariable: string | undefined } {
  const { base, scope, startsIn, clients } = configuration;
  const projectVariable = clients[0].workspaceFolder === true && scope === 'project' ? '${workspaceFolder}' : undefined;
  if (cwd !== undefined)
    return { startedIn: directoryOf(cwd, configuration, context.machine), directory: undefined, projectVariable };
  if (startsIn === 'elsewhere') return { startedIn: undefined, directory: belongs ? base : undefined, projectVariable };
  // A client that reads the user's own file is opened in any project, and the server may work on that.
  return { startedIn: scope === 'project' ? base : undefined, directory: undefined, projectVariable };
}

/** Of the command that an entry starts, or that of a wrapped one behind the proxy. */
export async function serverBelonging(
  words: readonly string[],
  cwd: string | undefined,
  configuration: Configuration,
  context: Context,
): Promise<Belonging> {
  const { machine, project } = context;
  const known = { env: machine.env, base: configuration.base, home: machine.home };
  const expanded = words.map((word) => expandVariables(word, configuration.clients[0], known));
  return belongingOf(expanded, {
    cwd: directoryOf(cwd, configuration, machine),
    env: machine.env,
    project: project.root,
  });
}

async function warningsOf(
  configuration: Configuration,
  steps: readonly Step[],
  portable: boolean,
  context: Context,
): Promise<string[]> {
  const changes = steps.flatMap((step) => (step.action === 'wrap' ? [step] : []));
  if (changes.length === 0) return [];
  const { path, base, clients } = configuration;
  const warnings: string[] = [];
  if (!portable && (await isTracked(path))) {
    warnings.push(
      'git tracks this file, and the paths that are written exist on this machine only: run npm i -D mcp-hotline, then wrap with --portable',
    );
  }
  if (!portable && isTemporary(context.installation)) {
    warnings.push(
      `${context.installation.bin} is in the cache of a package runner, which may be emptied: install mcp-hotline (npm i -D or npm i -g) and wrap again`,
    );
  }
  if (portable && changes.some(({ after }) => cwdOption(wrappedWords(after)?.proxy ?? []) === base)) {
    warnings.push(
      `--cwd is a path of this machine, since ${clients[0].name} starts servers elsewhere and has no word for the project's directory`,
    );
  }
  if (portable && installedIn(base, context.project.root) === undefined) {
    warnings.push(`mcp-hotline is not installed in ${base}: run npm i -D mcp-hotline there`);
  }
  return warnings;
}
