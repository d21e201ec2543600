// Born broken, legacy: a server that has never come up costs no session. It is opened all the same, with tools and
// calls that tell why; when the server comes up, everything is replayed to it and list_changed brings its tools in. The
// modern era is born-broken-modern.test.ts's, a server that is merely late born-late.test.ts's.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';
import { build, builtFiles, failureOf, namesIn, standInTools } from './failures.js';

const listChanged = { listChanged: true };
const broken = (says = 'one', source = 'export default {') => ({ ...reloadable(says), 'src/behaviour.mjs': source });

async function lists(proxy: ReloadProject): Promise<object[]> {
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const [tools, ...others] = await Promise.all(methods.map(async (method) => (await proxy.request(method)).result));
  return [{ tools: namesIn(tools.tools) }, ...others];
}

const empty = [{ tools: standInTools }, { prompts: [] }, { resources: [] }, { resourceTemplates: [] }];

describe('born broken', { concurrency: 3 }, () => {
  for (const strategy of ['overlap', 'replace']) {
    test(`P7 born broken (${strategy}): the session comes up, the lists have nothing but our tools, and the mended server’s tools come by list_changed`, async (t) => {
      const proxy = await live(t, broken(), { initialize: false, options: ['--strategy', strategy] });
      const result = await proxy.initialize({ protocolVersion: '2025-06-18' });
      assert.equal(result.protocolVersion, '2025-06-18');
      assert.deepEqual(result.capabilities, { tools: listChanged, prompts: listChanged, resources: listChanged });
      assert.equal(typeof result.serverInfo.name, 'string');
      assert.deepEqual(await lists(proxy), empty);
      const text = await failureOf(proxy);
      assert.match(
        text,
        /^The MCP server did not start.*`node` exited with code 1[^]*SyntaxError: Unexpected end of input/,
      );
      assert.match(text, /Fix the error in the source and call the tool again/);
      assert.deepEqual((await proxy.request('ping')).result, {});
      const { error } = await proxy.request('resources/read', { uri: 'a:b' });
      assert.deepEqual([error?.code, error?.data.kind, error?.data.command], [-32603, 'start', 'node']);
      assert.deepEqual((await proxy.request('logging/setLevel', { level: 'debug' })).result, {});
      for (const uri of ['a:b', 'c:d'])
        assert.deepEqual((await proxy.request('resources/subscribe', { uri })).result, {});
      assert.deepEqual((await proxy.request('resources/unsubscribe', { uri: 'c:d' })).result, {});

      proxy.save(behaviour('two'));
      await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'news of the tools');
      assert.equal(await proxy.call('answer'), 'two');
      const { tools } = (await proxy.request('tools/list')).result;
      assert.ok(tools.some(({ name }: { name: string }) => name === 'answer'));
      assert.deepEqual(
        proxy.notifications().filter((method) => method.endsWith('list_changed')),
        ['notifications/tools/list_changed'],
        'only of what there is',
      );
      const told = proxy.journal().map(({ line }) => JSON.parse(line));
      const replayed = ['initialize', 'notifications/initialized', 'logging/setLevel', 'resources/subscribe'];
      assert.deepEqual(
        told.slice(0, 4).map(({ method }) => method),
        replayed,
      );
      assert.equal(told[0].params.protocolVersion, '2025-06-18');
      assert.deepEqual([told[2].params, told[3].params], [{ level: 'debug' }, { uri: 'a:b' }]);
    });
  }

  for (const [how, source] of [
    ['exits with 0', 'process.exit(0);'],
    ['asks for a restart before it has said anything', 'process.exit(42);'],
    ['is killed', `process.kill(process.pid, 'SIGKILL');`],
    ['imports what is not there', `import './missing.mjs';`],
  ] as const) {
    test(`P7 born broken: a server that ${how} has failed to start, and the client has a session`, async (t) => {
      const proxy = await live(t, broken('one', `${source}\nexport default {};`));
      assert.match(await failureOf(proxy), /^The MCP server did not start/);
      proxy.save(behaviour('two'));
      assert.equal(await proxy.call('answer'), 'two');
    });
  }

  test('P7 born broken: a reason that the server gives on stdout is told, and no line of it reaches the client', async (t) => {
    const proxy = await live(t, scripted(`console.log('set API_KEY first'); process.exitCode = 1; process.exit();`));
    assert.match(await failureOf(proxy), /exited with code 1[^]*Its output:\n\nset API_KEY first\n/);
    const { error } = await proxy.request('resources/read', { uri: 'a:b' });
    assert.match(error?.data.output, /set API_KEY first/);
    for (const { message } of proxy.messages) assert.equal(message?.jsonrpc, '2.0');
  });

  test('P7 born broken: an initialize that is sent before the first start or after the second failed is answered alike', async (t) => {
    const proxy = await live(t, broken(), { initialize: false });
    await proxy.waitForLog(/SyntaxError/);
    await proxy.waitForLog(/SyntaxError/, { from: proxy.stderr().split('\n').length });
    await proxy.initialize();
    assert.match(await failureOf(proxy), /SyntaxError/);
  });

  test('P7 born broken: a server that exits over initialize is sent it again, once, then the client is answered', async (t) => {
    const dying = `export const methods = { initialize: () => { console.error('not that version'); process.exit(7); } };`;
    const files = { ...scripted(''), 'src/script.mjs': script(dying) };
    const proxy = await live(t, files, { unready: true });
    assert.match(await failureOf(proxy), /exited with code 7[^]*not that version/);
    const asked = proxy.journal().filter(({ line }) => line.includes('"initialize"'));
    assert.ok(asked.length >= 2 && asked[0]!.generation === 1 && asked[1]!.generation === 2);
    proxy.save(script(`export const tools = { answer: () => 'mended' };`));
    assert.equal(await proxy.call('answer'), 'mended');
  });

  test('P7 born broken: one failed start is not told of; the second serves', async (t) => {
    const flaky = `import { existsSync, writeFileSync } from 'node:fs';
    if (!existsSync('tried')) { writeFileSync('tried', ''); process.exit(1); }
    export const tools = { which: () => generation };`;
    const proxy = await live(t, scripted(flaky));
    assert.equal(await proxy.call('which'), '2');
    assert.deepEqual(proxy.notifications(), []);
  });

  test('P7 P15 born broken: it is tried again without a change, and what comes up is announced without being asked', async (t) => {
    const needs = `import { existsSync } from 'node:fs';
    if (!existsSync('database')) throw new Error('no database');
    export const tools = { answer: () => 'at last' };`;
    const proxy = await live(t, scripted(needs));
    await proxy.request('tools/list');
    assert.match(await failureOf(proxy), /no database/);
    proxy.files.write('database', '');
    await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'news of the tools');
    assert.equal(await proxy.call('answer'), 'at last');
    assert.equal(proxy.stderr().match(/reloaded in/g)?.length, 1, 'and it is not restarted for nothing');
  });

  test('P7 P5 born broken: an edit that does not help, then help from elsewhere: one start, not two', async (t) => {
    const needs = (version: string) =>
      script(`import { existsSync } from 'node:fs';
    if (!existsSync('database')) throw new Error('no database for ${version}');
    export const tools = { which: () => generation, answer: () => '${version}' };`);
    const proxy = await live(t, { ...scripted(''), 'src/script.mjs': needs('1') });
    assert.match(await failureOf(proxy), /database for 1/);
    proxy.save(needs('2'));
    assert.match(await failureOf(proxy), /database for 2/);
    proxy.files.write('database', '');
    await proxy.waitForLog(/reloaded in/);
    const first = await proxy.call('which');
    proxy.files.touch('src/script.mjs');
    assert.equal(await proxy.call('answer'), '2');
    assert.equal(await proxy.call('which'), first);
  });

  test('P7 born broken: a first build that fails; the session comes up, and the next save builds and starts', async (t) => {
    const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('wrong') };
    const proxy = await live(t, files, { options: build });
    assert.match(await failureOf(proxy), /^The build of the MCP server failed: `node build\.mjs`[^]*this is wrong/);
    assert.deepEqual(await lists(proxy), empty);
    assert.equal(proxy.builds(), 1);
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    assert.ok(proxy.notifications().includes('notifications/tools/list_changed'));
  });

  test('P7 born broken: what the command said of itself the last time is said again, with what the proxy promises', async (t) => {
    const capabilities = { tools: { odd: 1 }, logging: {}, resources: { subscribe: true } };
    const proxy = await live(t, reloadable({ answer: 'one', capabilities }), {
      options: ['--state-dir', 'state'],
      initialize: false,
    });
    const first = await proxy.initialize();
    while (!existsSync(proxy.files.path('state/introductions.json'))) await proxy.request('ping');

    const options = ['--state-dir', proxy.files.path('state')];
    const again = await live(t, broken(), { options, initialize: false });
    const { instructions, ...result } = await again.initialize();
    assert.deepEqual(result, first);
    assert.match(instructions, /SyntaxError/);
    assert.deepEqual(first.capabilities, {
      tools: { odd: 1, ...listChanged },
      logging: {},
      resources: { subscribe: true, ...listChanged },
    });
  });

  test('P7 born broken: what a mended server says of itself is remembered too', async (t) => {
    const proxy = await live(t, broken(), { options: ['--state-dir', 'state'] });
    proxy.save(behaviour({ answer: 'two', capabilities: { tools: { odd: 2 } } }));
    assert.equal(await proxy.call('answer'), 'two');
    proxy.save('export default {');
    await failureOf(proxy);
    const { initialize } = JSON.parse(readFileSync(proxy.files.path('state/introductions.json'), 'utf8'));
    assert.deepEqual(initialize.capabilities, { tools: { odd: 2 } });
  });
});
