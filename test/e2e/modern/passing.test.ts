// What belongs to one request of the modern era passes untouched, over a reload too: the log level it asks for, rounds
// of input with their opaque state, handles of tasks, progress. Where a new server can't know what an old one began, it
// says so itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_LEVEL, meta, modern, withTools } from './modern.js';

test('P16 P2 the log level of a request passes, and so do the messages it asks for, before and after a reload', async (t) => {
  const logging = (more = '') =>
    withTools(`log: (_, { meta }) => {
      send({ method: 'notifications/message', params: { level: meta['${LOG_LEVEL}'], data: generation } });
      return generation;
    }, ${more}`);
  const proxy = await modern(t, logging());
  for (const [level, generation] of [
    ['debug', 1],
    ['error', 2],
  ] as const) {
    const { result } = await proxy.ask('tools/call', { name: 'log' }, { meta: { [LOG_LEVEL]: level } });
    assert.equal(result.content[0].text, String(generation));
    const { message } = await proxy.waitFor(({ params }) => params?.data === generation, 'its message');
    assert.equal(message.params.level, level);
    if (generation === 1) await proxy.reload(logging('more: () => 0'));
  }
});

/** As JSON may spell it, and as nobody who parses and prints would spell it again. */
const requestState = '"\\u0061\\/b==\\ud83d\\ude00\\u2028é 12345678901234567890 1.0"';

test('P16 P2 input_required passes to the byte, and its answer reaches the new server to the byte', async (t) => {
  const asking = (more = '') => `${withTools(more)}export const methods = { 'tools/call': ({ requestState, name }) =>
    name === 'which' ? { content: [{ type: 'text', text: String(generation) }] }
    : requestState === undefined
      ? ${JSON.stringify(`{"resultType":"input_required","requestState":${requestState},"inputRequests":{"a":{"n":1.0}}}`)}
      : { content: [{ type: 'text', text: generation + ' ' + requestState }] } };`;
  const proxy = await modern(t, asking());
  await proxy.ask('tools/call', { name: 'deploy' }, { id: 'first' });
  assert.equal(
    String(proxy.messages.at(-1)!.raw),
    `{"result":{"resultType":"input_required","requestState":${requestState},"inputRequests":{"a":{"n":1.0}}},"jsonrpc":"2.0","id":"first"}`,
  );
  proxy.save(asking('more: () => 0'));
  const retry = `{"jsonrpc":"2.0","id":"second","method":"tools/call","params":{"name":"deploy","requestState":${requestState},"inputResponses":{"a":{"n":1.0}},"_meta":${JSON.stringify(meta)}}}`;
  await proxy.send(retry);
  const { result } = await proxy.response('second');
  assert.equal(result.content[0].text, `2 ${JSON.parse(requestState)}`);
  assert.ok(proxy.forwarded(2).includes(retry));
});

test('P16 P2 a server that does not know the state or the task of an old one says so itself', async (t) => {
  const keeping = (more = '') => `${withTools(more)}
  const refused = (text, id) => void send({ id, error: { code: -32602, message: text, data: { n: generation } } });
  export const methods = {
    'tools/call': ({ name, requestState }, id) =>
      name === 'which' ? { content: [{ type: 'text', text: String(generation) }] }
      : name === 'task' ? '{"resultType":"task","taskId":"t-' + generation + '","status":"working","ttlMs":60000}'
      : requestState === undefined ? '{"resultType":"input_required","requestState":"s-' + generation + '"}'
      : requestState === 's-' + generation ? '{"resultType":"complete","content":[]}'
      : refused('requestState was not issued by this server', id),
    'tasks/get': ({ taskId }, id) =>
      taskId === 't-' + generation ? '{"resultType":"complete","taskId":"' + taskId + '","status":"completed"}'
      : refused('unknown task ' + taskId, id),
  };`;
  const proxy = await modern(t, keeping());
  const state = (await proxy.ask('tools/call', { name: 'ask' })).result.requestState;
  const task = (await proxy.ask('tools/call', { name: 'task' })).result;
  assert.deepEqual(task, { resultType: 'task', taskId: 't-1', status: 'working', ttlMs: 60_000 });
  assert.equal((await proxy.ask('tasks/get', { taskId: 't-1' })).result.status, 'completed');
  await proxy.reload(keeping('more: () => 0'));
  const lost = { code: -32602, data: { n: 2 } };
  assert.deepEqual((await proxy.ask('tools/call', { name: 'ask', requestState: state })).error, {
    ...lost,
    message: 'requestState was not issued by this server',
  });
  assert.deepEqual((await proxy.ask('tasks/get', { taskId: 't-1' })).error, { ...lost, message: 'unknown task t-1' });
});

test('P16 P10 progress of a call that outlives a reload reaches the client, and so does its answer', async (t) => {
  const working = (more = '') =>
    withTools(`work: async ({ until }, { meta: { progressToken } }) => {
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      await appears(until);
      send({ method: 'notifications/progress', params: { progressToken, progress: 2, total: 2 } });
      return generation;
    }, ${more}`);
  const proxy = await modern(t, working());
  const [old, young] = [proxy.gate(), proxy.gate()];
  const first = await proxy.start('work', { until: old.path }, { progressToken: 0 });
  await proxy.reload(working('more: () => 0'));
  const second = await proxy.start('work', { until: young.path }, { progressToken: '0' });
  old.open();
  assert.equal((await first.answer).result.content[0].text, '1');
  young.open();
  assert.equal((await second.answer).result.content[0].text, '2');
  const progress = proxy.messages.flatMap(({ message }) =>
    message.method === 'notifications/progress' ? [[message.params.progressToken, message.params.progress]] : [],
  );
  assert.deepEqual(progress, [
    [0, 1],
    ['0', 1],
    [0, 2],
    ['0', 2],
  ]);
});

test('P16 P3 requests that are held pass in order and to the byte', async (t) => {
  const proxy = await modern(t, withTools());
  assert.equal(await proxy.which(), '1');
  const open = await proxy.saveHeld(withTools('more: () => 0'));
  const m = JSON.stringify(meta);
  const lines = [
    `{"id":1,"jsonrpc":"2.0","method":"tools/call","params":{"name":"which","n":12345678901234567890,"_meta":${m}}}`,
    `{ "method":"tools/list", "params":{"_meta":${m},"_meta":${m}}, "id":"1", "jsonrpc":"2.0" }`,
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":${m},"name":"\\u0077hich"}}`,
  ];
  for (const line of lines) await proxy.send(line);
  open();
  assert.equal((await proxy.response(2)).result.content[0].text, '2');
  assert.deepEqual(proxy.forwarded(2), lines);
});
