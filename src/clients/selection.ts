// Selects the places to read: the project's files, the user's own, those of one client, or one file. It reports a name
// that no client has. Pure; configurations.ts reads the files.

import type { Result } from '../config/check.js';
import { nearest } from '../config/nearest.js';
import type { Client } from './client.js';
import { layouts } from './shapes.js';
import { pathsOf, placesOf, type Machine, type Place } from './places.js';
import { clients } from './table.js';

export interface Selection {
  readonly client?: string | undefined;
  readonly file?: string | undefined;
  readonly user?: boolean | undefined;
}

export interface Selected {
  readonly places: readonly Place[];
  /** Of the same clients, and not asked for: named where nothing else is found. */
  readonly others: readonly Place[];
}

export function selectPlaces(
  { client: id, file, user = false }: Selection,
  machine: Machine,
  directories: readonly string[],
): Result<Selected> {
  const named = id === undefined ? undefined : clients.find((client) => client.id === id);
  if (id !== undefined && named === undefined) return { ok: false, error: unknownClient(id) };
  const asked = named === undefined ? clients : [named];
  const all = asked.flatMap((client) => placesOf(client, machine, directories));
  if (file !== undefined)
    return { ok: true, value: { places: ofFile(file, all, named, machine, directories), others: [] } };
  // A client that has nothing but files of the user's is asked for these.
  const isUser = user || (named !== undefined && !all.some(({ scope }) => scope === 'project'));
  const places = all.filter(({ scope }) => isUser || scope === 'project');
  return { ok: true, value: { places, others: all.filter((place) => !places.includes(place)) } };
}

/** Those that are known for this path; else every layout that its ending allows. */
function ofFile(
  file: string,
  all: readonly Place[],
  named: Client | undefined,
  machine: Machine,
  directories: readonly string[],
): Place[] {
  const known = all.filter(({ path }) => matches(path, file, machine));
  if (known.length > 0) return known.map((place) => ({ ...place, path: file }));
  const base = directories[0] ?? '';
  const place = { path: file, scope: 'user' as const, base, rewritten: false };
  if (named !== undefined) {
    const shapes = new Set(named.files.map(({ shape }) => shape).filter(({ format }) => fits(format, file)));
    return [...shapes].map((shape) => ({ ...place, client: named, shape, startsIn: named.startsIn }));
  }
  return layouts
    .filter(({ shape }) => fits(shape.format, file))
    .map(({ shape }) => ({ ...place, client: unknown, shape, startsIn: 'elsewhere' }));
}

/** Stands for the client of a file that belongs to none of the known ones. */
const unknown: Client = {
  id: 'unknown',
  name: 'an unknown client',
  files: [],
  signs: [],
  startsIn: 'elsewhere',
  variables: [],
  workspaceFolder: true,
  listChanged: { heeds: undefined },
  note: '',
  afterWrap: 'have the client start the server again',
};

function unknownClient(id: string): string {
  const ids = clients.map((client) => client.id);
  const meant = nearest(id, ids) ?? clients.find(({ name }) => name.toLowerCase() === id.toLowerCase())?.id;
  const hint = meant === undefined ? `expected one of ${ids.join(', ')}` : `did you mean ${meant}?`;
  return `unknown client ${JSON.stringify(id)}; ${hint}`;
}

function matches(path: string, file: string, machine: Machine): boolean {
  const { sep } = pathsOf(machine);
  const [parts, given] = [path.split(sep), file.split(sep)];
  return parts.length === given.length && parts.every((part, at) => same(part, given[at] ?? ''));
}

/** A segment of a path may have one `*` in it. */
function same(pattern: string, name: string): boolean {
  const [before = '', after] = pattern.split('*');
  return after === undefined ? pattern === name : name.startsWith(before) && name.endsWith(after);
}

function fits(format: string, file: string): boolean {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  if (ending === 'toml') return format === 'toml';
  if (ending === 'yaml' || ending === 'yml') return format === 'yaml';
  return format === 'json' || format === 'jsonc';
}

/** What a file that belongs to no known client may look like. */
export const layoutWords = `${layouts.map(({ words }) => words).join(', ')}; name the client with --client if it is one of another kind`;
