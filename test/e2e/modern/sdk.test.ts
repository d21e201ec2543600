// What the published v2 client and server do with each other over reloads, beyond calls and lists: subscriptions,
// caching, rounds of input. And what a server that speaks both eras does for a client of the other one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { live, servers, tools } from './sdk.js';
import type { Sdk } from './sdk.js';

const from = (name: string) => JSON.stringify(import.meta.resolve(name));

/**
 * A v2 server that ends its subscriptions in good order when it is told to go, as one that notices the end of stdin too
 * late can't. What it offers is made in `src/tools.mjs`.
 */
const entry = `import { PassThrough } from 'node:stream';
import { serveStdio, StdioServerTransport } from ${from('@modelcontextprotocol/server/stdio')};
import { make } from './src/tools.mjs';
const input = new PassThrough();
process.stdin.pipe(input, { end: false });
const handle = serveStdio(() => make(), { transport: new StdioServerTransport(input) });
process.stdin.on('end', () => void handle.close().then(() => process.exit(0)));
`;
const making = (body: string) => `import * as sdk from ${from('@modelcontextprotocol/server')};
import { z } from ${from('zod')};
const generation = process.env.MCP_HOTLINE_GENERATION ?? 'direct';
const says = (text) => ({ content: [{ type: 'text', text: String(text) }] });
export function make() {
${body}
  return server;
}
`;

function v2({ client }: Sdk): Client2 {
  assert.ok(client instanceof Client2);
  return client;
}

test('P16 P9 the v2 client keeps its subscription over reloads, though each v2 server closes it gracefully', async (t) => {
  const source = (...more: string[]) =>
    making(`  const server = new sdk.McpServer({ name: 's', version: '1.0.0' });
  server.registerTool('ring', {}, () => (server.sendToolListChanged(), says(generation)));
  ${more.map((name) => `server.registerTool('${name}', {}, () => says('${name}'));`).join('\n')}`);
  const sdk = await live(t, 'v2 auto', { 'server.mjs': entry, 'src/tools.mjs': source() });
  const ends: string[] = [];
  void v2(sdk).autoOpenedSubscription?.closed.then((how) => ends.push(how));
  const own = await v2(sdk).listen({ toolsListChanged: true, promptsListChanged: true });
  void own.closed.then((how) => ends.push(`own ${how}`));
  assert.deepEqual(own.honoredFilter, { toolsListChanged: true, promptsListChanged: true });
  let news = 0;
  v2(sdk).setNotificationHandler('notifications/tools/list_changed', () => void news++);
  for (const [generation, name] of [
    ['2', 'a'],
    ['3', 'b'],
    ['4', 'c'],
  ] as const) {
    sdk.files.write('src/tools.mjs', source(name));
    assert.equal(await sdk.call('ring'), generation);
    assert.deepEqual(await sdk.tools(), ['ring', name]);
  }
  assert.equal(await sdk.call('ring'), '4');
  // Two subscriptions: each hears of three reloads and four rings.
  assert.equal(news, 14);
  assert.deepEqual(ends, []);
  await own.close();
  assert.equal(await sdk.call('ring'), '4');
  assert.equal(news, 15);
});

test('P16 P9 a v2 server that does not say that it tells of changes: the client listens and hears of them all the same', async (t) => {
  const source = (...names: string[]) =>
    making(`  const server = new sdk.Server({ name: 's', version: '1.0.0' }, { capabilities: { tools: {} } });
  const tools = ${JSON.stringify(names)}.map((name) => ({ name, inputSchema: { type: 'object' } }));
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', () => says(generation));`);
  for (const client of ['v2 pinned', 'v2 legacy'] as const) {
    const sdk = await live(t, client, { 'server.mjs': entry, 'src/tools.mjs': source('a') });
    assert.equal(sdk.client.getServerCapabilities()?.tools?.listChanged, true);
    // Who saves before the proxy has read that the client is initialized gets the new tools as its first ones, and
    // there is no news. What the client has sent passes in order, so with the answer to a call that is over.
    assert.equal(await sdk.call('a'), '1');
    sdk.files.write('src/tools.mjs', source('a', 'b'));
    await sdk.changed('a', 'b');
    assert.equal(await sdk.call('a'), '2');
  }
});

test('P16 P4 the v2 client keeps no list of a v2 server that lets it, so it never serves an old one', async (t) => {
  const source = (name: string) =>
    making(`  const hint = { ttlMs: 600_000, cacheScope: 'public' };
  const server = new sdk.McpServer({ name: 's', version: '1.0.0' }, { cacheHints: { 'tools/list': hint } });
  server.registerTool('${name}', {}, () => says(generation));
  server.registerResource('r', 'test:r', { cacheHint: hint }, () => ({ contents: [{ uri: 'test:r', text: generation }] }));`);
  // Without a subscription: nobody tells it to look again.
  const silent = { client: { listChanged: {} } };
  const sdk = await live(t, 'v2 auto', { 'server.mjs': entry, 'src/tools.mjs': source('a') }, silent);
  const read = async () => (await v2(sdk).readResource({ uri: 'test:r' })).contents;
  assert.deepEqual(await sdk.tools(), ['a']);
  assert.deepEqual(await read(), [{ uri: 'test:r', text: '1' }]);
  sdk.files.write('src/tools.mjs', source('b'));
  assert.deepEqual(await sdk.tools(), ['b']);
  assert.deepEqual(await read(), [{ uri: 'test:r', text: '2' }]);
});

const asking = (more = '') =>
  making(`  const server = new sdk.McpServer({ name: 's', version: '1.0.0' });
  const answer = z.object({ ok: z.boolean() });
  server.registerTool('deploy', { inputSchema: z.object({}) }, (_, ctx) => {
    const given = sdk.acceptedContent(ctx.mcpReq.inputResponses, 'confirm', answer);
    if (given !== undefined) return says(generation + ' ' + given.ok + ' ' + ctx.mcpReq.requestState());
    const confirm = sdk.inputRequired.elicit({ message: 'Deploy?', requestedSchema: answer });
    return sdk.inputRequired({ inputRequests: { confirm }, requestState: 'état/"' + generation + '"' });
  });${more}`);

for (const [client, expected] of [
  // A modern call is asked again, of the new code; a legacy one waits for its answer with the old.
  ['v2 auto', '2 true état/"1"'],
  ['v2 legacy', '1 true état/"1"'],
  ['v1', '1 true état/"1"'],
] as const) {
  test(`P16 P10 a v2 server asks the ${client} client for input, and is edited before the answer`, async (t) => {
    const capabilities = { elicitation: { form: {} } };
    const sdk = await live(t, client, { 'server.mjs': entry, 'src/tools.mjs': asking() }, { client: { capabilities } });
    let asked = 0;
    const answer = () => {
      asked++;
      sdk.files.write('src/tools.mjs', asking('// edited'));
      return { action: 'accept' as const, content: { ok: true } };
    };
    if (sdk.client instanceof Client2) sdk.client.setRequestHandler('elicitation/create', answer);
    else sdk.client.setRequestHandler(ElicitRequestSchema, answer);
    assert.equal(await sdk.call('deploy'), expected);
    assert.equal(asked, 1);
  });
}

test('P16 P7 a v2 server that does not start at first: the v2 client has its session, and hears of the tools of the mended one', async (t) => {
  for (const client of ['v2 auto', 'v2 legacy'] as const) {
    const sdk = await live(t, client, { 'server.mjs': servers.v2, 'src/tools.mjs': 'this is no JavaScript' });
    assert.equal(sdk.era, 'legacy', 'nothing says that the server is modern');
    assert.deepEqual(await sdk.tools(), ['server_status', 'list_server_tools', 'call_server_tool']);
    assert.match(await sdk.call('which'), /SyntaxError/);
    sdk.files.write('src/tools.mjs', tools('mended'));
    assert.equal(await sdk.call('mended'), 'mended');
    await sdk.changed('which', 'mended');
  }
});

test('P16 P7 a broken edit is a tool result that both v2 eras and the v1 client read', async (t) => {
  for (const client of ['v1', 'v2 legacy', 'v2 pinned'] as const) {
    const sdk = await live(t, client, { 'server.mjs': servers.v2, 'src/tools.mjs': tools() });
    assert.equal(await sdk.call('which'), '1');
    sdk.files.write('src/tools.mjs', 'this is no JavaScript');
    assert.match(await sdk.call('which'), /SyntaxError/);
    sdk.files.write('src/tools.mjs', tools('mended'));
    assert.equal(await sdk.call('mended'), 'mended');
    await sdk.changed('which', 'mended');
  }
});
