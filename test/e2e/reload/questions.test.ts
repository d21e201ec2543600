// P10 for what servers ask of the client (sampling, elicitation, roots), on the built bin: two generations that use the
// same ids are never confused, and a question whose asker is gone is taken back. What they are told is
// replay.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import type { Message } from '../../support/message.js';

/** A server whose tool `ask` asks under the id 0 and gives the answer back, stamped with its generation. */
const asking = `export const tools = {
  which: () => generation,
  ask: async ({ id = 0, more = {} } = {}) =>
    generation + ' ' + JSON.stringify(await ask(id, 'sampling/createMessage', { generation, ...more })),
  cancel: ({ id }) => send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'n/a', n: 1.0 } }) && '',
};`;
const changed = script(`${asking} // changed`);

/** The question of a generation, once it has arrived. */
async function question(proxy: ReloadProject, generation: number): Promise<Message> {
  const { message } = await proxy.waitFor(
    ({ method, params }) => method === 'sampling/createMessage' && params.generation === generation,
    `the question of generation ${generation}`,
  );
  return message;
}

const reply = (proxy: ReloadProject, { id }: Message, text: string) =>
  proxy.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"text":"${text}"}}`);

test('P10 two generations ask under the same id: the client sees two, and each answer finds its asker', async (t) => {
  const proxy = await live(t, scripted(asking));
  const old = await proxy.begin('ask');
  const first = await question(proxy, 1);
  assert.equal(first.id, 0, 'unchanged where nothing collides');
  proxy.save(changed);
  assert.equal(await proxy.call('which'), '2');
  const young = await proxy.begin('ask');
  const second = await question(proxy, 2);
  assert.notEqual(second.id, first.id);
  assert.deepEqual({ ...second, id: 0 }, { ...first, params: { generation: 2 } });
  await reply(proxy, second, 'for two');
  await reply(proxy, first, 'for one');
  assert.equal((await old.answer).result.content[0].text, '1 {"text":"for one"}');
  assert.equal((await young.answer).result.content[0].text, '2 {"text":"for two"}');
  const answers = proxy.journal().filter(({ line }) => line.includes('"result"'));
  assert.deepEqual(answers.map(({ generation, line }) => `${generation} ${line}`).sort(), [
    '1 {"jsonrpc":"2.0","id":0,"result":{"text":"for one"}}',
    '2 {"jsonrpc":"2.0","id":0,"result":{"text":"for two"}}',
  ]);
});

test('P10 the client’s answer reaches its asker during a hold, an error too', async (t) => {
  const proxy = await live(t, scripted(asking));
  const calls = [await proxy.begin('ask', { id: 'a' }), await proxy.begin('ask', { id: 'b' })];
  const open = await proxy.saveHeld(changed);
  await proxy.send({ jsonrpc: '2.0', id: 'a', result: { n: 1 } });
  await proxy.send({ jsonrpc: '2.0', id: 'b', error: { code: -1, message: 'no' } });
  assert.equal((await calls[0]!.answer).result.content[0].text, '1 {"n":1}');
  assert.equal((await calls[1]!.answer).result.content[0].text, '1 {"error":{"code":-1,"message":"no"}}');
  open();
  assert.equal(await proxy.call('which'), '2');
});

test('P10 a question whose asker is gone is taken back, and a late answer goes to nobody', async (t) => {
  const proxy = await live(t, scripted(asking), { options: ['--drain', '200'] });
  await proxy.begin('ask');
  await proxy.begin('ask', { id: 'other' });
  const lost = await question(proxy, 1);
  proxy.save(changed);
  assert.equal(await proxy.call('which'), '2');
  const taken = await Promise.all(
    [0, 'other'].map((id) =>
      proxy.waitFor(
        ({ method, params }) => method === 'notifications/cancelled' && params.requestId === id,
        'the cancellation',
      ),
    ),
  );
  for (const { message } of taken) assert.match(message.params.reason, /server that asked was replaced/);
  const call = await proxy.begin('ask');
  const asked = await question(proxy, 2);
  assert.notEqual(asked.id, lost.id, 'the client may still answer the old one');
  await reply(proxy, lost, 'too late');
  await reply(proxy, asked, 'in time');
  assert.equal((await call.answer).result.content[0].text, '2 {"text":"in time"}');
  assert.ok(proxy.journal().every(({ line }) => !line.includes('too late')));
});

test('P10 a candidate that is given up takes its question with it', async (t) => {
  const proxy = await live(t, scripted(asking));
  const hung = `export const methods = { initialize: () => ask(0, 'roots/list') };`;
  proxy.save(script(hung));
  const { message } = await proxy.waitFor(({ method }) => method === 'roots/list', 'the candidate’s question');
  proxy.save(changed);
  await proxy.waitFor(
    ({ method, params }) => method === 'notifications/cancelled' && params.requestId === message.id,
    'the cancellation',
  );
  assert.equal(await proxy.call('which'), '3');
  await proxy.send({ jsonrpc: '2.0', id: message.id, result: { roots: ['too late'] } });
  assert.equal(await proxy.call('which'), '3');
  assert.ok(proxy.journal().every(({ line }) => !line.includes('too late')));
});

test('P10 a server takes back a question under the id that the client saw', async (t) => {
  const proxy = await live(t, scripted(asking));
  await proxy.begin('ask');
  await question(proxy, 1);
  proxy.save(changed);
  assert.equal(await proxy.call('which'), '2');
  await proxy.begin('ask');
  const { id } = await question(proxy, 2);
  await proxy.call('cancel', { id: 0 });
  const { raw } = await proxy.waitFor(({ method }) => method === 'notifications/cancelled', 'the cancellation');
  assert.equal(
    String(raw),
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${JSON.stringify(id)},"reason":"n/a","n":1}}`,
  );
});

test('P10 taking back a question that was answered does not take back another generation’s', async (t) => {
  const proxy = await live(t, scripted(asking));
  const old = await proxy.begin('ask');
  const first = await question(proxy, 1);
  proxy.save(changed);
  assert.equal(await proxy.call('which'), '2');
  const young = await proxy.begin('ask');
  await reply(proxy, await question(proxy, 2), 'done');
  await young.answer;
  await proxy.call('cancel', { id: 0 });
  await reply(proxy, first, 'still wanted');
  assert.equal((await old.answer).result.content[0].text, '1 {"text":"still wanted"}');
  assert.deepEqual(
    proxy.notifications().filter((method) => method === 'notifications/cancelled'),
    [],
  );
});

test('P10 the client’s progress goes to the asker alone, also when both use one token', async (t) => {
  const proxy = await live(t, scripted(asking), { options: ['--drain', '1000'] });
  const more = { _meta: { progressToken: 0 } };
  const progress = (progressToken: unknown, message: string) =>
    proxy.notify('notifications/progress', { progressToken, progress: 1, message });
  await proxy.begin('ask', { more });
  const first = await question(proxy, 1);
  proxy.save(changed);
  assert.equal(await proxy.call('which'), '2');
  const young = await proxy.begin('ask', { more });
  const second = await question(proxy, 2);
  const tokens = [first, second].map(({ params: { _meta: meta } }) => meta.progressToken);
  await progress(tokens[0], 'for one');
  await progress(tokens[1], 'for two');
  await proxy.received(/for one/);
  await proxy.received(/for two/);
  await proxy.waitFor(({ method }) => method === 'notifications/cancelled', 'the end of generation 1');
  await progress(tokens[0], 'for nobody');
  await reply(proxy, second, 'done');
  await young.answer;
  const heard = proxy.journal().flatMap(({ generation, line }) => {
    const { method, params } = JSON.parse(line) as Message;
    return method === 'notifications/progress' ? [`${generation} ${params.progressToken} ${params.message}`] : [];
  });
  assert.deepEqual(heard.sort(), ['1 0 for one', '2 0 for two']);
});

/** A server that goes by the client's roots, which it asks for when the session opens; it is slow to take them in. */
const rooted = `let roots = 'none yet';
export const tools = { roots: () => generation + ' ' + roots };
export const methods = {
  'notifications/initialized': async () => {
    const answer = await ask(0, 'roots/list');
    for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
    roots = JSON.stringify(answer);
  },
};`;

test('P10 a new generation has the client’s roots, which it asked for, before the first call reaches it', async (t) => {
  const proxy = await live(t, scripted(rooted), { initialize: { capabilities: { roots: {} } } });
  proxy.answer('roots/list', () => ({ roots: [] }));
  for (const generation of [2, 3, 4]) {
    proxy.save(script(`${rooted} // ${generation}`));
    assert.equal(await proxy.call('roots'), `${generation} {"roots":[]}`);
  }
});

test('P10 the same, though it is busy while the client answers', async (t) => {
  const busy = `'resources/templates/list': () => {
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500));
    return { resourceTemplates: [] };
  },`;
  const proxy = await live(t, scripted(rooted), { initialize: { capabilities: { roots: {} } } });
  proxy.answer('roots/list', () => ({ roots: [] }));
  proxy.save(script(rooted.replace('methods = {', `methods = { ${busy}`)));
  assert.equal(await proxy.call('roots'), `2 {"roots":[]}`);
});

test('P12 a client that says no roots delays a reload, but does not prevent it', async (t) => {
  const proxy = await live(t, scripted(rooted), { initialize: { capabilities: { roots: {} } } });
  proxy.save(script(`${rooted} // changed`));
  assert.equal(await proxy.call('roots'), '2 none yet');
});
