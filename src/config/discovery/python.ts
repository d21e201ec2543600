// Python and the tools that run it: which file a script, a module (`-m`) or an installed command of the project is. Virtual
// environments and pyproject.toml are read only as far as that takes.

import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { isDirectory, isFile, nearestWith, projectDirectories, readText } from './disk.js';
import { programName, readFlags } from './flags.js';
import { nothing, type Invocation, type Runner, type Search, type Step, type Target } from './found.js';

/** Flags in one word, of which the last one may take what follows: `-um pkg`. */
const flagWord = /^-[bBdEiIOPqRsSuvVx]*([mcWX])(.*)$/;

function python(args: readonly string[], invocation: Invocation, search: Search): Step {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const [, letter, attached = ''] = flagWord.exec(word) ?? [];
    const value = attached === '' ? args[at + 1] : attached;
    const rest = args.slice(attached === '' ? at + 2 : at + 1);
    if (letter === 'c' || word === '-') break;
    if (letter === 'm') return module(value ?? '', rest, invocation, search);
    if (letter !== undefined || word === '--check-hash-based-pycs') at += attached === '' ? 1 : 0;
    else if (!word.startsWith('-')) return script(resolve(invocation.cwd, word));
  }
  return nothing('code is run that is in no file');
}

function script(path: string): Target {
  const file = isDirectory(path) ? join(path, '__main__.py') : path;
  return { kind: 'file', language: 'python', file };
}

function module(name: string, rest: readonly string[], invocation: Invocation, search: Search): Step {
  const roots = moduleRoots(invocation, search);
  const found = moduleFile(name, roots);
  if (found !== undefined) return { kind: 'file', language: 'python', ...found };
  if (name === 'debugpy') {
    search.debugged = true;
    const { value, rest: behind } = readFlags(rest, '--listen --connect --log-to --adapter-access-token -m');
    const next = value('-m');
    return next ? module(next, behind, invocation, search) : python(behind, invocation, search);
  }
  if (Object.hasOwn(pythonTools, name)) return { ...invocation, words: [name, ...rest] };
  return nothing(`the module ${name} is none of this project`);
}

/** Where imports start: the working directory, what PYTHONPATH names, and the project that a virtual environment belongs to. */
function moduleRoots({ cwd, words }: Invocation, { env }: Search): string[] {
  const interpreter = words[0] ?? '';
  const venvs = [/[\\/]/.test(interpreter) ? venvOf(resolve(cwd, interpreter)) : undefined, env['VIRTUAL_ENV']];
  const more = (env['PYTHONPATH'] ?? '').split(delimiter).filter((path) => path !== '');
  return [cwd, ...more.map((path) => resolve(cwd, path)), ...venvs.flatMap((venv) => (venv ? [dirname(venv)] : []))];
}

function moduleFile(name: string, roots: readonly string[]): { file: string; root: string } | undefined {
  const path = name.split('.');
  for (const root of roots.flatMap((one) => [one, join(one, 'src')])) {
    const base = join(root, ...path);
    const file = [`${base}.py`, join(base, '__main__.py'), join(base, '__init__.py')].find(isFile);
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
    : (ownCommand(name, dirname(venv), search) ?? nothing(`${name} is installed, not developed here`));
}

/** The command of this name that the pyproject.toml in or above a directory declares. */
function ownCommand(name: string, directory: string, { facts, cwd }: Search): Target | undefined {
  const top = nearestWith(projectDirectories(directory), ['pyproject.toml']);
  const text = top === undefined ? '' : (readText(join(top, 'pyproject.toml')) ?? '');
  const key = name.replace(/[^\w]/g, '\\$&');
  const section = /^\[(?:project|tool\.poetry)\.scripts\]\s*$([^[]*)/m.exec(text)?.[1] ?? '';
  const entry = new RegExp(`^\\s*["']?${key}["']?\\s*=\\s*["']([\\w.]+)`, 'm').exec(section)?.[1];
  if (top === undefined || entry === undefined) return undefined;
  facts.push({ what: `command ${name}`, value: entry, from: `${top === cwd ? '' : `${top}/`}pyproject.toml` });
  const found = moduleFile(entry, [top]);
  return found
    ? { kind: 'file', language: 'python', ...found }
    : { kind: 'project', language: 'python', directory: top };
}

/** A word after `uv run` and its kin: a file, Python itself, a command of the project, or a tool that runs a file. */
function inProject(words: readonly string[], at: Invocation, search: Search, project = at.cwd): Step {
  const [word, ...args] = words;
  if (word === undefined) return nothing('nothing is given to run');
  if (/\.pyw?$/.test(word) || (/[\\/]/.test(word) && isDirectory(resolve(at.cwd, word))))
    return script(resolve(at.cwd, word));
  if (/^python[\d.]*$/.test(word)) {
    const venv = join(project, '.venv', 'bin', 'python');
    return python(args, { ...at, words: [project === at.cwd ? word : venv] }, search);
  }
  return ownCommand(word, project, search) ?? { ...at, words };
}

const uvFlags = [
  '--with --with-editable --with-requirements -w --directory --project -p --python --extra --group --no-group --only-group',
  '--no-extra --env-file --index --default-index -i --index-url --extra-index-url -f --find-links --package -m --module',
  '--cache-dir --config-file --color -C --config-setting --refresh-package -P --upgrade-package --exclude-newer --link-mode',
  '--resolution --prerelease --python-platform --index-strategy --keyring-provider --allow-insecure-host --from -c',
].join(' ');

function uv(args: readonly string[], invocation: Invocation, search: Search): Step {
  const before = readFlags(args, uvFlags);
  const [sub, ...behind] = before.rest;
  const flags = readFlags(behind, uvFlags);
  const cwd = resolve(invocation.cwd, before.value('--directory') ?? '', flags.value('--directory') ?? '');
  const at = { ...invocation, cwd };
  if (sub === 'tool' && flags.rest[0] === 'run') return uvx(flags.rest.slice(1), at, search);
  if (sub !== 'run') return nothing(`uv ${sub ?? ''} runs no server`);
  const project = resolve(cwd, before.value('--project') ?? flags.value('--project') ?? '');
  const name = flags.value('-m', '--module');
  const words = name === undefined ? flags.rest : ['python', '-m', name, ...flags.rest];
  const file = flags.value('--env-file');
  if (file && isFile(resolve(cwd, file))) search.named.push(resolve(cwd, file));
  const step = inProject(words, at, search, project);
  // What uv runs and is no file of ours is a program of its environment.
  return step.kind === 'command' && !Object.hasOwn(pythonTools, programName(words[0] ?? ''))
    ? { ...step, local: true }
    : step;
}

/** Runs a published package, unless `--from` names a directory. */
function uvx(args: readonly string[], { cwd }: Invocation, search: Search): Step {
  const { rest, value } = readFlags(args, `${uvFlags} --spec`);
  const from = value('--from', '--spec') ?? rest[0] ?? '';
  const directory = resolve(cwd, from.replace(/^file:\/\/|\[[^\]]*\]$/g, ''));
  if (!/^([./~]|file:|[A-Za-z]:)/.test(from) || !isDirectory(directory)) {
    return nothing(`${rest[0] ?? basename(from)} is installed, not developed here`);
  }
  return ownCommand(rest[0] ?? '', directory, search) ?? { kind: 'project', language: 'python', directory };
}

/** `mcp run server.py:app` */
function fileRunner(args: readonly string[], { cwd }: Invocation): Step {
  const [sub, ...behind] = args;
  const taking =
    '-t --transport --host -p --port --path -l --log-level --with --with-editable -e --env-var -v --env-file -f';
  const word = readFlags(behind, `${taking} --project --python --with-requirements --server-spec`).rest[0];
  if ((sub !== 'run' && sub !== 'dev') || word === undefined || !/\.py(:|$)/.test(word))
    return nothing('no file is run');
  return script(resolve(cwd, word.replace(/(?<=\.py):.*$/, '')));
}

/** Programs with `run` in front of another one. */
function runs(taking: string): Runner {
  return (args, invocation, search) => {
    const before = readFlags(args, taking);
    const cwd = resolve(invocation.cwd, before.value('-C', '--directory', '-p', '--project') ?? '');
    if (before.rest[0] !== 'run') return nothing(`${invocation.words[0]} runs no server here`);
    return inProject(readFlags(before.rest.slice(1), taking).rest, { ...invocation, cwd, local: true }, search);
  };
}

export const pythonTools: Readonly<Record<string, Runner>> = {
  python,
  pypy: python,
  py: (args, invocation, search) => python(args[0] && /^-\d/.test(args[0]) ? args.slice(1) : args, invocation, search),
  uv,
  uvx,
  pipx: (args, invocation, search) => uvx(args.slice(1), invocation, search),
  mcp: fileRunner,
  fastmcp: fileRunner,
  poetry: runs('-C --directory -P --project'),
  pdm: runs('-p --project'),
  rye: runs('--pyproject'),
  hatch: runs('-e --env -p --project'),
  pipenv: runs('--python'),
};
