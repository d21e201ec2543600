// Discovery: finds from the server's command what to watch and how to build it. It reads the command and the files
// around the entry point, and runs nothing. It never fails: if nothing is found, it says why.

import type { InstalledCopy } from '../installed-copy.js';
import type { Rule } from '../rule.js';
import { linksOut } from './directories.js';
import { isFile, isInside, isInstalled, realOf, shown } from './disk.js';
import type { Discovery, Search, Target, DiscoveryInput } from './discovery.js';
import { javascriptSources, type Package } from './javascript.js';
import { languages } from './languages.js';
import { withEndings } from './patterns.js';
import { optionsOf, sourcesOf, type Sources } from './sources.js';
import { findTarget } from './target.js';
import { buildText } from './workspace.js';

export type { Discovery, DiscoveryInput } from './discovery.js';

/** The name of the server's own rule; other rules are named after their packages. */
const SERVER = 'server';

export async function discover(input: DiscoveryInput): Promise<Discovery> {
  const { command, args, cwd, env } = input;
  const search: Search = {
    cwd,
    env,
    facts: [],
    named: [],
    debugged: false,
    watcher: undefined,
    before: [],
    copy: undefined,
  };
  const target = findTarget({ kind: 'command', words: [command, ...args], cwd }, search);
  const packages = await packagesOf(target, search, input);
  const strategy = search.debugged ? ('replace' as const) : undefined;
  if (strategy) search.facts.push({ what: 'strategy', value: strategy, from: 'a debugger has only one port' });
  const watcherWarning = search.watcher && watcherText(search.watcher);
  const common = { ...(strategy && { strategy }), ...(watcherWarning && { watcherWarning }), facts: search.facts };
  if (typeof packages === 'string') {
    const why = `nothing to watch was found, so the server is not reloaded: ${packages}; name its files with --watch <path>${butWarnings(search)}`;
    const level = target.kind === 'nothing' && target.absent ? 'debug' : 'warn';
    return { ...common, rules: [], ignore: [], outputs: [], sources: [], why, reason: packages, level };
  }
  const own = packages.at(-1)!;
  const linked = linkedSources(target, own.directory, input);
  const rules = packages.map((one) =>
    one === own
      ? ruleOf({ ...one, watch: [...one.watch, ...linked] }, SERVER, search, input)
      : ruleOf(one, nameOf(one, packages), search, input),
  );
  const proposal = target.kind === 'itself' ? target.proposal : undefined;
  // The output of a build, ours or one that the command runs first, may not exist yet.
  const isMade = own.outputs !== undefined || rules.at(-1)!.build !== undefined || search.before.length > 0;
  const isMissing = target.kind === 'file' && !isFile(target.file) && !isMade;
  return {
    ...common,
    rules,
    ...(proposal && {
      proposal: { program: shown(own.outputs![0]!, cwd), options: optionsOf(proposal), doubt: proposal.doubt },
    }),
    ...(target.kind === 'file' && own.outputs === undefined && { entry: target.file }),
    ...(isMissing && { isMissing }),
    ignore: [...new Set(packages.flatMap(({ ignore }) => ignore))],
    why: `${summaryOf(rules)}: ${own.because}${butWarnings(search)}${isMissing ? missing(target.file, cwd) : ''}`,
    level: search.watcher === undefined && search.copy === undefined && !isMissing && !proposal ? 'info' : 'warn',
    ...(search.copy && { copy: search.copy }),
    outputs: packages.flatMap(({ outputs = [] }) => outputs),
    sources: [...new Set(packages.flatMap(({ read }) => read))],
  };
}

/** Completes the log line. A server that runs from a copy knows nothing of an edit. */
function butWarnings({ watcher, copy, cwd }: Search): string {
  return [watcher && `; ${watcherText(watcher)}`, copy && `; but ${copyText(copy, cwd)}`].join('');
}

/** A server that its own watcher restarts knows nothing of the session. */
function watcherText(watcher: string): string {
  return `${watcher} restarts the server too, and a client notices when two do: leave its watch mode out`;
}

/** The warning of a copy, for the log. */
export function copyText({ copy, sources, install, environment }: InstalledCopy, cwd: string): string {
  return (
    `the code that runs is ${shown(copy, cwd)}, a copy that was installed without -e, so that an edit in ${sources} has no effect: ` +
    `run "${install}" (or "uv ${install}") in the virtual environment ${shown(environment, cwd)}, then restart the server`
  );
}

/** Patterns for sources behind links that lead out of the project, because a watch does not follow such links. */
function linkedSources(target: Target, directory: string, { ext = [], cwd }: DiscoveryInput): string[] {
  if (target.kind === 'nothing' || target.kind === 'itself') return [];
  const endings = ext.length > 0 ? ext : languages[target.language].endings;
  return linksOut(directory).map((link) => withEndings(link, endings, cwd));
}

/** Completes the log line if the file that the command names does not exist. */
function missing(file: string, cwd: string): string {
  return `; but ${shown(file, cwd)} does not exist`;
}

/** The package's name, unless there is another rule of that name. */
function nameOf(one: Package, packages: readonly Package[]): string {
  const isTaken = one.name === SERVER || packages.some((other) => other !== one && other.name === one.name);
  return isTaken ? one.directory : one.name;
}

/** The packages that a server is made of, or why there are none. */
async function packagesOf(target: Target, search: Search, input: DiscoveryInput): Promise<Package[] | string> {
  if (target.kind === 'nothing') return target.reason;
  if (target.kind === 'project') return [{ name: SERVER, ...sourcesOf(target, search, input.ext ?? []) }];
  if (target.kind === 'made') return [{ name: SERVER, ...madeFrom(target, search, input) }];
  const file = isInstalled(target.file) ? realOf(target.file) : target.file;
  if (isInstalled(file))
    return `${shown(target.file, search.cwd)} is installed, and its sources are not in this project`;
  if (target.kind === 'file' && (target.language === 'javascript' || target.language === 'typescript')) {
    return javascriptSources({ ...target, file }, search, input);
  }
  return [{ name: SERVER, ...sourcesOf({ ...target, file }, search, input.ext ?? []) }];
}

/** The sources of a compiled program. With --no-build the user builds it, and the program itself is watched. */
function madeFrom(
  target: Extract<Target, { kind: 'made' }>,
  search: Search,
  { ext = [], build }: DiscoveryInput,
): Sources {
  const { file, language, directory, build: command, manifest } = target;
  if (build === false)
    return { ...sourcesOf({ kind: 'itself', file }, search, ext), because: `${shown(file, search.cwd)} is run` };
  if (build === undefined) search.facts.push({ what: 'build', value: command, from: manifest });
  return {
    ...sourcesOf({ kind: 'project', language, directory }, search, ext),
    ...(build === undefined && { build: { script: command, directory: search.cwd } }),
    outputs: [file],
    because: `${shown(file, search.cwd)} is built from the sources that ${manifest} belongs to`,
  };
}

function ruleOf(one: Package, name: string, { cwd, named }: Search, { build }: DiscoveryInput): Rule {
  const more =
    name === SERVER ? named.filter((path) => !isInstalled(realOf(path))).map((path) => shown(path, cwd)) : [];
  const given = typeof build === 'string' && name === SERVER ? { script: build, directory: one.directory } : undefined;
  const made = one.build ?? given;
  // A server reads the .env of its working directory, also if its package is elsewhere.
  const data =
    one.data.length === 0 ? [] : [...new Set([...one.data, ...(name === SERVER ? environmentIn(cwd, one) : [])])];
  const rule: Rule = {
    name,
    watch: [...new Set([...one.watch, ...more])],
    ...(data.length > 0 && { data }),
    then: 'restart',
  };
  if (made === undefined) return rule;
  const outputs = one.outputs ?? [];
  return { ...rule, build: buildText(made, cwd), ...(outputs.length > 0 && { outputs }) };
}

function environmentIn(cwd: string, { directory }: Package): string[] {
  return isInside(cwd, directory) ? [] : ['.env*'];
}

/** The first half of the log line. */
function summaryOf(rules: readonly Rule[]): string {
  const [first = '', ...others] = rules.at(-1)!.watch;
  const builds = rules.flatMap(({ build }) => (build === undefined ? [] : [build]));
  const watched =
    others.length === 0 ? first : `${first} and ${others.length} more ${others.length === 1 ? 'pattern' : 'patterns'}`;
  const data = rules.some((rule) => rule.data !== undefined) ? ', and data files' : '';
  return `watching ${watched}${data}${builds.length === 0 ? '' : `, building with "${builds.join('", then "')}"`}`;
}
