// A `subscriptions/listen` stream outlives the servers that feed it: the client sees one acknowledgement, no end, and
// what any of them tells. Which list changes it carries is list-changes.test.ts's, how it ends cancelling.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modern, script, SUBSCRIPTION, toolsChanged, withTools } from './modern.js';
import type { Modern } from './modern.js';

const acknowledged = 'notifications/subscriptions/acknowledged';
const changed = 'notifications/tools/list_changed';

/** A server that tells its streams on demand and ends them, when it goes, in the way given. */
const ringing = (closing: string, more = '') =>
  `${withTools(`ring: () => (tell('${changed}'), generation), ${more}`)}export const closing = '${closing}';`;

const listens = (proxy: Modern, generation: number) =>
  proxy.forwarded(generation).filter((line) => line.includes('subscriptions/listen'));
const pidOf = (proxy: Modern, generation: number) =>
  proxy.journal().find((entry) => entry.generation === generation)!.pid;

for (const strategy of ['overlap', 'replace']) {
  for (const closing of ['result', 'cancelled']) {
    test(`P16 P10 one unbroken stream over three reloads (${strategy}), though each server ends it with a ${closing}`, async (t) => {
      const proxy = await modern(t, ringing(closing), { options: ['--strategy', strategy] });
      await proxy.open('listen:0', toolsChanged);
      const told = [acknowledged];
      for (const generation of [2, 3, 4]) {
        proxy.save(ringing(closing, `tool${generation}: () => 0`));
        assert.equal(await proxy.which('ring'), String(generation));
        told.push(changed, changed);
        await proxy.streamed('listen:0', changed, told.length - 1);
        await proxy.gone(pidOf(proxy, generation - 1));
        assert.equal(await proxy.which('ring'), String(generation));
        told.push(changed);
      }
      assert.deepEqual(proxy.stream('listen:0'), told);
      for (const generation of [2, 3, 4]) assert.deepEqual(listens(proxy, generation), listens(proxy, 1));
    });
  }
}

for (const closing of ['result', 'cancelled']) {
  test(`P16 P10 what a draining server says of a stream is not heard, be it news or the end (${closing})`, async (t) => {
    const proxy = await modern(
      t,
      withTools(`work: async ({ until }) => {
        await appears(until);
        tell('${changed}');
        ${closing === 'result' ? `send({ id: 7, result: {} })` : `send({ method: 'notifications/cancelled', params: { requestId: 7 } })`};
        return generation;
      }`),
    );
    await proxy.open(7, toolsChanged);
    const { path, open } = proxy.gate();
    const work = await proxy.start('work', { until: path });
    await proxy.reload(ringing('result'));
    await proxy.streamed(7, changed);
    open();
    assert.equal((await work.answer).result.content[0].text, '1');
    assert.equal(await proxy.which('ring'), '2');
    assert.deepEqual(proxy.stream(7), [acknowledged, changed, changed]);
  });
}

test('P16 P10 ids that look alike are different streams, and are stamped as the client spelt them', async (t) => {
  const proxy = await modern(t, ringing('result'));
  await proxy.open(0, toolsChanged);
  await proxy.open('0', toolsChanged);
  await proxy.send(listens(proxy, 1)[0]!.replace('"id":0', '"id":"\\u0061/b"'));
  await proxy.streamed('a/b', acknowledged);
  await proxy.reload(ringing('result', 'more: () => 0'));
  for (const id of [0, '0', 'a/b']) await proxy.streamed(id, changed);
  assert.equal(await proxy.which('ring'), '2');
  for (const id of [0, '0', 'a/b']) assert.deepEqual(proxy.stream(id), [acknowledged, changed, changed]);
});

test('P16 an open stream is nothing in flight: the old server goes at once, and --concurrency does not count it', async (t) => {
  const options = ['--drain', '600000', '--concurrency', '1'];
  const proxy = await modern(t, ringing('result'), { options });
  await proxy.open('a', toolsChanged);
  await proxy.open('b', toolsChanged);
  assert.equal(await proxy.which(), '1');
  await proxy.reload(ringing('result', 'more: () => 0'));
  await proxy.gone(pidOf(proxy, 1));
  assert.equal(await proxy.which(), '2');
});

test('P16 an open stream is nothing in flight with strategy replace either', async (t) => {
  const proxy = await modern(t, ringing('result'), { options: ['--drain', '600000', '--strategy', 'replace'] });
  await proxy.open('a', toolsChanged);
  proxy.save(ringing('result', 'more: () => 0'));
  assert.equal(await proxy.which(), '2');
});

test('P16 P15 a stream goes on after a crash', async (t) => {
  const proxy = await modern(t, ringing('result'));
  await proxy.open('a', toolsChanged);
  process.kill(pidOf(proxy, 1), 'SIGKILL');
  await proxy.waitForLog('was ended by SIGKILL');
  assert.equal(await proxy.which('ring'), '2');
  assert.deepEqual(proxy.stream('a'), [acknowledged, changed]);
});

test('P16 P7 a stream stays with the old server when the new one fails after it was told of the stream', async (t) => {
  const ring = `export const methods = { 'prompts/get': () => (tell('${changed}'), { messages: [] }) };`;
  const proxy = await modern(t, `${withTools('more: () => 0')}${ring}`);
  await proxy.open('a', toolsChanged);
  proxy.save(script(`export const methods = { 'tools/list': () => process.exit(1) };`));
  await proxy.waitForLog('start failed');
  await proxy.received(/subscriptions\/listen/, 2);
  await proxy.ask('prompts/get', { name: 'any' });
  await proxy.streamed('a', changed);
  proxy.save(ringing('result'));
  assert.equal(await proxy.which('ring'), '3');
  await proxy.streamed('a', changed, 3);
  assert.deepEqual(proxy.stream('a'), [acknowledged, changed, changed, changed]);
});

test('P16 P7 with no server at all a stream stays open, and a new one is acknowledged; both hear of the mended server', async (t) => {
  const proxy = await modern(t, ringing('result'), { options: ['--strategy', 'replace'] });
  await proxy.open('before', toolsChanged);
  proxy.save('this is no JavaScript');
  assert.equal((await proxy.ask('tools/call', { name: 'which' })).result.isError, true);
  const ack = await proxy.open('meanwhile', { toolsListChanged: true, resourceSubscriptions: ['a:b'] });
  assert.deepEqual(ack.message.params.notifications, { toolsListChanged: true, resourceSubscriptions: ['a:b'] });
  proxy.save(ringing('result', 'more: () => 0'));
  assert.match(await proxy.which('ring'), /^\d$/);
  for (const id of ['before', 'meanwhile']) await proxy.streamed(id, changed, 2);
  assert.deepEqual(proxy.stream('before'), [acknowledged, changed, changed]);
});

test('P16 P15 a stream that its server died over is acknowledged all the same, and fed by the next that lives', async (t) => {
  const dying = `export const methods = { 'subscriptions/listen': () => process.exit(1) };`;
  const proxy = await modern(t, `${withTools()}${dying}`);
  await proxy.open('a', toolsChanged);
  proxy.save(ringing('result', 'more: () => 0'));
  assert.match(await proxy.which('ring'), /^\d$/);
  assert.deepEqual(proxy.stream('a').slice(0, 2), [acknowledged, changed]);
});

test('P16 a server that refuses a stream it is told of again does not end it: the proxy goes on telling of lists', async (t) => {
  const refusing = `export const methods = { 'subscriptions/listen': (_, id) =>
    void send({ id, error: { code: -32601, message: 'Method not found' } }) };`;
  const proxy = await modern(t, ringing('result'));
  await proxy.open('a', toolsChanged);
  await proxy.reload(`${withTools('more: () => 0')}${refusing}`);
  await proxy.streamed('a', changed);
  await proxy.reload(ringing('result'));
  assert.equal(await proxy.which('ring'), '3');
  await proxy.streamed('a', changed, 3);
  assert.deepEqual(proxy.stream('a'), [acknowledged, changed, changed, changed]);
});

test('P16 the same when the refusal comes late, from a server that serves by then', async (t) => {
  const proxy = await modern(t, ringing('result'));
  const { path, open } = proxy.gate();
  const refusing = `export const capabilities = {}; export const methods = { 'subscriptions/listen': async (_, id) => {
    await appears(${JSON.stringify(path)});
    send({ id, error: { code: -32601, message: 'Method not found' } });
    send({ method: 'notifications/message', params: { level: 'info', data: 'refused' } });
  } };`;
  await proxy.open('a', toolsChanged);
  await proxy.reload(`${withTools()}${refusing}`);
  open();
  await proxy.waitFor(({ params }) => params?.data === 'refused', 'the refusal');
  assert.ok(!proxy.stream('a').includes('end'));
  await proxy.reload(ringing('result'));
  assert.equal(await proxy.which('ring'), '3');
  assert.equal(listens(proxy, 3).length, 1);
});

test('P16 a stream whose server acknowledges it only after the new one was told of it is acknowledged once', async (t) => {
  const slow = (path: string) => `export const methods = { 'subscriptions/listen': async ({ notifications }, id) => {
    await appears(${JSON.stringify(path)});
    send({ method: '${acknowledged}', params: { notifications, _meta: { '${SUBSCRIPTION}': id } } });
  } };`;
  const proxy = await modern(t, withTools());
  const [first, second] = [proxy.gate(), proxy.gate()];
  assert.equal(await proxy.which(), '1');
  await proxy.reload(`${withTools('more: () => 0')}${slow(first.path)}`);
  await proxy.listen('a', toolsChanged);
  await proxy.received(/subscriptions\/listen/, 2);
  proxy.save(
    script(`export const methods = { 'tools/list': async () => {
    await appears(${JSON.stringify(second.path)});
    process.exit(1);
  } };`),
  );
  await proxy.received(/subscriptions\/listen/, 3);
  first.open();
  await proxy.streamed('a', acknowledged);
  second.open();
  await proxy.waitForLog('start failed');
  assert.deepEqual(proxy.stream('a'), [acknowledged]);
});

test('P16 while the old server goes on serving, a new stream is opened with it and then with the new one', async (t) => {
  const proxy = await modern(t, ringing('result'), { options: ['--while-reloading', 'serve'] });
  assert.equal(await proxy.which(), '1');
  const open = await proxy.saveHeld(ringing('result', 'more: () => 0'));
  await proxy.open('a', toolsChanged);
  assert.equal(await proxy.which('ring'), '1');
  open();
  await proxy.streamed('a', changed, 2);
  assert.equal(await proxy.which('ring'), '2');
  assert.deepEqual(proxy.stream('a'), [acknowledged, changed, changed, changed]);
});
