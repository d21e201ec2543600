// Born broken, modern: with nothing but `_meta` to go by, the connection has its answers, its streams and its empty
// lists before any server has come up; the mended server finds itself in the modern era. What is common to both is
// born-broken.test.ts's.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { script as legacyScript, scripted } from '../../support/reloadable.js';
import { meta, modern, script, SERVER_INFO } from '../modern/modern.js';
import type { Modern } from '../modern/modern.js';
import { failureIn, memory, namesIn, standInTools, withMemory } from './failures.js';

const good = script('export const tools = { which: () => generation };');
const listChanged = { listChanged: true };

/** As a modern server said it when it ran before. */
const before = memory({
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'Count sheep.',
    ttlMs: 60_000,
    _meta: { [SERVER_INFO]: { name: 'sheep', version: '2' } },
  },
});
const seen = { files: before, options: withMemory };

async function failureOf(proxy: Modern): Promise<string> {
  const answer = await proxy.ask('tools/call', { name: 'which' });
  assert.equal(answer.result.resultType, 'complete');
  return failureIn(answer, proxy.transcript);
}

test('P7 P16 born broken: discover is answered if the command was modern before, and list_changed brings the tools', async (t) => {
  const proxy = await modern(t, 'export const tools = {', seen);
  const { result } = await proxy.ask('server/discover');
  assert.deepEqual(result.supportedVersions, ['2026-07-28']);
  assert.deepEqual(result.capabilities, { tools: listChanged });
  assert.deepEqual([result.resultType, result.ttlMs, result.cacheScope], ['complete', 0, 'private']);
  assert.equal(result['_meta'][SERVER_INFO].name, 'sheep');
  assert.match(result.instructions, /^The MCP server did not start.*[^]*SyntaxError[^]*Count sheep\.$/);
  await proxy.open('s', { toolsListChanged: true });
  const tools = (await proxy.ask('tools/list')).result;
  assert.deepEqual([namesIn(tools.tools), tools.resultType, tools.ttlMs], [standInTools, 'complete', 0]);
  assert.match(tools.tools[0].description, /^The MCP server did not start.*[^]*SyntaxError/);
  assert.match(await failureOf(proxy), /SyntaxError/);
  const { error } = await proxy.ask('resources/read', { uri: 'a:b' });
  assert.deepEqual([error?.code, error?.data.kind], [-32603, 'start']);

  proxy.save(good);
  await proxy.streamed('s', 'notifications/tools/list_changed');
  assert.match(await proxy.which(), /^\d+$/);
  assert.deepEqual(namesIn((await proxy.ask('tools/list')).result.tools), ['which']);
  assert.deepEqual(proxy.stream('s'), ['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
});

test('P7 P16 born broken: a plain request, a stream or a call may be the first thing that is sent', async (t) => {
  const first = {
    list: async (proxy: Modern) =>
      assert.deepEqual(namesIn((await proxy.ask('tools/list')).result.tools), standInTools),
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
  assert.equal((await proxy.request('initialize', { capabilities: {} })).result.protocolVersion, '2025-11-25');
});

for (const [what, given] of Object.entries({
  'a command that was never seen': {},
  'a command that was seen to be legacy': {
    files: memory({ initialize: { capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } } }),
    options: withMemory,
  },
})) {
  test(`P7 P16 born broken: discover is refused for ${what}, and the mended server serves the session that initialize opens`, async (t) => {
    const proxy = await modern(t, 'export const tools = {', { era: 'legacy', ...given });
    const { error } = await proxy.ask('server/discover');
    assert.equal(error?.code, -32601);
    const { capabilities } = await proxy.initialize();
    assert.equal(capabilities.tools.listChanged, true);
    proxy.save(good);
    assert.match(await proxy.call('which'), /^\d+$/);
    const { generation } = proxy.journal().at(-1)!;
    assert.equal(proxy.told(generation)[0]?.method, 'initialize');
  });
}

test('P7 P16 born broken: a modern result that a server has disproved is not remembered', async (t) => {
  const proxy = await live(t, { ...scripted(''), ...before }, { options: withMemory, initialize: false });
  assert.ok((await proxy.request('server/discover', { _meta: meta })).error);
  await proxy.initialize();
  const remembered = () => readFileSync(proxy.files.path('state/introductions.json'), 'utf8');
  while (remembered().includes('sheep')) await proxy.request('ping');
});

for (const listsFirst of [true, false]) {
  const client = listsFirst ? 'a modern session' : 'a client that has only asked for discover';
  test(`P7 P16 a mended server of the legacy era behind ${client}: agent and log are told that only a new connection helps`, async (t) => {
    const files = { ...scripted(''), 'src/script.mjs': 'export const', ...before };
    const proxy = await live(t, files, { options: withMemory, initialize: false });
    const asked = (method: string, params = {}) => proxy.request(method, { ...params, _meta: meta });
    assert.ok((await asked('server/discover')).result);
    if (listsFirst) await asked('tools/list');
    proxy.save(
      legacyScript(`const early = () => { throw new Error('Received request before initialization was complete'); };
      export const methods = { 'tools/list': early, 'tools/call': early };`),
    );
    await proxy.waitForLog(/start failed: .*legacy era/);
    const told = failureIn(await asked('tools/call', { name: 'which' }), proxy.transcript);
    assert.match(told, /^The MCP server started, but cannot be used[^]*legacy era[^]*reconnect the MCP server/);
  });
}

test('P7 P16 a client that was told that the server is modern may open a legacy session all the same', async (t) => {
  const proxy = await modern(t, 'export const tools = {', { era: 'legacy', ...seen });
  assert.ok((await proxy.ask('server/discover')).result);
  await proxy.initialize();
  proxy.save(good);
  assert.match(await proxy.call('which'), /^\d+$/);
  const { generation } = proxy.journal().at(-1)!;
  assert.equal(proxy.told(generation)[0]?.method, 'initialize');
});

test('P7 P16 what waits for a slow first server that dies was not executed', async (t) => {
  const dies = `await new Promise((resolve) => setTimeout(resolve, 2500)); console.error('late no'); process.exit(4);`;
  const proxy = await modern(t, dies, seen);
  assert.ok((await proxy.ask('server/discover')).result);
  const text = await failureOf(proxy);
  assert.match(text, /late no/);
  assert.match(text, /The tool was not executed\./);
});

test('P7 P16 a mended server of the modern era behind a legacy session: the same', async (t) => {
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': 'export const' });
  proxy.save(`import { createInterface } from 'node:readline';
    for await (const line of createInterface({ input: process.stdin })) {
      const error = { code: -32022, message: 'Unsupported protocol version' };
      console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, error }));
    }`);
  await proxy.waitForLog(/start failed: .*modern era/);
  const told = failureIn(await proxy.request('tools/call', { name: 'which' }), proxy.transcript);
  assert.match(told, /^The MCP server started, but cannot be used[^]*modern era[^]*reconnect the MCP server/);
});

test('P7 P16 a mended server of the legacy era that answers without a handshake serves, and the log has a warning', async (t) => {
  const files = { ...scripted(''), 'src/script.mjs': 'export const', ...before };
  const proxy = await live(t, files, { options: withMemory, initialize: false });
  const asked = (method: string, params = {}) => proxy.request(method, { ...params, _meta: meta });
  assert.ok((await asked('server/discover')).result);
  await asked('tools/list');
  proxy.save(legacyScript(`export const tools = { which: () => 'here' };`));
  assert.equal((await asked('tools/call', { name: 'which' })).result.content[0].text, 'here');
  await proxy.waitForLog(/legacy era.*reconnect if calls fail/);
});

test('P7 P16 born broken: what the command said of itself the last time is said again', async (t) => {
  const source = script(`export const capabilities = { tools: { odd: 1 }, completions: {} };
    export const tools = { which: () => generation };`);
  const proxy = await modern(t, source, { options: ['--state-dir', 'state'] });
  const { result: first } = await proxy.ask('server/discover');
  while (!existsSync(proxy.files.path('state/introductions.json'))) await proxy.ask('tools/list');

  const again = await modern(t, `import './missing.mjs';`, { options: ['--state-dir', proxy.files.path('state')] });
  const { instructions, ...result } = (await again.ask('server/discover')).result;
  assert.deepEqual(result, first);
  assert.match(instructions, /Cannot find module/);
  assert.deepEqual(result.capabilities, { tools: { odd: 1, ...listChanged }, completions: {} });
});
