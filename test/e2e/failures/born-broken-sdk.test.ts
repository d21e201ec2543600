// Born broken with real peers: published clients connect to a published server that does not start, hear of its tools when it is
// mended, and call them on the same connection. What is on the wire is born-broken.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, servers, tools } from '../modern/sdk.js';

for (const [client, server] of [
  ['v1', 'v1'],
  ['v2 pinned', 'v2'],
] as const) {
  test(`P7 P16 born broken: a client of SDK ${client} uses the mended server of SDK ${server} without a reconnect`, async (t) => {
    const sdk = await live(t, client, { 'server.mjs': servers[server], 'src/tools.mjs': 'export const' });
    assert.deepEqual(await sdk.tools(), []);
    assert.match(await sdk.call('which'), /^The MCP server did not start[^]*SyntaxError/);
    sdk.files.write('src/tools.mjs', tools('more'));
    await sdk.changed('which', 'more');
    assert.deepEqual(await sdk.tools(), ['which', 'more']);
    assert.equal(await sdk.call('more'), 'more');
  });
}
