// Finds the files of the proxy that an entry names and that do not exist any more: after an update of Node, or when the
// installation was removed.

import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Configuration } from './configurations.js';
import type { Machine } from './places.js';
import type { ServerEntry } from './shape.js';
import { expandVariables } from './variables.js';
import { proxyProgram, wrappedWords } from './wrapped-words.js';

/**
 * As they are written. A path that nobody can follow from here (no known directory, an unknown variable) counts as
 * there.
 */
export function goneFiles(entry: ServerEntry, configuration: Configuration, machine: Machine): string[] {
  const { proxy = [] } = wrappedWords(entry.words ?? []) ?? {};
  const { base, clients, scope, startsIn } = configuration;
  const expand = (word: string): string =>
    expandVariables(word, clients[0], { env: machine.env, base, home: machine.home });
  const isKnown = entry.cwd !== undefined || (scope === 'project' && startsIn === 'project');
  const cwd = directoryOf(entry.cwd, configuration, machine);
  return proxyProgram(proxy).filter((word) => {
    const path = expand(word);
    if (!/[\\/]/.test(path) || /^-|^\w+=|[${}]/.test(path) || !(isKnown || isAbsolute(path))) return false;
    return !existsSync(resolve(cwd, path));
  });
}

/** Where the client starts a server that has this `cwd`, if it starts servers in the project. */
export function directoryOf(cwd: string | undefined, { base, clients }: Configuration, { env, home }: Machine): string {
  return resolve(base, expandVariables(cwd ?? '', clients[0], { env, base, home }));
}
