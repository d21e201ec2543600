// `mcp-hotline smoke --http`: the checks that a server passes or fails over stdio, over Streamable HTTP in both eras
// and over HTTP+SSE. And the small parts by which it speaks HTTP.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '#src/smoke/event-stream.js';
import { modernHeaders } from '#src/smoke/http-headers.js';
import { fixture, project } from '../support/harness.js';
import { find, named, runBin, runSmoke } from './run-smoke.js';

const linesModule = new URL('../../../fixtures/servers/lines.mjs', import.meta.url).href;

test('P16 a server of both eras passes over HTTP in both, and over SSE, with calls, before and after a reload', async () => {
  const server = fixture('sdk-v2');
  const options = ['--http', '--reload', '--watch', server[1] ?? '', '--call', 'add={"a":1,"b":2}', '--expect', '3'];
  const report = await runSmoke(options, server);
  assert.deepEqual(named(report, 'failed'), [], JSON.stringify(report, undefined, 2));
  for (const [group, version, exit] of [
    ['legacy, HTTP', '2025-11-25', 'when its stdin ended'],
    ['modern, HTTP', '2026-07-28', 'when the proxy was stopped'],
    ['legacy, HTTP+SSE', '2025-11-25', 'when the proxy was stopped'],
  ] as const) {
    assert.equal(find(report, group, 'handshake').detail, `sdk-v2 1.0.0, ${version}`);
    assert.equal(find(report, group, 'call add').detail, '3');
    assert.equal(find(report, group, 'exit').detail, exit);
    const reloaded = `${group}, over a reload`;
    assert.match(find(report, reloaded, 'reload').detail, /^generation 2 in \d+ ms$/);
    for (const name of ['lists', 'call add', 'reloads', 'exit', 'stdout', 'answers'])
      assert.equal(find(report, reloaded, name).status, 'ok', name);
  }
  assert.equal(report.exitCode, 0);
});

test('a legacy server passes in its era, and is told not to speak the other; its questions are answered', async (t) => {
  const { directory } = project(t, {
    'server.mjs': `
      import { introduction, lines, send } from ${JSON.stringify(linesModule)};
      for await (const line of lines(process.stdin)) {
        const { id, method } = JSON.parse(line);
        if (method === 'initialize') send({ id, result: introduction('asking', { tools: {} }) });
        else if (method === 'tools/list') send({ id: 'q', method: 'ping' });
        else if (id === 'q') send({ id: 1, result: { tools: [] } });
        else if (method !== undefined && id !== undefined) send({ id, error: { code: -32601, message: method } });
      }`,
  });
  const report = await runSmoke(['--http'], ['node', 'server.mjs'], {}, directory);
  assert.deepEqual(named(report, 'failed'), [], JSON.stringify(report, undefined, 2));
  assert.deepEqual(named(report, 'skipped'), ['modern, HTTP: handshake']);
  assert.match(
    find(report, 'modern, HTTP', 'handshake').detail,
    /^not supported by the server \(server\/discover: error/,
  );
  for (const group of ['legacy, HTTP', 'legacy, HTTP+SSE'])
    assert.equal(find(report, group, 'tools/list').detail, '0 tools');
});

test('what a server does wrong over stdio is found over HTTP, in the same words', async (t) => {
  const noisy = await runSmoke(['--http'], fixture('smoke-noise'));
  assert.equal(noisy.exitCode, 1);
  assert.deepEqual(named(noisy, 'failed'), ['legacy, HTTP: stdout', 'legacy, HTTP+SSE: stdout']);
  assert.match(
    find(noisy, 'legacy, HTTP', 'stdout').problems.join('\n'),
    /^the server printed text on stdout, which belongs to the protocol/,
  );
  const { directory } = project(t, {
    'server.mjs': `
      import { introduction, lines, send } from ${JSON.stringify(linesModule)};
      process.on('SIGTERM', () => {});
      setInterval(() => {}, 60_000);
      for await (const line of lines(process.stdin)) {
        const { id, method } = JSON.parse(line);
        if (method === 'initialize') send({ id, result: introduction('staying') });
      }`,
  });
  const staying = await runSmoke(['--http', '--timeout', '3000'], ['node', 'server.mjs'], {}, directory);
  assert.match(
    find(staying, 'legacy, HTTP', 'exit').problems.join('\n'),
    /^the server was still there \d+\.\d s after its stdin had ended, SIGTERM or not$/,
  );
});

test('a server that does not start is no less so over HTTP', async () => {
  const { code, stdout } = await runBin(['smoke', '--http', '--reporter', 'json', '--', 'no-such-command-at-all']);
  assert.equal(code, 2, stdout);
  const report = JSON.parse(stdout);
  assert.equal(find(report, 'legacy, HTTP', 'handshake').status, 'failed');
});

test('P18 a token that the proxy asks for is sent, and headers that a tool wants repeated', async (t) => {
  const { directory } = project(t, {
    'server.mjs': `
      import { lines, send } from ${JSON.stringify(linesModule)};
      const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      const region = { type: 'string', 'x-mcp-header': 'Region' };
      const tools = [{ name: 'where', inputSchema: { type: 'object', properties: { region } } }];
      const results = {
        'server/discover': () => ({ ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
        'tools/list': () => ({ ...complete, tools }),
        'tools/call': (params) => ({ ...complete, content: [{ type: 'text', text: params.arguments.region }] }),
      };
      for await (const line of lines(process.stdin)) {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) continue;
        send({ id, ...(results[method] ? { result: results[method](params) } : { error: { code: -32601, message: method } }) });
      }`,
  });
  const call = ['--call', 'where={"region":"Grüß Gott"}', '--expect', 'Grüß Gott'];
  for (const token of ['auto', '0123456789abcdef-chosen']) {
    const options = ['--http', '--token', token, '--state-dir', 'state', ...call];
    const report = await runSmoke(options, ['node', 'server.mjs'], {}, directory);
    assert.deepEqual(named(report, 'failed'), [], JSON.stringify(report, undefined, 2));
    assert.equal(find(report, 'modern, HTTP', 'call where').detail, 'Grüß Gott');
  }
});

test('the headers of a modern request repeat its method, its name and the arguments that its tool wants', () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const schema = {
    properties: {
      a: { 'x-mcp-header': 'A' },
      b: { 'x-mcp-header': 'B' },
      c: { properties: { d: { 'x-mcp-header': 'D' } } },
      e: {},
    },
  };
  const version = { 'mcp-protocol-version': '2026-07-28' };
  assert.deepEqual(modernHeaders('tools/list', { _meta: meta }, undefined), { ...version, 'mcp-method': 'tools/list' });
  const params = { _meta: meta, name: 'tool', arguments: { a: 1, b: ' x', c: { d: true }, e: 'none' } };
  assert.deepEqual(modernHeaders('tools/call', params, schema), {
    ...version,
    'mcp-method': 'tools/call',
    'mcp-name': 'tool',
    'mcp-param-a': '1',
    'mcp-param-b': '=?base64?IHg=?=',
    'mcp-param-d': 'true',
  });
  assert.equal(modernHeaders('resources/read', { _meta: meta, uri: 'file:///a' }, schema)['mcp-name'], 'file:///a');
});

test('events are read however they are cut, with or without a space, a name, several lines, comments', async () => {
  const text = ': hello\n\nevent: endpoint\ndata: /x\n\nid: 1\ndata:\n\ndata:{"a":\r\ndata: 1}\r\n\r\ndata: lost';
  for (const size of [1, 2, 7, text.length]) {
    const bytes = Buffer.from(text);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const found = [];
    for await (const { name, data } of eventsOf(each(chunks))) found.push([name, String(data)]);
    assert.deepEqual(found, [
      ['endpoint', '/x'],
      ['message', '{"a":\n1}'],
    ]);
  }
});

async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
