// Classifies the entry point of a JavaScript or TypeScript server: a source of some tsconfig, the output of a build, or
// plain code. It reads the tsconfigs around the entry, each once; javascript.ts decides what to watch.

import { dirname, join, relative, resolve, sep } from 'node:path';
import { endingOf, isFile, nearestWith, projectDirectories, readText, shown } from './disk.js';
import type { Search } from './discovery.js';
import { javascriptEndings } from './languages.js';
import { readTsconfig, roleOf, type Role, type Tsconfig } from './tsconfig.js';

export type EntryClass =
  | { readonly kind: 'plain' }
  | { readonly kind: 'source'; readonly config: Tsconfig }
  | {
      readonly kind: 'built';
      readonly output: string;
      /** How it is known that this is an output. */
      readonly by: string;
      readonly config: Tsconfig | undefined;
    };

export interface EntryClassifier {
  /** `tsconfig`: the one that the command names. */
  classifyEntry(entry: string, tsconfig: string | undefined): Promise<EntryClass>;
  withReferences(first: Tsconfig): Promise<Tsconfig[]>;
  /** Undefined if it is not there or can't be read. */
  read(path: string): Promise<Tsconfig | undefined>;
}

/** Directories in which nobody writes sources. */
const outputNames = new Set(['dist', 'build', 'out', 'output', '.output', 'bundle', 'esm', 'cjs']);
/** In bytes. A file that only loads the output of a build is shorter. */
const SHORT = 16 * 1024;

export function createEntryClassifier({ cwd, facts }: Search): EntryClassifier {
  const known = new Map<string, Promise<Tsconfig | undefined>>();

  function read(path: string): Promise<Tsconfig | undefined> {
    let reading = known.get(path);
    if (reading === undefined) {
      reading = readTsconfig(path).then((config) => {
        if (!('problem' in config)) return config;
        facts.push({ what: 'problem', value: config.problem, from: shown(path, cwd) });
        return undefined;
      });
      known.set(path, reading);
    }
    return reading;
  }

  async function withReferences(first: Tsconfig): Promise<Tsconfig[]> {
    const all = [first];
    for (const config of all) {
      for (const path of config.references) {
        const other = all.some((one) => one.path === path) || !isFile(path) ? undefined : await read(path);
        if (other !== undefined) all.push(other);
      }
    }
    return all;
  }

  async function firstOf(paths: readonly string[]): Promise<Tsconfig | undefined> {
    for (const path of paths) {
      const config = await read(path);
      if (config !== undefined) return config;
    }
    return undefined;
  }

  /** The tsconfig that a file belongs to, as a source or as an output. */
  async function claim(file: string, paths: readonly string[]): Promise<{ config: Tsconfig; role: Role } | undefined> {
    for (const path of paths) {
      const first = await read(path);
      for (const config of first === undefined ? [] : await withReferences(first)) {
        const role = roleOf(file, config);
        if (role !== undefined) return { config, role };
      }
    }
    return undefined;
  }

  async function classifyFile(file: string, paths: readonly string[]): Promise<EntryClass> {
    const claimed = await claim(file, paths);
    if (claimed?.role.kind === 'source') return { kind: 'source', config: claimed.config };
    if (claimed !== undefined) {
      const output = claimed.role.directory ?? dirname(file);
      return { kind: 'built', output, by: `the output of ${shown(claimed.config.path, cwd)}`, config: claimed.config };
    }
    const output = outputByName(file);
    if (output === undefined) return { kind: 'plain' };
    return { kind: 'built', output, by: 'a directory for output', config: await firstOf(paths) };
  }

  return {
    withReferences,
    read: async (path) => (isFile(path) ? read(path) : undefined),
    async classifyEntry(entry, tsconfig) {
      const paths = tsconfig === undefined ? tsconfigsAbove(entry) : [tsconfig];
      const entryClass = await classifyFile(entry, paths);
      if (entryClass.kind !== 'plain') return entryClass;
      for (const file of importsOf(entry)) {
        const loaded = await classifyFile(file, paths);
        if (loaded.kind === 'built') return { ...loaded, by: `${loaded.by}, and ${shown(entry, cwd)} loads it` };
      }
      return entryClass;
    },
  };
}

function tsconfigsAbove(file: string): string[] {
  return projectDirectories(dirname(file))
    .flatMap((directory) => [join(directory, 'tsconfig.build.json'), join(directory, 'tsconfig.json')])
    .filter(isFile);
}

/** The directory at the top of the package that the file lies in, if its name says that it holds output. */
function outputByName(file: string): string | undefined {
  if (!(javascriptEndings as readonly string[]).includes(endingOf(file))) return undefined;
  const top = nearestWith(projectDirectories(dirname(file)), ['package.json']);
  const [first = '', second] = top === undefined ? [] : relative(top, file).split(sep);
  return top !== undefined && second !== undefined && outputNames.has(first) ? join(top, first) : undefined;
}

/** The files that a short entry names by a relative path. */
function importsOf(file: string): string[] {
  const text = (javascriptEndings as readonly string[]).includes(endingOf(file)) ? (readText(file) ?? '') : '';
  if (text.length > SHORT) return [];
  const found = text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g);
  return [...found].map(([, path]) => resolve(dirname(file), endingOf(path!) === '' ? `${path}.js` : path!));
}
