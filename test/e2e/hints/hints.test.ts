/**
 * `--hints` on the built bin, with servers of the SDKs: an agent whose client never lists the tools again calls them by
 * yesterday's schemas after an edit, and heals in one turn. Which answers are changed, and how, is for
 * test/exchange/hints.test.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { project } from '../../support/harness.js';
import { agentOn } from './agent.js';
import { serve, ways } from './ways.js';

const moduleOf = (module: string): string => JSON.stringify(import.meta.resolve(module));

/** Each tool says what it was called with. */
const tools = (lines: readonly string[]): string => `
import { z } from ${moduleOf('zod')};
const says = (name) => (given) => ({ content: [{ type: 'text', text: name + ' ' + JSON.stringify(given) }] });
export const tools = (tool) => {
${lines.join('\n')}
};
`;

const entries = {
  'SDK v1': `
import { McpServer } from ${moduleOf('@modelcontextprotocol/sdk/server/mcp.js')};
import { StdioServerTransport } from ${moduleOf('@modelcontextprotocol/sdk/server/stdio.js')};
import { tools } from './src/tools.mjs';
const server = new McpServer({ name: 'sdk', version: '1' });
tools((name, inputSchema, run) => server.registerTool(name, { inputSchema }, run));
await server.connect(new StdioServerTransport());
`,
  'SDK v2': `
import { McpServer } from ${moduleOf('@modelcontextprotocol/server')};
import { serveStdio } from ${moduleOf('@modelcontextprotocol/server/stdio')};
import { z } from ${moduleOf('zod')};
import { tools } from './src/tools.mjs';
serveStdio(() => {
  const server = new McpServer({ name: 'sdk', version: '1' });
  tools((name, inputSchema, run) => server.registerTool(name, { inputSchema: z.object(inputSchema) }, run));
  return server;
});
`,
};

const before = tools([
  `tool('usage', { duration: z.string() }, says('usage'));`,
  `tool('search', { query: z.string() }, says('search'));`,
  `tool('fetch_page', { url: z.string(), depth: z.number() }, says('fetch_page'));`,
  `tool('rows', { limit: z.number(), unit: z.string() }, says('rows'));`,
  `tool('user', { id: z.string() }, says('user'));`,
  `tool('same', { n: z.number() }, says('same'));`,
]);

const after = tools([
  // A name for another, which is required.
  `tool('usage', { lookback: z.string() }, says('usage'));`,
  // A new name for the tool.
  `tool('find', { query: z.string() }, says('find'));`,
  // The tool is gone, and another one comes near.
  `tool('fetch_pages', { urls: z.array(z.string()) }, says('fetch_pages'));`,
  // Tightened.
  `tool('rows', { limit: z.number().max(10), unit: z.enum(['day', 'week']) }, says('rows'));`,
  // Loosened: the server now looks for other things than before.
  `tool('user', { id: z.string().optional(), email: z.string().optional() }, (given) => {
    if (given.email === undefined) throw new Error('no such user');
    return says('user')(given);
  });`,
  `tool('same', { n: z.number() }, says('same'));`,
]);

const WANTS = {
  duration: 'P1D',
  query: 'cats',
  url: 'a',
  urls: ['a'],
  depth: 1,
  limit: 50,
  unit: 'month',
  id: 'u1',
  email: 'u@example.com',
};

const expected: [tool: string, text: string, says: RegExp][] = [
  [
    'usage',
    'usage {"lookback":"P1D"}',
    /"usage" has changed .* by src\/tools\.mjs\): `duration` is now `lookback`, required\./,
  ],
  [
    'search',
    'find {"query":"cats"}',
    /does not have it any more .* by src\/tools\.mjs\)\. The nearest that it has is "find"/,
  ],
  ['fetch_page', 'fetch_pages {"urls":["a"]}', /The nearest that it has is "fetch_pages"/],
  [
    'rows',
    'rows {"limit":10,"unit":"day"}',
    /`limit` allows less: maximum is now 10, it was not set; `unit` allows less: enum is now \["day","week"\]/,
  ],
  [
    'user',
    'user {"id":"u1","email":"u@example.com"}',
    /`email` is new \(string, optional\); `id` is no longer required/,
  ],
];

for (const way of ways)
  for (const sdk of way.era === 'modern' ? (['SDK v2'] as const) : (['SDK v1', 'SDK v2'] as const)) {
    if ((way.http || way.shared) && way.era === 'legacy' && sdk === 'SDK v2') continue;
    test(`P16 ${way.name}, ${sdk}: an agent with an old list heals in one turn after every kind of edit`, async (t) => {
      const files = project(t, { 'server.mjs': entries[sdk], 'src/tools.mjs': before });
      const { proxy, connect } = await serve(t, way, files.directory);
      const agent = await agentOn(await connect('stale'));
      const other = way.shared ? await agentOn(await connect('other')) : undefined;
      assert.equal((await agent.use('usage', WANTS)).text, 'usage {"duration":"P1D"}', proxy.transcript());
      files.write('src/tools.mjs', after);
      for (const each of other === undefined ? [agent] : [agent, other])
        for (const [tool, text, says] of expected) {
          const outcome = await each.use(tool, WANTS);
          assert.deepEqual([outcome.text, outcome.calls], [text, 2], proxy.transcript());
          assert.match(outcome.hint ?? '', says);
        }
      assert.deepEqual(await agent.use('same', { n: 1 }), { text: 'same {"n":1}', calls: 1, hint: undefined });
    });
  }

for (const way of ways.filter(({ http, shared }) => http || shared))
  test(`P17 ${way.name}: a client that has the new list is told nothing, whatever another one has`, async (t) => {
    const files = project(t, { 'server.mjs': entries['SDK v2'], 'src/tools.mjs': before });
    const { connect } = await serve(t, way, files.directory);
    const [stale, fresh] = [await connect('stale'), await connect('fresh')];
    await stale.ask('tools/list');
    await fresh.ask('tools/list');
    files.write('src/tools.mjs', after);
    await fresh.ask('tools/list');
    const wrong = { name: 'usage', arguments: { duration: 'P1D' } };
    const [ofFresh, ofStale] = [await fresh.ask('tools/call', wrong), await stale.ask('tools/call', wrong)];
    assert.doesNotMatch(JSON.stringify(ofFresh), /mcp-hotline/);
    assert.match(JSON.stringify(ofStale), /Note of mcp-hotline/);
    await stale.ask('tools/list');
    assert.doesNotMatch(JSON.stringify(await stale.ask('tools/call', wrong)), /mcp-hotline/);
  });

test('P2 --hints off: an agent with an old list gets the server’s words and no others', async (t) => {
  const files = project(t, { 'server.mjs': entries['SDK v1'], 'src/tools.mjs': before });
  const { connect } = await serve(t, ways[0]!, files.directory, ['--hints', 'off']);
  const client = await connect('stale');
  await client.ask('tools/list');
  files.write('src/tools.mjs', after);
  const answer = await client.ask('tools/call', { name: 'usage', arguments: { duration: 'P1D' } });
  assert.equal(answer.result.isError, true);
  assert.equal(answer.result.content.length, 1);
});
