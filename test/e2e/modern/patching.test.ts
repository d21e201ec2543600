// What the proxy changes in modern messages, to the byte, and what it sends of its own: the promise of list changes,
// nothing that may be cached, and requests in the client's latest words. All else passes as it was written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_LEVEL, meta, modern, script, withTools } from './modern.js';
import type { Modern } from './modern.js';

/** A server whose result for each method is the JSON given, as it is. */
const saying = (results: Record<string, string>) =>
  `${withTools()}export const methods = Object.fromEntries(
    Object.entries(${JSON.stringify(results)}).map(([method, json]) => [method, () => json]));`;

/** The result as it was read, without the envelope that the server puts around it. */
async function resultOf(proxy: Modern, method: string, params?: object): Promise<string> {
  const { id } = await proxy.ask(method, params);
  const { raw } = proxy.messages.find(({ message }) => message.id === id)!;
  const text = String(raw);
  assert.ok(text.startsWith('{"result":') && text.endsWith(`,"jsonrpc":"2.0","id":"${id}"}`), text);
  return text.slice('{"result":'.length, text.lastIndexOf(',"jsonrpc"'));
}

/** Everything that a parser and a printer would spoil. */
const odd = '"n":12345678901234567890,"one":1.0,"\\u0061":"\\/","twice":1,"twice":2, "x" : [ ]';

test('P16 P2 P9 listChanged is promised in a discover result for what the server has, and for tools in any case', async (t) => {
  const capabilities = (tools: string, prompts: string, resources: string) =>
    `"capabilities":{"tools":{${tools}},"prompts":{${prompts}},"resources":{${resources}},"logging":{},"extensions":{"tools":{}}}`;
  const result = (abilities: string, ttl: string) =>
    `{"supportedVersions":["2026-07-28"],${abilities},${odd},"resultType":"complete","ttlMs":${ttl},"cacheScope":"public"}`;
  const before = capabilities('', '"listChanged":false,"x":1.0', '"subscribe":true');
  const proxy = await modern(t, saying({ 'server/discover': result(before, '60000') }));
  assert.equal(
    await resultOf(proxy, 'server/discover'),
    result(
      capabilities('"listChanged":true', '"listChanged":true,"x":1.0', '"subscribe":true,"listChanged":true'),
      '0',
    ),
  );
  const promised = result(capabilities('"listChanged" : true', '"listChanged":true', '"listChanged":true'), '0');
  await proxy.reload(saying({ 'server/discover': promised }));
  assert.equal(await resultOf(proxy, 'server/discover'), promised);
  const few = `{"capabilities":{"logging":{}},"supportedVersions":["2026-07-28"],"resultType":"complete"}`;
  await proxy.reload(saying({ 'server/discover': few }));
  const more = few.replace('"logging":{}', '"logging":{},"tools":{"listChanged":true}');
  assert.equal(await resultOf(proxy, 'server/discover'), more, 'tools may come by an edit');
});

test('P16 P2 P9 an acknowledgement promises what the client asked for and the server can not tell', async (t) => {
  const acks = (notifications: string) =>
    `${withTools()}export const methods = { 'subscriptions/listen': (_, id) => void process.stdout.write(
      '{"jsonrpc":"2.0","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"' + id + '"},"notifications":'
      + ${JSON.stringify(notifications)} + ',"n":1.0},"method":"notifications/subscriptions/acknowledged"}\\n') };`;
  const proxy = await modern(t, acks('{}'));
  const ackOf = async (id: string, filter: object) =>
    /"notifications":(\{.*\}),"n":1\.0\},"method":/.exec(String((await proxy.open(id, filter)).raw))?.[1];
  const asked = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: false };
  assert.equal(await ackOf('a', asked), '{"toolsListChanged":true,"promptsListChanged":true}');
  assert.equal(await ackOf('b', {}), '{}');
  assert.equal(await ackOf('c', { resourceSubscriptions: ['x:y'] }), '{}', 'only the server can tell of a resource');
  await proxy.reload(acks('{"toolsListChanged":false,"resourceSubscriptions":[ "x:y"]}'));
  assert.equal(
    await ackOf('d', { toolsListChanged: true, resourceSubscriptions: ['x:y'] }),
    '{"toolsListChanged":true,"resourceSubscriptions":[ "x:y"]}',
  );
});

test('P16 P2 P4 ttlMs is 0 in lists and resources that pass, and only there', async (t) => {
  const inner = '{"name":"a","uri":"a:b","uriTemplate":"a:{b}","_meta":{"ttlMs":5},"inputSchema":{"type":"object"}}';
  const list = (member: string, ttl: string) =>
    `{"ttlMs":${ttl},${odd},"${member}":[${inner}],"cacheScope":"public","resultType":"complete"}`;
  const lists: Record<string, [member: string, ttl: string]> = {
    'tools/list': ['tools', '3600000'],
    'prompts/list': ['prompts', '1'],
    'resources/list': ['resources', '6e4'],
    'resources/templates/list': ['resourceTemplates', ' 60000 '],
    'resources/read': ['contents', '9007199254740991'],
  };
  const others = {
    'prompts/get': list('messages', '60000'),
    'completion/complete': list('values', '60000'),
    'tools/call': list('content', '60000'),
  };
  const said = Object.fromEntries(Object.entries(lists).map(([method, [name, ttl]]) => [method, list(name, ttl)]));
  const proxy = await modern(t, saying({ ...said, ...others }));
  const all = async () => {
    for (const [method, [name, ttl]] of Object.entries(lists))
      assert.equal(await resultOf(proxy, method, { uri: 'a:b' }), list(name, ttl.replace(/\S+/, '0')), method);
    for (const [method, text] of Object.entries(others))
      assert.equal(await resultOf(proxy, method, { name: 'a' }), text, method);
  };
  await all();
  await proxy.reload(`${saying({ ...said, ...others })}// a comment`);
  await all();
});

test('P16 P2 a ttlMs in an error, and one of a legacy server, stay as they are', async (t) => {
  const failing = `${withTools()}export const methods = { 'tools/list': (_, id) =>
    void send({ id, error: { code: -32603, message: 'no', data: { ttlMs: 5 } }, result: undefined }) };`;
  const proxy = await modern(t, failing);
  assert.deepEqual((await proxy.ask('tools/list')).error?.data, { ttlMs: 5 });

  const legacy = await modern(t, saying({ 'tools/list': '{"tools":[],"ttlMs":5}' }), { era: 'legacy' });
  await legacy.initialize();
  assert.deepEqual((await legacy.request('tools/list')).result, { tools: [], ttlMs: 5 });
});

test("P16 the proxy's own requests carry the client's latest _meta, without progress token and log level", async (t) => {
  const proxy = await modern(
    t,
    script(`export const capabilities = { tools: {}, prompts: {} };
    export const tools = { which: () => generation };`),
    { era: 'either' },
  );
  const first = { 'io.modelcontextprotocol/clientInfo': { name: 'first', version: '1' }, 'x/trace': 'first' };
  await proxy.ask('server/discover', {}, { meta: first });
  await proxy.ask('tools/list', {}, { meta: first });
  const latest = { 'x/trace': 'second', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  await proxy.ask('tools/call', { name: 'which' }, { meta: { ...latest, progressToken: 7, [LOG_LEVEL]: 'debug' } });
  // What says nothing of its sender is refused by the server, and is no word to go by.
  assert.equal((await proxy.request('tools/list')).error?.code, -32602);
  await proxy.reload(withTools('more: () => 0'));
  const own = proxy
    .journal()
    .filter(({ line }) => line.includes('"mcp-hotline:'))
    .map(({ generation, line }) => ({ generation, ...(JSON.parse(line) as { method: string; params: object }) }));
  const seen = own.map(({ generation, method }) => `${generation} ${method}`);
  assert.deepEqual(seen, ['1 prompts/list', '2 server/discover', '2 tools/list']);
  for (const { params } of own) assert.deepEqual(params, { _meta: { ...meta, ...latest } });
});

test("P16 the proxy's own requests follow pages with the same _meta", async (t) => {
  const paged = (name: string) => `${withTools()}export const methods = { 'tools/list': ({ cursor }) => ({
    tools: [{ name: cursor ?? '${name}', inputSchema: { type: 'object' } }], ...(cursor ? {} : { nextCursor: 'next' }) }) };`;
  const proxy = await modern(t, paged('one'));
  await proxy.open('a', { toolsListChanged: true });
  await proxy.reload(paged('two'));
  await proxy.streamed('a', 'notifications/tools/list_changed');
  const pages = proxy.told(2).flatMap(({ method, params }) => (method === 'tools/list' ? [params] : []));
  assert.deepEqual(pages, [{ _meta: meta }, { cursor: 'next', _meta: meta }]);
});
