// Which names in a directory count: the names ignored by default, .gitignore, --ignore, --ext and globs, weighed for
// each root by itself, since what is named by one root is watched even if another leaves it out. It reads no disk.
import { isAbsolute, sep } from 'node:path';
import picomatch from 'picomatch';
import { holdsNoData, isDataFile, isEnvironmentFile } from './data-files.js';
import { below, inNamedDirectory, isIgnored, without, type Layer } from './gitignore.js';
import { isDirectoryIgnoredByDefault, isIgnoredByDefault } from './default-ignores.js';
import type { Root } from './roots.js';

/** One root, seen from one directory in it. */
export interface Scope {
  readonly root: Root;
  /** Where the root is, without symbolic links. */
  readonly base: string;
  /** From the base to the directory: '' or 'a/b/'. */
  readonly prefix: string;
  readonly layers: readonly Layer[];
}

/** What the filter has to know of the directory. */
export interface FilteredDirectory {
  readonly path: string;
  /** How its entries are shown: '' or 'src/a/'. */
  readonly label: string;
  /** The top of a project: build output lies here. */
  readonly top: boolean;
}

export interface Filter {
  accepts(scope: Scope, directory: FilteredDirectory, name: string): boolean;
  /** The scope of the child directory, if the root reaches into it. */
  enter(scope: Scope, directory: FilteredDirectory, name: string): Scope | undefined;
}

export function createFilter(options: { ignore: readonly string[]; ext: readonly string[] }): Filter {
  const endings = options.ext.map((ending) => (ending.startsWith('.') ? ending : `.${ending}`));
  const unwanted = options.ignore.map(parseIgnore);
  const isUnwanted = (directory: FilteredDirectory, name: string): boolean =>
    unwanted.some((matches) => matches(directory, name));

  return {
    accepts(scope, directory, name) {
      const { glob } = scope.root;
      const last = glob?.segments.at(-1) ?? '';
      if (scope.root.data && !isDataFile(name)) return false;
      if (glob && !glob.matches(scope.prefix + name)) return false;
      if (scope.root.data)
        return !isUnwanted(directory, name) && (isEnvironmentFile(name) || !isIgnored(scope.layers, name));
      // `*.log` names the log files, and `*.yaml` what --ext did not think of.
      if (isIgnoredByDefault(name) && !isIgnoredByDefault(last)) return false;
      if (endings.length > 0 && !last.includes('.') && !endings.some((ending) => name.endsWith(ending))) return false;
      return !isUnwanted(directory, name) && !isIgnored(scope.layers, name);
    },

    enter(scope, directory, name) {
      const { glob } = scope.root;
      if (glob && !glob.reaches(scope.prefix + name)) return undefined;
      const isLeftOut = scope.root.data
        ? holdsNoData(name, directory.top || scope.prefix === '')
        : isDirectoryIgnoredByDefault(name, directory.top) && !glob?.segments.includes(name);
      if (isLeftOut) return undefined;
      if (isUnwanted(directory, name) || isIgnored(scope.layers, `${name}/`)) return undefined;
      return { ...scope, prefix: `${scope.prefix}${name}/`, layers: below(scope.layers, name) };
    },
  };
}

/** The scope of a root at its base; the layers are those of the directories above, as seen from there. */
export function openScope(root: Root, base: string, above: readonly Layer[]): Scope {
  return { root, base, prefix: '', layers: above.map((layer) => withoutNamed(layer, root)) };
}

/** The scope with the directory's own .gitignore on top. */
export function withLayer(scope: Scope, layer: Layer): Scope {
  const own = scope.prefix === '' ? withoutNamed(inNamedDirectory(layer), scope.root) : layer;
  return { ...scope, layers: [...scope.layers, own] };
}

// Lines that ignore the glob's own words (`dist` in `packages/*/dist/*.js`) contradict it, and it was said later.
function withoutNamed(layer: Layer, { glob }: Root): Layer {
  return glob ? without(layer, glob.text) : layer;
}

function parseIgnore(given: string): (directory: FilteredDirectory, name: string) => boolean {
  const pattern = given.replace(/^\.\//, '').replace(/\/+$/, '');
  const matches = picomatch(pattern, { dot: true, nonegate: true });
  if (!pattern.includes('/')) return (_, name) => matches(name);
  if (isAbsolute(pattern)) return ({ path }, name) => matches(`${path.replaceAll(sep, '/')}/${name}`);
  return ({ label }, name) => matches(label + name);
}
