// A first start that takes long, of a command that has run before: the client's opening is answered after 1.5 s with
// what the command said then, and nothing else is. Everything waits until the server answers or fails; only then it is
// born broken, or late (born-late.test.ts).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FORESEEN_AFTER_MS } from '#src/lineage/start-timeout.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, script, scripted } from '../../support/reloadable.js';
import { meta, modern, script as modernScript, SERVER_INFO } from '../modern/modern.js';
import { build, builtFiles, failureIn, failureOf, memory, withMemory } from './failures.js';

const version = '2025-06-18';
const said = {
  protocolVersion: version,
  capabilities: { tools: {}, logging: {} },
  serverInfo: { name: 'before', version: '1' },
  instructions: 'Count sheep.',
};
const last = { initialize: said, versions: { [version]: version } };
const known = memory(last);
const answered = { ...said, capabilities: { tools: { listChanged: true }, logging: {} } };

/** A server that loads until there is a file `gate`. */
const slow = (more = '') =>
  script(`console.error('loading'); await appears('gate'); export const tools = { which: () => generation };${more}`);
const files = (source = slow()) => ({ ...scripted(''), ...known, 'src/script.mjs': source });
const opening = { options: withMemory, initialize: false as const };
const failed = /failed|crashed/;

async function open(proxy: ReloadProject): Promise<unknown> {
  return proxy.initialize({ protocolVersion: version });
}

describe('a slow first start', { concurrency: 4 }, () => {
  test('P7 P9 initialize is answered with what the command said before, and the rest waits for the server', async (t) => {
    const proxy = await live(t, files(), opening);
    assert.deepEqual(await open(proxy), answered);
    const asked = [proxy.call('which'), proxy.request('tools/list'), proxy.request('prompts/list')] as const;
    assert.deepEqual((await proxy.request('ping')).result, {}, 'which needs no server');
    assert.equal(proxy.messages.length, 2, proxy.transcript());
    proxy.files.write('gate', '');
    assert.equal(await asked[0], '1');
    assert.equal((await asked[1]).result.tools[0].name, 'which');
    assert.deepEqual((await asked[2]).result, { prompts: [] });
    assert.deepEqual(
      proxy
        .told(1)
        .map(({ method }) => method)
        .slice(0, 2),
      ['initialize', 'notifications/initialized'],
    );
    assert.equal(proxy.told(1).filter(({ method }) => method === 'initialize').length, 1);
    assert.doesNotMatch(proxy.stderr(), failed);
    assert.equal(proxy.stderr().match(/ready: generation 1/g)?.length, 1, proxy.stderr());
    assert.deepEqual(proxy.notifications(), [], 'the client has no list that could have changed');
  });

  test('P7 what the server then says of itself is compared, and a difference is in the log', async (t) => {
    const gains = `export const capabilities = { tools: {}, logging: {}, completions: {} };
      export const methods = { initialize: () => ({ protocolVersion: '2024-11-05', capabilities, serverInfo: { name: 'now', version: '2' } }) };`;
    const proxy = await live(t, files(slow(gains)), opening);
    await open(proxy);
    proxy.files.write('gate', '');
    assert.equal(await proxy.call('which'), '1');
    await proxy.waitForLog(/gained a capability: completions/);
    await proxy.waitForLog(/protocol version 2024-11-05, the client was told 2025-06-18/);
  });

  test('P7 a server that answers in time is asked itself', async (t) => {
    const proxy = await live(t, files(script(`export const tools = { which: () => generation };`)), opening);
    assert.equal(((await open(proxy)) as typeof said).serverInfo.name, 'scripted');
    assert.equal(await proxy.call('which'), '1');
  });

  for (const options of [
    ['--strategy', 'overlap'],
    ['--strategy', 'replace'],
    ['--while-reloading', 'serve'],
  ]) {
    test(`P4 a save meanwhile, ${options.join(' ')}: what waits is executed by the new code`, async (t) => {
      const proxy = await live(t, files(), { ...opening, options: [...withMemory, ...options] });
      await open(proxy);
      const asked = proxy.call('which');
      proxy.save(script(`export const tools = { which: () => 'saved' };`));
      assert.equal(await asked, 'saved');
      assert.doesNotMatch(proxy.stderr(), failed);
    });

    test(`P4 a save before that, ${options.join(' ')}: the new server is slow too, and initialize is answered all the same`, async (t) => {
      const proxy = await live(t, files(), { ...opening, options: [...withMemory, ...options] });
      const opened = open(proxy);
      await proxy.waitForLog('loading');
      proxy.save(slow(`export const methods = { ping: () => ({}) };`));
      assert.deepEqual(await opened, answered);
      const asked = proxy.call('which');
      proxy.files.write('gate', '');
      assert.equal(await asked, '2');
      assert.doesNotMatch(proxy.stderr(), failed);
    });
  }

  test('P7 P15 one that dies is started again, and nobody hears of it', async (t) => {
    const dies = `import { existsSync, writeFileSync } from 'node:fs';
      const isFirst = !existsSync('tried');
      writeFileSync('tried', '');
      if (isFirst) { await appears('gate'); process.exit(1); }
      export const tools = { which: () => generation };`;
    const proxy = await live(t, files(script(dies)), opening);
    await open(proxy);
    const asked = [proxy.call('which'), proxy.request('tools/list')] as const;
    proxy.files.write('gate', '');
    assert.equal(await asked[0], '2');
    assert.equal((await asked[1]).result.tools[0].name, 'which');
  });

  test('P7 one that dies twice is born broken: what waits is told, and the mended server serves', async (t) => {
    const dies = script(`await appears('gate'); throw new Error('no model');`);
    const proxy = await live(t, files(dies), opening);
    await open(proxy);
    const asked = [proxy.request('tools/call', { name: 'which' }), proxy.request('tools/list')] as const;
    proxy.files.write('gate', '');
    assert.match(failureIn(await asked[0], proxy.transcript), /^The MCP server did not start[^]*no model/);
    assert.match((await asked[1]).result.tools[0].description, /no model/);
    proxy.save(slow());
    assert.match(await proxy.call('which'), /^\d+$/);
    assert.ok(proxy.notifications().includes('notifications/tools/list_changed'));
  });

  test('P7 one that hangs is born broken when it has had its time, and adopted when it comes', async (t) => {
    const proxy = await live(t, files(), {
      ...opening,
      options: [...withMemory, '--start-timeout', '1', '--hold', '0'],
    });
    await open(proxy);
    assert.doesNotMatch(proxy.stderr(), failed);
    assert.match(
      await failureOf(proxy, 'which'),
      /has not answered the handshake for 5 s, but is still running[^]*loading/,
    );
    assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'server_status');
    proxy.files.write('gate', '');
    await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'news of the tools');
    assert.equal(await proxy.call('which'), '1');
  });

  test('P12.hold what waits longer than --hold is told so', async (t) => {
    const proxy = await live(t, files(), { ...opening, options: [...withMemory, '--hold', '200'] });
    await open(proxy);
    assert.match(
      failureIn(await proxy.request('tools/call', { name: 'which' }), proxy.transcript),
      /is being started, and this request has waited 0\.2 s/,
    );
    proxy.files.write('gate', '');
  });

  test('P1 a second initialize is answered too, once', async (t) => {
    const proxy = await live(t, files(), opening);
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'eager', version: '1' } };
    const both = [proxy.request('initialize', params), proxy.request('initialize', params)];
    for (const { result } of await Promise.all(both)) assert.deepEqual(result, answered);
    assert.deepEqual((await proxy.request('initialize', params)).result, answered, 'and one that comes later');
    proxy.files.write('gate', '');
    assert.equal(await proxy.call('which'), '1');
  });

  test('P13 a client that goes meanwhile is not kept', async (t) => {
    const proxy = await live(t, files(), opening);
    await open(proxy);
    proxy.end();
    assert.equal((await proxy.exit()).code, 0);
  });

  test('P7 a slow first build is a slow start', async (t) => {
    const built = { ...builtFiles(), ...known, 'src/behaviour.mjs': behaviour('one'), 'hold-build': '' };
    const proxy = await live(t, built, { ...opening, options: [...withMemory, ...build] });
    assert.deepEqual(await open(proxy), answered);
    const asked = [proxy.call('answer'), proxy.request('tools/list')] as const;
    proxy.files.remove('hold-build');
    assert.equal(await asked[0], 'one');
    assert.ok((await asked[1]).result.tools.length > 0);
    assert.doesNotMatch(proxy.stderr(), failed);
    assert.match(proxy.stderr(), /ready: generation 1/);
  });

  test('P7 a slow first build that fails is born broken', async (t) => {
    const built = { ...builtFiles(), ...known, 'src/behaviour.mjs': behaviour('wrong'), 'hold-build': '' };
    const proxy = await live(t, built, { ...opening, options: [...withMemory, ...build] });
    await open(proxy);
    const asked = proxy.request('tools/call', { name: 'answer' });
    proxy.files.remove('hold-build');
    assert.match(failureIn(await asked, proxy.transcript), /^The build of the MCP server failed/);
  });

  test('P16 a client that opens with discover: what was seen to refuse it does so, and initialize is answered', async (t) => {
    const refused = memory({ ...last, refusesDiscover: true });
    const proxy = await live(t, { ...files(), ...refused }, opening);
    assert.equal((await proxy.request('server/discover', { _meta: meta })).error?.code, -32601);
    assert.deepEqual(await open(proxy), answered);
    const asked = proxy.call('which');
    proxy.files.write('gate', '');
    assert.equal(await asked, '1');
    assert.deepEqual(
      proxy
        .told(1)
        .map(({ method }) => method)
        .slice(0, 3),
      ['server/discover', 'initialize', 'notifications/initialized'],
    );
  });

  test('P16 a client that opens with discover: what only legacy clients have seen is waited for, since it may be modern', async (t) => {
    const source = modernScript(`await appears('gate'); export const tools = { which: () => generation };`);
    const proxy = await modern(t, source, { files: known, options: withMemory });
    const asked = proxy.ask('server/discover');
    // Longer than a command that is remembered is waited for.
    await Promise.race([asked, delay(2 * FORESEEN_AFTER_MS)]);
    proxy.files.write('gate', '');
    assert.ok((await asked).result, proxy.transcript());
    assert.equal(await proxy.which(), '1');
  });

  test('P16 a client that opens with discover: what was seen to be modern is told, and the rest waits', async (t) => {
    const info = { [SERVER_INFO]: { name: 'before', version: '1' } };
    const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, _meta: info };
    const source = modernScript(`await appears('gate'); export const tools = { which: () => generation };`);
    const proxy = await modern(t, source, { files: memory({ 'server/discover': discovered }), options: withMemory });
    const { result } = await proxy.ask('server/discover');
    assert.deepEqual(result['_meta'], info);
    const asked = [proxy.which(), proxy.ask('tools/list')] as const;
    assert.equal(proxy.messages.length, 1, proxy.transcript());
    proxy.files.write('gate', '');
    assert.equal(await asked[0], '1');
    assert.equal((await asked[1]).result.tools[0].name, 'which');
    assert.doesNotMatch(proxy.stderr(), failed);
  });
});
