// P8 on the built bin: a replaced generation may finish what it was asked; what it does not finish is sent again only
// where that does no harm, and otherwise the client is told that it may have run. A generation that dies is
// crash.test.ts's.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const drain = ['--drain', '300'];
/** A server that ends sooner with exit code 0 does not leave on purpose. The time is what is tested. */
const LEAVES_AFTER_MS = 5100;
const mayHaveRun = /may or may not have taken effect.*not sent again/;

/** Which generations ran the tool `effect`, in order. */
const effects = (proxy: ReloadProject) => {
  const file = proxy.files.path('effects');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

test('P8 what is in flight finishes on the old server, while the new one serves; then the old one goes', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const { pid } = JSON.parse(await proxy.call('generation')) as { pid: number };
  const gate = proxy.gate();
  const { answer } = await proxy.begin('effect', { file: 'effects', until: gate.path });
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
  process.kill(pid, 0);
  gate.open();
  assert.equal((await answer).result.content[0].text, '1');
  await proxy.gone(pid);
  assert.deepEqual(effects(proxy), ['1']);
});

test('P1 what is in flight finishes on the old server, though the new one leaves with 0; then the proxy goes', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const gate = proxy.gate();
  const { answer } = await proxy.begin('effect', { file: 'effects', until: gate.path });
  // No edit: that a server ends after one is no reason to go.
  proxy.kill('SIGUSR2');
  await proxy.reloaded(2);
  await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  const killer = await proxy.request('tools/call', { name: 'die', arguments: { code: 0 } });
  assert.match(failureSaid(killer), /may or may not have taken effect/);
  const { error } = await proxy.request('tools/list');
  assert.match(error?.message ?? '', /has ended, and is not started again/);
  gate.open();
  assert.equal((await answer).result.content[0].text, '1');
  assert.equal((await proxy.exited).code, 0);
});

test('P8 after --drain, tools that are read-only or idempotent run again on the new server, any other is told to may have run', async (t) => {
  const annotations = { answer: { readOnlyHint: true }, effect: { idempotentHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }), { options: drain });
  const until = proxy.gate().path;
  const idempotent = await proxy.begin('effect', { file: 'effects', until });
  const other = await proxy.begin('progress', { count: 0, until });
  proxy.save(behaviour({ answer: 'two', annotations }));
  const text = failureSaid(await other.answer);
  assert.match(text, mayHaveRun);
  assert.match(text, /"progress"/);
  const logged = await proxy.waitForLog('generation 1 was replaced, and is stopped before it has answered');
  assert.match(logged, /the client is told that tool progress may have run, tool effect is sent again$/);
  proxy.files.write(until.split('/').at(-1)!, '');
  assert.equal((await idempotent.answer).result.content[0].text, '2');
  assert.deepEqual(effects(proxy), ['1', '2']);
  assert.equal(proxy.told(2).filter(({ params }) => params?.name === 'progress').length, 0);
});

test('P8 the hints of the server that may have run the call count, not those of the next one', async (t) => {
  const proxy = await live(t, reloadable({ answer: 'one', annotations: { effect: { readOnlyHint: false } } }), {
    options: drain,
  });
  const { answer } = await proxy.begin('effect', { file: 'effects', until: proxy.gate().path });
  proxy.save(behaviour({ answer: 'two', annotations: { effect: { readOnlyHint: true, idempotentHint: true } } }));
  assert.match(failureSaid(await answer), mayHaveRun);
  const again = await proxy.begin('effect', { file: 'effects', until: proxy.gate().path });
  proxy.save(behaviour('three'));
  assert.equal(await proxy.call('answer'), 'three');
  await proxy.received(/"begun-2"/, 3);
  proxy.files.write('gate-2', '');
  assert.equal((await again.answer).result.content[0].text, '3');
  assert.deepEqual(effects(proxy), ['1', '2', '3']);
});

test('P8 what only reads is sent again, whatever the method; what is unknown is not', async (t) => {
  const safe: [string, object?][] = [
    ['tools/list'],
    ['prompts/list'],
    ['resources/list'],
    ['resources/templates/list'],
    ['resources/read', { uri: 'a:b' }],
    ['prompts/get', { name: 'x' }],
    ['completion/complete', { ref: {} }],
    ['ping'],
    ['logging/setLevel', { level: 'info' }],
    ['resources/subscribe', { uri: 'a:b' }],
    ['resources/unsubscribe', { uri: 'a:c' }],
  ];
  const answering = (what: string) =>
    `const answer = () => (${what});
     export const methods = { ${[...safe.map(([method]) => method), 'custom/do'].map((m) => `'${m}': answer`).join()} };
     export const capabilities = { logging: {} };`;
  const proxy = await live(t, scripted(answering('never')), { options: drain });
  const asked = safe.map(([method, params]) => proxy.request(method, params));
  const unknown = proxy.request('custom/do');
  await proxy.received(/custom\/do/, 1);
  proxy.save(script(answering('{ generation, tools: [] }')));
  const expected = { generation: 2, tools: [] };
  for (const one of asked) assert.deepEqual((await one).result, expected, proxy.transcript());
  assert.match(failureSaid(await unknown), mayHaveRun);
  const again = proxy.told(2).map(({ method }) => method);
  assert.deepEqual(
    again.filter((method) => safe.some(([one]) => one === method)).slice(-safe.length),
    safe.map(([method]) => method),
    'in their order',
  );
});

test('P8 progress never goes back when a call is sent again', async (t) => {
  const steps = (list: string) => `
    export const methods = { 'tools/list': () =>
      ({ tools: [{ name: 'work', inputSchema: {}, annotations: { readOnlyHint: true } }] }) };
    export const tools = { work: async (_, progressToken) => {
      for (const progress of [${list}]) send({ method: 'notifications/progress', params: { progressToken, progress } });
      if (generation === 1) await never;
      return generation;
    } };`;
  const proxy = await live(t, scripted(steps('1, 2, 3.5')), { options: drain });
  const { answer } = await proxy.begin('work', {}, { progressToken: 'token' });
  await proxy.waitFor(({ params }) => params?.progress === 3.5, 'progress');
  proxy.save(script(steps('1, 3.5, 3.6, 5')));
  assert.equal((await answer).result.content[0].text, '2');
  const values = proxy.messages.flatMap(({ message }) => message.params?.progress ?? []);
  assert.deepEqual(values, [1, 2, 3.5, 3.6, 5]);

  const next = await proxy.begin('work', {}, { progressToken: 'token' });
  await next.answer;
  const later = proxy.messages.flatMap(({ message }) => message.params?.progress ?? []).slice(values.length);
  assert.deepEqual(later, [1, 3.5, 3.6, 5], 'a new call with the same token starts anew');
});

test('P2 P8 a batch is never sent again, and its lost answers come as one', async (t) => {
  const proxy = await live(t, scripted(`export const methods = { 'prompts/get': () => never };`), { options: drain });
  await proxy.send('[{"jsonrpc":"2.0","id":1,"method":"prompts/get"},{"jsonrpc":"2.0","id":"1","method":"ping"}]');
  await proxy.received(/"ping"/, 1);
  proxy.save(script('export const tools = { which: () => generation };'));
  assert.equal(await proxy.call('which'), '2');
  const { message } = await proxy.waitFor(Array.isArray, 'the answers');
  const lost = message as unknown as { id: unknown; error: { message: string } }[];
  assert.deepEqual(
    lost.map(({ id }) => id),
    [1, '1'],
  );
  for (const { error } of lost) assert.match(error.message, mayHaveRun);
  assert.ok(proxy.told(2).every((told) => !Array.isArray(told)));
});

test('P8 a second reload while the first one’s old server still drains: every call is answered by its own', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const gates = [proxy.gate(), proxy.gate(), proxy.gate()];
  const calls = [];
  for (const [index, gate] of gates.entries()) {
    if (index > 0) proxy.save(behaviour(String(index)));
    if (index > 0) assert.equal(await proxy.call('answer'), String(index));
    calls.push(await proxy.begin('progress', { count: 0, until: gate.path }));
  }
  for (const gate of gates.toReversed()) gate.open();
  const texts = await Promise.all(calls.map(async ({ answer }) => (await answer).result.content[0].text as string));
  assert.deepEqual(
    texts.map((text) => text.at(-1)),
    ['1', '2', '3'],
  );
});

test('P1 P8 cancelling a call that the old server still runs reaches it, frees it, and the call is not sent again', async (t) => {
  const annotations = { effect: { readOnlyHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }), { options: ['--drain', '0'] });
  const { pid } = JSON.parse(await proxy.call('generation')) as { pid: number };
  await proxy.begin('effect', { file: 'effects', until: proxy.gate().path });
  proxy.save(behaviour({ answer: 'two', annotations }));
  assert.equal(await proxy.call('answer'), 'two');
  await proxy.notify('notifications/cancelled', { requestId: 'begun-1' });
  await proxy.received(/notifications\/cancelled/, 1);
  await proxy.gone(pid);
  assert.equal(await proxy.call('answer'), 'two');
  assert.deepEqual(effects(proxy), ['1']);
  assert.ok(proxy.told(2).every(({ method }) => method !== 'notifications/cancelled'));
  assert.ok(proxy.messages.every(({ message }) => message.id !== 'begun-1'));
});
