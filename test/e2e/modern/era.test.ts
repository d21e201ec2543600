// How a connection finds its era, and that every later generation is opened in it: by its first request that is not
// `server/discover`, and by nothing else. Streams and what they carry are streams.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import type { ReloadProject } from '../../support/reload-project.js';
import { meta, modern, script, toolsChanged, withTools } from './modern.js';
import type { Modern } from './modern.js';

const discoverLine = JSON.stringify({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: meta } });
const methods = (proxy: ReloadProject, generation: number) => proxy.told(generation).map(({ method }) => method);

/** The whole life of a legacy session over one reload. */
async function livesLegacy(proxy: Modern): Promise<void> {
  await proxy.initialize();
  assert.equal(await proxy.call('which'), '1');
  proxy.save(withTools('more: () => 0'));
  assert.equal(await proxy.call('which'), '2');
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'news of the new tool');
  assert.deepEqual(methods(proxy, 2).slice(0, 2), ['initialize', 'notifications/initialized']);
  assert.ok(!methods(proxy, 2).includes('server/discover'));
  assert.ok(proxy.messages.every(({ raw }) => !raw.includes('subscriptionId')));
}

test('P16 a discover that is answered with an error, then initialize on the same pipe: legacy', async (t) => {
  const refusing = `export const methods = { 'server/discover': (_, id) =>
    void send({ id, error: { code: -32601, message: 'Method not found' } }) };`;
  const proxy = await modern(t, `${withTools()}${refusing}`, { era: 'legacy' });
  await proxy.send(discoverLine);
  assert.equal((await proxy.response('d')).error?.code, -32601);
  await livesLegacy(proxy);
});

test('P16 a discover that is answered, then initialize all the same: legacy', async (t) => {
  const proxy = await modern(t, withTools(), { era: 'legacy' });
  await proxy.send(discoverLine);
  assert.deepEqual((await proxy.response('d')).result.supportedVersions, ['2026-07-28']);
  await livesLegacy(proxy);
});

test('P16 a listen first, without discover: modern, and the new server is told of it before anything is flushed', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('listen:0', toolsChanged);
  const open = await proxy.saveHeld(withTools('more: () => 0'));
  const answer = proxy.which();
  open();
  assert.equal(await answer, '2');
  const seen = methods(proxy, 2);
  assert.equal(seen[0], 'server/discover');
  assert.ok(seen.indexOf('subscriptions/listen') < seen.indexOf('tools/call'));
  assert.ok(!seen.includes('initialize'));
});

test('P16 P4 a plain modern request first: modern', async (t) => {
  const proxy = await modern(t, withTools());
  assert.equal(await proxy.which(), '1');
  proxy.save(withTools('more: () => 0'));
  assert.equal(await proxy.which(), '2');
  proxy.save(withTools());
  assert.equal(await proxy.which(), '3');
  for (const generation of [2, 3]) assert.equal(methods(proxy, generation)[0], 'server/discover');
});

test('P16 P1 with nothing but a discover seen, a change replaces the process and asks the new one, in the same bytes', async (t) => {
  const silent = `export const methods = { 'server/discover': () => {} };`;
  const proxy = await modern(t, `${withTools()}${silent}`);
  await proxy.send(discoverLine);
  await proxy.received(/server\/discover/, 1);
  await proxy.reload(withTools());
  assert.deepEqual((await proxy.response('d')).result.supportedVersions, ['2026-07-28']);
  assert.deepEqual(
    proxy
      .journal()
      .filter(({ generation }) => generation === 2)
      .map(({ line }) => line),
    [discoverLine],
    'and is asked nothing else',
  );
  assert.equal(await proxy.which(), '2');
});

for (const [era, opens] of [
  ['legacy', livesLegacyFrom2],
  ['modern', async (proxy: Modern) => assert.equal(await proxy.which(), '2')],
] as const) {
  test(`P16 a discover answered by a server that is then replaced leaves the era open: ${era}`, async (t) => {
    const proxy = await modern(t, withTools(), { era });
    await proxy.send(discoverLine);
    await proxy.response('d');
    await proxy.reload(withTools('more: () => 0'));
    assert.deepEqual(proxy.told(2), [], 'it is told nothing before the client speaks');
    await opens(proxy);
  });
}

async function livesLegacyFrom2(proxy: Modern): Promise<void> {
  await proxy.initialize();
  assert.equal(await proxy.call('which'), '2');
  proxy.save(withTools());
  assert.equal(await proxy.call('which'), '3');
}

test('P16 P15 a server that crashes over a discover is started again and asked again', async (t) => {
  const answering = `export const methods = { 'server/discover': () =>
    generation > 1 ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } : process.exit(1) };`;
  const proxy = await modern(t, `${withTools()}${answering}`);
  await proxy.send(discoverLine);
  assert.equal((await proxy.response('d')).result.resultType, 'complete');
  assert.equal(await proxy.which(), '2');
});

test('P16 a discover that is cancelled pins nobody: neither the connection nor the server', async (t) => {
  const slow = script(`export const tools = { which: () => generation };
  let asked = 0;
  export const methods = { 'server/discover': () =>
    ++asked === 1 ? undefined : { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } };`);
  const proxy = await modern(t, slow);
  await proxy.send(discoverLine);
  await proxy.received(/server\/discover/, 1);
  await proxy.notify('notifications/cancelled', { requestId: 'd', reason: 'too slow' });
  const { result } = await proxy.ask('server/discover');
  assert.deepEqual(result.supportedVersions, ['2026-07-28']);
  await proxy.open('listen:0', toolsChanged);
  assert.equal(await proxy.which(), '1');
});

/** What a client of the modern era may send that does not say so. */
const bare = [
  { method: 'notifications/roots/list_changed' },
  { method: 'notifications/progress', params: { progressToken: 'unknown', progress: 1 } },
  { method: 'ping', id: 'bare' },
];

for (const message of bare) {
  test(`P16 P15 after a crash a bare ${message.method} pins the new server to no other era`, async (t) => {
    const proxy = await modern(t, withTools('crash: () => process.exit(3),'), { era: 'either' });
    assert.equal(await proxy.which(), '1');
    assert.match(failureSaid(await proxy.ask('tools/call', { name: 'crash' })), /may or may not/);
    await proxy.reloaded(2);
    await proxy.send({ jsonrpc: '2.0', ...message });
    const { result } = await proxy.ask('tools/call', { name: 'which' });
    assert.equal(result.resultType, 'complete', proxy.transcript());
    await proxy.open('listen:0', toolsChanged);
    assert.ok(proxy.forwarded(2).includes(JSON.stringify({ jsonrpc: '2.0', ...message })), proxy.transcript());
    assert.deepEqual(
      proxy.messages.filter(({ raw }) => raw.includes('mcp-hotline:')),
      [],
      'what the proxy asks of its own stays with it',
    );
  });
}

test('P16 a server without lists is reloaded: a bare notification pins it to no other era', async (t) => {
  const noLists = script(`export const capabilities = { logging: {} };
  export const methods = { 'completion/complete': () => ({ completion: { values: [String(generation)] } }) };`);
  const proxy = await modern(t, noLists, { era: 'either' });
  await proxy.ask('completion/complete');
  await proxy.reload(`${noLists}// edited`);
  await proxy.notify('notifications/x');
  const { result } = await proxy.ask('completion/complete');
  assert.deepEqual([result.resultType, result.completion.values], ['complete', ['2']], proxy.transcript());
});
