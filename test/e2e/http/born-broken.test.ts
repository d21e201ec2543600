// Born broken over HTTP: published clients connect to a server that does not start, are told why, hear of its tools
// when it is mended, and call them on the same connection. And the agent's own tools, which tell them more.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memory, standInTools, withMemory } from '../failures/failures.js';
import { connect, servers } from '../modern/sdk.js';
import { describePair, target, tools } from './through-edits.js';
import type { Pair } from './through-edits.js';
import { served } from './served.js';

const pairs: readonly Pair[] = [
  { client: 'v1', server: 'v1', way: 'serve', era: 'legacy' },
  { client: 'v1', sse: true, server: 'v1', way: 'beside', era: 'legacy' },
  { client: 'v2 legacy', server: 'v2', way: 'share', era: 'legacy' },
  { client: 'v2 auto', server: 'v1', way: 'serve', era: 'legacy' },
  { client: 'v2 auto', server: 'v2', way: 'share', era: 'modern' },
  { client: 'v2 pinned', server: 'v2', way: 'serve', era: 'modern' },
  { client: 'v2 pinned', server: 'v2', way: 'share beside', era: 'modern' },
];

describe('born broken over HTTP', { concurrency: 2 }, () => {
  for (const pair of pairs)
    test(`P7 P16 ${describePair(pair)}: a server that is mended later needs no reconnect`, async (t) => {
      // That it speaks the modern era is known only if it has ever been seen.
      const said = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      const seen = pair.era === 'modern' ? memory({ 'server/discover': said }) : {};
      const files = { 'server.mjs': servers[pair.server], 'src/tools.mjs': 'export const', ...seen };
      const proxy = await served(t, files, { way: pair.way, options: withMemory });
      const sdk = await connect(t, pair.client, target(proxy, pair.sse));
      assert.equal(sdk.era, pair.era);
      assert.deepEqual(await sdk.tools(), standInTools);
      assert.match(await sdk.call('version'), /^The MCP server did not start[^]*SyntaxError/);
      assert.match(await sdk.call('server_status', { wait: true }), /^No MCP server is running[^]*SyntaxError/);
      proxy.files.write('src/tools.mjs', tools('one'));
      await sdk.changed('version', 'pid');
      assert.equal(await sdk.call('version'), 'one');
      assert.match(await sdk.call('server_status'), /^The MCP server is serving/);
    });
});
