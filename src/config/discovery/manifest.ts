// Reads package.json, as far as it says what is run: scripts, programs, the main file, dependencies. Also the scripts
// of tools that keep them in a file of their own. The caller chooses the package.

import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isFile, projectDirectories, readText, shown } from './disk.js';
import { nothing, type Invocation, type Search, type ResolveStep } from './discovery.js';
import { programName } from './flags.js';
import { managerFacts, runsPreScripts } from './pre-scripts.js';
import { readShellText, rowOf } from './shell-text.js';

export interface Manifest {
  readonly path: string;
  readonly directory: string;
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** The package's own programs. */
  readonly bin: Readonly<Record<string, string>>;
  readonly main: string | undefined;
  /** The names of the packages that it needs when it runs. */
  readonly dependencies: readonly string[];
  /** The patterns of the packages that belong to it, if it is the top of a workspace. */
  readonly workspaces: readonly string[] | undefined;
  /** As in `pnpm@10.2.0`. */
  readonly packageManager: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The package that a directory lies in, the way package managers look for it. */
export function readManifest(directory: string): Manifest | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = manifestIn(at);
    if (found !== undefined || at === dirname(at)) return found;
  }
}

export function manifestIn(directory: string): Manifest | undefined {
  const path = join(directory, 'package.json');
  const text = readText(path);
  if (text === undefined) return undefined;
  const json = parse(text);
  const name = typeof json['name'] === 'string' ? json['name'] : '';
  const { bin } = json;
  return {
    path,
    directory,
    name,
    scripts: texts(json['scripts']),
    bin: texts(typeof bin === 'string' ? { [name.replace(/^@[^/]+\//, '')]: bin } : bin),
    main: exported(json['exports']) ?? (typeof json['main'] === 'string' ? json['main'] : undefined),
    dependencies: ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
      Object.keys(texts(json[key])),
    ),
    workspaces: workspacesOf(json['workspaces']),
    packageManager: typeof json['packageManager'] === 'string' ? json['packageManager'] : undefined,
  };
}

/** The file that a package's directory stands for, without asking whether it is there. */
export function mainOf(directory: string): string | undefined {
  const main = manifestIn(directory)?.main;
  return main === undefined ? undefined : resolve(directory, main);
}

/** Follows the command of a script; `more`: the words that were passed to it. */
export function runScript(
  name: string,
  at: Invocation,
  more: readonly string[],
  search: Search,
  files: readonly string[] = ['package.json'],
): ResolveStep {
  for (let directory = at.cwd; ; directory = dirname(directory)) {
    for (const path of files.map((file) => join(directory, file)).filter(isFile)) {
      const text = scriptIn(path, name);
      if (text === undefined) continue;
      const fact = { what: `script ${name}`, value: text, from: shown(path, search.cwd) };
      if (search.facts.some((other) => isDeepStrictEqual(other, fact)))
        return nothing(`the script ${name} calls itself`);
      search.facts.push(fact);
      if (path.endsWith('package.json')) notePreScript(name, at, directory, search);
      return readShellText(text, { ...at, cwd: directory, local: true }, search, more);
    }
    // Package managers stop at the first package.
    if (isFile(join(directory, 'package.json')) || directory === dirname(directory)) break;
  }
  return nothing(`there is no script ${name}`);
}

/** The scripts that run before this one because they are called `pre…`. */
function notePreScript(name: string, at: Invocation, directory: string, search: Search): void {
  const manifest = manifestIn(directory);
  const text = manifest?.scripts[`pre${name}`];
  if (manifest === undefined || text === undefined) return;
  const manager = programName(at.words[0] ?? '');
  const known = managerFacts(manager, at.words, directory, declaredFrom(directory), search.env);
  if (!runsPreScripts(manager, known)) return;
  search.facts.push({ what: `script pre${name}`, value: text, from: shown(manifest.path, search.cwd) });
  search.before.push(...(rowOf(text, directory) ?? []));
}

/** A workspace names its package manager at the top. */
function declaredFrom(directory: string): string | undefined {
  return projectDirectories(directory)
    .map((place) => manifestIn(place)?.packageManager)
    .find((declared) => declared !== undefined);
}

function scriptIn(path: string, name: string): string | undefined {
  if (path.endsWith('package.json')) return manifestIn(dirname(path))?.scripts[name];
  // Deno's file may contain comments, so it is searched by line instead of parsed.
  const key = name.replace(/[^\w]/g, '\\$&');
  const found = new RegExp(`"${key}"\\s*:\\s*(?:\\{[^}]*"command"\\s*:\\s*)?"((?:[^"\\\\]|\\\\.)*)"`).exec(
    readText(path) ?? '',
  );
  return found?.[1]?.replace(/\\(["\\/])/g, '$1');
}

/** A list, or an object that has it (yarn 1). */
function workspacesOf(given: unknown): readonly string[] | undefined {
  const list = isRecord(given) ? given['packages'] : given;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : undefined;
}

/** The file that a plain import of the package loads. */
function exported(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (Array.isArray(given)) return exported(given[0]);
  if (!isRecord(given)) return undefined;
  const keys = ['.', 'node', 'import', 'require', 'default'];
  return keys.map((key) => exported(given[key])).find((path) => path !== undefined);
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {}; // half written, or a mistake that its package manager will name
  }
}

/** Without a prototype, because any word of a command is looked up in it, for example `toString`. */
function texts(value: unknown): Record<string, string> {
  const pairs = Object.entries(isRecord(value) ? value : {});
  const found = Object.create(null) as Record<string, string>;
  for (const [key, text] of pairs) if (typeof text === 'string') found[key] = text;
  return found;
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
