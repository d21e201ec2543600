// Python and the tools that run it: which file is meant by a script, a module (`-m`) or an installed command of the
// project. Virtual environments and pyproject.toml are read only as far as needed for that.

import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { isDirectory, isExecutable, isFile, nearestWith, projectDirectories, readText, shown } from './disk.js';
import { programName, readFlags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type ResolveStep, type Target } from './discovery.js';
import { pythonServers } from './python-servers.js';
import { findInstalledCopy, installedFrom, moduleFiles } from './installed-copy.js';

/** Flags in one word, of which the last one may take what follows: `-um pkg`. */
const flagWord = /^-[bBdEiIOPqRsSuvVx]*([mcWX])(.*)$/;

/** `venv`: the virtual environment, if it is known and the tool has not just brought it up to date. */
function pythonIn(
  venv: string | undefined,
  args: readonly string[],
  invocation: Invocation,
  search: Search,
): ResolveStep {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const [, letter, attached = ''] = flagWord.exec(word) ?? [];
    const value = attached === '' ? args[at + 1] : attached;
    const rest = args.slice(attached === '' ? at + 2 : at + 1);
    if (letter === 'c' || word === '-') break;
    if (letter === 'm') return module(value ?? '', rest, invocation, search, venv);
    if (letter !== undefined || word === '--check-hash-based-pycs') at += attached === '' ? 1 : 0;
    else if (!word.startsWith('-')) return script(resolve(invocation.cwd, word));
  }
  return nothing('it runs code that is not in a file');
}

function python(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  return pythonIn(environmentOf(invocation, search), args, invocation, search);
}

function script(path: string): Target {
  const file = isDirectory(path) ? join(path, '__main__.py') : path;
  return { kind: 'file', language: 'python', file };
}

function module(
  name: string,
  rest: readonly string[],
  invocation: Invocation,
  search: Search,
  venv: string | undefined,
): ResolveStep {
  const roots = moduleRoots(invocation, search);
  const found = moduleFile(name, roots);
  if (found !== undefined) {
    noteCopy(name, found, venv, [invocation.cwd, ...pythonPath(invocation.cwd, search)], search);
    return { kind: 'file', language: 'python', ...found };
  }
  if (name === 'debugpy') {
    search.debugged = true;
    const { value, rest: behind } = readFlags(rest, '--listen --connect --log-to --adapter-access-token -m');
    const next = value('-m');
    return next ? module(next, behind, invocation, search, venv) : pythonIn(venv, behind, invocation, search);
  }
  if (Object.hasOwn(pythonTools, name)) return { ...invocation, words: [name, ...rest] };
  return nothing(`the module ${name} is not in this project`);
}

/**
 * Where imports start: the working directory, what PYTHONPATH names, and the project that a virtual environment belongs
 * to.
 */
function moduleRoots({ cwd, words }: Invocation, search: Search): string[] {
  const interpreter = words[0] ?? '';
  const venvs = [/[\\/]/.test(interpreter) ? venvOf(resolve(cwd, interpreter)) : undefined, search.env['VIRTUAL_ENV']];
  return [cwd, ...pythonPath(cwd, search), ...venvs.flatMap((venv) => (venv ? [dirname(venv)] : []))];
}

function pythonPath(cwd: string, { env }: Search): string[] {
  const paths = (env['PYTHONPATH'] ?? '').split(delimiter).filter((path) => path !== '');
  return paths.map((path) => resolve(cwd, path));
}

/** The virtual environment of an interpreter: the one that it lies in, be it found by its path or on the PATH. */
function environmentOf({ cwd, words }: Invocation, { env }: Search): string | undefined {
  const word = words[0] ?? '';
  if (/[\\/]/.test(word)) return venvOf(resolve(cwd, word));
  const places = (env['PATH'] ?? '').split(delimiter).filter((place) => place !== '');
  const found = places.map((place) => resolve(cwd, place, word)).find(isExecutable);
  return found === undefined ? env['VIRTUAL_ENV'] : venvOf(found);
}

function noteCopy(
  name: string,
  found: { file: string; root: string },
  venv: string | undefined,
  first: readonly string[],
  search: Search,
): void {
  const copy = venv === undefined ? undefined : findInstalledCopy({ module: name, ...found, first }, venv, search.cwd);
  if (copy === undefined) return;
  search.copy = copy;
  search.facts.push({ what: 'runs from', value: shown(copy.copy, search.cwd), from: 'installed without -e' });
}

function moduleFile(name: string, roots: readonly string[]): { file: string; root: string } | undefined {
  const path = name.split('.');
  for (const root of roots.flatMap((one) => [one, join(one, 'src')])) {
    const base = join(root, ...path);
    const file = moduleFiles(base).find(isFile);
    if (file !== undefined && name !== '') return { file, root };
  }
  return undefined;
}

/** The virtual environment that a program lies in. */
function venvOf(file: string): string | undefined {
  const venv = dirname(dirname(file));
  return isFile(join(venv, 'pyvenv.cfg')) ? venv : undefined;
}

/** A command that a project installs into its virtual environment; nothing if the file is no such command. */
export function consoleScript(name: string, file: string, search: Search): Target | undefined {
  const venv = venvOf(file);
  return venv === undefined
    ? undefined
    : (ownCommand(name, dirname(venv), search, venv) ??
        ownCommand(name, search.cwd, search, venv) ??
        originalCommand(name, search, venv) ??
        nothing(`${name} is installed, and its sources are not in this project`));
}

/** The command of this name that the pyproject.toml in or above a directory declares. */
function ownCommand(name: string, directory: string, search: Search, venv?: string): Target | undefined {
  const { facts, cwd } = search;
  const top = nearestWith(projectDirectories(directory), ['pyproject.toml']);
  const text = top === undefined ? '' : (readText(join(top, 'pyproject.toml')) ?? '');
  const key = name.replace(/[^\w]/g, '\\$&');
  const section = /^\[(?:project|tool\.poetry)\.scripts\]\s*$([^[]*)/m.exec(text)?.[1] ?? '';
  const entry = new RegExp(`^\\s*["']?${key}["']?\\s*=\\s*["']([\\w.]+)`, 'm').exec(section)?.[1];
  if (top === undefined || entry === undefined) return undefined;
  facts.push({ what: `command ${name}`, value: entry, from: `${top === cwd ? '' : `${top}/`}pyproject.toml` });
  const found = moduleFile(entry, [top]);
  // An installed command looks in its environment, and not where it is started.
  if (found !== undefined) noteCopy(entry, found, venv, pythonPath(cwd, search), search);
  return found
    ? { kind: 'file', language: 'python', ...found }
    : { kind: 'project', language: 'python', directory: top };
}

/** The command of a project that was installed from a directory, by the records of the installation. */
function originalCommand(name: string, search: Search, venv: string): Target | undefined {
  const directory = installedFrom(name, venv);
  return directory === undefined ? undefined : ownCommand(name, directory, search, venv);
}

interface InProject {
  readonly project: string;
  /** Undefined if it is not known, or is brought up to date first. */
  readonly venv: string | undefined;
}

/** A word after `uv run` and its kin: a file, Python itself, a command of the project, or a tool that runs a file. */
function inProject(
  words: readonly string[],
  at: Invocation,
  search: Search,
  { project, venv }: InProject,
): ResolveStep {
  const [word, ...args] = words;
  if (word === undefined) return nothing('nothing is given to run');
  if (/\.pyw?$/.test(word) || (/[\\/]/.test(word) && isDirectory(resolve(at.cwd, word))))
    return script(resolve(at.cwd, word));
  if (/^python[\d.]*$/.test(word)) {
    const own = join(project, '.venv', 'bin', 'python');
    return pythonIn(venv, args, { ...at, words: [project === at.cwd ? word : own] }, search);
  }
  return ownCommand(word, project, search, venv) ?? { ...at, words };
}

const uvFlags = [
  '--with --with-editable --with-requirements -w --directory --project -p --python --extra --group --no-group --only-group',
  '--no-extra --env-file --index --default-index -i --index-url --extra-index-url -f --find-links --package -m --module',
  '--cache-dir --config-file --color -C --config-setting --refresh-package -P --upgrade-package --exclude-newer --link-mode',
  '--resolution --prerelease --python-platform --index-strategy --keyring-provider --allow-insecure-host --from -c',
].join(' ');

function uv(args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const before = readFlags(args, uvFlags);
  const [sub, ...behind] = before.rest;
  const flags = readFlags(behind, uvFlags);
  const cwd = resolve(invocation.cwd, before.value('--directory') ?? '', flags.value('--directory') ?? '');
  const at = { ...invocation, cwd };
  if (sub === 'tool' && flags.rest[0] === 'run') return uvx(flags.rest.slice(1), at, search);
  if (sub !== 'run') return nothing(`uv ${sub ?? ''} does not run a server`);
  const project = resolve(cwd, before.value('--project') ?? flags.value('--project') ?? '');
  const name = flags.value('-m', '--module');
  const words = name === undefined ? flags.rest : ['python', '-m', name, ...flags.rest];
  const file = flags.value('--env-file');
  if (file && isFile(resolve(cwd, file))) search.named.push(resolve(cwd, file));
  // uv installs the project with -e before it runs anything, unless it is told not to.
  const isLeft = [
    ...args,
    `UV_NO_SYNC=${search.env['UV_NO_SYNC'] ?? ''}`,
    `UV_NO_EDITABLE=${search.env['UV_NO_EDITABLE'] ?? ''}`,
  ].some((one) => /^(--no-sync|--no-editable|UV_NO_(SYNC|EDITABLE)=(1|true))$/i.test(one));
  const step = inProject(words, at, search, { project, venv: isLeft ? join(project, '.venv') : undefined });
  // What uv runs and is no file of ours is a program of its environment.
  return step.kind === 'command' && !Object.hasOwn(pythonTools, programName(words[0] ?? ''))
    ? { ...step, local: true }
    : step;
}

/** Runs a published package, unless `--from` names a directory. */
function uvx(args: readonly string[], { cwd }: Invocation, search: Search): ResolveStep {
  const { rest, value } = readFlags(args, `${uvFlags} --spec`);
  const from = value('--from', '--spec') ?? rest[0] ?? '';
  const directory = resolve(cwd, from.replace(/^file:\/\/|\[[^\]]*\]$/g, ''));
  if (!/^([./~]|file:|[A-Za-z]:)/.test(from) || !isDirectory(directory)) {
    return nothing(`${rest[0] ?? basename(from)} is installed, and its sources are not in this project`);
  }
  return ownCommand(rest[0] ?? '', directory, search) ?? { kind: 'project', language: 'python', directory };
}

/** `mcp run server.py:app` */
function fileRunner(args: readonly string[], { cwd, words }: Invocation, search: Search): ResolveStep {
  const [sub, ...behind] = args;
  if (behind.includes('--reload')) search.watcher = `${programName(words[0] ?? '')} --reload`;
  const taking =
    '-t --transport --host -p --port --path -l --log-level --with --with-editable -e --env-var -v --env-file -f';
  const word = readFlags(behind, `${taking} --project --python --with-requirements --server-spec`).rest[0];
  if ((sub !== 'run' && sub !== 'dev') || word === undefined || !/\.py(:|$)/.test(word))
    return nothing('no file is run');
  return script(resolve(cwd, word.replace(/(?<=\.py):.*$/, '')));
}

/** A module that a server of HTTP names: it is looked for where the server is started. */
function appModule(name: string, at: Invocation, search: Search): ResolveStep {
  return module(name, [], at, search, undefined);
}

/** Programs with `run` in front of another one. */
function runs(taking: string): Runner {
  return (args, invocation, search) => {
    const before = readFlags(args, taking);
    const cwd = resolve(invocation.cwd, before.value('-C', '--directory', '-p', '--project') ?? '');
    if (before.rest[0] !== 'run') return nothing(`${invocation.words[0]} does not run a server here`);
    const at = { ...invocation, cwd, local: true };
    const own = join(cwd, '.venv');
    const venv = isDirectory(own) ? own : search.env['VIRTUAL_ENV'];
    return inProject(readFlags(before.rest.slice(1), taking).rest, at, search, { project: cwd, venv });
  };
}

export const pythonTools: Readonly<Record<string, Runner>> = {
  python,
  pypy: python,
  py: (args, invocation, search) => python(args[0] && /^-\d/.test(args[0]) ? args.slice(1) : args, invocation, search),
  uv,
  uvx,
  pipx: (args, invocation, search) => uvx(args.slice(1), invocation, search),
  ...pythonServers(appModule),
  mcp: fileRunner,
  fastmcp: fileRunner,
  poetry: runs('-C --directory -P --project'),
  pdm: runs('-p --project'),
  rye: runs('--pyproject'),
  hatch: runs('-e --env -p --project'),
  pipenv: runs('--python'),
};
