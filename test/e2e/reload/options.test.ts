// The options that change what a reload does to messages, each on the built bin: --concurrency, --while-reloading,
// --retry, --notify, --drain, --start-timeout, and the ways to have no reloading at all. --hold is
// hold-limits.test.ts's, --strategy strategy.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { startDirect } from '../../support/harness.js';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const calls = (lines: { method?: string; id?: unknown }[]) =>
  lines.flatMap(({ method, id }) => (method === 'tools/call' ? [id] : []));

test('P3 --concurrency: so many tool calls are with the server at a time, the rest wait in order, other messages overtake them', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--concurrency', '2'] });
  const gates = [1, 2, 3, 4].map(() => proxy.gate());
  const answers = gates.map(({ path }, index) =>
    proxy.request('tools/call', { name: 'progress', arguments: { count: 0, until: path } }, { id: index }),
  );
  await proxy.notify('notifications/overtaking');
  assert.ok((await proxy.request('tools/list')).result);
  assert.deepEqual(calls(proxy.told(1)), [0, 1]);
  assert.ok(proxy.told(1).some(({ method }) => method === 'notifications/overtaking'));
  gates[1]!.open();
  await answers[1];
  await proxy.received(/"id":2/);
  assert.deepEqual(calls(proxy.told(1)), [0, 1, 2]);
  for (const { open } of gates) open();
  for (const answer of answers) assert.ok((await answer).result);
  assert.deepEqual(calls(proxy.told(1)), [0, 1, 2, 3]);
});

test('P1 --concurrency: a call that is cancelled leaves its place, be it waiting or running', async (t) => {
  const proxy = await live(t, scripted('export const tools = { hang: () => never, which: () => generation };'), {
    options: ['--concurrency', '1'],
  });
  const call = (id: number, name: string) => proxy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
  await call(1, 'hang');
  await call(2, 'hang');
  await call(3, 'which');
  await proxy.request('ping');
  assert.deepEqual(calls(proxy.told(1)), [1]);
  await proxy.notify('notifications/cancelled', { requestId: 2 });
  await proxy.notify('notifications/cancelled', { requestId: 1 });
  assert.equal((await proxy.response(3)).result.content[0].text, '1');
  assert.equal(await proxy.call('which'), '1');
  assert.ok(!calls(proxy.told(1)).includes(2));
});

test('P1 --concurrency through a reload: what waited goes to the new server, and places are not lost', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--concurrency', '1', '--drain', '200'] });
  const stuck = await proxy.begin('effect', { file: 'effects', until: proxy.gate().path });
  const waiting = ['a', 'b'].map((id) => proxy.request('tools/call', { name: 'answer' }, { id }));
  proxy.save(behaviour('two'));
  for (const one of waiting) assert.equal((await one).result.content[0].text, 'two');
  assert.match(failureSaid(await stuck.answer), /may or may not/);
  assert.equal(await proxy.call('answer'), 'two');
});

test('P3 --while-reloading serve: the old server goes on serving until the swap', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--while-reloading', 'serve'] });
  const open = await proxy.saveHeld(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'one');
  assert.ok((await proxy.request('tools/list')).result);
  open();
  await proxy.reloaded(2);
  assert.equal(await proxy.call('answer'), 'two');
});

test('P8 --retry never: what was in flight when a server is lost is not sent again, be it as harmless as it may', async (t) => {
  const reading = (answer: string) => `export const methods = { 'prompts/get': () => ${answer} };
    export const tools = { which: () => generation };`;
  const proxy = await live(t, scripted(reading('never')), { options: ['--retry', 'never', '--drain', '200'] });
  const lost = proxy.request('prompts/get', { name: 'x' });
  await proxy.received(/prompts\/get/, 1);
  proxy.save(script(reading('({ messages: [] })')));
  assert.match(failureSaid(await lost), /may or may not have taken effect/);
  assert.equal(await proxy.call('which'), '2');
  assert.ok(proxy.told(2).every(({ method }) => method !== 'prompts/get'));
});

test('P9 --notify always tells of every list, changed or not', async (t) => {
  const capabilities = { tools: {}, resources: {} };
  const proxy = await live(t, reloadable({ answer: 'one', capabilities }), { options: ['--notify', 'always'] });
  proxy.save(behaviour({ answer: 'two', capabilities }));
  assert.equal(await proxy.call('answer'), 'two');
  assert.deepEqual(proxy.notifications(), ['notifications/tools/list_changed', 'notifications/resources/list_changed']);
});

test('P9 --notify never tells of none, and promises none', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--notify', 'never'] });
  assert.ok(proxy.messages.every(({ raw }) => !raw.includes('listChanged')));
  proxy.save(behaviour({ answer: 'two', lists: { tools: [{ name: 'other' }] } }));
  assert.equal(await proxy.call('other'), 'two');
  assert.deepEqual(proxy.notifications(), []);
});

test('P8 --drain 0: a replaced server may take as long as it needs', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--drain', '0'] });
  const gate = proxy.gate();
  const { answer } = await proxy.begin('progress', { count: 0, until: gate.path });
  for (const text of ['two', 'three']) {
    proxy.save(behaviour(text));
    assert.equal(await proxy.call('answer'), text);
  }
  gate.open();
  assert.equal((await answer).result.content[0].text, '0 steps in generation 1');
});

test('P7 --start-timeout: a server that hangs in its handshake is given up, the old one serves on and the agent is told', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--start-timeout', '700'] });
  const { pid } = JSON.parse(await proxy.call('generation')) as { pid: number };
  proxy.save(behaviour({ answer: 'two', handshake: 1_000_000 }));
  const { result } = await proxy.request('tools/call', { name: 'answer' });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /did not start.*did not answer the handshake within 700 ms/);
  assert.equal((await proxy.request('resources/read', { uri: 'a:b' })).result.contents[0].text, 'one');
  proxy.save(behaviour('three'));
  assert.equal(await proxy.call('answer'), 'three');
  await proxy.gone(pid);
});

for (const [how, options, env] of [
  ['--no-reload', ['--no-reload'], {}],
  ['MCP_HOT_RELOAD=false', [], { MCP_HOT_RELOAD: 'false' }],
] as const) {
  test(`P2 ${how}: a plain pipe, nothing patched, nothing reloaded`, async (t) => {
    const proxy = await live(t, reloadable('one'), { options, env });
    const direct = startDirect(t, { command: [process.execPath, 'server.mjs'], cwd: proxy.files.directory });
    await direct.initialize();
    assert.deepEqual(String(proxy.messages[0]!.raw), String(direct.messages[0]!.raw));
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'one');
    await proxy.request('tools/call', { name: 'die', arguments: { code: 3 } }).catch(() => {});
    assert.equal((await proxy.exit()).code, 3);
    assert.ok(proxy.journal().every(({ line }) => !line.includes('mcp-hotline')));
  });
}
