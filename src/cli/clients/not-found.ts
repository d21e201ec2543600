// The messages for configurations and servers that were not found: where we looked, which name was probably meant, what
// to do.

import type { Configuration } from '../../clients/configurations.js';
import type { Context } from '../../clients/plan.js';
import type { Place } from '../../clients/places.js';
import { clients } from '../../clients/table.js';
import { nearest } from '../../config/nearest.js';
import { namesText, pathText } from './plan-text.js';

/** No file of any client that was asked for has a server. */
export function nothingFound(places: readonly Place[], hints: readonly string[], context: Context): string {
  const looked = new Map<string, Place['client'][]>();
  for (const { path, client, shape } of places) {
    const [key] = shape.servers.length > 1 ? shape.servers : [];
    const shown = `${pathText(path, context)}${key === undefined ? '' : ` ("${key}")`}`;
    const known = looked.get(shown) ?? [];
    looked.set(shown, known.includes(client) ? known : [...known, client]);
  }
  const where = [...looked].map(([path, who]) => `  ${path} (${namesText(who)})`);
  const what =
    'Add the server to your client first, as in: claude mcp add mine -- node src/server.js. Or name a file with --file, a client with --client, or look at your own configurations too with --user.';
  return [
    `no server was found in the configuration of an MCP client for ${context.cwd}. Looked at:`,
    ...where,
    ...hints,
    what,
  ].join('\n');
}

/** A name that no server has. */
export function unknownServer(
  name: string,
  configurations: readonly Configuration[],
  hint: string | undefined,
  context: Context,
): string {
  const names = [...new Set(configurations.flatMap(({ servers }) => servers.map((server) => server.name)))];
  const files = [...new Set(configurations.map(({ path }) => pathText(path, context)))].join(', ');
  const meant = nearest(name, names);
  const isClient = clients.some(({ id }) => id === name);
  const advice =
    hint ??
    (meant !== undefined
      ? `did you mean ${JSON.stringify(meant)}?`
      : isClient
        ? `it is a client: --client ${name}`
        : `expected ${names.map((known) => JSON.stringify(known)).join(', ')}`);
  return `no server ${JSON.stringify(name)} in ${files}; ${advice}`;
}
