// Born broken, modern: with nothing but `_meta` to go by, the connection has its answers, its streams and its empty lists before
// any server has come up; the mended server finds itself in the modern era. What is common to both is born-broken.test.ts's.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { modern, script, SERVER_INFO } from '../modern/modern.js';
import type { Modern } from '../modern/modern.js';
import { failureIn } from './failures.js';

const good = script('export const tools = { which: () => generation };');
const listChanged = { listChanged: true };

async function failureOf(proxy: Modern): Promise<string> {
  const answer = await proxy.ask('tools/call', { name: 'which' });
  assert.equal(answer.result.resultType, 'complete');
  return failureIn(answer, proxy.transcript);
}

test('P7 P16 born broken: discover is answered, a stream opens, the lists are empty, and list_changed brings the tools', async (t) => {
  const proxy = await modern(t, 'export const tools = {');
  const { result } = await proxy.ask('server/discover');
  assert.deepEqual(result.supportedVersions, ['2026-07-28']);
  assert.deepEqual(result.capabilities, { tools: listChanged, prompts: listChanged, resources: listChanged });
  assert.deepEqual([result.resultType, result.ttlMs, result.cacheScope], ['complete', 0, 'private']);
  assert.equal(typeof result['_meta'][SERVER_INFO].name, 'string');
  await proxy.open('s', { toolsListChanged: true });
  const tools = (await proxy.ask('tools/list')).result;
  assert.deepEqual([tools.tools, tools.resultType, tools.ttlMs], [[], 'complete', 0]);
  assert.match(await failureOf(proxy), /SyntaxError/);
  const { error } = await proxy.ask('resources/read', { uri: 'a:b' });
  assert.deepEqual([error?.code, error?.data.kind], [-32603, 'start']);

  proxy.save(good);
  await proxy.streamed('s', 'notifications/tools/list_changed');
  assert.match(await proxy.which(), /^\d+$/);
  assert.equal((await proxy.ask('tools/list')).result.tools[0].name, 'which');
  assert.deepEqual(proxy.stream('s'), ['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
});

test('P7 P16 born broken: a plain request, a stream or a call may be the first thing that is sent', async (t) => {
  const first = {
    list: async (proxy: Modern) => assert.deepEqual((await proxy.ask('tools/list')).result.tools, []),
    // What a server was given before it died it may have run, for all that is known.
    call: async (proxy: Modern) => void (await proxy.ask('tools/call', { name: 'which' })),
    stream: async (proxy: Modern) => void (await proxy.open('first', { toolsListChanged: true })),
  };
  await Promise.all(
    Object.values(first).map(async (begin) => {
      const proxy = await modern(t, 'export const tools = {');
      await begin(proxy);
      assert.match(await failureOf(proxy), /SyntaxError/);
      proxy.save(good);
      assert.match(await proxy.which(), /^\d+$/);
    }),
  );
});

test('P7 P16 born broken: a client that names no version is told the latest', async (t) => {
  const proxy = await modern(t, 'export const tools = {', { era: 'legacy' });
  const discovered = (await proxy.request('server/discover', {})).result;
  assert.deepEqual(discovered.supportedVersions, ['2026-07-28']);
  assert.equal((await proxy.request('initialize', { capabilities: {} })).result.protocolVersion, '2025-11-25');
});

test('P7 P16 born broken: a discover that the proxy answered leaves the era open', async (t) => {
  const proxy = await modern(t, 'export const tools = {', { era: 'legacy' });
  await proxy.ask('server/discover');
  const { capabilities } = await proxy.initialize();
  assert.equal(capabilities.tools.listChanged, true);
  proxy.save(good);
  assert.match(await proxy.call('which'), /^\d+$/);
});

test('P7 P16 born broken: what the command said of itself the last time is said again', async (t) => {
  const source = script(`export const capabilities = { tools: { odd: 1 }, completions: {} };
    export const tools = { which: () => generation };`);
  const proxy = await modern(t, source, { options: ['--state-dir', 'state'] });
  const { result: first } = await proxy.ask('server/discover');
  while (!existsSync(proxy.files.path('state/introductions.json'))) await proxy.ask('tools/list');

  const again = await modern(t, `import './missing.mjs';`, { options: ['--state-dir', proxy.files.path('state')] });
  const { result } = await again.ask('server/discover');
  assert.deepEqual(result, first);
  assert.deepEqual(result.capabilities, { tools: { odd: 1, ...listChanged }, completions: {} });
});
