// The clients of this machine as data: their files, the servers in them, which servers run behind the proxy, and what
// is wrong with them. cli/ puts it into words.

import { existsSync } from 'node:fs';
import type { Client } from './client.js';
import { readConfigurations, type Configuration, type Unusable } from './configurations.js';
import { wrappedWords } from './documents.js';
import { goneFiles } from './gone.js';
import type { Context } from './plan.js';
import { placesOf, signsOf, type Machine } from './places.js';
import type { ServerEntry } from './shape.js';
import { clients } from './table.js';

export interface ServerOverview {
  readonly name: string;
  readonly state: 'wrapped' | 'not wrapped' | 'HTTP' | 'unusable';
  /** Without the proxy. */
  readonly command: readonly string[];
  readonly disabled: boolean;
  /** Files of the proxy that do not exist any more. */
  readonly gone: readonly string[];
  readonly problem: string | undefined;
}

export interface FileOverview {
  readonly path: string;
  readonly scope: 'project' | 'user';
  readonly servers: readonly ServerOverview[];
}

export interface ClientOverview {
  readonly client: Client;
  /** It, or a file of its, is there. */
  readonly isHere: boolean;
  readonly files: readonly FileOverview[];
  readonly problems: readonly string[];
}

export async function overviewOf({ machine, project }: Context): Promise<ClientOverview[]> {
  const { usable, unusable } = await readConfigurations(
    clients.flatMap((client) => placesOf(client, machine, project.directories)),
  );
  return clients.map((client) => {
    const own = ({ clients: readers }: Configuration | Unusable): boolean => readers.includes(client);
    const files = usable.filter(own).map((configuration) => fileOverview(configuration, machine));
    const problems = unusable.filter(own).map(({ problem }) => problem);
    const isSeen = signsOf(client, machine).some((sign) => existsSync(sign));
    // A file that several clients read tells nothing of those that it was not made for.
    const isFirst = usable.some(({ clients: [first], servers }) => first === client && servers.length > 0);
    return { client, isHere: isSeen || isFirst || problems.length > 0, files: merged(files), problems };
  });
}

/** ~/.claude.json has servers in several places. */
function merged(files: readonly FileOverview[]): FileOverview[] {
  const byPath = new Map<string, FileOverview>();
  for (const file of files) {
    const before = byPath.get(file.path);
    byPath.set(file.path, before === undefined ? file : { ...before, servers: [...before.servers, ...file.servers] });
  }
  return [...byPath.values()];
}

function fileOverview(configuration: Configuration, machine: Machine): FileOverview {
  const { path, scope, servers } = configuration;
  return { path, scope, servers: servers.map((entry) => serverOverview(entry, configuration, machine)) };
}

function serverOverview(entry: ServerEntry, configuration: Configuration, machine: Machine): ServerOverview {
  const { name, words, url, disabled, problem } = entry;
  const common = { name, disabled, problem, gone: [], command: words ?? [] };
  if (words === undefined) return { ...common, state: url === undefined ? 'unusable' : 'HTTP' };
  const wrapped = wrappedWords(words);
  if (wrapped === undefined) return { ...common, state: 'not wrapped' };
  return { ...common, state: 'wrapped', command: wrapped.server, gone: goneFiles(entry, configuration, machine) };
}
