// Finds the program that a word names, as a package's own scripts would: in the package's node_modules/.bin directories
// first, then on the PATH. It only looks; process/ starts the program.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';

const windows = process.platform === 'win32';

/** The path of a local program, the word itself for one on the PATH or named by a path, undefined if there is none. */
export async function findCommand(word: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const endings = endingsOf(env);
  if (word.includes('/') || (windows && word.includes('\\'))) {
    return (await firstProgram([resolve(cwd, word)], endings)) === undefined ? undefined : word;
  }
  const local = ancestors(cwd).map((directory) => join(directory, 'node_modules', '.bin', word));
  const found = await firstProgram(local, endings);
  if (found !== undefined) return found;
  return (await isOnPath(word, cwd, env)) ? word : undefined;
}

/** Whether there is a program of this name on the PATH. */
export async function isOnPath(name: string, cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const path = Object.entries(env).find(([key]) => (windows ? key.toUpperCase() : key) === 'PATH')?.[1] ?? '';
  const places = path.split(delimiter).map((directory) => resolve(cwd, directory, name));
  return (await firstProgram(places, endingsOf(env))) !== undefined;
}

function endingsOf(env: NodeJS.ProcessEnv): string[] {
  return windows ? ['', ...(env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
}

/** `from` and every directory above it. */
export function ancestors(from: string): string[] {
  const directories = [resolve(from)];
  for (;;) {
    const last = directories.at(-1) ?? from;
    const above = dirname(last);
    if (above === last) return directories;
    directories.push(above);
  }
}

async function firstProgram(places: readonly string[], endings: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    for (const ending of endings) {
      if (await isProgram(place + ending)) return place + ending;
    }
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
