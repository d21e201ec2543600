// Finds the configurations that a command was asked for, and the servers that were named. If one is missing, it says
// so, and what to do.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfigurations, type Configurations } from '../../clients/configurations.js';
import type { Context } from '../../clients/plan.js';
import { serverBelonging } from '../../clients/plan-wrap.js';
import { layoutWords, selectPlaces, type Selected, type Selection } from '../../clients/selection.js';
import type { Result } from '../../config/check.js';
import { nothingFound, unknownServer } from './not-found.js';
import { pathText } from './plan-text.js';

/** The configurations with servers; all of `names` are among the servers. */
export async function find(
  { client, user, file: named }: Selection,
  names: readonly string[],
  context: Context,
): Promise<Result<Configurations>> {
  const file = named === undefined ? undefined : resolve(context.cwd, named);
  if (file !== undefined && !existsSync(file)) return { ok: false, error: `--file: ${file} does not exist` };
  const selection = selectPlaces({ client, file, user }, context.machine, context.project.directories);
  if (!selection.ok) return selection;
  const { selected, read } = await look(selection.value, client !== undefined);
  const usable = read.usable.filter(({ servers }) => servers.length > 0);
  // Of several layouts that a file may have, the one that has servers is meant.
  const unusable = file !== undefined && usable.length > 0 ? [] : read.unusable;
  const problems = unusable.map(({ problem }) => problem);
  if (usable.length === 0) {
    if (problems.length > 0) return { ok: false, error: problems.join('\n') };
    if (file !== undefined) {
      return { ok: false, error: `${file} has no servers in a layout that is known: expected ${layoutWords}` };
    }
    return { ok: false, error: nothingFound(selected.places, await hintsAt(selected, context), context) };
  }
  const unknown = names.find((name) => !usable.some(({ servers }) => servers.some((server) => server.name === name)));
  if (unknown === undefined) return { ok: true, value: { usable, unusable } };
  const others = await readConfigurations(selected.others);
  const other = others.usable.find(({ servers }) => servers.some(({ name }) => name === unknown));
  const hint = other && `${pathText(other.path, context)} has one: add --user`;
  return { ok: false, error: [...problems, unknownServer(unknown, usable, hint, context)].join('\n') };
}

/** A client that was named, and has no servers in the project, is asked for the user's. */
async function look(selected: Selected, isNamed: boolean): Promise<{ selected: Selected; read: Configurations }> {
  const read = await readConfigurations(selected.places);
  const hasServers = read.usable.some(({ servers }) => servers.length > 0);
  if (!isNamed || hasServers || read.unusable.length > 0) return { selected, read };
  const all = { places: [...selected.places, ...selected.others], others: [] };
  return { selected: all, read: await readConfigurations(all.places) };
}

/** Servers of this project in files that were not asked for. */
async function hintsAt({ others }: Selected, context: Context): Promise<string[]> {
  const { usable } = await readConfigurations(others);
  const hints: string[] = [];
  for (const configuration of usable) {
    for (const { name, words, cwd } of configuration.servers) {
      if (words === undefined) continue;
      const belonging = await serverBelonging(words, cwd, configuration, context);
      if (belonging.kind !== 'project') continue;
      const where = pathText(configuration.path, context);
      hints.push(`${where} has ${JSON.stringify(name)}, a server of this project: add --user`);
    }
  }
  return hints;
}
