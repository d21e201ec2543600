// JSON-RPC batches over a reload, on the built bin: what is inside one counts like what is sent alone. That a batch is
// held, forwarded and answered as one is hold.test.ts's, that it is never sent again drain-retry.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import type { Message } from '../../support/message.js';

const asking = `export const tools = {
  which: () => generation,
  ask: async ({ id = 0 }) => generation + ' ' + JSON.stringify(await ask(id, 'roots/list', { generation })),
};`;

test('P10 answers that the client sends in one batch find their askers, during a hold and under other ids', async (t) => {
  const proxy = await live(t, scripted(asking), { options: ['--drain', '500'] });
  const question = async (generation: number, skip = 0) => {
    const { message } = await proxy.waitFor(({ params }) => params?.generation === generation, 'the question', {
      from: skip,
    });
    return JSON.stringify(message.id);
  };
  const first = await proxy.begin('ask');
  assert.equal(await question(1), '0');
  const lost = await proxy.begin('ask', { id: 'lost' });
  const open = await proxy.saveHeld(script(`${asking} // 2`));
  await proxy.send('[{"jsonrpc":"2.0","id":0,"result":{"n":12345678901234567890}}]');
  assert.match((await first.answer).result.content[0].text, /^1 /);
  open();
  assert.equal(await proxy.call('which'), '2');
  assert.match(failureSaid(await lost.answer), /may or may not/);
  const call = await proxy.begin('ask', { id: 'lost' });
  const renamed = await question(2);
  assert.notEqual(renamed, '"lost"');
  const late = '{"jsonrpc":"2.0","id":"lost","result":{"too":"late"}}';
  const rest = '{"jsonrpc":"2.0","id":"x","method":"ping"}, {"jsonrpc":"2.0","method":"notifications/x"}';
  await proxy.send(`[${late},{"jsonrpc":"2.0","id":${renamed},"result":{"in":1.0}}, ${rest}]`);
  assert.equal((await call.answer).result.content[0].text, '2 {"in":1}');
  assert.deepEqual((await proxy.response('x')).result, {});
  const lines = proxy.journal().map(({ line }) => line);
  assert.ok(lines.includes('{"jsonrpc":"2.0","id":0,"result":{"n":12345678901234567890}}'));
  assert.ok(lines.includes('{"jsonrpc":"2.0","id":"lost","result":{"in":1.0}}'));
  assert.ok(lines.every((line) => !line.includes('"late"')));
  assert.ok(lines.includes(`[${rest.replace(', ', ',')}]`));
});

test('P2 P10 a server’s batch of questions is forwarded as it is, and renamed only where another’s would be met', async (t) => {
  const batch =
    '[{"jsonrpc":"2.0","id":0,"method":"roots/list","params":{"n":1.0}},{"jsonrpc":"2.0","id":1,"method":"ping"}]';
  const source = `export const tools = { which: () => generation, batch: () => process.stdout.write('${batch}\\n') && 'said' };`;
  const proxy = await live(t, scripted(source), { options: ['--drain', '0'] });
  await proxy.call('batch');
  const first = await proxy.waitFor(Array.isArray, 'the batch');
  assert.equal(String(first.raw), batch);
  proxy.save(script(`${source} // 2`));
  assert.equal(await proxy.call('which'), '2');
  const from = proxy.messages.length;
  await proxy.call('batch');
  const second = await proxy.waitFor(Array.isArray, 'the other batch', { from });
  const ids = (second.message as unknown as Message[]).map(({ id }) => id);
  assert.ok(
    ids.every((id) => typeof id === 'string'),
    String(second.raw),
  );
  const named = ids.reduce<string>((text, id, at) => text.replace(JSON.stringify(id), String(at)), String(second.raw));
  assert.equal(named, batch);
  await proxy.send(`[{"jsonrpc":"2.0","id":${JSON.stringify(ids[1])},"result":{"for":"two"}}]`);
  await proxy.received(/^\{"jsonrpc":"2.0","id":1,"result":\{"for":"two"\}\}$/, 2);
});

test('P10 what is agreed inside of batches is told to the next server too', async (t) => {
  const source = `export const methods = { 'resources/subscribe': () => ({}), 'logging/setLevel': () => ({}) };
    export const tools = { which: () => generation };`;
  const proxy = await live(t, scripted(source), { initialize: false });
  await proxy.request('initialize', { protocolVersion: '2025-03-26', capabilities: {} });
  const level = '{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info", "n":1.0}}';
  const subscribe = '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}';
  await proxy.send(`[{"jsonrpc":"2.0","method":"notifications/initialized"},${level},${subscribe}]`);
  await proxy.response(2);
  proxy.save(script(`${source} // 2`));
  assert.equal(await proxy.call('which'), '2');
  const lines = proxy.journal().flatMap(({ generation, line }) => (generation === 2 ? [line] : []));
  const methods = lines.map((line) => (JSON.parse(line) as Message).method);
  const told = ['initialize', 'notifications/initialized', 'logging/setLevel', 'resources/subscribe'];
  assert.deepEqual(methods.slice(0, 4), told);
  assert.ok(lines[2]!.includes('"params":{"level":"info", "n":1.0}'));
});

test('P9 lists that the client got in a batch are what the next server’s are compared with', async (t) => {
  const source = (names: string) => `let asked = 0;
    export const methods = { 'tools/list': () => ({ tools: (asked++ === 0 ? ['early'] : [${names}]).map((name) => ({ name })) }) };
    export const tools = { which: () => generation };`;
  const proxy = await live(t, scripted(source(`'late'`)));
  await proxy.send('[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]');
  await proxy.response(2);
  proxy.save(script(source(`'late'`).replace('0;', '1;')));
  assert.equal(await proxy.call('which'), '2');
  assert.deepEqual(proxy.notifications(), ['notifications/tools/list_changed']);
});

test('P1 P2 the lost answers of a batch carry its ids digit for digit', async (t) => {
  const proxy = await live(t, scripted(`export const methods = { 'prompts/get': () => never };`));
  const ids = ['12345678901234567890', '1.50', '"\\u0061"', '0'];
  await proxy.send(`[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"prompts/get"}`).join()}]`);
  await proxy.received(/prompts\/get/);
  process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
  const { raw } = await proxy.waitFor(Array.isArray, 'the answers');
  assert.deepEqual(
    [...String(raw).matchAll(/"id":([^,]+),/g)].map(([, id]) => id),
    ids,
  );
});
