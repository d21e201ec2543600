// --agent-tools auto: list_server_tools and call_server_tool, for clients that are known to ignore list_changed, and
// nothing for all others. Who the client is, is in its initialize, or in every request of the modern era.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { meta, modern, withTools } from '../modern/modern.js';
import { ownTools } from './agent.js';

const plain = `export const tools = { add: () => '1' };`;
const twoTools = ['list_server_tools', 'call_server_tool'];
const auto = { options: ['--agent-tools', 'auto'] };
const named = (name: string) => ({ clientInfo: { name, version: '1.0.0' } });
const codex = named('codex-mcp-client');
const config = 'mcp-hotline.config.json';
const toolsChanged = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed';

async function listed(proxy: ReloadProject): Promise<string[]> {
  return (await proxy.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
}

/** Words must not name a tool that the client does not have, under whatever name. */
function namesNoOther(text: string): void {
  assert.doesNotMatch(text, /restart_server|server_status|verify_server_restarted|undefined/);
}

describe('--agent-tools auto', { concurrency: 3 }, () => {
  test('a client that ignores list_changed has the two, and reaches a new tool through them', async (t) => {
    const proxy = await live(t, scripted(plain), { ...auto, initialize: named('qwen-cli-mcp-client-my-server') });
    assert.deepEqual(await listed(proxy), ['add', ...twoTools]);
    proxy.save(script(`export const tools = { add: () => '1', times: ({ a }) => 'times ' + a };`));
    const list = await proxy.call('list_server_tools');
    assert.match(list, /has 2 tools[^]*"times"/);
    namesNoOther(list);
    assert.equal(await proxy.call('call_server_tool', { name: 'times', arguments: { a: 3 } }), 'times 3');
    const missing = await proxy.call('call_server_tool', { name: 'tims' });
    assert.match(missing, /Did you mean "times"\? list_server_tools gives all of them/);
    for (const name of ['restart_server', 'server_status'])
      assert.ok((await proxy.request('tools/call', { name, arguments: { reason: 'x' } })).error, `${name} is not ours`);
  });

  test('P2 any other client has the server’s list and nothing else', async (t) => {
    const direct = await live(t, scripted(plain));
    const { result } = await direct.request('tools/list');
    for (const name of ['claude-code', 'somebody', 'gemini-cli-mcp-client-x']) {
      const proxy = await live(t, scripted(plain), { ...auto, initialize: named(name) });
      assert.deepEqual((await proxy.request('tools/list')).result, result);
      assert.ok((await proxy.request('tools/call', { name: 'call_server_tool', arguments: { name: 'add' } })).error);
    }
  });

  test('a name that the server has is kept for the server', async (t) => {
    const own = `export const tools = { call_server_tool: () => 'mine' };`;
    const proxy = await live(t, scripted(own), { ...auto, initialize: codex });
    assert.equal(await proxy.call('call_server_tool'), 'mine');
    assert.deepEqual(await listed(proxy), ['call_server_tool', 'list_server_tools', 'hotline_call_server_tool']);
    assert.match(await proxy.call('list_server_tools'), /or with hotline_call_server_tool if/);
  });

  test('P7 a failure names no tool that this client lacks, whatever fails', async (t) => {
    const proxy = await live(t, scripted(plain), { ...auto, initialize: codex });
    await listed(proxy);
    proxy.save('syntax error');
    for (const [name, given] of [
      ['add', {}],
      ['list_server_tools', {}],
      ['call_server_tool', { name: 'add' }],
    ] as const) {
      const { result } = await proxy.request('tools/call', { name, arguments: given });
      assert.match(result.content[0].text, /SyntaxError/);
      namesNoOther(result.content[0].text);
    }
    proxy.save(script(plain));
    assert.equal(await proxy.call('add'), '1');
  });

  test('a second initialize is that of another client', async (t) => {
    const proxy = await live(t, scripted(plain), { ...auto, initialize: named('somebody') });
    assert.deepEqual(await listed(proxy), ['add']);
    await proxy.initialize(codex);
    assert.deepEqual(await listed(proxy), ['add', ...twoTools]);
    await proxy.initialize(named('somebody'));
    assert.deepEqual(await listed(proxy), ['add']);
  });

  test('who has not said who it is counts as a client that heeds list_changed', async (t) => {
    const proxy = await live(t, scripted(plain), { ...auto, initialize: { clientInfo: undefined } });
    assert.deepEqual(await listed(proxy), ['add']);
  });

  test('P7 born broken: the stand-ins are there, and the two stay when the server comes', async (t) => {
    const files = { ...scripted(''), 'src/script.mjs': `console.error('set API_KEY first'); process.exit(3);` };
    const proxy = await live(t, files, { ...auto, initialize: codex });
    assert.deepEqual(await listed(proxy), ['server_status', ...twoTools]);
    const status = await proxy.call('server_status');
    assert.match(status, /API_KEY/);
    assert.doesNotMatch(status, /restart_server|undefined/);
    proxy.save(script(plain));
    assert.equal(await proxy.call('call_server_tool', { name: 'add' }), '1');
    assert.deepEqual(await listed(proxy), ['add', ...twoTools]);
    assert.match(await proxy.call('server_status'), /is serving/);
  });

  test('a server without tools gains the capability for such a client, also where nobody is told of changes', async (t) => {
    const none = scripted(`export const capabilities = { prompts: {} };`);
    const options = [...auto.options, '--notify', 'never'];
    const proxy = await live(t, none, { options, initialize: false });
    assert.deepEqual((await proxy.initialize(codex)).capabilities, { prompts: {}, tools: {} });
    assert.deepEqual(await listed(proxy), twoTools);
    const other = await live(t, none, { options, initialize: false });
    assert.deepEqual((await other.initialize()).capabilities, { prompts: {} });
  });

  test('P9 an edit of the configuration file tells a client only of what changes for it', async (t) => {
    const set = (proxy: ReloadProject, agentTools: unknown) =>
      proxy.files.write(config, JSON.stringify({ agentTools }));
    const told = (proxy: ReloadProject) =>
      proxy.notifications().filter((method) => method.endsWith('tools/list_changed')).length;
    const files = { ...scripted(plain), [config]: '{}' };
    for (const { client, has } of [
      { client: named('somebody'), has: [] },
      { client: codex, has: twoTools },
    ]) {
      const proxy = await live(t, files, { initialize: client });
      assert.deepEqual(await listed(proxy), ['add']);
      let news = 0;
      for (const [value, tools] of [
        ['auto', has],
        ['on', ownTools],
        ['auto', has],
        ['off', []],
      ] as const) {
        const before = (await listed(proxy)).length - 1;
        set(proxy, value);
        // The list is held until the file has been read.
        assert.deepEqual(await listed(proxy), ['add', ...tools], `${value} for ${client.clientInfo.name}`);
        if (tools.length === before) continue;
        news += 1;
        const expected = news;
        await proxy.waitFor((message) => toolsChanged(message) && told(proxy) >= expected, `news of ${value}`);
      }
      assert.equal(told(proxy), news, 'and nothing is told that did not change');
    }
  });

  test('P16 a modern request is of the client that it names', async (t) => {
    const proxy = await modern(t, withTools(), auto);
    const as = (name: string) => ({
      meta: { ...meta, 'io.modelcontextprotocol/clientInfo': { name, version: '1' } },
    });
    const names = async (name: string): Promise<string[]> =>
      (await proxy.ask('tools/list', {}, as(name))).result.tools.map((tool: { name: string }) => tool.name);
    assert.deepEqual(await names('codex-mcp-client'), ['which', ...twoTools]);
    assert.deepEqual(await names('somebody'), ['which']);
    assert.deepEqual(await names('codex-mcp-client'), ['which', ...twoTools]);
    const call = { name: 'call_server_tool', arguments: { name: 'which' } };
    assert.equal((await proxy.ask('tools/call', call, as('@cline/core'))).result.content[0].text, '1');
    const { 'io.modelcontextprotocol/clientInfo': _, ...anonymous } = meta;
    const nameless = { ...call, _meta: anonymous };
    for (const time of ['once', 'twice'])
      assert.equal((await proxy.request('tools/call', nameless)).result.content[0].text, '1', `the last name, ${time}`);
    const other = await proxy.ask('tools/call', call, as('somebody'));
    assert.ok(other.error !== undefined || other.result.isError === true, JSON.stringify(other));
  });

  test('P16 a modern client is known from its discover on', async (t) => {
    const none = withTools().replace('export const tools', 'export const capabilities = { prompts: {} }; const unused');
    const proxy = await modern(t, none, { options: [...auto.options, '--notify', 'never'] });
    const codexMeta = { ...meta, 'io.modelcontextprotocol/clientInfo': codex.clientInfo };
    const { result } = await proxy.ask('server/discover', {}, { meta: codexMeta });
    assert.ok('tools' in result.capabilities, JSON.stringify(result));
    const { result: list } = await proxy.ask('tools/list', {}, { meta: codexMeta });
    assert.equal(list.tools.length, 2);
  });
});
