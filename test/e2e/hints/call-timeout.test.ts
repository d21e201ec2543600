/**
 * `--call-timeout` on the real bin: a call that hangs is answered with an error, one that makes progress or waits for
 * its client is not, and the server is told. The clock itself is for test/exchange/silent-calls.test.ts.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { project, proxyCommand, startDirect } from '../../support/harness.js';
import type { Message } from '../../support/message.js';
import { serve, ways, type Way } from './ways.js';

/** `hang` never answers; what it is told it writes on stderr. `late` answers when it is cancelled. */
const server = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const late = new Set();
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const answer = (result) => send({ id, result });
  const said = (text) => answer({ content: [{ type: 'text', text }], ...(params._meta === undefined ? {} : { resultType: 'complete' }) });
  if (method === 'initialize')
    answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } });
  else if (method === 'server/discover') answer({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...modern });
  else if (method === 'tools/list')
    answer({ tools: ['hang', 'late', 'work', 'quick'].map((name) => ({ name, inputSchema: { type: 'object' } })), ...modern });
  else if (method === 'notifications/cancelled') {
    process.stderr.write('cancelled: ' + params.reason + '\\n');
    if (late.delete(params.requestId)) send({ id: params.requestId, result: { content: [{ type: 'text', text: 'too late' }] } });
  } else if (params.name === 'quick') said('quick');
  else if (params.name === 'hang') process.stderr.write('waiting for the database\\n');
  else if (params.name === 'late') late.add(id);
  else if (params.name === 'work') {
    let step = 0;
    const timer = setInterval(() => {
      if (++step > 7) return clearInterval(timer), said('worked');
      send({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: step } });
    }, 500);
  }
});
`;

const textOf = ({ result }: Message): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('\n');

// Each takes seconds of waiting and little else.
const title = 'P1 P16 --call-timeout: a call that hangs is answered once, one that makes progress is waited for';
test(title, { concurrency: 4 }, async (t) => {
  await Promise.all(ways.map((way) => t.test(`P1 P16 ${way.name}`, async (sub) => givesUp(sub, way))));
});

async function givesUp(t: TestContext, way: Way): Promise<void> {
  const files = project(t, { 'server.mjs': server, 'src/none.mjs': '' });
  const { proxy, connect } = await serve(t, way, files.directory, ['--call-timeout', '3000']);
  const client = await connect('patient');
  await client.ask('tools/list');
  const hung = await client.ask('tools/call', { name: 'hang', arguments: {} });
  assert.equal(hung.result.isError, true);
  assert.match(textOf(hung), /neither an answer nor progress .* of the tool "hang" in 3 s, .* --call-timeout/);
  assert.match(textOf(hung), /during this call:\n\nwaiting for the database\n/);
  await proxy.waitForLog(/^cancelled: Neither an answer nor progress came in 3 s/);
  const working = client.ask('tools/call', { name: 'work', arguments: {}, _meta: { progressToken: 'p' } });
  const late = await client.ask('tools/call', { name: 'late', arguments: {} });
  assert.match(textOf(late), /the tool "late" in 3 s/);
  assert.equal(textOf(await working), 'worked', proxy.transcript());
  assert.equal(textOf(await client.ask('tools/call', { name: 'quick', arguments: {} })), 'quick');
  assert.doesNotMatch(proxy.transcript(), /too late/);
}

test('--call-timeout with --concurrency: the time of a call begins when its turn comes', async (t) => {
  const files = project(t, { 'server.mjs': server, 'src/none.mjs': '' });
  const options = ['--call-timeout', '700', '--concurrency', '1'];
  const { proxy, connect } = await serve(t, ways[0]!, files.directory, options);
  const client = await connect('eager');
  const ask = async (name: string): Promise<string> => textOf(await client.ask('tools/call', { name, arguments: {} }));
  const [first, second, third] = await Promise.all([ask('hang'), ask('hang'), ask('quick')]);
  assert.match(first, /the tool "hang" in 700 ms/, proxy.transcript());
  assert.match(second, /the tool "hang" in 700 ms/);
  assert.equal(third, 'quick');
});

test('--call-timeout counts for a server too that is installed, where there is nothing to watch', async (t) => {
  const installed = 'node_modules/slow/server.mjs';
  const files = project(t, { [installed]: server, 'package.json': '{}' });
  const command = proxyCommand(['--call-timeout', '700', '--hints', 'stderr'], [process.execPath, installed]);
  const proxy = startDirect(t, { command, cwd: files.directory });
  await proxy.initialize();
  assert.match(textOf(await proxy.request('tools/call', { name: 'hang', arguments: {} })), /the tool "hang" in 700 ms/);
  assert.match(proxy.transcript(), /nothing to watch was found/);
});

test('--call-timeout may be set in the configuration file while a call hangs, and a bad value leaves the last good one', async (t) => {
  const files = project(t, { 'server.mjs': server, 'src/none.mjs': '', 'mcp-hotline.config.json': '{}' });
  const { proxy, connect } = await serve(t, ways[0]!, files.directory);
  const client = await connect('stuck');
  const hung = client.ask('tools/call', { name: 'hang', arguments: {} });
  await proxy.waitForLog(/waiting for the database/);
  files.write('mcp-hotline.config.json', '{ "callTimeout": 800 }');
  assert.match(textOf(await hung), /the tool "hang" in 800 ms/, proxy.transcript());
  files.write('mcp-hotline.config.json', '{ "callTimeout": "soon" }');
  const refused = await client.ask('tools/call', { name: 'quick', arguments: {} });
  assert.match(textOf(refused), /callTimeout: "soon" is not allowed, expected a whole number of milliseconds/);
});
