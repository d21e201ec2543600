/** The headers Mcp-Param-* of a call: what the schema declares, what of it must be there, and when it is equal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { paramHeaderFault } from '#src/front/http/param-headers.js';
import { call, meta, VERSION } from './modern-bodies.js';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    options: { type: 'object', properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } } },
    plain: { type: 'string' },
  },
};

type Row = readonly [args: unknown, headers: Record<string, string>, isFine: boolean];

const rows: readonly Row[] = [
  [{ region: 'eu' }, { 'mcp-param-region': 'eu' }, true],
  [{ region: 'eu' }, { 'mcp-param-region': ' eu\t' }, true],
  [{ region: 'eu' }, {}, false],
  [{ region: 'eu' }, { 'mcp-param-region': 'us' }, false],
  [{ region: 'eu' }, { 'mcp-param-region': 'EU' }, false],
  [{ region: null }, {}, true],
  [{ region: null }, { 'mcp-param-region': 'us' }, true],
  [{}, {}, true],
  [undefined, {}, true],
  [{}, { 'mcp-param-region': 'us' }, true],
  [{ region: '' }, {}, false],
  [{ region: '' }, { 'mcp-param-region': '' }, true],
  [{ region: 'Hello, 世界' }, { 'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=' }, true],
  [{ region: ' padded ' }, { 'mcp-param-region': '=?base64?IHBhZGRlZCA=?=' }, true],
  [{ region: 'line1\nline2' }, { 'mcp-param-region': '=?base64?bGluZTEKbGluZTI=?=' }, true],
  [{ region: '=?base64?literal?=' }, { 'mcp-param-region': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' }, true],
  [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZX?=' }, false],
  [{ region: 'eu' }, { 'mcp-param-region': '=?base64?/w==?=' }, false],
  [{ count: 42 }, { 'mcp-param-count': '42' }, true],
  [{ count: 42 }, { 'mcp-param-count': '42.0' }, true],
  [{ count: -7 }, { 'mcp-param-count': '-7' }, true],
  [{ count: 42 }, { 'mcp-param-count': '43' }, false],
  [{ count: 42 }, { 'mcp-param-count': '4.2e1' }, false],
  [{ count: 42 }, { 'mcp-param-count': '0x2a' }, false],
  [{ count: 42 }, {}, false],
  [{ count: 0 }, {}, false],
  [{ count: 2 ** 53 }, {}, true],
  [{ ratio: 0.5 }, { 'mcp-param-ratio': '0.50' }, true],
  [{ ratio: 0.5 }, {}, false],
  [{ dry: true }, { 'mcp-param-dry-run': 'true' }, true],
  [{ dry: false }, {}, false],
  [{ dry: true }, { 'mcp-param-dry-run': 'True' }, false],
  [{ options: { tenant: 'a' } }, { 'mcp-param-tenant': 'a' }, true],
  [{ options: { tenant: 'a' } }, {}, false],
  [{ options: 1 }, {}, true],
  [{ tenant: 'a' }, {}, true],
  [{ region: { name: 'eu' } }, {}, true],
  [{ plain: 'x' }, {}, true],
];

const add = { name: 'add', _meta: meta };
const standard = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'add' };

async function served(inputSchema: object, args: unknown, headers: Record<string, string>): Promise<boolean> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('add', { inputSchema: fromJsonSchema(inputSchema) }, () => ({ content: [] }));
    return server;
  });
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...standard, ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(call('tools/call', { ...add, arguments: args })),
    }),
  );
  const { error } = (await response.json()) as { error?: { code: number } };
  assert.equal(response.status, error?.code === -32020 ? 400 : 200);
  return error?.code !== -32020;
}

for (const [args, headers, isFine] of rows) {
  test(`${JSON.stringify(args)} with ${JSON.stringify(headers)} is ${isFine ? 'taken' : 'refused'}, as by v2`, async () => {
    const fault = paramHeaderFault(schema, args, headers);
    assert.deepEqual(fault && [fault.status, fault.code], isFine ? undefined : [400, -32020]);
    assert.equal(await served(schema, args, headers), isFine);
  });
}

const string = { type: 'string', 'x-mcp-header': 'A' };

for (const [why, properties, rest] of [
  ['an empty name', { a: { ...string, 'x-mcp-header': '' } }],
  ['a name that is no token', { a: { ...string, 'x-mcp-header': 'a b' } }],
  ['a name that is no string', { a: { ...string, 'x-mcp-header': 1 } }],
  ['a name twice', { a: string, b: { ...string, 'x-mcp-header': 'a' } }],
  ['a type that is no primitive', { a: { type: 'object', 'x-mcp-header': 'A' } }],
  ['no type', { a: { 'x-mcp-header': 'A' } }],
  ['an annotation in items', { a: string, b: { type: 'array', items: { ...string, 'x-mcp-header': 'B' } } }],
  ['an annotation in anyOf', { a: string, b: { anyOf: [{ ...string, 'x-mcp-header': 'B' }] } }],
  ['an annotation in $defs', { a: string }, { $defs: { x: { ...string, 'x-mcp-header': 'B' } } }],
  ['an annotation below if', { a: string }, { if: { properties: { b: { ...string, 'x-mcp-header': 'B' } } } }],
  ['an annotation of the whole', { a: string }, { 'x-mcp-header': 'B' }],
] as const) {
  test(`a schema with ${why} declares nothing, as for v2`, async () => {
    const broken = { type: 'object', properties, ...rest };
    assert.equal(paramHeaderFault(broken, { a: 'x' }, {}), undefined);
    assert.equal(await served(broken, { a: 'x' }, {}), true);
  });
}

test('what only looks like an annotation is none', () => {
  const named = { type: 'object', properties: { 'x-mcp-header': { type: 'string' }, a: string } };
  assert.notEqual(paramHeaderFault(named, { a: 'x' }, {}), undefined);
  const value = { type: 'object', default: { 'x-mcp-header': 'B' }, properties: { a: string } };
  assert.notEqual(paramHeaderFault(value, { a: 'x' }, {}), undefined);
});

test('anything may come as a schema, as arguments and as their names', () => {
  for (const odd of [undefined, null, 1, 'x', [], { properties: 1 }, { properties: { a: null } }]) {
    assert.equal(paramHeaderFault(odd, { a: 'x' }, {}), undefined);
    assert.equal(paramHeaderFault(schema, odd, {}), undefined);
  }
  const inherited = { properties: { constructor: { properties: { name: string } } } };
  assert.equal(paramHeaderFault(inherited, {}, {}), undefined);
});

test('characters that no header may have are refused', () => {
  assert.equal(paramHeaderFault(schema, { region: 'é' }, { 'mcp-param-region': 'é' })?.code, -32020);
});
