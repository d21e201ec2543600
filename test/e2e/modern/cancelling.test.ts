// What the modern era's `notifications/cancelled` does: it ends a stream for good, takes back a held request, and never
// reaches a server that has not seen its target (modern.ts checks that last one after every test).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meta, modern, script, toolsChanged, withTools } from './modern.js';
import type { Modern } from './modern.js';

const acknowledged = 'notifications/subscriptions/acknowledged';
const changed = 'notifications/tools/list_changed';

const told = (proxy: Modern, generation: number, what: string) =>
  proxy.forwarded(generation).filter((line) => line.includes(what));
const cancel = (proxy: Modern, requestId: string | number) => proxy.notify('notifications/cancelled', { requestId });

test('P16 a stream that is cancelled ends for good: its server is told, the next ones never hear of it', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('gone', toolsChanged);
  await proxy.open('stays', toolsChanged);
  await proxy.reload(withTools('more: () => 0'));
  await proxy.streamed('gone', changed);
  await cancel(proxy, 'gone');
  await proxy.received(/notifications\/cancelled/, 2);
  await proxy.reload(withTools());
  await proxy.streamed('stays', changed, 2);
  assert.deepEqual(proxy.stream('gone'), [acknowledged, changed]);
  assert.equal(told(proxy, 3, 'subscriptions/listen').length, 1);
  assert.equal(told(proxy, 3, 'cancelled').length, 0);
  await proxy.open('gone', toolsChanged);
  await proxy.reload(withTools('more: () => 0'));
  await proxy.streamed('gone', changed, 2);
});

test('P16 a stream that is cancelled during a reload is not opened with the new server', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('gone', toolsChanged);
  const open = await proxy.saveHeld(withTools('more: () => 0'));
  await cancel(proxy, 'gone');
  await proxy.received(/notifications\/cancelled/, 1);
  open();
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(told(proxy, 2, 'gone'), []);
  assert.deepEqual(proxy.stream('gone'), [acknowledged]);
});

test('P16 a stream that is cancelled while two servers feed it ends with both', async (t) => {
  const ring = `export const methods = { 'prompts/get': () => (tell('${changed}'), { messages: [] }) };`;
  const proxy = await modern(t, `${withTools('more: () => 0')}${ring}`);
  await proxy.open('gone', toolsChanged);
  const { path, open } = proxy.gate();
  proxy.save(
    script(`export const methods = { 'tools/list': async () => {
    await appears(${JSON.stringify(path)});
    process.exit(1);
  } };`),
  );
  await proxy.received(/subscriptions\/listen/, 2);
  await cancel(proxy, 'gone');
  for (const generation of [1, 2]) await proxy.received(/notifications\/cancelled/, generation);
  open();
  await proxy.waitForLog('start failed');
  await proxy.ask('prompts/get', { name: 'any' });
  assert.deepEqual(proxy.stream('gone'), [acknowledged]);
});

test('P16 a stream that the server ends is ended for the client too, and stays so', async (t) => {
  for (const [end, seen] of [
    [`send({ id, result: { resultType: 'complete' } })`, 'end'],
    [`send({ method: 'notifications/cancelled', params: { requestId: id } })`, 'notifications/cancelled'],
  ]) {
    const proxy = await modern(t, withTools(`end: ({ id }) => (${end}, 'ended')`));
    await proxy.open('a', toolsChanged);
    assert.equal(await proxy.which('end', { id: 'a' }), 'ended');
    assert.deepEqual(proxy.stream('a'), [acknowledged, seen]);
    await proxy.reload(withTools('more: () => 0'));
    assert.equal(await proxy.which(), '2');
    assert.deepEqual(proxy.stream('a'), [acknowledged, seen]);
    assert.deepEqual(told(proxy, 2, 'subscriptions/listen'), []);
  }
});

test('P16 a stream that the server refuses is refused', async (t) => {
  const refusing = `export const methods = { 'subscriptions/listen': (_, id) =>
    void send({ id, error: { code: -32603, message: 'Subscription limit reached' } }) };`;
  const proxy = await modern(t, `${withTools()}${refusing}`);
  await proxy.listen('a', toolsChanged);
  assert.equal((await proxy.response('a')).error?.message, 'Subscription limit reached');
  await proxy.reload(withTools('more: () => 0'));
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(proxy.stream('a'), ['end']);
});

test('P16 P1 a held request or stream that is cancelled reaches nobody, and neither does the cancellation', async (t) => {
  const proxy = await modern(t, withTools());
  assert.equal(await proxy.which(), '1');
  const open = await proxy.saveHeld(withTools('more: () => 0'));
  for (const id of [8, '8'])
    await proxy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'which', _meta: meta } });
  await proxy.listen('l', toolsChanged);
  await cancel(proxy, 8);
  await cancel(proxy, 'l');
  open();
  assert.equal((await proxy.response('8')).result.content[0].text, '2');
  assert.equal(await proxy.which(), '2');
  assert.ok(proxy.messages.every(({ message }) => message.id !== 8));
  assert.deepEqual(proxy.stream('l'), []);
  assert.deepEqual(told(proxy, 2, '"id":8,'), []);
  assert.deepEqual(told(proxy, 2, 'cancelled'), []);
  assert.deepEqual(told(proxy, 2, '"l"'), []);
});

test('P16 P10 a cancellation goes to the server that has the request, not to the one that serves meanwhile', async (t) => {
  const proxy = await modern(t, withTools(`work: () => never`), { options: ['--drain', '600000'] });
  const work = await proxy.start('work');
  work.answer.catch(() => {});
  await proxy.reload(withTools());
  await cancel(proxy, work.id);
  await proxy.received(/notifications\/cancelled/, 1);
  await proxy.gone(proxy.journal()[0]!.pid);
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(told(proxy, 2, 'cancelled'), []);
});

test('P16 a late or unknown cancellation is told to no server, so that it pins none', async (t) => {
  // Without lists to fetch, the new server has seen nothing but a discover.
  const proxy = await modern(t, `${withTools()}export const capabilities = {};`);
  const { id, answer } = await proxy.start('which');
  await answer;
  await proxy.reload(`${withTools('more: () => 0')}export const capabilities = {};`);
  for (const target of [id, 'never-sent', 0]) await cancel(proxy, target);
  await proxy.open('a', toolsChanged);
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(told(proxy, 2, 'cancelled'), []);
});
