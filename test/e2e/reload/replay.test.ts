// What a new generation is told of the session, on the built bin: exactly what the client had said and the old server
// had accepted, under the proxy's own ids, and nothing of it leaks. The client's held messages come after:
// hold.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const exact =
  '{"protocolVersion":"2025-11-25", "capabilities":{"roots":{"listChanged":true},"experimental":{"n":12345678901234567890,"f":1.0,"n":1e2}},"clientInfo":{"name":"\\u0061é","version":"1"},"unknown":[ ]}';
const initialize = `{"id":0,"params":${exact},"jsonrpc":"2.0","method":"initialize"}`;

/** What a generation was told besides requests for lists, in the order in which it was told. */
function retold(proxy: ReloadProject, generation: number): string[] {
  const told = proxy.told(generation).filter(({ method }) => !method?.endsWith('/list'));
  return told.map(({ method, params }) => [method, params?.level ?? params?.uri].filter(Boolean).join(' '));
}

test('P10 initialize is replayed with the client’s exact params under an id of its own, and its answer goes to nobody', async (t) => {
  const proxy = await live(t, reloadable('one'), { initialize: false });
  await proxy.send(initialize);
  await proxy.response(0);
  await proxy.notify('notifications/initialized');
  const first = proxy.messages.length;
  for (const answer of ['two', 'three']) {
    proxy.save(behaviour(answer));
    assert.equal(await proxy.call('answer'), answer);
  }
  const replayed = proxy.journal().filter(({ line }) => line.includes('"initialize"'));
  assert.deepEqual(
    replayed.map(({ generation }) => generation),
    [1, 2, 3],
  );
  for (const { line } of replayed.slice(1)) {
    assert.ok(line.includes(`"params":${exact}`), line);
    assert.match(JSON.parse(line).id, /^mcp-hotline:/);
  }
  assert.deepEqual(
    proxy.messages.slice(first).map(({ message }) => message.id),
    ['test-1', 'test-2'],
    'two answers and nothing else',
  );
  for (const generation of [2, 3])
    assert.deepEqual(retold(proxy, generation), ['initialize', 'notifications/initialized', 'tools/call']);
});

test('P10 log level and subscriptions in force are told again, those given up are not, and none is answered to the client', async (t) => {
  const proxy = await live(t, reloadable('one'));
  for (const level of ['debug', 'warning']) await proxy.request('logging/setLevel', { level });
  for (const uri of ['a:1', 'a:2', 'a:3']) await proxy.request('resources/subscribe', { uri });
  await proxy.request('resources/unsubscribe', { uri: 'a:2' });
  const seen = proxy.messages.length;
  const expected = ['logging/setLevel warning', 'resources/subscribe a:1', 'resources/subscribe a:3'];
  for (const [index, answer] of ['two', 'three'].entries()) {
    proxy.save(behaviour(answer));
    assert.equal(await proxy.call('answer'), answer);
    const all = ['initialize', 'notifications/initialized', ...expected, 'tools/call'];
    assert.deepEqual(retold(proxy, index + 2), all);
  }
  const responses = proxy.messages.slice(seen).filter(({ message }) => message.method === undefined);
  assert.equal(responses.length, 2);
});

test('P10 what the old server refused is not told again', async (t) => {
  const refusing = `export const methods = {
    'logging/setLevel': () => { throw new Error('no levels here'); },
    'resources/subscribe': ({ uri }) => { if (uri === 'a:no') throw new Error('no'); return {}; },
  };
  export const tools = { which: () => generation };`;
  const proxy = await live(t, scripted(refusing));
  assert.ok((await proxy.request('logging/setLevel', { level: 'debug' })).error);
  assert.ok((await proxy.request('resources/subscribe', { uri: 'a:no' })).error);
  assert.ok((await proxy.request('resources/subscribe', { uri: 'a:yes' })).result);
  proxy.save(script(`${refusing}//`));
  assert.equal(await proxy.call('which'), '2');
  assert.deepEqual(retold(proxy, 2).slice(2), ['resources/subscribe a:yes', 'tools/call']);
});

test('P10 a new server that refuses what the old one had accepted is warned of, and serves', async (t) => {
  const accepting = `export const methods = { 'resources/subscribe': () => ({}) };`;
  const tools = 'export const tools = { which: () => generation };';
  const proxy = await live(t, scripted(accepting + tools));
  await proxy.request('resources/subscribe', { uri: 'a:1' });
  proxy.save(script(tools));
  assert.equal(await proxy.call('which'), '2');
  await proxy.waitForLog(/refused.*resources\/subscribe.*a:1/);
});

test('P10 a level and a subscription that the old server accepts late, after the new one has been told, reach it too', async (t) => {
  const late = `const late = async () => { await appears('gate'); return {}; };
    export const methods = { 'resources/subscribe': late, 'logging/setLevel': late };`;
  const proxy = await live(t, scripted(late));
  const asked = [
    proxy.request('resources/subscribe', { uri: 'a:1' }),
    proxy.request('logging/setLevel', { level: 'debug' }),
  ];
  await proxy.received(/setLevel/);
  const accepting = `export const methods = { 'resources/subscribe': () => ({}), 'logging/setLevel': () => ({}) };`;
  proxy.save(script(`${accepting} export const tools = { which: () => generation };`));
  assert.equal(await proxy.call('which'), '2');
  proxy.files.write('gate', '');
  for (const { result } of await Promise.all(asked)) assert.deepEqual(result, {});
  await proxy.received(/resources\/subscribe.*"a:1"/, 2);
  await proxy.received(/logging\/setLevel.*"debug"/, 2);
});

for (const retry of ['safe', 'never']) {
  test(`P1 P10 a change before the answer to initialize is out: the new server answers it, once (--retry ${retry})`, async (t) => {
    const methods = `export const methods = { initialize: async (params) => (await appears('gate'), params) };`;
    const proxy = await live(t, scripted(methods), { initialize: false, options: ['--retry', retry] });
    await proxy.send(initialize);
    await proxy.received(/"initialize"/, 1);
    proxy.save(script('export const tools = { which: () => generation };'));
    assert.equal((await proxy.response(0)).result?.serverInfo.name, 'scripted', proxy.transcript());
    await proxy.notify('notifications/initialized');
    proxy.files.write('gate', '');
    assert.equal(await proxy.call('which'), '2', proxy.stderr());
    const lines = proxy.journal().flatMap(({ generation, line }) => (generation === 2 ? [line] : []));
    assert.equal(lines[0], initialize, 'the client’s own request, as it is');
    assert.deepEqual(retold(proxy, 2), ['initialize', 'notifications/initialized', 'tools/call']);
  });
}

test('P10 a change between the answer to initialize and notifications/initialized: it is told only when the client says so', async (t) => {
  const proxy = await live(t, reloadable('one'), { initialize: false });
  await proxy.send(initialize);
  await proxy.response(0);
  proxy.save(behaviour('two'));
  await proxy.reloaded(2);
  assert.deepEqual(retold(proxy, 2), ['initialize']);
  await proxy.notify('notifications/initialized');
  assert.equal(await proxy.call('answer'), 'two');
  assert.deepEqual(retold(proxy, 2), ['initialize', 'notifications/initialized', 'tools/call']);

  const open = await proxy.saveHeld(behaviour('three'));
  await proxy.request('ping');
  open();
  assert.equal(await proxy.call('answer'), 'three', 'a strict server serves');
});

test('P10 --while-reloading serve: what is agreed with the old server while the new one starts reaches both', async (t) => {
  const source = (which: string, before = '') => `${before}
    const gate = async (answer) => (${which === 'one' ? '' : "await appears('gate'), "}answer);
    export const methods = {
      'tools/list': () => gate({ tools: [] }), 'resources/subscribe': () => ({}), 'logging/setLevel': () => ({}),
      'prompts/get': () => ({ messages: [], description: '${which}' }),
    };`;
  const options = ['--while-reloading', 'serve'];
  const proxy = await live(t, scripted(source('one')), { options });
  proxy.save(script(source('two')));
  await proxy.received(/tools\/list/, 2);
  await proxy.request('logging/setLevel', { level: 'error' });
  await proxy.request('resources/subscribe', { uri: 'a:1' });
  proxy.files.write('gate', '');
  await proxy.reloaded(2);
  assert.equal((await proxy.request('prompts/get', { name: 'x' })).result.description, 'two');
  const told = ['logging/setLevel error', 'resources/subscribe a:1'];
  assert.deepEqual(retold(proxy, 1).slice(-2), told);
  assert.deepEqual(retold(proxy, 2), ['initialize', 'notifications/initialized', ...told, 'prompts/get']);
});

test('P10 notifications/initialized that comes during a hold is told once', async (t) => {
  const proxy = await live(t, reloadable('one'), { initialize: false });
  await proxy.send(initialize);
  await proxy.response(0);
  const open = await proxy.saveHeld(behaviour('two'));
  await proxy.notify('notifications/initialized');
  const held = proxy.call('answer');
  open();
  assert.equal(await held, 'two');
  assert.deepEqual(retold(proxy, 2), ['initialize', 'notifications/initialized', 'tools/call']);
  assert.deepEqual(retold(proxy, 1), ['initialize']);
});

test('P10 a new server with another protocol version, or with capabilities gained or lost, is warned of once', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const warnings = (pattern: RegExp) => proxy.stderr().match(new RegExp(pattern, 'g'))?.length ?? 0;
  const other = { protocolVersion: '2025-06-18', capabilities: { tools: {}, resources: {}, completions: {} } };
  for (const answer of ['two', 'three']) {
    proxy.save(behaviour({ answer, ...other }));
    assert.equal(await proxy.call('answer'), answer);
  }
  await proxy.reloaded(3);
  const told = [
    /2025-06-18.*2025-11-25/,
    /gained a capability: completions/,
    /lost capabilities: prompts, resources.subscribe, logging/,
  ];
  assert.deepEqual(told.map(warnings), [1, 1, 1], proxy.stderr());
  proxy.save(behaviour({ answer: 'four', ...other, capabilities: { ...other.capabilities, tasks: {} } }));
  assert.equal(await proxy.call('answer'), 'four');
  await proxy.reloaded(4);
  assert.equal(warnings(/gained .*completions, tasks/), 1, proxy.stderr());
});

test('P10 a second initialize opens a new session: the log level and subscriptions of the one before are not told again', async (t) => {
  const serving = (version: number) => `export const tools = { which: () => '${version}' };
    export const methods = { 'logging/setLevel': () => ({}), 'resources/subscribe': () => ({}) };`;
  const proxy = await live(t, scripted(serving(1)));
  await proxy.request('logging/setLevel', { level: 'warning' });
  await proxy.request('resources/subscribe', { uri: 'a:1' });
  await proxy.initialize();
  await proxy.request('resources/subscribe', { uri: 'a:2' });
  proxy.save(script(serving(2)));
  assert.equal(await proxy.call('which'), '2');
  const told = proxy.told(2).map(({ method, params }) => `${method} ${params?.uri ?? params?.level ?? ''}`.trim());
  assert.ok(told.includes('resources/subscribe a:2'), told.join());
  assert.ok(!told.includes('resources/subscribe a:1') && !told.includes('logging/setLevel warning'), told.join());
});
