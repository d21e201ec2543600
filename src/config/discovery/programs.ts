// A program that is in no table: where it is, and whether it is a script of this project. It is searched as the system
// would search it, and never run.

import { closeSync, openSync, readSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import {
  endingOf,
  isExecutable,
  isFile,
  isInside,
  isInstalled,
  nearestWith,
  projectDirectories,
  readText,
  realOf,
} from './disk.js';
import { programName } from './flags.js';
import { nothing, type Invocation, type Search, type ResolveStep } from './discovery.js';
import { allTops, languageOf } from './languages.js';
import { nativeProgram } from './native-programs.js';
import { consoleScript } from './python.js';
import { shellScript } from './shell-scripts.js';

const windows = process.platform === 'win32';

export function program(word: string, args: readonly string[], invocation: Invocation, search: Search): ResolveStep {
  const name = basename(word);
  const isPath = /[\\/]/.test(word);
  const given = isPath ? resolve(invocation.cwd, word) : undefined;
  if (given !== undefined && isFile(given) && !isExecutable(given)) return absent(`${name} is not a program`);
  const file = given === undefined ? onPath(word, invocation, search.env) : withEnding(given);
  // A package runner fetches what is not there.
  if (file === undefined) {
    const made = given === undefined ? undefined : nativeProgram(realOf(given), search);
    if (made?.kind === 'made') return made;
    return invocation.local ? nothing(`${name} is not part of this project`) : absent(`${name} was not found`);
  }

  const script = consoleScript(programName(word), file, search);
  if (script !== undefined) return script;
  const real = shimTarget(file) ?? realOf(file);
  if (isInstalled(real)) return installed(name);
  const directories = projectDirectories(dirname(real));
  const isProject = nearestWith(directories, allTops) !== undefined || (isPath && isInside(real, search.cwd));
  const language = languageOf(endingOf(real));
  if (!isProject && !(isPath && language !== undefined)) return nothing(`nothing is known of the program ${name}`);

  const shebang = shebangOf(real);
  const isShell = shebang !== undefined && /^(\S*\/)?(env\s+)?(ba|z|da|k|a)?sh\b/.test(shebang);
  if (shebang !== undefined && !isShell) {
    search.facts.push({ what: 'first line', value: `#!${shebang}`, from: name });
    return { ...invocation, words: [...shebang.split(/\s+/), real, ...args] };
  }
  if (language !== undefined) return { kind: 'file', language, file: real };
  if (isPath && isShell) return shellScript(real, args, invocation, search);
  return isPath
    ? (nativeProgram(real, search) ?? { kind: 'itself', file: real })
    : nothing(`nothing is known of the program ${name}`);
}

function installed(name: string): ResolveStep {
  return nothing(`${name} is installed, and its sources are not in this project`);
}

function absent(reason: string): ResolveStep {
  return { kind: 'nothing', reason, absent: true };
}

function onPath(word: string, { cwd, local }: Invocation, env: NodeJS.ProcessEnv): string | undefined {
  const path = Object.entries(env).find(([name]) => (windows ? name.toUpperCase() : name) === 'PATH')?.[1] ?? '';
  const places = path.split(delimiter).filter((place) => place !== '');
  const own = local ? binDirectories(cwd) : [];
  for (const directory of [...own, ...places]) {
    const found = withEnding(resolve(cwd, directory, word));
    if (found !== undefined) return found;
  }
  return undefined;
}

function binDirectories(cwd: string): string[] {
  const found: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    found.push(join(at, 'node_modules', '.bin'));
    if (at === dirname(at)) return found;
  }
}

function withEnding(path: string): string | undefined {
  return ['', ...(windows ? ['.cmd', '.exe', '.bat', '.com'] : [])].map((ending) => path + ending).find(isExecutable);
}

/** Some package managers write small scripts instead of links: this is what they run. */
function shimTarget(file: string): string | undefined {
  if (!/[\\/]node_modules[\\/]\.bin$/.test(dirname(file))) return undefined;
  const found = /"(?:\$basedir|%~dp0|%dp0%)[\\/]([^"]+\.[cm]?[jt]s)"/.exec(readText(file)?.slice(0, 4096) ?? '')?.[1];
  return found === undefined ? undefined : realOf(resolve(dirname(file), found.replaceAll('\\', '/')));
}

function shebangOf(file: string): string | undefined {
  const bytes = Buffer.alloc(256);
  try {
    const handle = openSync(file, 'r');
    try {
      const length = readSync(handle, bytes);
      return /^#!\s*(\S[^\r\n]*)/.exec(bytes.toString('latin1', 0, length))?.[1]?.trim();
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}
