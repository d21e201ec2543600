// How a smoke run deals with the eras of the protocol: servers of one era only, servers that can't stand a question of
// the other, and what a modern server must not do. Small servers, written for the one question.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { project } from '../support/harness.js';
import { find, named, runSmoke, type JsonReport } from './run-smoke.js';

const linesModule = new URL('../../../fixtures/servers/lines.mjs', import.meta.url).href;

/** A server that answers by method, in the words of `methods`; `undefined` is no answer. */
async function smokeOf(t: TestContext, methods: string, options: readonly string[] = []): Promise<JsonReport> {
  const { directory } = project(t, {
    'server.mjs': `
      import { lines, send, introduction } from ${JSON.stringify(linesModule)};
      const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      const discovered = { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      const tools = [{ name: 'a', inputSchema: { type: 'object' }, outputSchema: { type: 'string' } }];
      const methods = { ${methods} };
      for await (const line of lines(process.stdin)) {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined || method === undefined) continue;
        if (!methods[method]) send({ id, error: { code: -32601, message: 'Method not found' } });
        else { const result = methods[method](params, id); if (result) send({ id, result }); }
      }`,
  });
  return runSmoke(options, ['node', 'server.mjs'], {}, directory);
}

const modern = `
  'server/discover': () => discovered,
  'tools/list': ({ _meta }) => _meta['io.modelcontextprotocol/protocolVersion'] && { ...complete, tools },
  'tools/call': () => ({ ...complete, content: [], structuredContent: 'x' }),`;

test('P16 a server of the modern era alone passes, and its tools may put out anything', async (t) => {
  const report = await smokeOf(t, modern, ['--call', 'a', '--reload']);
  assert.deepEqual([report.exitCode, named(report, 'failed')], [0, []], JSON.stringify(report, undefined, 2));
  assert.equal(find(report, 'modern', 'call a').status, 'ok');
  assert.match(
    find(report, 'legacy', 'handshake').detail,
    /^not supported by the server \(initialize: error -32601, Method not found\)$/,
  );
  assert.equal(find(report, 'modern, over a reload', 'call a').detail, 'the same result');
});

test('a modern result without its type fails the check that it is of', async (t) => {
  const report = await smokeOf(t, `${modern} 'tools/list': () => ({ tools }),`);
  assert.deepEqual(named(report, 'failed'), ['modern: tools/list']);
  assert.deepEqual(find(report, 'modern', 'tools/list').problems, [
    'tools/list failed: the result of tools/list has no resultType',
  ]);
});

test('a modern server that asks the client fails, and so does a call that wants input', async (t) => {
  const report = await smokeOf(
    t,
    `${modern}
    'tools/list': () => (send({ id: 'q', method: 'roots/list' }), { ...complete, tools }),
    'tools/call': () => ({ resultType: 'input_required', requestState: 'x' }),`,
    ['--call', 'a'],
  );
  assert.deepEqual(named(report, 'failed'), ['modern: call a', 'modern: stdout']);
  assert.deepEqual(find(report, 'modern', 'stdout').problems, [
    'the server asked the client for roots/list, which this era does not have',
  ]);
  assert.deepEqual(find(report, 'modern', 'call a').problems, ['it asks for input, which smoke has none of']);
});

const legacy = `initialize: () => introduction('mine', { tools: {} }), 'tools/list': () => ({ tools: [] }),`;

test('a legacy server may exit on, or never answer, a question of the modern era', async (t) => {
  const exiting = await smokeOf(t, `${legacy} 'server/discover': () => process.exit(4),`);
  assert.equal(exiting.exitCode, 0);
  assert.match(
    find(exiting, 'modern', 'handshake').detail,
    /^not supported by the server \(.*the server exited with code 4\)$/,
  );
  const silent = await smokeOf(t, `${legacy} 'server/discover': () => undefined,`, ['--timeout', '3000']);
  assert.equal(silent.exitCode, 0);
  assert.match(
    find(silent, 'modern', 'handshake').detail,
    /^not supported by the server \(.*no answer within \d+ ms\)$/,
  );
});

test('a handshake without its parts fails, with a line for each', async (t) => {
  const report = await smokeOf(t, `initialize: () => ({ protocolVersion: '2025-11-25' }),`);
  assert.equal(report.exitCode, 1);
  assert.deepEqual(find(report, 'legacy', 'handshake').problems, [
    'the result of initialize has no capabilities',
    'the result of initialize has no serverInfo with a name and a version',
  ]);
});

test('an answer under another id is told with the handshake that it fails', async (t) => {
  const methods = `initialize: (_, id) => void send({ id: String(id), result: introduction('mine') }),`;
  const report = await smokeOf(t, methods, ['--timeout', '1500']);
  assert.deepEqual(find(report, 'legacy', 'handshake').problems, [
    'initialize: no answer within 1500 ms',
    'an answer has the id "0", which no request had',
  ]);
});

test('a server without templates, and one that asks the client in the legacy era, are good servers', async (t) => {
  const methods = `
    initialize: () => introduction('mine', { resources: {} }),
    'resources/list': () => (send({ id: 0, method: 'roots/list' }), send({ id: 1, method: 'ping' }), { resources: [] }),`;
  const report = await smokeOf(t, methods);
  assert.deepEqual([report.exitCode, named(report, 'failed')], [0, []], JSON.stringify(report, undefined, 2));
  assert.equal(find(report, 'legacy', 'resources/templates/list').detail, '0 templates');
});
