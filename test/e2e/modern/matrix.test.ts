// Published clients × published servers × both strategies: every pair that works directly works through reloads, and
// hears of changed lists. A pair that does not work directly is in the table too, so that the table stays true.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project } from '../../support/harness.js';
import { connect, live, servers, tools } from './sdk.js';
import type { ClientName, ServerName } from './sdk.js';

/** The era that each pair finds without the proxy, or none. */
const pairs: [client: ClientName, server: ServerName, era: 'legacy' | 'modern' | 'none', strategies?: string[]][] = [
  ['v1', 'v1', 'legacy'],
  ['v1', 'v2', 'legacy'],
  ['v2 legacy', 'v1', 'legacy'],
  ['v2 legacy', 'v2', 'legacy'],
  ['v2 auto', 'v1', 'legacy'],
  ['v2 auto', 'v2', 'modern'],
  ['v2 pinned', 'v1', 'none'],
  ['v2 pinned', 'v2', 'modern'],
  ['v2 auto', 'v2 wired by hand', 'legacy', ['overlap']],
  ['v2 auto in place', 'v1', 'legacy', ['overlap']],
  ['v2 auto in place', 'v2', 'modern', ['replace']],
];

describe('clients and servers', { concurrency: 2 }, () => {
  for (const [client, server, era, strategies = ['overlap', 'replace']] of pairs) {
    test(`P16 the ${client} client and the ${server} server without the proxy: ${era}`, async (t) => {
      const { directory } = project(t, { 'server.mjs': servers[server], 'src/tools.mjs': tools() });
      const connecting = connect(t, client, { command: [process.execPath, 'server.mjs'], cwd: directory });
      if (era === 'none') {
        await assert.rejects(connecting);
        return;
      }
      const sdk = await connecting;
      assert.deepEqual([sdk.era, await sdk.call('which')], [era, 'direct']);
    });
    for (const strategy of era === 'none' ? [] : strategies) {
      test(`P16 P4 P9 the ${client} client and the ${server} server through reloads, ${strategy}`, (t) =>
        throughReloads(t, client, server, era, strategy));
    }
  }
});

async function throughReloads(
  t: TestContext,
  client: ClientName,
  server: ServerName,
  era: string,
  strategy: string,
): Promise<void> {
  const files = { 'server.mjs': servers[server], 'src/tools.mjs': tools() };
  const sdk = await live(t, client, files, { options: ['--strategy', strategy] });
  assert.deepEqual([sdk.era, await sdk.call('which')], [era, '1']);
  assert.deepEqual(await sdk.tools(), ['which']);
  for (const [index, name] of (strategy === 'overlap' ? ['more', 'other'] : ['more']).entries()) {
    sdk.files.write('src/tools.mjs', tools(name));
    assert.equal(await sdk.call('which'), String(index + 2));
    await sdk.changed('which', name);
    assert.equal(await sdk.call(name), name);
  }
}
