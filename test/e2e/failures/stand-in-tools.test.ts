// The tools that a client has while no server has ever come up, without --agent-tools: they tell why, they leave the
// list when the server comes, and calls of them are answered for the rest of the session. A tool of the server is never
// shadowed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { namesIn, standInTools } from './failures.js';

const broken = (source = `console.error('set API_KEY first'); process.exit(3);`) => ({
  ...scripted(''),
  'src/script.mjs': source,
});
const toolsChanged = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed';

async function listed(proxy: ReloadProject): Promise<{ name: string; description: string }[]> {
  return (await proxy.request('tools/list')).result.tools;
}

describe('tools in place of a server', { concurrency: 3 }, () => {
  test('P7 born broken: the description of server_status and the instructions say why, in the server’s own words', async (t) => {
    const long = `import { writeSync } from 'node:fs';
      writeSync(2, 'words '.repeat(1000) + '\\nset API_KEY first\\n');
      process.exit(3);`;
    const proxy = await live(t, broken(long), { initialize: false });
    const { instructions } = await proxy.initialize();
    const [status, ...others] = await listed(proxy);
    assert.deepEqual([status?.name, ...namesIn(others)], standInTools);
    for (const text of [status?.description ?? '', instructions]) {
      assert.match(text, /^The MCP server did not start.*`node` exited with code 3\. Its output:/);
      assert.match(text, /set API_KEY first/);
      assert.match(text, /Fix the error in the source\. A save is noticed/);
      assert.ok(text.length < 2000, 'some clients cut off what is longer');
    }
    const { result } = await proxy.request('tools/call', { name: 'server_status', arguments: {} });
    assert.match(result.content[0].text, /set API_KEY first/);
  });

  test('P9 born broken: they leave the list with list_changed when the server comes, even one without tools', async (t) => {
    const proxy = await live(t, broken());
    assert.deepEqual(namesIn(await listed(proxy)), standInTools);
    proxy.save(script('export const tools = {};'));
    await proxy.waitFor(toolsChanged, 'news of the tools');
    assert.deepEqual(await listed(proxy), []);
    assert.deepEqual(
      proxy.notifications().filter((method) => method.endsWith('list_changed')),
      ['notifications/tools/list_changed'],
    );
    proxy.save(script('export const tools = {}; // again'));
    await proxy.reloaded(4);
    assert.deepEqual(
      proxy.notifications().filter((method) => method.endsWith('list_changed')),
      ['notifications/tools/list_changed'],
      'once',
    );
  });

  test('P7 born broken: a client that ignores list_changed goes on with them, also after another reload', async (t) => {
    const proxy = await live(t, broken());
    await listed(proxy);
    proxy.save(script(`export const tools = { add: ({ a }) => 'sum ' + a };`));
    const call = { name: 'add', arguments: { a: 5 } };
    assert.equal(await proxy.call('call_server_tool', call), 'sum 5');
    assert.match(await proxy.call('list_server_tools'), /has one tool[^]*"add"/);
    assert.match(await proxy.call('server_status'), /is serving/);
    proxy.save(script(`export const tools = { add: ({ a }) => 'total ' + a };`));
    assert.equal(await proxy.call('call_server_tool', call), 'total 5');
    assert.match(await proxy.call('server_status'), /is serving/);
    const others = await proxy.request('tools/call', { name: 'restart_server', arguments: { reason: 'x' } });
    assert.ok(others.error, 'what was never listed is the server’s to answer');
  });

  test('P7 born broken: a client that never asks for the list may call what the instructions name', async (t) => {
    const proxy = await live(t, broken(), { initialize: false });
    assert.match((await proxy.initialize()).instructions, /call_server_tool/);
    proxy.save(script(`export const tools = { add: ({ a }) => 'sum ' + a };`));
    assert.equal(await proxy.call('call_server_tool', { name: 'add', arguments: { a: 5 } }), 'sum 5');
  });

  test('P7 born broken: a tool of the server is never shadowed, be it gained later', async (t) => {
    const proxy = await live(t, broken());
    await listed(proxy);
    proxy.save(script(`export const tools = { server_status: () => 'mine' };`));
    await proxy.waitFor(toolsChanged, 'news of the tools');
    assert.equal(await proxy.call('server_status'), 'mine');
    assert.match(await proxy.call('list_server_tools'), /has one tool[^]*"server_status"/);
    proxy.save(script(`export const tools = { list_server_tools: () => 'mine too' };`));
    assert.equal(await proxy.call('list_server_tools'), 'mine too');
    assert.match(await proxy.call('server_status'), /is serving/);
  });

  test('P7 a session that was born well has none, and their names are the server’s', async (t) => {
    const proxy = await live(t, scripted(`export const tools = { server_status: () => 'mine' };`));
    assert.deepEqual(namesIn(await listed(proxy)), ['server_status']);
    assert.equal(await proxy.call('server_status'), 'mine');
    assert.ok((await proxy.request('tools/call', { name: 'list_server_tools' })).error);
  });

  test('P7 born broken with --agent-tools: all of them are there, and the first says why', async (t) => {
    const proxy = await live(t, broken(), { options: ['--agent-tools'] });
    const before = await listed(proxy);
    assert.equal(before.length, 5);
    assert.match(before.find(({ name }) => name === 'server_status')?.description ?? '', /set API_KEY first/);
    proxy.save(script('export const tools = {};'));
    await proxy.waitFor(toolsChanged, 'news of the tools');
    const after = await listed(proxy);
    assert.doesNotMatch(after.find(({ name }) => name === 'server_status')?.description ?? '', /API_KEY/);
  });
});
