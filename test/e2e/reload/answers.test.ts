// P1 across reloads of the built bin: every request of the client is answered once, by whichever generation it fell to,
// and never with an answer to something else. What a lost generation owed is drain-retry.test.ts's and crash.test.ts's,
// many edits in a row are coalescing.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const range = (length: number) => Array.from({ length }, (_, index) => index);

test('P1 requests in flight on both sides of a reload are answered once each, by their own generation', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const gate = proxy.gate();
  const steps = { count: 1, until: gate.path };
  const before = await Promise.all(range(5).map(() => proxy.begin('progress', steps, { progressToken: 'p' })));
  const open = await proxy.saveHeld(behaviour('two'));
  const meanwhile = range(5).map(() => proxy.call('answer'));
  const lists = [proxy.request('tools/list'), proxy.request('resources/list')];
  open();
  assert.deepEqual(await Promise.all(meanwhile), Array(5).fill('two'));
  for (const list of await Promise.all(lists)) assert.ok(list.result);
  assert.deepEqual(await Promise.all(range(5).map(() => proxy.call('answer'))), Array(5).fill('two'));
  gate.open();
  for (const { answer } of before)
    assert.equal((await answer).result.content[0].text, '1 steps in generation 1', proxy.transcript());
});

test('P1 the proxy’s own requests never answer the client’s: ids of every kind, 0 and small numbers too', async (t) => {
  const says = (text: string) =>
    script(
      `export const methods = { 'tools/call': async ({ name }) => (await appears(name), { content: [${text}] }) };`,
    );
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': says('"one"') });
  const gate = proxy.gate();
  const ids = [
    '0',
    '"0"',
    '""',
    '1',
    '2',
    '3',
    '"mcp-hotline"',
    '-1',
    '1.5',
    '12345678901234567890',
    '"\\u0061"',
    '"é"',
  ];
  for (const id of ids)
    await proxy.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${gate.path}"}}`);
  await proxy.received(/"é"/);
  const seen = proxy.messages.length;
  proxy.save(says('"two"'));
  await proxy.request('ping');
  await proxy.request('tools/list');
  const answered = (from: number) => proxy.messages.slice(from).filter(({ message }) => message.result?.content);
  assert.deepEqual(answered(seen), []);
  gate.open();
  await proxy.waitFor(() => answered(seen).length === ids.length, 'the answers');
  for (const { message } of answered(seen)) assert.deepEqual(message.result.content, ['one']);
  const kinds = answered(seen).map(({ message }) => JSON.stringify(message.id));
  assert.deepEqual(kinds.sort(), ids.map((id) => JSON.stringify(JSON.parse(id))).sort());
});

test('P1 a call that the client cancelled is answered at most once, and does not keep the old server', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const gate = proxy.gate();
  const file = proxy.files.path('effects');
  const first = JSON.parse(await proxy.call('generation')) as { pid: number };
  await proxy.send({
    jsonrpc: '2.0',
    id: 'given-up',
    method: 'tools/call',
    params: { name: 'effect', arguments: { file, until: gate.path } },
  });
  await proxy.received(/given-up/);
  await proxy.notify('notifications/cancelled', { requestId: 'given-up' });
  await proxy.received(/notifications\/cancelled/, 1);
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
  await proxy.gone(first.pid);
  gate.open();
  await proxy.request('ping');
  assert.deepEqual(
    proxy.messages.filter(({ message }) => message.id === 'given-up'),
    [],
  );
});
