/**
 * The decisions about eras and modern requests against those of the v2 SDK, over a generated table: its classifier for
 * the era, its whole handler for status and code. Where ours differ on purpose, a test says how and why.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyInboundRequest, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { bodyFacts } from '#src/front/http/body-facts.js';
import { eraOfRequest, modernFault } from '#src/front/http/modern-request.js';
import { Message } from '#src/wire/message.js';
import { call, capabilitiesKey, meta, notify, VERSION, versionKey } from './modern-bodies.js';

interface Case {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const versions = [undefined, VERSION, ` ${VERSION} `, '2025-11-25', '2027-01-01', 'draft', ''];
const metas: unknown[] = [
  undefined,
  {},
  { progressToken: 1 },
  { [capabilitiesKey]: {} },
  meta,
  { [versionKey]: VERSION },
  { ...meta, [capabilitiesKey]: null },
  { ...meta, [capabilitiesKey]: [] },
  { ...meta, [versionKey]: null },
  { ...meta, [versionKey]: 1 },
  { ...meta, [versionKey]: '2025-11-25' },
  { ...meta, [versionKey]: '2027-01-01' },
  { ...meta, [versionKey]: 'draft' },
];
/** The method, its params, and what `Mcp-Name` could be. */
const requests: readonly (readonly [string, Record<string, unknown>, readonly (string | undefined)[]])[] = [
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    [undefined],
  ],
  ['ping', {}, [undefined, 'x']],
  ['logging/setLevel', { level: 'debug' }, [undefined]],
  ['tools/list', {}, [undefined, 'x']],
  ['server/discover', {}, [undefined]],
  ['constructor', {}, [undefined, 'x']],
  ['x/y', {}, [undefined]],
  [
    'tools/call',
    { name: 'add' },
    [undefined, 'add', ' add\t', 'sub', '=?base64?YWRk?=', '=?base64?YWR?=', '=?base64?='],
  ],
  ['tools/call', {}, [undefined, 'add', '=?base64?YWR?=']],
  ['prompts/get', { name: 'p' }, [undefined, 'p', 'q']],
  ['resources/read', { uri: 'file:///a' }, [undefined, 'file:///a', 'FILE:///a']],
  ['tasks/get', { taskId: 't' }, [undefined, 't', 'u']],
];

const cases: Case[] = [];
for (const version of versions) {
  for (const method of ['notifications/cancelled', 'notifications/x']) {
    for (const value of metas) {
      for (const methodHeader of [undefined, method, 'y']) {
        const params = { requestId: 1, ...(value !== undefined && { _meta: value }) };
        cases.push(made(notify(method, params), version, methodHeader));
      }
    }
  }
  for (const [method, params, names] of requests) {
    for (const value of metas) {
      for (const methodHeader of [undefined, method, ` ${method}\t`, 'y', '']) {
        for (const name of names) {
          const body = call(method, { ...params, ...(value !== undefined && { _meta: value }) });
          cases.push(made(body, version, methodHeader, name));
        }
      }
    }
  }
  const legacy = call('tools/list');
  const modern = call('tools/list', { _meta: meta });
  const others = [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
    [legacy],
    [modern],
    [legacy, modern],
    [notify('x'), { jsonrpc: '2.0', id: 1, result: {} }],
    [1],
    [[]],
    {},
    { hello: 1 },
    'x',
    1,
    null,
    { id: 1, method: 'x' },
    { jsonrpc: '1.0', id: 1, method: 'x' },
  ];
  for (const body of others) cases.push(made(body, version));
}

function made(body: unknown, version?: string, method?: string, name?: string): Case {
  return {
    body,
    headers: {
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(method !== undefined && { 'mcp-method': method }),
      ...(name !== undefined && { 'mcp-name': name }),
    },
  };
}

function ours({ headers, body }: Case): unknown {
  const facts = bodyFacts(Message.fromJson(JSON.stringify(body)));
  const fault = modernFault(headers, facts);
  return fault === undefined ? eraOfRequest(headers, facts) : [fault.status, fault.code];
}

function classified({ headers, body }: Case) {
  return classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(headers['mcp-protocol-version'] !== undefined && { protocolVersionHeader: headers['mcp-protocol-version'] }),
    ...(headers['mcp-method'] !== undefined && { mcpMethodHeader: headers['mcp-method'] }),
    ...(headers['mcp-name'] !== undefined && { mcpNameHeader: headers['mcp-name'] }),
  });
}

/** What the whole v2 handler answers: it says more than its classifier, which leaves some headers to later. */
async function served({ headers, body }: Case): Promise<[number, number | undefined]> {
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as { error?: { code: number } }) : {};
  return [response.status, json.error?.code];
}

const handler = createMcpHandler(() => new McpServer({ name: 's', version: '1' }, { capabilities: { tools: {} } }));

test('every case: the era is that of the v2 classifier, and what it rejects we reject alike', () => {
  const seen = new Map<string, number>();
  for (const one of cases) {
    const outcome = classified(one);
    const result = ours(one);
    const shown = JSON.stringify(one);
    if (outcome.kind === 'reject') assert.deepEqual(result, [outcome.httpStatus, outcome.code], shown);
    // What the classifier calls modern may still fail later; a later fault is never one of a legacy request.
    else if (outcome.kind === 'legacy') assert.equal(result, 'legacy', shown);
    else assert.notEqual(result, 'legacy', shown);
    const key = outcome.kind === 'reject' ? String(outcome.code) : outcome.kind;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  assert.deepEqual([...seen.keys()].sort(), ['-32020', '-32600', '-32602', 'legacy', 'modern']);
});

test('every case that is modern: status and code are those of the v2 handler', async () => {
  const codes = new Set<number | undefined>();
  for (const one of cases.filter((each) => classified(each).kind === 'modern')) {
    const result = ours(one);
    const [status, code] = await served(one);
    codes.add(code);
    if (result === 'modern') {
      // Then it is the server that answers, which has no prompts, resources and tools here.
      const isServers = status === 200 || status === 202 || code === -32601;
      assert.ok(isServers, `${JSON.stringify(one)}: ${status} ${code}`);
    } else assert.deepEqual(result, [status, code], JSON.stringify(one));
  }
  assert.deepEqual(codes, new Set([-32020, -32022, -32601, -32602, undefined]));
});

const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'add' };

test('unlike v2: an empty batch is no error, since v1 takes it, and its clients are the only ones with batches', () => {
  assert.equal(ours({ headers: {}, body: [] }), 'legacy');
  assert.equal(classified({ headers: {}, body: [] }).kind, 'reject');
});

test('unlike v2: the inside of _meta is left to the server, which answers -32602 itself', () => {
  const odd = { ...meta, 'io.modelcontextprotocol/clientInfo': 1, 'io.modelcontextprotocol/logLevel': 'loud' };
  const one = { headers, body: call('tools/call', { name: 'add', _meta: odd }) };
  assert.equal(ours(one), 'modern');
  assert.equal(classified(one).kind, 'reject');
});

test('unlike v2: envelopes that are odd but readable go on, as they do over stdio', () => {
  const params = [[], { _meta: null }, { _meta: 1 }, { _meta: [] }];
  for (const body of [{ ...call('x'), id: 1.5 }, ...params.map((each) => call('x', each))]) {
    assert.equal(ours({ headers: {}, body }), 'legacy');
    assert.equal(classified({ headers: {}, body }).kind, 'reject');
  }
});

test('unlike v2: a name in a header that is not ASCII is refused, as the specification wants', async () => {
  const body = call('tools/call', { name: 'größe', _meta: meta });
  const one = { headers: { ...headers, 'mcp-name': 'größe' }, body };
  assert.deepEqual(ours(one), [400, -32020]);
  assert.equal((await served(one))[0], 200);
});
