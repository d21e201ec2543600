// Decides whether a command builds what it then runs, as `tsc && node dist/server.js` or a script `prestart` does: then
// our own build would be one too many. Scripts are read and nothing is run; a command that is not understood counts as
// no build.

import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isDirectory, isInside, shown } from './disk.js';
import { programName } from './flags.js';
import type { Ran, Runner, Search } from './discovery.js';
import { interpreters } from './interpreters.js';
import type { EntryClassifier, EntryClass } from './classify-entry.js';
import { manifestIn } from './manifest.js';
import { packageManagers } from './package-managers.js';
import { rowOf } from './shell-text.js';
import type { Build } from './workspace.js';
import { wrappers } from './wrappers.js';

export interface Product {
  readonly entryClass: Extract<EntryClass, { kind: 'built' }>;
  /** The build that would be run otherwise, if there is one. */
  readonly build: Build | undefined;
  readonly classifier: EntryClassifier;
}

/** Scripts call scripts, but not as deep as this. */
const DEPTH = 10;
const endless = new Set(['-w', '--watch']);

/** The command that builds the product before the server is started, as it is written; undefined if there is none. */
export async function builderIn(search: Search, product: Product): Promise<string | undefined> {
  for (const ran of search.before) {
    if (await makes(ran, search, product, 0)) return ran.words.join(' ');
  }
  return undefined;
}

async function makes(ran: Ran, search: Search, product: Product, depth: number): Promise<boolean> {
  const start = ran.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [word, ...args] = start < 0 ? [] : ran.words.slice(start);
  if (word === undefined || depth > DEPTH) return false;
  if (isBuildText(ran, product)) return true;
  const run = runnerOf(word, args);
  if (run === undefined) return compiles(programName(word), args, ran.cwd, product);
  const inside: Search = { ...search, facts: [], before: [], named: [] };
  const step = run(args, { kind: 'command', words: [word, ...args], cwd: ran.cwd }, inside);
  if (inside.facts.some(({ what, from }) => isBuildScript(what, from, search.cwd, product))) return true;
  const row = step.kind === 'command' ? [...inside.before, { words: step.words, cwd: step.cwd }] : inside.before;
  for (const one of row) if (await makes(one, search, product, depth + 1)) return true;
  return false;
}

/** The runner of a program that only runs another one. `bun build` is none, because it compiles. */
function runnerOf(word: string, args: readonly string[]): Runner | undefined {
  const name = programName(word);
  if (name === 'bun') return args[0] === 'build' ? undefined : interpreters['bun'];
  if (Object.hasOwn(packageManagers, name)) return packageManagers[name];
  return Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
}

function isBuildScript(what: string, from: string, cwd: string, { build }: Product): boolean {
  if (build === undefined) return false;
  return what === `script ${build.script}` && from === shown(join(build.directory, 'package.json'), cwd);
}

/** Whether the words are exactly those of the build script. */
function isBuildText({ words, cwd }: Ran, { build }: Product): boolean {
  const text = build && manifestIn(build.directory)?.scripts[build.script];
  const row = build === undefined || text === undefined ? undefined : rowOf(text, build.directory);
  return row?.length === 1 && isDeepStrictEqual(row[0], { words, cwd });
}

const typescriptCompilers = new Set(['tsc', 'vue-tsc', 'tspc', 'ttsc', 'tsgo']);
/** They write to `dist` unless an option says otherwise. */
const intoDist = new Set(['tsup', 'tsdown', 'unbuild', 'webpack', 'vite', 'ncc', 'parcel', 'rslib', 'pkgroll']);
const bundlers = new Set([
  ...intoDist,
  'esbuild',
  'bun',
  'swc',
  'babel',
  'rollup',
  'rspack',
  'rolldown',
  'microbundle',
]);
const notBuilding = new Set(['--noemit', '--emitdeclarationonly', '--version', '-v', '--help', '-h', '--init', 'dev']);
const naming = /^(-o|-d|--out|--outdir|--out-dir|--outfile|--out-file|--dir|--dist-dir|--output-path)$/;

async function compiles(name: string, args: readonly string[], cwd: string, product: Product): Promise<boolean> {
  const { output } = product.entryClass;
  if (args.some((word, at) => endless.has(word) || isSwitchedOn(word, args[at + 1]))) return false;
  if (typescriptCompilers.has(name)) return emits(args, cwd, product);
  if (!bundlers.has(name)) return false;
  if (args.some((word) => isInside(resolve(cwd, word.replace(/^-[^=]*=/, '')), output))) return true;
  const isSaid = args.some((word) => naming.test(word.replace(/=.*$/, '').toLowerCase()));
  return intoDist.has(name) && !isSaid && basename(output) === 'dist' && isInside(output, cwd);
}

function isSwitchedOn(word: string, next: string | undefined): boolean {
  return notBuilding.has(word.toLowerCase()) && next !== 'false';
}

/** Whether tsc writes the output, judged by the tsconfig that it reads. */
async function emits(args: readonly string[], cwd: string, { entryClass, classifier }: Product): Promise<boolean> {
  const value = (...names: readonly string[]): string | undefined => {
    const at = args.findIndex((word) => names.includes(word.toLowerCase()));
    return at < 0 ? undefined : args[at + 1];
  };
  const directory = value('--outdir');
  if (directory !== undefined) return resolve(cwd, directory) === entryClass.output;
  const references = args.some((word) => word === '-b' || word === '--build');
  const named = references ? args.filter((word) => !word.startsWith('-')) : [value('-p', '--project') ?? '.'];
  for (const path of named.length === 0 ? ['.'] : named) {
    const first = await classifier.read(configAt(resolve(cwd, path)));
    for (const config of first === undefined ? [] : references ? await classifier.withReferences(first) : [first]) {
      const isIts = config.outDir === entryClass.output || config.path === entryClass.config?.path;
      if (isIts && config.emits) return true;
    }
  }
  return false;
}

function configAt(path: string): string {
  return isDirectory(path) ? join(path, 'tsconfig.json') : path;
}
