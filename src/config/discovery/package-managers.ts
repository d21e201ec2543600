// npm, yarn, pnpm and so on: which script or program their words name, and in which package. manifest.ts reads the
// script, programs.ts finds the program.

import { join, resolve } from 'node:path';
import { isFile, isInstalled, shown } from './disk.js';
import { programName, readFlags, type Flags } from './flags.js';
import { nothing, type Invocation, type Nothing, type Runner, type Search, type ResolveStep } from './discovery.js';
import { manifestIn, readManifest, runScript, type Manifest } from './manifest.js';
import { workspacePackage } from './workspace-packages.js';

const npmFlags = '--prefix -C -w --workspace --loglevel --userconfig --cache --script-shell --node-options --registry';
/** `npm start` and the like need no `run`. */
const shortcuts = new Set(['start', 'test', 'stop', 'restart']);

function npm(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const all = readFlags(args, npmFlags, true);
  const [sub = '', name = '', ...more] = all.rest;
  const at = inPackage(all, ['--prefix', '-C'], ['-w', '--workspace'], invocation, sub.startsWith('run') ? name : sub);
  if (at.kind === 'nothing') return at;
  if (sub === 'exec' || sub === 'x') return npx(args.slice(args.indexOf(sub) + 1), at, search);
  if (sub === 'run' || sub === 'run-script') return runScript(name, at, more, search);
  if (!shortcuts.has(sub)) return nothing(`npm ${sub} does not run a server`);
  const { cwd } = at;
  const hasScript = readManifest(cwd)?.scripts[sub] !== undefined;
  if (sub === 'start' && !hasScript && isFile(join(cwd, 'server.js'))) return { ...at, words: ['node', 'server.js'] };
  return runScript(sub, at, all.rest.slice(1), search);
}

/** yarn and pnpm run a script or a program by its name, with or without `run`. */
function scriptOrProgram(taking: string, directory: readonly string[], workspace: readonly string[]): Runner {
  return (args, invocation, search) => {
    const first = readFlags(args, taking);
    // Flags may also stand behind `run`.
    const isRun = first.rest[0] === 'run';
    const more = isRun ? readFlags(first.rest.slice(1), taking) : first;
    const flags = more.value(...workspace, ...directory) === undefined ? first : more;
    const at = inPackage(flags, directory, workspace, invocation, more.rest[0]);
    if (at.kind === 'nothing') return at;
    const [sub = '', ...behind] = first.rest;
    if (sub === 'workspace') {
      const [name = '', ...words] = behind;
      const script = words.find((word) => word !== 'run' && !word.startsWith('-'));
      const cwd = workspacePackage(name, at.cwd, script);
      return cwd === undefined ? noPackage(name) : { ...at, words: ['yarn', ...words], cwd };
    }
    if (sub === 'dlx') return npx(behind, at, search);
    if (sub === 'node') return { ...at, words: first.rest };
    if (sub === 'exec') return { ...at, words: readFlags(behind, '').rest, local: true };
    const [name = '', ...words] = more.rest;
    if (name === '') return nothing(`${programName(invocation.words[0]!)} is given nothing to run`);
    if (readManifest(at.cwd)?.scripts[name] !== undefined) return runScript(name, at, words, search);
    return { ...at, words: [name, ...words], local: true };
  };
}

const npxFlags = '-p --package -c --call -w --workspace --registry --cache --userconfig';

function npx(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const flags = readFlags(args, npxFlags);
  const call = flags.value('-c', '--call');
  const at = { ...invocation, local: true };
  if (call) return { ...at, words: ['sh', '-c', call] };
  const [spec, ...more] = flags.rest;
  if (spec === undefined) return nothing('npx is given nothing to run');
  const name = spec.replace(/(?<=.)@.*$/, '');
  const own = ownPackage(spec, name, at.cwd);
  const program = name.replace(/^@[^/]+\//, '');
  const file = own?.bin[program] ?? Object.values(own?.bin ?? {})[0];
  if (own !== undefined && file !== undefined) {
    search.facts.push({ what: `program ${program}`, value: file, from: `bin in ${shown(own.path, search.cwd)}` });
    return { ...at, words: ['node', resolve(own.directory, file), ...more] };
  }
  // The name without its scope belongs to another package.
  return name === program
    ? { ...at, words: [name, ...more] }
    : nothing(`${name} is a published package, and its sources are not in this project`);
}

/**
 * A package whose files are local: the one in whose directory npx runs, one that is named by its directory, or a linked
 * one.
 */
function ownPackage(spec: string, name: string, cwd: string): Manifest | undefined {
  if (/^[./\\]/.test(spec)) return manifestIn(resolve(cwd, spec));
  const around = readManifest(cwd);
  if (around?.name === name || around?.bin[name] !== undefined) return around;
  const linked = workspacePackage(name, around?.directory ?? cwd);
  const found = linked === undefined || isInstalled(linked) ? undefined : manifestIn(linked);
  // The name without its scope is somebody else's.
  return found?.name !== name && found?.name.endsWith(`/${name}`) ? undefined : found;
}

/** The invocation in the directory that the flags name. */
function inPackage(
  flags: Flags,
  directory: readonly string[],
  workspace: readonly string[],
  at: Invocation,
  script: string | undefined,
): Invocation | Nothing {
  const cwd = resolve(at.cwd, flags.value(...directory) ?? '');
  const name = flags.value(...workspace);
  const found = name ? workspacePackage(name, cwd, script) : cwd;
  return found === undefined ? noPackage(name ?? '') : { ...at, cwd: found, local: true };
}

function noPackage(name: string): Nothing {
  return nothing(`no package of this workspace is called ${name}`);
}

/** Scripts one after the other, as npm-run-all has it: the last one is the server. `build:*` stands for several. */
function scriptRow(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  if (words.some((word) => /^(-p|--parallel|-r|--race)$/.test(word)))
    return nothing('several scripts run at the same time');
  const scripts = Object.keys(readManifest(invocation.cwd)?.scripts ?? {});
  const names = words
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/\s.*$/, ''))
    .flatMap((word) => (word.includes('*') ? scripts.filter((name) => isLike(name, word)) : [word]));
  const last = names.at(-1);
  if (last === undefined) return nothing(`${programName(invocation.words[0]!)} is given nothing to run`);
  for (const name of names.slice(0, -1)) search.before.push({ words: ['npm', 'run', name], cwd: invocation.cwd });
  return runScript(last, { ...invocation, words: ['npm', 'run', last] }, [], search);
}

/** `*` stops at a colon, `**` does not. */
function isLike(name: string, pattern: string): boolean {
  const text = pattern.replace(/[^\w*]/g, '\\$&').replace(/\*\*|\*/g, (stars) => (stars === '*' ? '[^:]*' : '.*'));
  return new RegExp(`^${text}$`).test(name);
}

const yarn = scriptOrProgram('--cwd', ['--cwd'], []);
const pnpm = scriptOrProgram('-C --dir -F --filter --reporter --loglevel', ['-C', '--dir'], ['-F', '--filter']);

export const packageManagers: Readonly<Record<string, Runner>> = {
  npm,
  npx,
  pnpx: npx,
  bunx: npx,
  yarn,
  yarnpkg: yarn,
  pnpm,
  'run-s': scriptRow,
  'npm-run-all': scriptRow,
  'npm-run-all2': scriptRow,
};
