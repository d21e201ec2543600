// P9 in the modern era: news of a changed list goes to the streams that asked for it, after their acknowledgement,
// stamped with their id; with no stream open, to nobody. That streams live on is streams.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meta, modern, script, SUBSCRIPTION, toolsChanged, withTools } from './modern.js';

const acknowledged = 'notifications/subscriptions/acknowledged';
const changed = (list: string) => `notifications/${list}/list_changed`;

const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** A server with one of each, named by the arguments. */
const listing = (tool: string, prompt: string, resource: string, template: string) =>
  script(`export const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true } };
  export const tools = { which: () => generation, ${tool}: () => 0 };
  export const lists = {
    prompts: [{ name: '${prompt}' }],
    resources: [{ name: 'r', uri: 'test:${resource}' }],
    resourceTemplates: [{ name: 't', uriTemplate: 'test:{${template}}' }],
  };`);

test('P16 P9 list changes go to the streams that asked for them, stamped, and to no other', async (t) => {
  const proxy = await modern(t, listing('a', 'a', 'a', 'a'));
  await proxy.ask('server/discover');
  await proxy.open('all', everything);
  await proxy.open('prompts', { promptsListChanged: true });
  await proxy.open('refused', { toolsListChanged: false, resourceSubscriptions: [] });
  proxy.save(listing('b', 'b', 'a', 'a'));
  assert.equal(await proxy.which(), '2');
  await proxy.streamed('all', changed('prompts'));
  await proxy.streamed('prompts', changed('prompts'));
  proxy.save(listing('b', 'b', 'b', 'b'));
  assert.equal(await proxy.which(), '3');
  await proxy.streamed('all', changed('resources'));
  assert.equal(await proxy.which(), '3');
  assert.deepEqual(proxy.stream('all'), [
    acknowledged,
    changed('tools'),
    changed('prompts'),
    ...[changed('tools'), changed('prompts'), changed('resources')].slice(2),
  ]);
  assert.deepEqual(proxy.stream('prompts'), [acknowledged, changed('prompts')]);
  assert.deepEqual(proxy.stream('refused'), [acknowledged]);
  const stamped = proxy.messages.filter(({ message }) => message.method?.endsWith('/list_changed'));
  for (const { message } of stamped) assert.deepEqual(Object.keys(message.params['_meta']), [SUBSCRIPTION]);
  assert.equal(stamped.length, 4);
});

test('P16 P9 with no stream open, nobody is told; nor when nothing of the list has changed', async (t) => {
  const proxy = await modern(t, listing('a', 'a', 'a', 'a'));
  await proxy.ask('tools/list');
  await proxy.reload(listing('b', 'b', 'b', 'b'));
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(proxy.notifications(), []);
  assert.doesNotMatch(proxy.stderr(), /is told of changed lists/);
  await proxy.ask('tools/list');
  await proxy.open('all', everything);
  await proxy.reload(`${listing('b', 'b', 'b', 'b')}// a comment`);
  assert.equal(await proxy.which(), '3');
  assert.deepEqual(proxy.stream('all'), [acknowledged]);
});

test('P16 P9 a stream that the client opens during the reload hears of the change, after its acknowledgement', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.ask('tools/list');
  const open = await proxy.saveHeld(withTools('more: () => 0'));
  await proxy.listen('early', toolsChanged);
  open();
  await proxy.streamed('early', changed('tools'));
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(proxy.stream('early'), [acknowledged, changed('tools')]);
});

test('P16 P9 a stream that is not acknowledged yet when the lists change hears of it afterwards, once', async (t) => {
  const slow = (path: string) => `export const methods = { 'subscriptions/listen': async ({ notifications }, id) => {
    await appears(${JSON.stringify(path)});
    send({ method: '${acknowledged}', params: { notifications, _meta: { '${SUBSCRIPTION}': id } } });
  } };`;
  const proxy = await modern(t, withTools());
  const gate = proxy.gate();
  await proxy.ask('tools/list');
  await proxy.reload(`${withTools()}${slow(gate.path)}`);
  await proxy.listen('late', toolsChanged);
  await proxy.received(/subscriptions\/listen/, 2);
  await proxy.reload(`${withTools('more: () => 0')}${slow(gate.path)}`);
  assert.equal(await proxy.which(), '3');
  assert.deepEqual(proxy.stream('late'), []);
  gate.open();
  await proxy.streamed('late', changed('tools'));
  assert.equal(await proxy.which(), '3');
  assert.deepEqual(proxy.stream('late'), [acknowledged, changed('tools')]);
});

test('P16 P9 P4 the list can be had when the client hears of it', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('a', toolsChanged);
  for (const name of ['one', 'two', 'three']) {
    const from = proxy.messages.length;
    proxy.save(withTools(`${name}: () => 0`));
    await proxy.waitFor(({ method }) => method === changed('tools'), 'news', { from });
    const { result } = await proxy.ask('tools/list');
    assert.deepEqual(
      result.tools.map((tool: { name: string }) => tool.name),
      ['which', name],
    );
  }
});

test('P16 P9 a stream hears of the resources it subscribed to, which the new code may give otherwise', async (t) => {
  const updated = 'notifications/resources/updated';
  const proxy = await modern(t, listing('a', 'a', 'a', 'a'));
  await proxy.open('some', { resourceSubscriptions: ['test:a', 'test:b'] });
  await proxy.open('none', toolsChanged);
  await proxy.reload(`${listing('a', 'a', 'a', 'a')}// a comment`);
  await proxy.streamed('some', updated, 2);
  assert.equal(await proxy.which(), '2');
  assert.deepEqual(proxy.stream('none'), [acknowledged]);
  const uris = proxy.messages.flatMap(({ message }) => (message.method === updated ? [message.params.uri] : []));
  assert.deepEqual(uris, ['test:a', 'test:b']);
});

test('P16 P9 --notify never: nothing is promised and nobody is told; --notify always: all who asked are', async (t) => {
  const never = await modern(t, withTools(), { options: ['--notify', 'never'] });
  const discovered = await never.ask('server/discover');
  assert.deepEqual(discovered.result.capabilities, { tools: {} });
  const ack = await never.open('a', toolsChanged);
  assert.deepEqual(ack.message.params.notifications, {});
  await never.reload(withTools('more: () => 0'));
  assert.equal(await never.which(), '2');
  assert.deepEqual(never.stream('a'), [acknowledged]);

  const always = await modern(t, withTools(), { options: ['--notify', 'always'] });
  await always.ask('server/discover');
  await always.open('a', everything);
  await always.reload(`${withTools()}// a comment`);
  await always.streamed('a', changed('tools'));
  assert.equal(await always.which(), '2');
  assert.deepEqual(always.stream('a'), [acknowledged, changed('tools')], 'of what the server has at all');
});

test('P16 P9 what the client was served is the baseline, so a list that it has not seen anew is told of again', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('a', toolsChanged);
  const list = JSON.stringify({ jsonrpc: '2.0', id: 'list', method: 'tools/list', params: { _meta: meta } });
  await proxy.send(list);
  await proxy.response('list');
  await proxy.reload(withTools('more: () => 0'));
  await proxy.reload(withTools('more: () => 1'));
  await proxy.streamed('a', changed('tools'), 2);
  await proxy.ask('tools/list');
  await proxy.reload(withTools('more: () => 2'));
  assert.equal(await proxy.which(), '4');
  assert.deepEqual(proxy.stream('a'), [acknowledged, changed('tools'), changed('tools')]);
});
