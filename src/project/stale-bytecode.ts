/**
 * Keeps Python from running old bytecode after an edit (P4, fresh). CPython takes a cached `.pyc` for that of its
 * source if the source's size is the same and its time stamp too, in whole seconds: two saves of equal size within a
 * second are one to it. So the caches of all sources that were edited in this session are removed before a server
 * starts; those of everything else stay, and with them the speed. Which files were edited is told by
 * `lineage/attempts.ts`.
 */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import type { Config } from '../config/config.js';

const SOURCE = '.py';

export class StaleBytecode {
  /** Sources that have changed in this session. */
  readonly #sources = new Set<string>();
  readonly #warn: (text: string) => void;
  #warned = false;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** There is something to remove, or may be again: a server that drains may still import what was edited. */
  get any(): boolean {
    return this.#sources.size > 0;
  }

  /** These files were edited; paths relative to the working directory. */
  recordEdits(paths: readonly string[], cwd: string): void {
    for (const path of paths) if (path.endsWith(SOURCE)) this.#sources.add(resolve(cwd, path));
  }

  async remove({ cwd, args, env }: Pick<Config, 'cwd' | 'args' | 'env'>): Promise<void> {
    if (!this.any) return;
    const prefix = pycachePrefix(args, env);
    const stems = new Map<string, Set<string>>();
    for (const source of this.#sources) {
      const directory = cacheDirectory(source, prefix === undefined ? undefined : resolve(cwd, prefix));
      stems.set(directory, (stems.get(directory) ?? new Set()).add(basename(source, SOURCE)));
    }
    await Promise.all([...stems].map(([directory, names]) => this.#removeFrom(directory, names)));
  }

  async #removeFrom(directory: string, stems: ReadonlySet<string>): Promise<void> {
    const names = await readdir(directory).catch(() => []);
    const cached = names.filter((name) => stems.has(stemOf(name) ?? ''));
    await Promise.all(cached.map((name) => rm(join(directory, name), { force: true }))).catch((error: unknown) => {
      const why = (error as Error).message;
      if (!this.#warned) this.#warn(`Python may run old code, since its cache can't be removed: ${why}`);
      this.#warned = true;
    });
  }
}

/** The source's name without its ending, if this is a file of a Python's cache: `name.cpython-311.opt-1.pyc`. */
export function stemOf(name: string): string | undefined {
  return /^(.+?)\.[^.]+(?:\.opt-[^.]+)?\.pyc$/.exec(name)?.[1];
}

/** Where Python keeps the caches of a source: beside it, or under a directory of its own by the whole path. */
export function cacheDirectory(source: string, prefix: string | undefined): string {
  const directory = dirname(source);
  if (prefix === undefined) return join(directory, '__pycache__');
  return join(prefix, directory.slice(parse(directory).root.length));
}

/** `-X pycache_prefix=…` goes before the variable, as it does for Python. */
export function pycachePrefix(args: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const words = args.map((word, at) => (word === '-X' ? (args[at + 1] ?? '') : word.replace(/^-X/, '')));
  const option = words.find((word) => word.startsWith('pycache_prefix='))?.slice('pycache_prefix='.length);
  const prefix = option ?? env['PYTHONPYCACHEPREFIX'];
  return prefix === '' ? undefined : prefix;
}
