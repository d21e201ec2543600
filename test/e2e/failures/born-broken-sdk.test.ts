// Born broken with real peers: published clients connect to a published server that does not start, hear of its tools
// when it is mended, and call them on the same connection. What is on the wire is born-broken.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, servers, tools } from '../modern/sdk.js';
import { memory, standInTools, withMemory } from './failures.js';

for (const [client, server] of [
  ['v1', 'v1'],
  ['v2 auto', 'v1'],
  ['v2 auto in place', 'v1'],
  ['v2 auto in place', 'v2'],
  ['v2 pinned', 'v2'],
] as const) {
  test(`P7 P16 born broken: a client of SDK ${client} uses the mended server of SDK ${server} without a reconnect`, async (t) => {
    // A client that is pinned to the modern era opens no other session, so the server has to have been seen.
    const said = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    const seen = client === 'v2 pinned' ? memory({ 'server/discover': said }) : {};
    const files = { 'server.mjs': servers[server], 'src/tools.mjs': 'export const', ...seen };
    const sdk = await live(t, client, files, { options: withMemory });
    assert.deepEqual(await sdk.tools(), standInTools);
    assert.match(await sdk.call('which'), /^The MCP server did not start[^]*SyntaxError/);
    // It is started again and again, so the question may come in the middle of an attempt.
    assert.match(await sdk.call('server_status', { wait: true }), /^No MCP server is running[^]*SyntaxError/);
    sdk.files.write('src/tools.mjs', tools('more'));
    await sdk.changed('which', 'more');
    assert.deepEqual(await sdk.tools(), ['which', 'more']);
    assert.equal(await sdk.call('more'), 'more');
    assert.match(await sdk.call('server_status'), /^The MCP server is serving/);
  });
}
