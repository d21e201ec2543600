// P9 on the built bin: after a reload the client is told of exactly the lists that differ, and can have the new ones by
// then. What a difference is, in all its forms, is proved beside src/lists; lists that can't be had in
// lists-unknown.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour, type Behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

type Lists = NonNullable<Behaviour['lists']>;

const answerTool = { name: 'answer', inputSchema: { type: 'object' } };
const one: Lists = {
  tools: [answerTool, { name: 'b', inputSchema: { type: 'object', properties: { x: { type: 'string' } } } }],
  prompts: [{ name: 'p' }, { name: 'q', description: 'Asks.' }],
  resources: [{ uri: 'a:r', name: 'r' }],
  resourceTemplates: [{ uriTemplate: 'a:{x}', name: 't' }],
};
const told = (...kinds: string[]) => kinds.map((kind) => `notifications/${kind}/list_changed`);
const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

/** Each is an edit of the one before. */
const edits: [what: string, lists: Partial<Lists>, expected: string[]][] = [
  ['another answer of the same tool', {}, []],
  ['another order', { tools: one.tools!.toReversed(), prompts: one.prompts!.toReversed() }, []],
  ['_meta of an item', { tools: one.tools!.map((tool) => ({ ...tool, _meta: { a: 1 } })) }, []],
  ['another description of a tool', { tools: [answerTool, { ...one.tools![1]!, description: 'B.' }] }, told('tools')],
  ['a deeper difference in a schema', { tools: [answerTool, { name: 'b', inputSchema: { x: [1] } }] }, told('tools')],
  ['a prompt more', { prompts: [...one.prompts!, { name: 'new' }] }, told('prompts')],
  ['no resource left', { resources: [] }, told('resources')],
  ['another template', { resourceTemplates: [{ uriTemplate: 'a:{y}', name: 't' }] }, told('resources')],
  ['both kinds of resources, told once', { resources: one.resources!, resourceTemplates: [] }, told('resources')],
  ['everything', { tools: [answerTool], prompts: [], resources: [] }, told('tools', 'prompts', 'resources')],
];

for (const [lists, title] of [
  [true, 'a client that has the lists'],
  [false, 'a client that never asked for them'],
] as const) {
  test(`P9 exactly the lists that differ are told, for ${title}`, async (t) => {
    const proxy = await live(t, reloadable({ answer: '-1', lists: one }));
    let current = one;
    for (const [index, [what, change, expected]] of edits.entries()) {
      if (lists) for (const method of methods) assert.ok((await proxy.request(method)).result);
      const from = proxy.messages.length;
      current = { ...current, ...change };
      proxy.save(behaviour({ answer: String(index), lists: current }));
      assert.equal(await proxy.call('answer'), String(index));
      assert.deepEqual(proxy.notifications(from), expected, what);
    }
  });
}

test('P9 the new list can be had as soon as the client is told', async (t) => {
  const proxy = await live(t, reloadable('one'));
  proxy.save(behaviour({ answer: 'two', lists: { tools: [{ name: 'fresh' }] } }));
  await proxy.waitFor(({ method }) => method === told('tools')[0], 'the notification');
  const { result } = await proxy.request('tools/list');
  assert.equal(result.tools.at(-1).name, 'fresh');
});

test('P9 lists of several pages are compared whole, however they are cut', async (t) => {
  const tools = Array.from({ length: 7 }, (_, index) => ({ name: `t${index}`, inputSchema: {} }));
  const proxy = await live(t, reloadable({ answer: 'one', lists: { tools }, pageSize: 3 }));
  const collect = async () => {
    let cursor: string | undefined;
    const names: string[] = [];
    do {
      const { result } = await proxy.request('tools/list', { ...(cursor && { cursor }) });
      for (const { name } of result.tools) names.push(name);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return names;
  };
  assert.equal((await collect()).at(-1), 't6');
  const reload = async (says: Behaviour) => {
    const from = proxy.messages.length;
    proxy.save(behaviour({ ...says, lists: { tools: says.lists?.tools ?? tools } }));
    assert.equal(await proxy.call('t0'), says.answer);
    return proxy.notifications(from);
  };
  assert.deepEqual(await reload({ answer: 'two', pageSize: 5 }), []);
  const changed = tools.with(6, { name: 't6', inputSchema: { type: 'object' } });
  assert.deepEqual(await reload({ answer: 'three', pageSize: 2, lists: { tools: changed } }), told('tools'));
  const [first] = (await proxy.request('tools/list')).result.tools;
  assert.equal(first.name, 'generation', 'only the first page, this time');
  assert.deepEqual(await reload({ answer: 'four', lists: { tools: changed.slice(1) } }), told('tools'));
});

test('P9 the baseline is what the client was served, and no server is asked before there is a change', async (t) => {
  const drifting = `let asked = 0;
    export const methods = { 'tools/list': () => ({ tools: [{ name: asked++ === 0 ? 'early' : 'late' }] }),
      'prompts/get': () => ({ messages: [], generation }) };`;
  const constant = `export const methods = { 'tools/list': () => ({ tools: [{ name: 'late' }] }),
      'prompts/get': () => ({ messages: [], generation }) };`;
  const proxy = await live(t, scripted(drifting));
  assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'early');
  const own = (generation: number) =>
    proxy.journal().flatMap(({ generation: by, line }) => {
      const { method } = JSON.parse(line) as { method: string };
      return by === generation && line.includes('"mcp-hotline:') ? [method] : [];
    });
  assert.deepEqual(own(1), [], 'the proxy asks nothing of its own');
  proxy.save(script(constant));
  assert.equal((await proxy.request('prompts/get')).result.generation, 2);
  assert.deepEqual(proxy.notifications(), told('tools'), 'the client has the early one');
  assert.deepEqual(
    own(1).sort(),
    methods.slice(1).sort(),
    'only what the client does not have is asked of the old one',
  );
  proxy.save(script(`${constant} // again`));
  assert.equal((await proxy.request('prompts/get')).result.generation, 3);
  assert.deepEqual(own(2).filter((method) => method !== 'initialize').length, 4 + 3);
});

test('P9 P2 listChanged is promised for each list that the server has, and no other byte of its answer changes', async (t) => {
  const answer = (tools: string, prompts: string) =>
    `{"result":{ "capabilities" :{"tools":${tools},"experimental":{"n":12345678901234567890,"tools":{}},"prompts":${prompts},"resources":{"listChanged":true,"subscribe":1.0}},"serverInfo":{"name":"\\u0061","version":"1","version":"2"},"protocolVersion":"2025-11-25","instructions":"é"},"id":0, "jsonrpc":"2.0"}`;
  const written = answer('{ }', '{"listChanged":false,"x":[1]}');
  const proxy = await live(
    t,
    scripted(
      `export const methods = { initialize: () => void process.stdout.write(${JSON.stringify(`${written}\n`)}) };`,
    ),
    { initialize: false },
  );
  await proxy.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
  await proxy.response(0);
  const { raw } = await proxy.waitFor(({ id }) => id === 0, 'the answer');
  const expected = answer('{ "listChanged":true}', '{"listChanged":true,"x":[1]}');
  assert.equal(String(raw).replaceAll(/\s/g, ''), expected.replaceAll(/\s/g, ''));
  assert.equal(String(raw).length, expected.length);
});

test('P9 a capability that the client was never told of is not told about; one that is lost empties its list', async (t) => {
  const lists = { tools: [answerTool], prompts: [{ name: 'p' }], resources: [{ uri: 'a:b', name: 'b' }] };
  const all = { tools: {}, prompts: {}, resources: {} };
  const proxy = await live(t, reloadable({ answer: 'one', lists, capabilities: { tools: {}, prompts: {} } }));
  proxy.save(behaviour({ answer: 'two', lists, capabilities: all }));
  assert.equal(await proxy.call('answer'), 'two');
  assert.deepEqual(proxy.notifications(), []);
  proxy.save(behaviour({ answer: 'three', lists, capabilities: { tools: {} } }));
  assert.equal(await proxy.call('answer'), 'three');
  assert.deepEqual(proxy.notifications(), told('prompts'));
});

test('P9 after a reload one resources/updated for each subscribed URI, and for no other', async (t) => {
  const proxy = await live(t, reloadable('one'));
  for (const uri of ['a:1', 'a:2', 'a:é']) await proxy.request('resources/subscribe', { uri });
  await proxy.request('resources/unsubscribe', { uri: 'a:2' });
  for (const [index, answer] of ['two', 'three'].entries()) {
    proxy.save(behaviour(answer));
    assert.equal(await proxy.call('answer'), answer);
    const updated = proxy.messages.flatMap(({ message }) =>
      message.method === 'notifications/resources/updated' ? [message.params] : [],
    );
    assert.deepEqual(updated.slice(index * 2), [{ uri: 'a:1' }, { uri: 'a:é' }]);
  }
});

test('P9 the log compares with the generation before, list_changed with what the client was served', async (t) => {
  const tools = (...names: string[]) => ({ tools: [answerTool, ...names.map((name) => ({ ...answerTool, name }))] });
  const proxy = await live(t, reloadable({ answer: '0', lists: tools() }), { options: ['--log-format', 'json'] });
  await proxy.request('tools/list');
  let from = 0;
  const reload = async (answer: string, lists: Partial<Lists>, generation: number) => {
    from = proxy.messages.length;
    proxy.save(behaviour({ answer, lists }));
    assert.equal(await proxy.call('answer'), answer);
    const line = await proxy.waitForLog(new RegExp(`"event":"reloaded".*"generation":${generation},`));
    return (JSON.parse(line) as { changes: string[] }).changes;
  };
  assert.deepEqual(await reload('1', tools('b'), 2), ['+ tool b']);
  assert.deepEqual(proxy.notifications(from), told('tools'));
  assert.deepEqual(await reload('2', tools('b'), 3), [], 'nothing changed by this edit');
  assert.deepEqual(proxy.notifications(from), told('tools'), 'but the client has the list of generation 1');
  assert.deepEqual(await reload('3', tools('b', 'c'), 4), ['+ tool c']);
  assert.deepEqual(await reload('4', tools(), 5), ['- tool b', '- tool c']);
  assert.deepEqual(proxy.notifications(from), [], 'it is what the client has');
  assert.deepEqual(await reload('5', tools('b'), 6), ['+ tool b']);
  await proxy.request('tools/list');
  assert.deepEqual(await reload('6', tools('c'), 7), ['+ tool c', '- tool b']);
  assert.deepEqual(proxy.notifications(from), told('tools'));
});

for (const [why, signal] of [
  ['a crash', 'SIGKILL'],
  ['an edit that does not start', undefined],
] as const) {
  test(`P9 P15 the log compares with the generation before over ${why}, too (replace)`, async (t) => {
    const tools = (...names: string[]) => ({ tools: [answerTool, ...names.map((name) => ({ ...answerTool, name }))] });
    const options = ['--log-format', 'json', '--strategy', 'replace'];
    const proxy = await live(t, reloadable({ answer: '0', lists: tools() }), { options });
    await proxy.request('tools/list');
    proxy.save(behaviour({ answer: '1', lists: tools('b') }));
    assert.equal(await proxy.call('answer'), '1');
    const from = proxy.stderr().split('\n').length - 1;
    if (signal === undefined) {
      proxy.save('broken(');
      await proxy.waitForLog('"event":"failed"', { from });
      proxy.save(behaviour({ answer: '2', lists: tools('b') }));
    } else process.kill(proxy.journal().find(({ generation }) => generation === 2)!.pid, signal);
    const line = await proxy.waitForLog('"event":"reloaded"', { from });
    assert.deepEqual((JSON.parse(line) as { changes: string[] }).changes, [], line);
  });
}

test('P9 the log says what changed, in words', async (t) => {
  const proxy = await live(t, reloadable({ answer: 'one', lists: one }), { options: ['--log-format', 'json'] });
  const lists = {
    tools: [answerTool, { name: 'add' }, { ...one.tools![1]!, inputSchema: {}, title: 'B' }],
    prompts: [{ name: 'q', description: 'Asks.' }],
    resources: [{ uri: 'a:r', name: 'renamed' }],
    resourceTemplates: [{ uriTemplate: 'a:{z}', name: 't' }],
  };
  proxy.save(behaviour({ answer: 'two', lists }));
  const line = await proxy.waitForLog('"event":"reloaded"');
  const { text, changes, files, phases, generation, pid, ms, level } = JSON.parse(line);
  const expected = [
    '+ tool add',
    '~ tool b (inputSchema, title)',
    '- prompt p',
    '~ resource a:r (name)',
    '+ template a:{z}',
    '- template a:{x}',
  ];
  assert.deepEqual(changes, expected);
  assert.match(text, /^reloaded in \d+ ms \(src\/behaviour\.mjs\), generation 2: \+ tool add, ~ tool b /);
  assert.deepEqual(
    [files, generation, level, typeof pid, typeof ms],
    [['src/behaviour.mjs'], 2, 'info', 'number', 'number'],
  );
  assert.deepEqual(Object.keys(phases).sort(), ['lists', 'start']);
  const { lists: listed } = JSON.parse(await proxy.waitForLog('"event":"list-changed"'));
  assert.deepEqual(listed, ['tools', 'prompts', 'resources', 'resourceTemplates']);
});
