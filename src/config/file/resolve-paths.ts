// Resolves paths: they are written relative to a file, or to where the user stands, and are meant relative to the
// working directory from here on. The table of options says which values are paths. Computes only; nothing is looked up
// on the disk.

import path from 'node:path';
import { camelCase, type Options } from '../option-values.js';
import { options } from '../options.js';
import type { Rule } from '../rule.js';

/**
 * Rewrites paths that are relative to `from` so that they mean the same in `cwd`, as they are written where possible.
 */
function rebase(from: string, cwd: string): (one: string) => string {
  const way = path.relative(cwd, from);
  return (one) => (way === '' || path.isAbsolute(one) ? one : path.join(way, one));
}

export function resolveOptionPaths(given: Options, from: string, cwd: string): Options {
  const relative = rebase(from, cwd);
  const resolve = {
    relative,
    // A pattern without a slash, or one that begins with **, matches in any directory.
    pattern: (one: string) => (!one.replace(/\/+$/, '').includes('/') || one.startsWith('**/') ? one : relative(one)),
    absolute: (one: string) => path.resolve(from, one),
  };
  const values: Record<string, unknown> = { ...given };
  for (const spec of options) {
    const key = camelCase(spec.name);
    const value = values[key];
    if (spec.path === undefined || value === undefined) continue;
    values[key] = Array.isArray(value) ? value.map(resolve[spec.path]) : resolve[spec.path](value as string);
  }
  return values;
}

export function resolveRulePaths(rules: readonly Rule[], from: string, cwd: string): Rule[] {
  const relative = rebase(from, cwd);
  return rules.map((rule) => ({ ...rule, watch: rule.watch.map(relative) }));
}
