/** The era of a POST, and what a modern one must satisfy: a test a row of the table of statuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFacts, idToAnswer } from '#src/front/http/body-facts.js';
import type { Headers } from '#src/front/http/headers.js';
import { eraOfRequest, modernFault, statusOfAnswer } from '#src/front/http/modern-request.js';
import { Message } from '#src/wire/message.js';
import { call, meta, notify, VERSION, versionKey } from './modern-bodies.js';

function judge(headers: Headers, body: unknown): unknown {
  const facts = bodyFacts(Message.fromJson(JSON.stringify(body)));
  const fault = modernFault(headers, facts);
  return fault === undefined ? eraOfRequest(headers, facts) : [fault.status, fault.code];
}

const right = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'add' };
const add = call('tools/call', { name: 'add', arguments: {}, _meta: meta });

/** `headers` change or, with undefined, take away. */
function row(title: string, headers: Headers, body: unknown, expected: unknown): void {
  test(title, () => assert.deepEqual(judge({ ...right, ...headers }, body), expected));
}

const none = { 'mcp-protocol-version': undefined, 'mcp-method': undefined, 'mcp-name': undefined };
const bare = call('tools/call', { name: 'add' });

row('a modern request is modern', {}, add, 'modern');
row('a request without _meta is legacy', none, bare, 'legacy');
row(
  'a request without _meta is legacy, also with a version of that era',
  { ...none, 'mcp-protocol-version': '2025-11-25' },
  bare,
  'legacy',
);
row('no header makes a modern body legacy', none, add, [400, -32020]);
row('a response is legacy, whatever the header', {}, { jsonrpc: '2.0', id: 1, result: {} }, 'legacy');
row('a handshake is legacy', none, call('initialize', { protocolVersion: '2025-11-25' }), 'legacy');
row('an empty batch is legacy', {}, [], 'legacy');
row('a notification without _meta goes by the header: none', none, notify('notifications/x'), 'legacy');
row(
  'a notification without _meta goes by the header: earlier',
  { ...none, 'mcp-protocol-version': '2025-06-18' },
  notify('notifications/x'),
  'legacy',
);
row(
  'a notification without _meta goes by the header: modern',
  { 'mcp-method': undefined },
  notify('notifications/x'),
  'modern',
);
row('a notification with _meta goes by that', none, notify('notifications/x', { _meta: meta }), 'modern');

row('MCP-Protocol-Version missing', { 'mcp-protocol-version': undefined }, add, [400, -32020]);
row('MCP-Protocol-Version different', { 'mcp-protocol-version': '2025-11-25' }, add, [400, -32020]);
row('MCP-Protocol-Version with white space', { 'mcp-protocol-version': ` ${VERSION}\t` }, add, 'modern');
row('MCP-Protocol-Version twice', { 'mcp-protocol-version': [VERSION, VERSION] }, add, [400, -32020]);
row('Mcp-Method missing', { 'mcp-method': undefined }, add, [400, -32020]);
row('Mcp-Method different', { 'mcp-method': 'tools/list' }, add, [400, -32020]);
row('Mcp-Method in another case', { 'mcp-method': 'Tools/Call' }, add, [400, -32020]);
row('Mcp-Method with white space', { 'mcp-method': '\ttools/call ' }, add, 'modern');
row('Mcp-Method different of a notification', {}, notify('notifications/x'), [400, -32020]);
row('Mcp-Name missing', { 'mcp-name': undefined }, add, [400, -32020]);
row('Mcp-Name different', { 'mcp-name': 'sub' }, add, [400, -32020]);
row('Mcp-Name in another case', { 'mcp-name': 'Add' }, add, [400, -32020]);
row('Mcp-Name with white space', { 'mcp-name': ' add\t' }, add, 'modern');

for (const [name, header, expected] of [
  ['add', '=?base64?YWRk?=', 'modern'],
  ['größe 世界', '=?base64?Z3LDtsOfZSDkuJbnlYw=?=', 'modern'],
  [' padded ', '=?base64?IHBhZGRlZCA=?=', 'modern'],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=', 'modern'],
  ['', '=?base64??=', 'modern'],
  ['add', '=?base64?c3Vi?=', [400, -32020]],
  ['add', '=?base64?YWR?=', [400, -32020]],
  ['add', '=?base64?YW Rk?=', [400, -32020]],
  ['add', '=?BASE64?YWRk?=', [400, -32020]],
  ['\ufffd', '=?base64?/w==?=', [400, -32020]],
  // As node:http reads them: one character for each byte.
  ['größe', 'größe', [400, -32020]],
] as const) {
  row(`Mcp-Name '${header}' of ${name}`, { 'mcp-name': header }, call('tools/call', { name, _meta: meta }), expected);
}

for (const [method, member] of [
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
] as const) {
  const body = call(method, { [member]: 'file:///x', _meta: meta });
  row(`Mcp-Name repeats ${member} of ${method}`, { 'mcp-method': method, 'mcp-name': 'file:///x' }, body, 'modern');
  row(`Mcp-Name repeats nothing else of ${method}`, { 'mcp-method': method, 'mcp-name': 'x' }, body, [400, -32020]);
}
row(
  'Mcp-Name where no method has it is not looked at',
  { 'mcp-method': 'tools/list' },
  call('tools/list', { _meta: meta }),
  'modern',
);
row(
  'a name that is no string is for the server to refuse',
  { 'mcp-name': undefined },
  call('tools/call', { name: 1, _meta: meta }),
  'modern',
);

row('modern header, _meta missing', {}, bare, [400, -32602]);
row(
  'modern header, the version missing in _meta',
  {},
  call('tools/call', { name: 'add', _meta: { progressToken: 1 } }),
  [400, -32602],
);
row('modern header, params missing', { 'mcp-method': 'tools/list' }, call('tools/list'), [400, -32602]);
row(
  'the version in _meta is no string',
  {},
  call('tools/call', { name: 'add', _meta: { ...meta, [versionKey]: 1 } }),
  [400, -32602],
);
row(
  'the capabilities missing in _meta',
  {},
  call('tools/call', { name: 'add', _meta: { [versionKey]: VERSION } }),
  [400, -32602],
);
row(
  'initialize with a modern header',
  { 'mcp-method': 'initialize' },
  call('initialize', { protocolVersion: VERSION }),
  [400, -32020],
);
row(
  'initialize with a modern _meta',
  { 'mcp-method': 'initialize' },
  call('initialize', { _meta: meta }),
  [404, -32601],
);
row('a batch with a modern element', none, [bare, add], [400, -32600]);
row('a batch without one', none, [bare, notify('notifications/x')], 'legacy');
row(
  'version not supported',
  { 'mcp-protocol-version': '2027-01-01' },
  call('tools/call', { name: 'add', _meta: { ...meta, [versionKey]: '2027-01-01' } }),
  [400, -32022],
);
row(
  'a version of the legacy era in _meta',
  { 'mcp-protocol-version': '2025-11-25' },
  call('tools/call', { name: 'add', _meta: { ...meta, [versionKey]: '2025-11-25' } }),
  [400, -32022],
);
row(
  'version of a notification not supported',
  { 'mcp-protocol-version': '2027-01-01', 'mcp-method': undefined },
  notify('notifications/x'),
  [400, -32022],
);
for (const method of ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
  row(`${method} is gone`, { 'mcp-method': method }, call(method, { _meta: meta }), [404, -32601]);
}
row(
  'a method that nobody knows is for the server to refuse',
  { 'mcp-method': 'x/y' },
  call('x/y', { _meta: meta }),
  'modern',
);
row('JSON that is no message', {}, { hello: 1 }, [400, -32600]);
row('a batch with something else in it', none, [1], [400, -32600]);

test('the unsupported version comes back beside those that are supported', () => {
  const facts = bodyFacts(Message.fromJson(JSON.stringify(notify('x'))));
  const fault = modernFault({ 'mcp-protocol-version': '2027-01-01' }, facts, ['2026-07-28', '2026-11-11']);
  assert.deepEqual(fault?.data, { supported: ['2026-07-28', '2026-11-11'], requested: '2027-01-01' });
  assert.equal(modernFault({ 'mcp-protocol-version': '2026-11-11' }, facts, ['2026-11-11']), undefined);
});

test('the status of an answer of the server goes by its code alone', () => {
  for (const [code, status] of [
    [undefined, 200],
    [-32601, 404],
    [-32019, 200],
    [-32020, 400],
    [-32021, 400],
    [-32022, 400],
    [-32023, 200],
    [-32602, 200],
    [-32603, 200],
    [-32700, 200],
    [0, 200],
  ] as const) {
    assert.equal(statusOfAnswer(code), status, String(code));
  }
});

test('the id to answer is spelt as the client did', () => {
  for (const [json, id] of [
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}', '12345678901234567890'],
    ['{"jsonrpc":"2.0","id":1.0,"method":"x"}', '1.0'],
    ['{"jsonrpc":"2.0","id":"\\u0061","method":"x"}', '"\\u0061"'],
    ['{"id":7,"method":"x"}', '7'],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', undefined],
    ['{"jsonrpc":"2.0","method":"x"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"x"}]', undefined],
    ['{"id":7', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(idToAnswer(Message.fromJson(json)), id, json);
  }
});
