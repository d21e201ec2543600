// A server without tools that gets its first one by an edit, and loses it by another: the client hears of it and can
// list and call it, because `tools` was declared from the start. What a client can't be told of stands in the log and
// in server_status.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { agent } from '../agent/agent.js';
import { modern, script as modernScript } from '../modern/modern.js';
import { live as liveSdk } from '../modern/sdk.js';

const prompts = `export const capabilities = { prompts: {} };
export const methods = { 'tools/list': () => { throw new Error('unknown method') } };`;
const tools = `export const capabilities = { prompts: {}, tools: {} };
export const tools = { first: () => generation };`;

const names = (result: { tools: { name: string }[] }) => result.tools.map(({ name }) => name);

test('P9 the first tool that an edit adds is announced, listed and called, and the last that is removed is gone', async (t) => {
  const proxy = await live(t, scripted(prompts), { initialize: false });
  const { capabilities } = await proxy.initialize();
  assert.deepEqual(capabilities, { prompts: { listChanged: true }, tools: { listChanged: true } });
  assert.deepEqual((await proxy.request('tools/list')).result, { tools: [] });
  proxy.save(script(tools));
  assert.equal(await proxy.call('first'), '2');
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'list_changed');
  assert.deepEqual(names((await proxy.request('tools/list')).result), ['first']);
  const from = proxy.messages.length;
  proxy.save(script(prompts));
  assert.deepEqual((await proxy.request('tools/list')).result, { tools: [] });
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'list_changed', { from });
  assert.doesNotMatch(proxy.stderr(), /gained|lost/);
});

test('P2 tools that a server has and does not declare are listed as ever', async (t) => {
  const proxy = await live(t, scripted(`export const capabilities = {}; export const tools = { odd: () => 'odd' };`));
  assert.deepEqual(names((await proxy.request('tools/list')).result), ['odd']);
  assert.equal(await proxy.call('odd'), 'odd');
});

for (const [what, handler] of Object.entries({
  'does not answer': 'never',
  'dies of the question': 'process.exit(1)',
  'answers something else': '({ echo: true })',
})) {
  test(`P1 the tools of a server that declares none and ${what} are an empty list, and it is asked once`, async (t) => {
    const deaf = (more = '') => `export const capabilities = { prompts: {} };
      export const methods = { 'tools/list': () => ${handler}, 'prompts/list': () => ({ prompts: [] }) };${more}`;
    const proxy = await live(t, scripted(deaf()));
    const asked = () => proxy.journal().filter(({ line }) => line.includes('"tools/list"')).length;
    for (let turn = 0; turn < 2; turn++)
      assert.deepEqual((await proxy.request('tools/list')).result, { tools: [] }, proxy.transcript());
    assert.deepEqual((await proxy.request('prompts/list')).result, { prompts: [] });
    proxy.save(script(deaf('// changed')));
    assert.deepEqual((await proxy.request('tools/list')).result, { tools: [] });
    if (!what.startsWith('answers')) assert.equal(asked(), 1);
    proxy.save(script(tools));
    assert.equal((await proxy.call('first').then(Number)) > 1, true);
    assert.deepEqual(names((await proxy.request('tools/list')).result), ['first']);
  });
}

test('with --notify never, nothing is declared that nobody would tell of', async (t) => {
  const proxy = await live(t, scripted(prompts), { initialize: false, options: ['--notify', 'never'] });
  assert.deepEqual((await proxy.initialize()).capabilities, { prompts: {} });
  assert.equal((await proxy.request('tools/list')).error?.message, 'unknown method');
});

test('capabilities that an edit adds beside tools stand in the log and in server_status', async (t) => {
  const proxy = await agent(t, scripted(tools));
  assert.equal((await proxy.tool('server_status')).facts.gainedCapabilities, undefined);
  proxy.save(script(tools.replace('prompts: {}', 'prompts: {}, completions: {}, resources: { subscribe: true }')));
  assert.equal(await proxy.call('first'), '2');
  const { text, facts } = await proxy.tool('server_status');
  assert.deepEqual(facts.gainedCapabilities, ['completions', 'resources']);
  assert.match(text, /has gained completions, resources..*reconnect/);
  assert.match(
    proxy.stderr(),
    /can't learn without a reconnect that the server gained capabilities: completions, resources/,
  );
});

test('P16 a modern client that never asked for them: capabilities that an edit adds stand in the log', async (t) => {
  const declaring = (capabilities: string) =>
    modernScript(`export const capabilities = ${capabilities}; export const tools = { which: () => generation };`);
  const proxy = await modern(t, declaring('{ tools: {} }'));
  assert.equal(await proxy.which(), '1');
  proxy.save(declaring('{ tools: {}, prompts: {}, completions: {} }'));
  assert.equal(await proxy.which(), '2');
  await proxy.waitForLog(/can't learn without a reconnect that the server gained capabilities: prompts, completions/);
});

const from = (name: string) => JSON.stringify(import.meta.resolve(name));
const sdkServer = `import { McpServer } from ${from('@modelcontextprotocol/server')};
import { serveStdio } from ${from('@modelcontextprotocol/server/stdio')};
import { tools } from './src/tools.mjs';
serveStdio(() => {
  const server = new McpServer({ name: 'v2', version: '1.0.0' });
  server.registerPrompt('p', {}, () => ({ messages: [] }));
  for (const [name, run] of Object.entries(tools))
    server.registerTool(name, {}, async () => ({ content: [{ type: 'text', text: await run() }] }));
  return server;
});
`;

for (const client of ['v1', 'v2 auto'] as const) {
  test(`P16 a client of SDK ${client} finds the first tool by itself`, async (t) => {
    const sdk = await liveSdk(t, client, { 'server.mjs': sdkServer, 'src/tools.mjs': 'export const tools = {};\n' });
    assert.deepEqual(await sdk.tools(), []);
    sdk.files.write('src/tools.mjs', `export const tools = { first: () => 'here' };\n`);
    await sdk.changed('first');
    assert.equal(await sdk.call('first'), 'here');
  });
}
