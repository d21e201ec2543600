// P12: how much is held and for how long, each limit with an answer that says so, and that a request which was turned
// away is never executed later. Order is hold.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { setTimeout as delay } from 'node:timers/promises';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const call = (id: number, more = '') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"answer"${more}}}`;

test('P12 10,000 messages are held; one more is answered with an error, a notification too many is dropped and logged', async (t) => {
  const proxy = await live(t, reloadable('one'), { env: { JOURNAL: '' } });
  await proxy.request('ping'); // or a slow machine still holds notifications/initialized
  const open = await proxy.saveHeld(behaviour('two'));
  await proxy.send(Array.from({ length: 10_000 }, (_, id) => call(id)).join('\n'));
  const said = failureSaid(await proxy.request('tools/call', { name: 'answer' }));
  assert.match(said, /being reloaded.*10000 messages wait.*not executed.*again/);
  await proxy.notify('notifications/roots/list_changed');
  await proxy.waitForLog(/dropped.*10000 messages/);
  await proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
  await proxy.send(call(10_001));
  open();
  assert.equal((await proxy.response(10_001)).result.content[0].text, 'two', 'a cancelled one leaves room');
  const answered = proxy.messages.filter(({ message }) => message.result?.content?.[0]?.text === 'two');
  assert.equal(answered.length, 10_000);
  const ids = answered.map(({ message }) => message.id as number);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
});

test('P12 64 MiB are held, and not a message more', async (t) => {
  const proxy = await live(t, reloadable('one'), { env: { JOURNAL: '' } });
  const open = await proxy.saveHeld(behaviour('two'));
  const big = `,"x":"${'x'.repeat(8 * 1024 * 1024 - 200)}"`;
  for (let id = 0; id < 8; id++) await proxy.send(call(id, big));
  await proxy.send(call(8, big));
  assert.match(failureSaid(await proxy.response(8)), /64 MiB of messages wait.*not executed/);
  const small = proxy.call('answer');
  open();
  for (let id = 0; id < 8; id++) assert.equal((await proxy.response(id)).result.content[0].text, 'two');
  assert.equal(await small, 'two', 'what fits is still held');
});

test('P12 what has waited for --hold is answered with an error and never executed; notifications and later requests go on waiting', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--hold', '1200'] });
  const open = await proxy.saveHeld(behaviour('two'));
  await proxy.notify('notifications/first');
  const batch = `[${call(1)},${call(2)},{"jsonrpc":"2.0","method":"notifications/lost"}]`;
  const late = proxy.request('tools/call', { name: 'answer' }, { id: 'expired' });
  await proxy.send(batch);
  assert.match(failureSaid(await late), /being reloaded.*waited.*not executed.*again/);
  await proxy.waitFor(Array.isArray, 'the batch, answered as one');
  for (const id of [1, 2]) assert.match(failureSaid(await proxy.response(id)), /waited/);
  await proxy.notify('notifications/second');
  const next = proxy.call('answer');
  await proxy.request('ping');
  open();
  assert.equal(await next, 'two');
  const told = proxy.told(2).map(({ method }) => method);
  assert.deepEqual(told.slice(-3), ['notifications/first', 'notifications/second', 'tools/call']);
  assert.ok(proxy.journal().every(({ line }) => !line.includes('expired') && !line.includes('lost')));
});

test('P12 a request that waits for the second time does not make those behind it wait longer', async (t) => {
  const lost = `export const methods = { 'resources/read': () => never };`;
  const options = ['--strategy', 'replace', '--drain', '700', '--hold', '1000'];
  const proxy = await live(t, scripted(lost), { options });
  const again = proxy.request('resources/read', { uri: 'a:b' }, { id: 'again' });
  await proxy.received(/"again"/);
  await proxy.saveHeld(script(''));
  const first = proxy.request('tools/list');
  await delay(400);
  const second = proxy.request('prompts/list');
  for (const one of [first, second, again]) assert.match(failureSaid(await one), /waited/);
  const order = proxy.messages.flatMap(({ message }) => (failureSaid(message).includes('waited') ? [message.id] : []));
  assert.equal(order.at(-1), 'again', proxy.transcript());
});

test('P12 a server that has stopped reading does not keep its successor from what the client sends', async (t) => {
  const stuck = `import { existsSync } from 'node:fs';
    export const tools = { which: () => generation, block: () => { while (!existsSync('gate')); return 'free'; } };`;
  const proxy = await live(t, scripted(stuck), { options: ['--drain', '0'], env: { JOURNAL: '' } });
  for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) await proxy.request(`${list}/list`);
  const blocked = proxy.request('tools/call', { name: 'block' });
  const noise = `{"jsonrpc":"2.0","method":"notifications/noise","params":{"x":"${'x'.repeat(100_000)}"}}`;
  for (let i = 0; i < 200; i++) void proxy.send(noise);
  const next = proxy.call('which');
  const { stdin } = proxy.child;
  for (let unread = -1; unread !== stdin.writableLength;) {
    unread = stdin.writableLength;
    await delay(200);
  }
  assert.ok(stdin.writableLength > 0, 'the proxy has stopped reading too');
  proxy.save(script(`${stuck} // mended`));
  assert.equal(await next, '2');
  proxy.files.write('gate', '');
  assert.equal((await blocked).result.content[0].text, 'free');
});
