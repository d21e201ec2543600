// Puts paths in their place: they are written relative to a file, or to where the user stands, and are meant relative
// to the working directory from here on. Computes only; nothing is looked up on the disk.

import path from 'node:path';
import type { Options } from '../options.js';
import type { Rule } from '../rule.js';

/** How paths that are written relative to `from` read in `cwd`. What they are written like is kept where it can be. */
function placer(from: string, cwd: string): (one: string) => string {
  const way = path.relative(cwd, from);
  return (one) => (way === '' || path.isAbsolute(one) ? one : path.join(way, one));
}

export function placeOptions(
  { watch, alsoWatch, ignore, envFile, logFile, stateDir, ...rest }: Options,
  from: string,
  cwd: string,
): Options {
  const place = placer(from, cwd);
  // A pattern without a slash, or one that begins with **, is meant wherever it matches.
  const isAnywhere = (one: string): boolean => !one.replace(/\/+$/, '').includes('/') || one.startsWith('**/');
  return {
    ...rest,
    ...(watch && { watch: watch.map(place) }),
    ...(alsoWatch && { alsoWatch: alsoWatch.map(place) }),
    ...(ignore && { ignore: ignore.map((one) => (isAnywhere(one) ? one : place(one))) }),
    ...(envFile && { envFile: envFile.map((one) => path.resolve(from, one)) }),
    ...(logFile !== undefined && { logFile: path.resolve(from, logFile) }),
    ...(stateDir !== undefined && { stateDir: path.resolve(from, stateDir) }),
  };
}

export function placeRules(rules: readonly Rule[], from: string, cwd: string): Rule[] {
  const place = placer(from, cwd);
  return rules.map((rule) => ({ ...rule, watch: rule.watch.map(place) }));
}
