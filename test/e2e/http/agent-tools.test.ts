// The agent's own tools over every transport of HTTP, with published clients: they are listed beside the server's, and
// say and do there what they do on stdio.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, servers } from '../modern/sdk.js';
import { served } from './served.js';
import { describePair, target, tools } from './through-edits.js';
import type { Pair } from './through-edits.js';

const pairs: readonly Pair[] = [
  { client: 'v1', server: 'v1', way: 'serve', era: 'legacy' },
  { client: 'v1', sse: true, server: 'v1', way: 'share', era: 'legacy' },
  { client: 'v2 auto', server: 'v2', way: 'serve', era: 'modern' },
  { client: 'v2 pinned', server: 'v2', way: 'share beside', era: 'modern' },
];
const own = ['restart_server', 'verify_server_restarted', 'server_status', 'list_server_tools', 'call_server_tool'];

describe('tools of the agent over HTTP', { concurrency: 2 }, () => {
  for (const pair of pairs)
    test(`P16 ${describePair(pair)}: an agent restarts, asks and calls by the proxy's own tools`, async (t) => {
      const files = { 'server.mjs': servers[pair.server], 'src/tools.mjs': tools('one') };
      const proxy = await served(t, files, { way: pair.way, options: ['--agent-tools'] });
      const sdk = await connect(t, pair.client, target(proxy, pair.sse));
      assert.deepEqual(await sdk.tools(), ['version', 'pid', ...own]);
      const pid = await sdk.call('pid');

      const before = new Date(Date.now() - 1000).toISOString();
      assert.match(await sdk.call('restart_server', { reason: 'to see it' }), /restarted/i);
      assert.notEqual(await sdk.call('pid'), pid);
      assert.match(await sdk.call('verify_server_restarted', { since_timestamp: before }), /to see it/);
      const status = await sdk.call('server_status', { wait: true });
      assert.match(status, /^The MCP server is serving/);
      assert.ok(status.includes(proxy.url), status);

      proxy.files.write('src/tools.mjs', tools('two', 'added'));
      assert.match(await sdk.call('list_server_tools'), /added/);
      assert.equal(await sdk.call('call_server_tool', { name: 'added', arguments: {} }), 'added');

      proxy.files.write('src/tools.mjs', 'export const tools = {');
      assert.match(await sdk.call('restart_server', { reason: 'again' }), /SyntaxError/);
      assert.match(await sdk.call('server_status'), /SyntaxError/);
      proxy.files.write('src/tools.mjs', tools('three'));
      assert.match(await sdk.call('server_status', { wait: true }), /^The MCP server is serving/);
      assert.equal(await sdk.call('version'), 'three');
    });
});
