// How the agent's own tools are listed: behind the server's, which stay as they are, on the first page, under names
// that the server does not use, and also where a server has no tools or is not there. What they do is for the tests
// beside this one.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { project, startProxy } from '../../support/harness.js';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { agent, ownTools } from './agent.js';

const plain = `export const tools = { add: () => 1 };`;

test('P2 the tools of the server stay byte for byte, and ours follow with titles, schemas and annotations', async (t) => {
  const odd = `{"name":"add","title":"\\u0041dd","n":12345678901234567890,"f":1.0,"inputSchema":{"type":"object"}}`;
  const proxy = await agent(
    t,
    scripted(`export const methods = { 'tools/list': () => {
      process.stdout.write('{"jsonrpc":"2.0","result":{"tools":[ ' + ${JSON.stringify(odd)} + ' ],"x":1.0},"id":"listing"}\\n');
    } };`),
  );
  await proxy.request('tools/list', {}, { id: 'listing' });
  const raw = String(proxy.messages.at(-1)?.raw);
  assert.ok(raw.startsWith(`{"jsonrpc":"2.0","result":{"tools":[ ${odd},{"name":"restart_server"`), raw);
  assert.ok(raw.endsWith('],"x":1.0},"id":"listing"}'), raw);
  const { result } = JSON.parse(raw) as { result: { tools: Record<string, unknown>[] } };
  for (const tool of result.tools.slice(1)) {
    for (const member of ['title', 'description', 'inputSchema', 'annotations']) assert.ok(tool[member], member);
    if (tool['name'] !== 'call_server_tool') assert.ok(tool['outputSchema']);
  }
});

test('they are on the first page only', async (t) => {
  const proxy = await agent(t, scripted(paged('one', 'two')));
  const first = await proxy.request('tools/list');
  assert.deepEqual(names(first.result), ['one', ...ownTools]);
  const second = await proxy.request('tools/list', { cursor: first.result.nextCursor });
  assert.deepEqual(names(second.result), ['two']);
});

test('a name that the server has, on its first page or a later one, is never shadowed', async (t) => {
  const proxy = await agent(t, scripted(paged('restart_server', 'server_status')));
  const { result } = await proxy.request('tools/list');
  assert.deepEqual(names(result), [
    'restart_server',
    'hotline_restart_server',
    'verify_server_restarted',
    'hotline_server_status',
    'list_server_tools',
    'call_server_tool',
  ]);
  assert.equal(await proxy.call('restart_server', {}), 'the server says restart_server');
  assert.equal(await proxy.call('server_status', {}), 'the server says server_status');
  const restarted = await proxy.tool('hotline_restart_server', { reason: 'a test' });
  assert.equal(restarted.facts.generation, 2);
  assert.equal((await proxy.tool('call_server_tool', { name: 'server_status' })).text, 'the server says server_status');
  const torn = await proxy.tool('call_server_tool', { name: 'server_statis' });
  assert.match(torn.text, /Did you mean "server_status"\? list_server_tools/);

  proxy.save(script('broken('));
  assert.match((await proxy.tool('restart_server', {})).text, /call hotline_restart_server/);
});

test('a server that has the name which ours would get keeps that too', async (t) => {
  const proxy = await agent(t, scripted(paged('hotline_server_status', 'server_status')));
  assert.ok((await proxy.toolNames()).includes('hotline_hotline_server_status'));
  assert.equal(await proxy.call('server_status', {}), 'the server says server_status');
  assert.equal(await proxy.call('hotline_server_status', {}), 'the server says hotline_server_status');
  assert.equal((await proxy.tool('hotline_hotline_server_status')).facts.state, 'serving');
  const near = await proxy.tool('call_server_tool', { name: 'hotline_server_statis' });
  assert.match(near.text, /Did you mean "hotline_server_status"\?/);
});

test('a tool of the server is not shadowed either for a client that has never asked for the list', async (t) => {
  const proxy = await agent(t, scripted(paged('other', 'server_status')));
  assert.equal(await proxy.call('server_status', {}), 'the server says server_status');
  assert.equal((await proxy.tool('hotline_server_status')).facts.state, 'serving');
});

test('a name that a reload brings is avoided as soon as the client has heard of it', async (t) => {
  const proxy = await agent(t, scripted(plain));
  await proxy.toolNames();
  proxy.save(script(`export const tools = { server_status: () => 'mine' };`));
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'list_changed');
  assert.ok((await proxy.toolNames()).includes('hotline_server_status'));
  assert.equal(await proxy.call('server_status'), 'mine');
});

test('a server without tools gains the capability, and the proxy asks it for none', async (t) => {
  const proxy = await agent(t, scripted(`export const capabilities = { prompts: {} };`), { initialize: false });
  const { capabilities } = await proxy.initialize();
  assert.deepEqual(capabilities, { prompts: { listChanged: true }, tools: { listChanged: true } });
  assert.deepEqual(await proxy.toolNames(), ownTools);
  assert.deepEqual((await proxy.tool('list_server_tools')).facts.tools, []);
  const none = await proxy.tool('call_server_tool', { name: 'add' });
  assert.match(none.text, /has no tool called "add"/);
  assert.equal((await proxy.tool('restart_server', { reason: 'a test' })).facts.generation, 2);
  assert.deepEqual(await proxy.toolNames(), ownTools);
  assert.ok(!proxy.journal().some(({ line }) => line.includes('tools/list')));
});

test('with nothing to watch they work too', async (t) => {
  const { directory, path } = project(t, { ...scripted(plain), run: `#!/bin/sh\nexec node server.mjs\n` });
  chmodSync(path('run'), 0o755);
  const proxy = startProxy(t, { command: [path('run')], options: ['--agent-tools'], cwd: directory });
  await proxy.initialize();
  assert.deepEqual(names((await proxy.request('tools/list')).result), ['add', ...ownTools]);
  const call = (name: string, given: object) => proxy.request('tools/call', { name, arguments: given });
  const { result } = await call('restart_server', { reason: 'a test' });
  assert.equal(result.structuredContent.generation, 2);
  assert.equal((await call('call_server_tool', { name: 'add' })).result.content[0].text, '1');
  assert.equal((await call('server_status', {})).result.structuredContent.state, 'serving');
});

test('with --no-reload, or without --agent-tools, nothing is added', async (t) => {
  const bare = await agent(t, scripted(plain), { options: ['--no-reload'] });
  assert.deepEqual(await bare.toolNames(), ['add']);
  const other = await live(t, scripted(plain));
  assert.deepEqual(names((await other.request('tools/list')).result), ['add']);
});

/** A server with one tool on each of two pages. */
function paged(first: string, second: string): string {
  return `
    const item = (name) => ({ name, inputSchema: { type: 'object' } });
    export const methods = {
      'tools/list': ({ cursor }) =>
        cursor === undefined ? { tools: [item('${first}')], nextCursor: 'more' } : { tools: [item('${second}')] },
      'tools/call': ({ name }) => ({ content: [{ type: 'text', text: 'the server says ' + name }] }),
    };`;
}

function names(result: { tools: { name: string }[] }): string[] {
  return result.tools.map(({ name }) => name);
}
