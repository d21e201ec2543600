// Reads the selected configurations: each file once, with the servers in it. A file that can't be read or parsed is a
// value that says why. Nothing is written here.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.js';
import { readClientFile, type ClientFile } from './client-file.js';
import { readServers } from './documents.js';
import type { Place } from './places.js';
import type { ServerEntry } from './shape.js';

/** One map of servers in one file; ~/.claude.json has several. */
export interface Configuration extends Omit<Place, 'client'> {
  /** Those that read it; the first one is whose file it is. */
  readonly clients: readonly [Client, ...Client[]];
  readonly file: ClientFile;
  readonly servers: readonly ServerEntry[];
}

export interface Unusable {
  readonly path: string;
  readonly clients: readonly [Client, ...Client[]];
  /** With the path, and line and column where there are some. */
  readonly problem: string;
}

export interface Configurations {
  readonly usable: readonly Configuration[];
  readonly unusable: readonly Unusable[];
}

export async function readConfigurations(places: readonly Place[]): Promise<Configurations> {
  const usable: Configuration[] = [];
  const unusable: Unusable[] = [];
  const files = new Map<string, Awaited<ReturnType<typeof readClientFile>>>();
  for (const group of grouped(places)) {
    const [{ client, ...place }, ...others] = group;
    const { path, shape } = place;
    const clients = [client, ...others.map((other) => other.client)] as const;
    if (!existsSync(path)) continue;
    const read = files.get(path) ?? (await readClientFile(path));
    files.set(path, read);
    const servers = read.ok ? readServers(read.value.text, shape) : undefined;
    if (read.ok && servers?.ok === true) {
      usable.push({ ...place, clients, file: read.value, servers: servers.value });
      continue;
    }
    const problem = read.ok ? problemOf(path, servers) : read.error;
    if (!unusable.some((other) => other.problem === problem)) unusable.push({ path, clients, problem });
  }
  return { usable, unusable };
}

function problemOf(path: string, servers: ReturnType<typeof readServers> | undefined): string {
  if (servers === undefined || servers.ok) return path;
  const { line, column, message } = servers.error;
  return `${path}:${line}:${column}: ${message}`;
}

type Group = [Place, ...Place[]];

/** Places that are one: the same servers in the same file, for several clients. */
function grouped(places: readonly Place[]): Group[] {
  const groups = new Map<string, Group>();
  for (const place of places.flatMap(matching)) {
    const key = JSON.stringify([place.path, place.shape.servers]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else if (!group.some(({ client }) => client === place.client)) group.push(place);
  }
  return [...groups.values()];
}

/** The files that a path with a `*` in one of its segments stands for. */
function matching(place: Place): Place[] {
  const [, directory, before = '', after = '', rest = ''] =
    /^(.*)[\\/]([^\\/*]*)\*([^\\/*]*)(.*)$/.exec(place.path) ?? [];
  if (directory === undefined) return [place];
  return namesIn(directory)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => ({ ...place, path: join(directory, name) + rest }));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
