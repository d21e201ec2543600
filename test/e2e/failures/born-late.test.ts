// Born late: a first server that takes its time is no failure, but a client is not kept waiting until it gives up. It
// is answered in the server's place, and the server is adopted when it answers after all. The time is 25 s, or 5 s more
// than --start-timeout: the tests use the latter.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour, script, scripted } from '../../support/reloadable.js';
import { meta, modern, script as modernScript } from '../modern/modern.js';
import { build, builtFiles, failureIn, failureOf, namesIn, standInTools } from './failures.js';

const options = ['--start-timeout', '2000'];
const waits = (more = '') => `
  export const methods = { initialize: async ({ protocolVersion }) => {
    console.error('waiting for the model');
    await appears('gate');
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'late', version: '1' } };
  } };
  export const tools = { which: () => generation };${more}`;
const toolsChanged = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed';

describe('born late', { concurrency: 4 }, () => {
  test('P7 a first start that takes longer than --start-timeout, but not that long, is no failure', async (t) => {
    const slow = `export const methods = { initialize: async ({ protocolVersion }) => {
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } };
    } };
    export const tools = { which: () => generation };`;
    const proxy = await live(t, scripted(slow), { options, initialize: false });
    assert.equal((await proxy.initialize()).serverInfo.name, 'slow');
    assert.equal(await proxy.call('which'), '1');
    assert.doesNotMatch(proxy.stderr(), /failed|crashed/);
  });

  test('P14 a client that opens the session a dozen times before it is answered is no reason for a warning', async (t) => {
    const proxy = await live(t, scripted(waits()), { options, initialize: false });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'eager', version: '1' } };
    const answers = Array.from({ length: 12 }, () => proxy.request('initialize', params));
    await proxy.received(/"initialize"/);
    proxy.files.write('gate', '');
    // Whoever runs the tests fails a run in which a process warns.
    for (const { result } of await Promise.all(answers)) assert.equal(result.serverInfo.name, 'late');
  });

  test('P7 a server that does not answer initialize: the client is answered, and the server is adopted when it does', async (t) => {
    const proxy = await live(t, scripted(waits()), { options, initialize: false });
    const result = await proxy.initialize();
    assert.notEqual(result.serverInfo.name, 'late');
    assert.deepEqual(namesIn((await proxy.request('tools/list')).result.tools), standInTools);
    const text = await failureOf(proxy, 'which');
    assert.match(text, /`node` has not answered the handshake for 7 s, but is still running\./);
    assert.match(text, /waiting for the model/);
    proxy.files.write('gate', '');
    await proxy.waitFor(toolsChanged, 'news of the tools');
    assert.equal(await proxy.call('which'), '1');
    assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'which');
    const told = proxy.told(1).map(({ method }) => method);
    assert.deepEqual(told.slice(0, 2), ['initialize', 'notifications/initialized'], 'each once, nothing else before');
    assert.equal(told.filter((method) => /initialize/.test(method ?? '')).length, 2);
  });

  test('P7 P16 the same for a modern client that asks for no more than a list; its late answer is not heard twice', async (t) => {
    const late = `export const methods = { 'server/discover': async () => {
      await appears('gate');
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
    } };
    export const tools = { which: () => generation };`;
    const proxy = await modern(t, modernScript(late), { options });
    const { error } = await proxy.ask('server/discover');
    assert.equal(error?.code, -32601, 'nothing says that it is modern');
    await proxy.open('s', { toolsListChanged: true });
    assert.deepEqual(namesIn((await proxy.ask('tools/list')).result.tools), standInTools);
    assert.match(failureIn(await proxy.ask('tools/call', { name: 'which' }), proxy.transcript), /has not answered/);
    proxy.files.write('gate', '');
    await proxy.streamed('s', 'notifications/tools/list_changed');
    assert.equal(await proxy.which(), '1');
    assert.equal((await proxy.ask('tools/list')).result.tools[0].name, 'which');
  });

  test('P7 P16 the same for a server/discover that the client gives up for initialize', async (t) => {
    const late = `export const methods = { 'server/discover': async () => {
      await appears('gate');
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    } };
    export const tools = { which: () => generation };`;
    const proxy = await modern(t, modernScript(late), { options, era: 'legacy' });
    await proxy.ask('server/discover');
    await proxy.initialize();
    assert.deepEqual(namesIn((await proxy.request('tools/list')).result.tools), standInTools);
    proxy.files.write('gate', '');
    await proxy.waitFor(toolsChanged, 'news of the tools');
    assert.equal(await proxy.call('which'), '1');
    const told = proxy.told(1).map(({ method }) => method);
    assert.deepEqual(told.slice(0, 3), ['server/discover', 'initialize', 'notifications/initialized']);
  });

  test('P7 a server that hangs, then is mended: the new one serves, the old one is gone', async (t) => {
    const proxy = await live(t, scripted(waits()), { options, unready: true });
    const { pid } = proxy.journal()[0]!;
    proxy.save(script(`export const tools = { which: () => generation };`));
    assert.equal(await proxy.call('which'), '2');
    await proxy.gone(pid);
    proxy.files.write('gate', '');
    assert.equal(await proxy.call('which'), '2');
    assert.ok(proxy.notifications().includes('notifications/tools/list_changed'), proxy.transcript());
  });

  test('P7 P15 a server that hangs, then dies: it is started again', async (t) => {
    const proxy = await live(t, scripted(waits()), { options, unready: true });
    await proxy.request('tools/list');
    proxy.files.write('gate', '');
    process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
    await proxy.waitFor(toolsChanged, 'news of the tools');
    assert.notEqual(await proxy.call('which'), '1');
  });

  test('P7 a server that answers late with an error has failed to start', async (t) => {
    const refusing = `export const methods = { initialize: async () => {
      await appears('gate');
      throw new Error('not today');
    } };`;
    const proxy = await live(t, scripted(refusing), { options, unready: true });
    proxy.files.write('gate', '');
    await proxy.waitForLog(/start failed: .*not today/);
    assert.match(await failureOf(proxy), /not today/);
  });

  test('P7 a first build that takes too long: the client is answered, and what it asks then waits for the server', async (t) => {
    const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one'), 'hold-build': '' };
    const proxy = await live(t, files, { options: [...options, ...build], initialize: false });
    const result = await proxy.initialize();
    assert.equal(result.capabilities.tools.listChanged, true);
    const asked = [proxy.call('answer'), proxy.request('tools/list')] as const;
    proxy.files.remove('hold-build');
    assert.equal(await asked[0], 'one');
    assert.ok((await asked[1]).result.tools.length > 0);
    const told = proxy.told(1).map(({ method }) => method);
    assert.deepEqual(told.slice(0, 2), ['initialize', 'notifications/initialized']);
  });

  test('P7 P16 the same, modern: what nothing is known of is refused', async (t) => {
    const proxy = await modern(t, modernScript('export const tools = { which: () => generation };'), {
      options: [
        ...options,
        '--build',
        `node -e "setInterval(()=>require('fs').existsSync('gate')&&process.exit(),20)"`,
      ],
    });
    const { error } = await proxy.ask('server/discover', {}, { meta });
    assert.equal(error?.code, -32601);
    const asked = proxy.which();
    proxy.files.write('gate', '');
    assert.equal(await asked, '1');
  });
});
