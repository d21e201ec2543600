// Roots: the files, directories and globs that a rule names. `locate` finds what is at such a path at the moment, and
// which directory entries decide that. filter.ts decides which files inside a root count.
import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { isBelow, labelOf, realOf, statOf } from './paths.js';

export interface Glob {
  readonly text: string;
  readonly segments: readonly string[];
  /** Here and in `reaches` the path is relative to the glob's static base, with forward slashes. */
  matches(path: string): boolean;
  /** Whether something that matches may lie in this directory. */
  reaches(path: string): boolean;
}

export interface Root {
  readonly rule: string;
  /** As the user wrote it. */
  readonly text: string;
  /** Absolute, links in it not resolved; of a glob, its static base. */
  readonly named: string;
  /** How paths below it are shown: relative to the working directory. */
  readonly label: string;
  readonly glob: Glob | undefined;
  /** Only the data files below it count (data-files.ts). */
  readonly data: boolean;
}

export function parseRoot(rule: string, text: string, cwd: string, data = false): Root {
  const given = process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
  const scanned = picomatch.scan(given);
  // Directories have names like `[id]` and `(group)`: a path that exists as it is written is no glob.
  const literal = !scanned.isGlob || scanned.negated || statOf(resolve(cwd, text)) !== undefined;
  const named = resolve(cwd, literal ? text : scanned.base);
  const glob = literal ? undefined : createGlob(scanned.glob);
  return { rule, text, named, label: shownAs(named, cwd), glob, data };
}

// The working directory may be reached through a link, and the root may be named without the link.
function shownAs(named: string, cwd: string): string {
  const label = labelOf(named, cwd);
  const real = labelOf(realOf(named), realOf(cwd));
  return label.startsWith('..') && !real.startsWith('..') ? real : label;
}

function createGlob(text: string): Glob {
  const segments = text.split('/');
  // A pattern with a slash within braces can't be split at slashes: then any directory may contain a match.
  const whole = /[{(][^})]*\//.test(text);
  const deep = segments.findIndex((segment) => segment.includes('**'));
  const heads = segments.map((_, index) => picomatch(segments.slice(0, index + 1).join('/')));
  return {
    text,
    segments,
    matches: picomatch(text),
    reaches(path) {
      const depth = path.split('/').length - 1;
      if (whole || (deep !== -1 && depth >= deep)) return true;
      return depth < segments.length - 1 && heads[depth]!(path);
    },
  };
}

export interface RootLocation {
  readonly kind: 'file' | 'directory' | 'absent';
  /** Without symbolic links. */
  readonly real: string;
  /** The directory entries that decide it: after a change of one of them, something else may be at this path. */
  readonly anchors: readonly string[];
}

const LINKS = 40;

/**
 * `cwd` without symbolic links. It may be moved away and another project put in its place; directories above it are
 * taken to stay.
 */
export function locate(named: string, cwd: string): RootLocation {
  const anchors: string[] = [];
  let links = 0;
  let at = parse(named).root;
  let rest = segmentsOf(named);
  for (;;) {
    const name = rest.shift();
    if (name === undefined) return { kind: 'directory', real: at, anchors };
    const path = join(at, name);
    const stats = statOf(path);
    if (stats?.isSymbolicLink() && ++links <= LINKS) {
      anchors.push(path);
      const target = resolve(at, textOf(path));
      at = parse(target).root;
      rest = [...segmentsOf(target), ...rest];
      continue;
    }
    const isOfProject = path === cwd || isBelow(path, cwd);
    if (rest.length === 0 || !stats?.isDirectory() || isOfProject) anchors.push(path);
    if (stats?.isDirectory()) at = path;
    else return { kind: stats?.isFile() && rest.length === 0 ? 'file' : 'absent', real: path, anchors };
  }
}

/** From the top of the repository (or the working directory, where there is none) down to the parent of `path`. */
export function parentsInProject(path: string, cwd: string): string[] {
  const parents: string[] = [];
  let top = -1;
  for (let at = path; ; at = dirname(at)) {
    if (at !== path) parents.unshift(at);
    if (statOf(join(at, '.git')) !== undefined) return parents;
    if (at === cwd) top = parents.length;
    if (at === dirname(at)) return top === -1 ? [] : parents.slice(parents.length - top);
  }
}

function textOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function segmentsOf(path: string): string[] {
  const start = isAbsolute(path) ? parse(path).root.length : 0;
  return path.slice(start).split(sep).filter(Boolean);
}
