// npm and its kin: which script or program their words name, and in which package. Reading the script is manifest.ts's, finding a
// program programs.ts's.

import { join, resolve } from 'node:path';
import { isDirectory, isFile, isInstalled, realOf, shown } from './disk.js';
import { programName, readFlags, type Flags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type Step } from './found.js';
import { manifestIn, readManifest, runScript, type Manifest } from './manifest.js';

const npmFlags = '--prefix -C -w --workspace --loglevel --userconfig --cache --script-shell --node-options --registry';
/** `npm start` and the like need no `run`. */
const shortcuts = new Set(['start', 'test', 'stop', 'restart']);

function npm(args: readonly string[], invocation: Invocation, search: Search): Step {
  const all = readFlags(args, npmFlags, true);
  const at = inPackage(all, ['--prefix', '-C'], ['-w', '--workspace'], invocation);
  const [sub = '', name = '', ...more] = all.rest;
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
    const flags = readFlags(args, taking);
    const at = inPackage(flags, directory, workspace, invocation);
    const [sub = '', ...behind] = flags.rest;
    if (sub === 'workspace') {
      const [name = '', ...words] = behind;
      return { ...at, words: ['yarn', ...words], cwd: workspaceOf(name, at.cwd) ?? at.cwd };
    }
    if (sub === 'dlx') return npx(behind, at, search);
    if (sub === 'node') return { ...at, words: flags.rest };
    if (sub === 'exec') return { ...at, words: readFlags(behind, '').rest, local: true };
    const [name = '', ...more] = sub === 'run' ? readFlags(behind, taking).rest : flags.rest;
    if (name === '') return nothing(`${programName(invocation.words[0]!)} is given nothing to run`);
    if (readManifest(at.cwd)?.scripts[name] !== undefined) return runScript(name, at, more, search);
    return { ...at, words: [name, ...more], local: true };
  };
}

const npxFlags = '-p --package -c --call -w --workspace --registry --cache --userconfig';

function npx(args: readonly string[], invocation: Invocation, search: Search): Step {
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
  // The name without its scope is somebody else's.
  return name === program
    ? { ...at, words: [name, ...more] }
    : nothing(`${name} is installed, and its sources are not in this project`);
}

/** A package of which there are files here: the one that npx is run in, one that is named by its directory, a linked one. */
function ownPackage(spec: string, name: string, cwd: string): Manifest | undefined {
  if (/^[./\\]/.test(spec)) return manifestIn(resolve(cwd, spec));
  const around = readManifest(cwd);
  if (around?.name === name || around?.bin[name] !== undefined) return around;
  const linked = workspaceOf(name, around?.directory ?? cwd);
  return linked === undefined || isInstalled(linked) ? undefined : manifestIn(linked);
}

/** The invocation, moved to where the flags say. */
function inPackage(
  flags: Flags,
  directory: readonly string[],
  workspace: readonly string[],
  at: Invocation,
): Invocation {
  const cwd = resolve(at.cwd, flags.value(...directory) ?? '');
  const name = flags.value(...workspace);
  return { ...at, cwd: (name && workspaceOf(name, cwd)) || cwd, local: true };
}

/** A package of this workspace, by its name or its directory. */
function workspaceOf(name: string, cwd: string): string | undefined {
  const plain = name.replace(/^\.{3}|\.{3}$/g, '');
  const places = [resolve(cwd, plain), join(cwd, 'node_modules', plain), join(cwd, 'packages', plain)];
  const found = places.find((place) => isDirectory(place) && manifestIn(place) !== undefined);
  return found && realOf(found);
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
};
