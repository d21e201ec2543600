// P3 through a hold: what the client sends while a reload runs waits, in order, and reaches the new generation as it
// was sent; and what passes the hold all the same. Its limits are hold-limits.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

test('P3 requests and notifications keep their order through a hold, behind the handshake, byte for byte', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const open = await proxy.saveHeld(behaviour('two'));
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer","x":12345678901234567890}}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{ "id": 2, "jsonrpc":"2.0","method":"tools/list", "method":"tools/list" }',
    '{"jsonrpc":"2.0","method":"notifications/other","params":{"n":1.0}}',
    '{"jsonrpc":"2.0","method":"notifications/other","params":{"n":2.0}}',
    '{"jsonrpc":"2.0","id":"3","method":"prompts/get","params":{"name":"\\u0061"}}',
  ];
  for (const line of lines) await proxy.send(line);
  open();
  assert.equal((await proxy.response('3')).result.messages[0].content.text, 'two');
  // On a busy machine the second may have made way for a third; it is the one that serves that counts.
  const journal = proxy.journal();
  const told = journal.filter(({ generation }) => generation === journal.at(-1)!.generation);
  const rest = told.map(({ line }) => line).filter((line) => !line.includes('"mcp-hotline:'));
  assert.deepEqual(rest, [initialized, ...lines]);
  assert.match(told[0]!.line, /"method":"initialize"/);
  const answers = proxy.messages.map(({ message }) => message.id).filter((id) => [1, 2, '3'].includes(id!));
  assert.deepEqual(answers, [1, 2, '3']);
});

test('P3 nothing is flushed before the new server has answered initialize, be it after 3 s', async (t) => {
  const proxy = await live(t, reloadable('one'));
  proxy.save(behaviour({ answer: 'two', handshake: 3000 }));
  assert.equal(await proxy.call('answer'), 'two');
  const methods = proxy.told(2).map(({ method }) => method);
  assert.deepEqual([methods[0], methods[1], methods.at(-1)], ['initialize', 'notifications/initialized', 'tools/call']);
});

test('P3 a ping is answered during a hold, by nobody but the proxy', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const open = await proxy.saveHeld(behaviour('two'));
  const held = proxy.call('answer');
  assert.deepEqual(await proxy.request('ping', undefined, { id: 0 }), { jsonrpc: '2.0', id: 0, result: {} });
  open();
  assert.equal(await held, 'two');
  assert.ok(proxy.journal().every(({ line }) => !line.includes('"ping"')));
});

test('P3 P1 a held request that is cancelled reaches no server and is not answered; its neighbours are', async (t) => {
  const proxy = await live(t, reloadable('one'));
  const open = await proxy.saveHeld(behaviour('two'));
  const call = (id: number | string) =>
    proxy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'answer' } });
  await Promise.all([call(7), call(8), call('8')]);
  await proxy.notify('notifications/cancelled', { requestId: 8, reason: 'changed my mind' });
  open();
  for (const id of [7, '8']) assert.equal((await proxy.response(id)).result.content[0].text, 'two');
  await proxy.request('tools/list');
  assert.ok(proxy.messages.every(({ message }) => message.id !== 8));
  assert.deepEqual(
    proxy.told(2).flatMap(({ id, method }) => (method === 'tools/call' || method?.includes('cancel') ? [id] : [])),
    [7, '8'],
  );
});

test('P3 a candidate that asks roots/list before it answers initialize is answered', async (t) => {
  const asking = script(`export const methods = {
    initialize: async () => {
      const { roots } = await ask(0, 'roots/list');
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: roots[0] };
    },
  };
  export const tools = { which: () => generation };`);
  const proxy = await live(t, scripted('export const tools = { which: () => generation };'));
  proxy.answer('roots/list', () => ({ roots: [{ uri: 'file:///here', name: 'here' }] }));
  proxy.save(asking);
  assert.equal(await proxy.call('which'), '2');
});

test('P3 what the generations say flows during a hold: answers, progress and log messages of the old one', async (t) => {
  const proxy = await live(
    t,
    scripted(`export const tools = { work: async ({ until }, progressToken) => {
    await appears(until);
    send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    send({ method: 'notifications/message', params: { level: 'info', data: 'from generation ' + generation } });
    send({ method: 'notifications/tools/list_changed' });
    return generation;
  } };`),
  );
  const gate = proxy.gate();
  const { answer } = await proxy.begin('work', { until: gate.path }, { progressToken: 't' });
  const open = await proxy.saveHeld(
    script(`
    send({ method: 'notifications/message', params: { level: 'info', data: 'from generation ' + generation } });
    send({ method: 'notifications/tools/list_changed' });
    send({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    export const tools = { work: () => generation };`),
  );
  gate.open();
  assert.equal((await answer).result.content[0].text, '1');
  assert.deepEqual(proxy.notifications(), [
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
  ]);
  open();
  assert.equal(await proxy.call('work'), '2');
  assert.deepEqual(proxy.notifications().slice(3), ['notifications/message'], 'a candidate logs, and says no more');
});

test('P2 P3 a batch is held, forwarded and answered as one', async (t) => {
  const proxy = await live(t, scripted('export const tools = { which: () => generation };'));
  const open = await proxy.saveHeld(script('export const tools = { which: () => generation };'));
  const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"which","n":1.0}}`;
  const batch = `[${call('0')}, {"jsonrpc":"2.0","method":"notifications/x"},${call('"0"')}]`;
  const [before, after] = [proxy.request('tools/list'), `{"jsonrpc":"2.0","id":"z","method":"tools/list"}`];
  await proxy.send(batch);
  await proxy.send(after);
  open();
  await Promise.all([before, proxy.response('z')]);
  const { raw } = await proxy.waitFor(Array.isArray, 'the answer to the batch');
  const answers = JSON.parse(String(raw)) as { id: unknown; result: { content: { text: string }[] } }[];
  assert.deepEqual(
    answers.map(({ id, result }) => [id, result.content[0]!.text]),
    [
      [0, '2'],
      ['0', '2'],
    ],
  );
  const lines = proxy.journal().flatMap(({ generation, line }) => (generation === 2 ? [line] : []));
  assert.deepEqual(lines.slice(-2), [batch, after]);
  await assert.doesNotReject(proxy.response(0));
});

test('P3 P4 a request sent between the end of the build and the swap is held, and answered by what was built', async (t) => {
  const build = ['--build', 'node build.mjs'];
  const files = {
    ...reloadable('one'),
    'build.mjs': `import { cpSync } from 'node:fs';\ncpSync('src', 'out', { recursive: true });\n`,
  };
  const server = reloadable('one')['server.mjs']!.replace('./src/', './out/');
  const proxy = await live(t, { ...files, 'server.mjs': server }, { options: build });
  assert.equal(await proxy.call('answer'), 'one');
  const gate = proxy.gate();
  const from = proxy.stderr().split('\n').length - 1;
  proxy.save(
    `import { existsSync } from 'node:fs';\nwhile (!existsSync(${JSON.stringify(gate.path)})) await new Promise((done) => setTimeout(done, 5));\n${behaviour('two')}`,
  );
  await proxy.waitForLog('built in', { from });
  const held = proxy.call('answer');
  await proxy.request('ping');
  gate.open();
  assert.equal(await held, 'two');
});
