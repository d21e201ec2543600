// What passes over HTTP, byte for byte; and `--no-reload`, which leaves nothing but a bridge from HTTP to stdio: no
// file is looked at, nothing is promised in the server's name, and a server that ends takes its session with it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry, script } from '../modern/modern.js';
import { connect, servers } from '../modern/sdk.js';
import { initialize, legacySession, listen, modern, modernCall, modernRequest, open, send, sseClient } from './raw.js';
import { served } from './served.js';
import { target, tools } from './through-edits.js';

/** Answers each line with what follows it in the table, as it stands; `ID` is the id that it was asked under. */
const verbatim = (results: Record<string, string>): string => `
  import { createInterface } from 'node:readline';
  const results = ${JSON.stringify(results)};
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const result = results[params?.name ?? method];
    if (method === 'echo') process.stdout.write(line + '\\n');
    else if (id !== undefined) process.stdout.write(result.replace('ID', JSON.stringify(id)) + '\\n');
  }`;

const introduction =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"v","version":"1"}}';
const discovery = '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}';
const answers = {
  initialize: `{"jsonrpc":"2.0","id":ID,"result":${introduction}}`,
  'server/discover': `{"jsonrpc":"2.0","id":ID,"result":${discovery}}`,
  ping: '{"jsonrpc":"2.0","id":ID,"result":{}}',
  'tools/list': '{"jsonrpc":"2.0","id":ID,"result":{"tools":[]}}',
  odd: '{ "result" : {"n":12345678901234567890,"x":1.0,"x":2,"\\u00e9":"\\u2028 é","e":1e400}, "jsonrpc" : "2.0" , "id" : ID }',
};

for (const noReload of [false, true]) {
  const mode = noReload ? 'a bridge' : 'a reloading proxy';

  test(`P2 P16 ${mode}: what a server says arrives in the bytes that it wrote, over every transport`, async (t) => {
    const proxy = await served(t, { 'server.mjs': verbatim(answers), 'src/x': '' }, { noReload });
    const expected = (id: string): string => answers.odd.replace('ID', id);
    const call = { jsonrpc: '2.0', id: 'A', method: 'tools/call', params: { name: 'odd' } };

    const session = await legacySession(proxy.url);
    const { text, headers } = await session.post(call);
    assert.equal(text, expected('"A"'));
    assert.equal(headers['content-type'], 'application/json');
    const sse = await sseClient(t, proxy.sse);
    await sse.post(call);
    const { data } = await sse.stream.events.wait(({ message }) => message?.id === 'A', 'the answer');
    assert.equal(data, expected('"A"'));
    const answer = await send(proxy.url, modernRequest('tools/call', { name: 'odd' }, 'A'));
    assert.deepEqual([answer.status, answer.text], [200, expected('"A"')]);
  });

  test(`P2 P16 ${mode}: a carriage return between two members becomes a space, and nothing else is changed`, async (t) => {
    const odd = '{\\r"jsonrpc":"2.0",\\r"id":ID,"result":{"a":"\\\\r"}}'.replaceAll('\\r"', '\r"');
    const proxy = await served(t, { 'server.mjs': verbatim({ ...answers, odd }), 'src/x': '' }, { noReload });
    const session = await legacySession(proxy.url);
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'odd' } };
    assert.equal((await session.post(call)).text, odd.replace('ID', '7').replaceAll('\r', ' '));
  });
}

test('P16 a bridge promises nothing and watches nothing', async (t) => {
  const source = (which: string): string => script(`export const tools = { which: () => '${which}' };`);
  const proxy = await served(t, { 'server.mjs': entry, 'src/script.mjs': source('old') }, { noReload: true });
  const opened = await send(proxy.url, { body: initialize() });
  assert.deepEqual(opened.messages[0]?.result.capabilities, { tools: {} });
  const session = await legacySession(proxy.url);
  assert.deepEqual((await modern(proxy.url, 'server/discover')).result.capabilities, { tools: {} });
  const news = await listen(t, proxy.url, { toolsListChanged: true });
  const acknowledged = await news.message('notifications/subscriptions/acknowledged');
  assert.deepEqual(acknowledged.params.notifications, {});
  assert.deepEqual([await session.call('which'), await modernCall(proxy.url, 'which')], ['old', 'old']);
  proxy.files.write('src/script.mjs', source('new'));
  assert.deepEqual([await session.call('which'), await modernCall(proxy.url, 'which')], ['old', 'old']);
  // Only who comes afterwards has the new code.
  assert.equal(await (await legacySession(proxy.url)).call('which'), 'new');
  assert.deepEqual(['change', 'reloaded'].flatMap(proxy.logged), []);
});

test('P13 P15 behind a bridge a server that ends takes its own session with it, and the next client gets a new one', async (t) => {
  const source = script(
    `export const tools = { pid: () => process.pid, die: ({ code }) => (process.exit(code), never) };`,
  );
  const proxy = await served(t, { 'server.mjs': entry, 'src/script.mjs': source }, { noReload: true });
  const [session, other] = [await legacySession(proxy.url), await legacySession(proxy.url)];
  const [stream, others] = [await session.listen(t), await other.listen(t)];
  const pid = await other.call('pid');
  const died = await session.request('tools/call', { name: 'die', arguments: { code: 3 } });
  assert.match(died.result.content[0].text, /may or may not have taken effect/);
  await stream.ended;
  const gone = await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.deepEqual([gone.status, gone.messages[0]?.error?.code], [404, -32001]);
  assert.deepEqual([await other.call('pid'), others.isOpen], [pid, true]);

  const sse = await sseClient(t, proxy.sse);
  await sse.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'die', arguments: { code: 0 } } });
  await sse.stream.ended;

  const first = await modernCall(proxy.url, 'pid');
  const lost = await modern(proxy.url, 'tools/call', { name: 'die', arguments: { code: 1 } });
  assert.match(lost.result.content[0].text, /may or may not have taken effect/);
  assert.notEqual(await modernCall(proxy.url, 'pid'), first);
});

test('P13 P16 --http beside a plain pipe: each has servers of its own, and the end of stdin ends all', async (t) => {
  const files = { 'server.mjs': servers.v2, 'src/tools.mjs': tools('one') };
  const proxy = await served(t, files, { way: 'beside', noReload: true });
  assert.equal(await proxy.call('version'), 'one');
  const clients = [
    await connect(t, 'v1', target(proxy)),
    await connect(t, 'v1', target(proxy, true)),
    await connect(t, 'v2 auto', target(proxy)),
  ];
  const pids = [await proxy.call('pid')];
  for (const sdk of clients) {
    assert.equal(await sdk.call('version'), 'one');
    pids.push(await sdk.call('pid'));
  }
  assert.deepEqual(
    clients.map(({ era }) => era),
    ['legacy', 'legacy', 'modern'],
  );
  assert.equal(new Set(pids).size, 4);
  const stream = await open(t, proxy.sse, { method: 'GET' });
  proxy.end();
  await stream.ended;
  assert.equal((await proxy.exit()).code, 0);
});
