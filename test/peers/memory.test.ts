// The published memory server with a published client: all of its tools, its resource and subscriptions to it, direct
// and through the proxy, where the server is edited again and again on the way. Both sessions must be the same, word
// for word.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from './session.js';
import type { Server, Session } from './session.js';

const graph = 'memory://knowledge-graph';
const server: Server = {
  entry: import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  env: (files) => ({ MEMORY_FILE_PATH: files.path('graph.jsonl') }),
};

const entities = ['Zoë', 'Bär', 'C'].map((name, index) => ({
  name,
  entityType: 'being',
  observations: [`no. ${index}`],
}));
const relations = [
  { from: 'Zoë', to: 'Bär', relationType: 'feeds' },
  { from: 'Bär', to: 'C', relationType: 'sees' },
];

const steps: [tool: string, given?: object][] = [
  ['read_graph'],
  ['create_entities', { entities }],
  ['create_entities', { entities: entities.slice(1) }],
  ['create_relations', { relations }],
  ['add_observations', { observations: [{ entityName: 'Zoë', contents: ['hums 🐝', 'no. 0'] }] }],
  ['add_observations', { observations: [{ entityName: 'nobody', contents: ['x'] }] }],
  ['search_nodes', { query: 'hums' }],
  ['open_nodes', { names: ['Bär', 'nobody'] }],
  ['delete_observations', { deletions: [{ entityName: 'Zoë', observations: ['no. 0'] }] }],
  ['delete_relations', { relations: relations.slice(1) }],
  ['delete_entities', { entityNames: ['C'] }],
  ['create_entities', { entities: 'none' }],
  ['read_graph'],
];

/** Every tool, edited before each fifth; the resource is subscribed to for the first part of the way. */
async function remember(session: Session): Promise<void> {
  await session.record('tools/list', (client) => client.listTools());
  await session.record('resources/list', (client) => client.listResources());
  await session.record('resources/subscribe', (client) => client.subscribeResource({ uri: graph }));
  for (const [index, [tool, given]] of steps.entries()) {
    if (index % 5 === 1) session.edit();
    await session.call(tool, given);
    if (index !== 8) continue;
    await session.record('resources/read', (client) => client.readResource({ uri: graph }));
    await session.record('resources/unsubscribe', (client) => client.unsubscribeResource({ uri: graph }));
  }
  const under = session.call('create_entities', {
    entities: [{ name: 'late', entityType: 'being', observations: [] }],
  });
  session.edit();
  await under;
  await session.call('open_nodes', { names: ['late'] });
}

describe('server-memory', { concurrency: 2 }, () => {
  for (const client of ['v1', 'v2'] as const) {
    test(`P1 P2 P8 server-memory and the ${client} client: all tools and a subscription, the same over reloads`, async (t) => {
      const direct = await open(t, 'direct', client, server);
      const proxied = await open(t, 'reloading', client, server);
      await Promise.all([remember(direct), remember(proxied)]);
      assert.equal(direct.transcript.length, 20);
      assert.deepEqual(proxied.transcript, direct.transcript);
      assert.equal(await proxied.reloads(), 4);
      // Of a resource that it subscribed to, a client hears after each reload too: here before the steps 1 and 6.
      assert.equal(direct.heard.past.length, 5);
      assert.deepEqual([...new Set(proxied.heard.past)], [...new Set(direct.heard.past)]);
      assert.equal(proxied.heard.past.length, direct.heard.past.length + 2);
    });
  }
});
