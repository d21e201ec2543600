// Finds the files that belong to a target, by the endings and manifests of its language, and by what is known of the
// projects that it consists of. JavaScript and TypeScript, which may be built, have a file of their own.

import { basename, dirname, join, resolve } from 'node:path';
import { namesIn } from './directories.js';
import { endingOf, isDirectory, isFile, nearestWith, projectDirectories, readText, shown } from './disk.js';
import type { Proposal, Search, Target } from './discovery.js';
import { languages, type Language } from './languages.js';
import { anyOf, dataIn, ignored, inDirectory, withEndings } from './patterns.js';
import { quoted } from './workspace.js';

export interface Sources {
  readonly watch: readonly string[];
  readonly ignore: readonly string[];
  /** Directories whose data files belong to it. */
  readonly data: readonly string[];
  /** A package.json script, and the directory of its package. */
  readonly build?: { readonly script: string; readonly directory: string };
  /** What a build writes; absolute. */
  readonly outputs?: readonly string[];
  /** The package that a build of another name would belong to. */
  readonly directory: string;
  /** The files that this result was read from, whether they exist or not. */
  readonly read: readonly string[];
  /** Completes "watching …: ". */
  readonly because: string;
}

type Placed = Exclude<Target, { kind: 'nothing' | 'made' }>;

export function sourcesOf(target: Placed, search: Search, ext: readonly string[]): Sources {
  const { cwd, facts } = search;
  if (target.kind === 'itself') {
    const because = `${shown(target.file, cwd)} is run, but it is unknown what it is made of${proposed(target)}`;
    return {
      watch: [shown(target.file, cwd)],
      ignore: [],
      data: [],
      directory: dirname(target.file),
      outputs: [target.file],
      read: [],
      because,
    };
  }
  const language = languages[target.language];
  const from = target.kind === 'file' ? dirname(target.file) : target.directory;
  const marked = topOf(target.language, language, from);
  const top = marked ?? (target.kind === 'file' ? target.root : undefined) ?? from;
  const others = neighbours(target.language, top);
  if (target.kind === 'file') facts.push({ what: 'entry', value: shown(target.file, cwd), from: 'the command' });
  facts.push({ what: 'language', value: language.label, from: target.kind === 'file' ? 'the entry' : 'the command' });
  facts.push({ what: 'project', value: shown(top, cwd), from: marked === undefined ? 'the entry' : 'its manifest' });
  for (const other of others)
    facts.push({ what: 'project', value: shown(other, cwd), from: `the project in ${shown(top, cwd)}` });
  const tops = [top, ...others];
  return {
    watch: [
      ...tops.map((directory) => withEndings(directory, ext.length > 0 ? ext : language.endings, cwd)),
      // There would be a warning for a pattern without a match.
      ...tops.slice(marked === undefined ? 1 : 0).map((directory) => manifestsIn(directory, language, cwd)),
      ...(target.kind === 'file' && isFile(target.file) ? [shown(target.file, cwd)] : []),
    ],
    ignore: tops.flatMap((directory) => [
      ...(language.outputs ?? []).map((name) => ignored(directory, `**/${name}`)),
      ...(target.language === 'python' ? environmentsIn(directory) : []),
    ]),
    data: ext.length > 0 ? [] : dataIn(tops, cwd),
    directory: top,
    read: language.tops.map((name) => join(top, name)),
    because:
      target.kind === 'file'
        ? `${shown(target.file, cwd)} is ${language.label}`
        : `${shown(top, cwd)} is a ${language.label} project`,
  };
}

function proposed({ proposal }: Extract<Target, { kind: 'itself' }>): string {
  if (proposal === undefined) return '; name its sources with --watch';
  return `, since ${proposal.doubt}; if it is built from what lies beside it, use ${optionsOf(proposal)}`;
}

/** The options as they are typed. */
export function optionsOf({ watch, build }: Proposal): string {
  return `--watch ${quoted(watch)} --build ${quoted(build)}`;
}

export function manifestsIn(directory: string, language: Language, cwd: string): string {
  return inDirectory(directory, `${language.deep ? '**/' : ''}${anyOf(language.manifests)}`, cwd);
}

function topOf(name: string, language: Language, from: string): string | undefined {
  const directories = projectDirectories(from);
  if (name === 'dotnet') return directories.find((directory) => projectFiles(directory).length > 0);
  if (name === 'rust') {
    const space = directories.find((directory) => /^\[workspace/m.test(readText(join(directory, 'Cargo.toml')) ?? ''));
    if (space !== undefined) return space;
  }
  return nearestWith(directories, language.tops);
}

/** The directories of other projects that a project depends on. */
function neighbours(language: string, top: string): string[] {
  const found = new Set<string>();
  const visit = (directory: string): void => {
    for (const other of namedBy(language, directory)) {
      if (other === top || found.has(other) || !isDirectory(other)) continue;
      found.add(other);
      visit(other);
    }
  };
  visit(top);
  return [...found];
}

function namedBy(language: string, directory: string): string[] {
  const named = (text: string | undefined, pattern: RegExp): string[] =>
    [...(text ?? '').matchAll(pattern)].map(([, path]) => resolve(directory, path!.replaceAll('\\', '/')));
  if (language === 'dotnet') {
    return projectFiles(directory).flatMap((file) =>
      named(readText(file), /<ProjectReference\s+Include="([^"]+)"/g).map((path) => dirname(path)),
    );
  }
  // Dependencies that are installed from a local directory.
  if (language === 'python') {
    return named(readText(join(directory, 'pyproject.toml')), /^[^#\n]*\{[^}\n]*\bpath\s*=\s*["']([^"']+)["']/gm);
  }
  return [];
}

function projectFiles(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => /^(cs|fs|vb)proj$/.test(endingOf(name)))
    .map((name) => join(directory, name));
}

/** Virtual environments by other names than the usual ones. */
function environmentsIn(directory: string): string[] {
  return namesIn(directory)
    .map((name) => join(directory, name))
    .filter((path) => !basename(path).includes('.') && isFile(join(path, 'pyvenv.cfg')))
    .map((path) => ignored(path));
}
