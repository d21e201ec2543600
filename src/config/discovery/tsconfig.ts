// One tsconfig and those that it refers to: which files it includes, where its output goes, and which role a file has
// in it. get-tsconfig reads the files and resolves `extends`; it is loaded only if there is a tsconfig.

import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { endingOf, isDirectory, isFile, isInside, isInstalled, isWide, readText, shown } from './disk.js';
import { javascriptEndings, typescriptEndings } from './languages.js';
import { anyOf, escape, ignored, inDirectory, withEndings } from './patterns.js';

export interface Tsconfig {
  readonly path: string;
  readonly directory: string;
  /** The file itself and those that it extends, as far as they are no installed packages. */
  readonly files: readonly string[];
  readonly outDir: string | undefined;
  /** Whether the compiler writes code. */
  readonly emits: boolean;
  readonly references: readonly string[];
  /** The directories that it includes by name. */
  readonly places: readonly string[];
  /** Whether the file is one of its sources. */
  covers(file: string): boolean;
  /** `more`: other endings than TypeScript's count too. */
  sources(more: boolean, ext: readonly string[], cwd: string): { watch: string[]; ignore: string[] };
}

export type Role = { kind: 'source' } | { kind: 'output'; directory: string | undefined };

export async function readTsconfig(path: string): Promise<Tsconfig | { problem: string }> {
  const { createFilesMatcher, parseTsconfig } = await import('get-tsconfig');
  const cache = new Map<string, unknown>();
  const directory = dirname(path);
  try {
    const config = parseTsconfig(path, cache as never);
    const covers = createFilesMatcher({ path, config });
    const { compilerOptions: options = {}, files, include, exclude, references = [] } = config;
    const at = (given: string | undefined): string | undefined => given && resolve(directory, given);
    const outDir = at(options.outDir);
    const named = include ?? (files === undefined ? ['**/*'] : []);
    return {
      path,
      directory,
      files: [path, ...filesRead(cache).filter((file) => file !== path && !isInstalled(file))],
      outDir,
      emits: options.noEmit !== true && options.emitDeclarationOnly !== true,
      references: references.map(({ path: to }) => asConfig(resolve(directory, to))),
      places: (include ?? []).map((pattern) => split(pattern, directory).base).filter(isDirectory),
      covers: (file) => covers(file) !== undefined,
      sources(more, ext, cwd) {
        const javascript = more || options.allowJs === true || options.checkJs === true;
        const code = [...typescriptEndings, ...(javascript ? [...javascriptEndings, 'jsx'] : [])];
        const endings = ext.length > 0 ? ext : code;
        const outputs = [outDir, at(options.declarationDir)].filter((one) => one !== undefined);
        return {
          watch: [
            ...(files ?? []).flatMap((file) => withImports(resolve(directory, file), endings, cwd)),
            ...named.flatMap((pattern) => includePattern(pattern, directory, endings, cwd)),
          ],
          ignore: [
            ...(exclude ?? []).map((pattern) => excludePattern(pattern, directory)),
            ...outputs.map((output) =>
              isInside(directory, output) ? ignored(output, '**/*.d.{ts,mts,cts}') : ignored(output),
            ),
          ],
        };
      },
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The role of the entry point in the tsconfig, if it has one. */
export function roleOf(entry: string, { directory, outDir, covers }: Tsconfig): Role | undefined {
  const isJavascript = (javascriptEndings as readonly string[]).includes(endingOf(entry));
  if (isJavascript && outDir !== undefined && isInside(entry, outDir) && !isInside(directory, outDir)) {
    return { kind: 'output', directory: outDir };
  }
  // The output lies beside its source.
  const twins = isJavascript ? [entry.replace(/js$/, 'ts'), entry.replace(/js$/, 'tsx')] : [];
  if (twins.some((twin) => isFile(twin) && covers(twin))) return { kind: 'output', directory: undefined };
  return covers(entry) ? { kind: 'source' } : undefined;
}

function asConfig(path: string): string {
  return path.endsWith('.json') ? path : join(path, 'tsconfig.json');
}

/** The cache of get-tsconfig holds one entry for each file that it has read. */
function filesRead(cache: ReadonlyMap<string, unknown>): string[] {
  return [...cache.keys()]
    .flatMap((key) => /^readFileSync:(.*\.json):utf8$/.exec(key)?.[1] ?? [])
    .map((file) => resolve(file))
    .filter((file) => !file.endsWith(`${sep}package.json`));
}

/** As TypeScript reads it: `*`, `?` and `**` are wildcards, a name without them is a file or a whole directory. */
function includePattern(pattern: string, directory: string, endings: readonly string[], cwd: string): string[] {
  const { base, rest } = split(pattern, directory);
  const names = `*.${anyOf(endings)}`;
  if (rest.length === 0) {
    const isNamedFile = isFile(base) || (endingOf(base) !== '' && !isDirectory(base));
    return isNamedFile ? withImports(base, endings, cwd) : [withEndings(base, endings, cwd)];
  }
  const last = rest.at(-1)!;
  const inside = rest.slice(0, -1).map(escapeSegment);
  if (last === '**') inside.push('**', names);
  else if (!/[.*?]/.test(last)) inside.push(escapeSegment(last), '**', names);
  else
    inside.push(
      /\.[^*]+$/.test(last) ? escapeSegment(last) : `${escapeSegment(last.replace(/\.\*$/, ''))}.${anyOf(endings)}`,
    );
  if (isWide(base)) return [inDirectory(base, inside.filter((segment) => segment !== '**').join('/'), cwd)];
  return [inDirectory(base, inside.join('/'), cwd)];
}

/** Imports of a file are compiled with it, so for files that are named one by one their directories count. */
function withImports(file: string, endings: readonly string[], cwd: string): string[] {
  const imports = /\b(from|import|require)\b[\s(]*['"]\.{1,2}\//.test(readText(file) ?? '');
  return [shown(file, cwd), ...(imports ? [withEndings(dirname(file), endings, cwd)] : [])];
}

function excludePattern(pattern: string, directory: string): string {
  const { base, rest } = split(pattern, directory);
  return ignored(
    base,
    rest
      .map(escapeSegment)
      .join('/')
      .replace(/\/\*\*$/, ''),
  );
}

/** At the first segment with a wildcard. */
function split(pattern: string, directory: string): { base: string; rest: string[] } {
  const full = posix
    .normalize(`${directory.replaceAll(sep, '/')}/${relativeTo(pattern, directory)}`)
    .replace(/\/$/, '');
  const segments = full.split('/');
  const wild = segments.findIndex((segment) => /[*?]/.test(segment));
  if (wild < 0) return { base: full, rest: [] };
  return { base: segments.slice(0, wild).join('/') || '/', rest: segments.slice(wild) };
}

function relativeTo(pattern: string, directory: string): string {
  return pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern)
    ? relative(directory, pattern).replaceAll(sep, '/')
    : pattern;
}

/** The wildcards stay. */
function escapeSegment(segment: string): string {
  return segment
    .split(/([*?]+)/)
    .map((part) => (/^[*?]/.test(part) ? part : escape(part)))
    .join('');
}
