// A failure that stands, for both eras and both strategies: who is told of it and in which form, what --on-failure
// serve makes of it, and what ends it. The ways to fail are failing-build.test.ts's and failing-start.test.ts's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { behaviour, script, scripted } from '../../support/reloadable.js';
import type { Json } from '../../support/message.js';
import { modern, script as modernScript } from '../modern/modern.js';
import { build, builtFiles, failureIn, failureOf } from './failures.js';

const good = (version: string) => `export const tools = { which: () => '${version}' };`;
const legacy = (version = '1') => ({ ...scripted(''), 'src/script.mjs': script(good(version)) });
const bad = `console.error('no way'); process.exit(3);`;
const facts = {
  kind: 'start',
  command: 'node',
  how: 'exited with code 3 before the handshake was done',
  output: 'no way\n',
};

/** What is told of a failure, without the time of its attempt. */
function factsIn({ tried, ...rest }: Json): Json {
  assert.ok(tried.againAfterMs >= 2000 && Date.parse(tried.at) <= Date.now(), JSON.stringify(tried));
  return rest;
}

describe('a failure that stands', { concurrency: 3 }, () => {
  test('P7 P16 overlap, modern: calls get the failure as a complete result, all else is answered by the old server', async (t) => {
    const proxy = await modern(t, modernScript(good('1')));
    assert.equal(await proxy.which(), '1');
    proxy.save(bad);
    const answer = await proxy.ask('tools/call', { name: 'which' });
    assert.match(failureIn(answer, proxy.transcript), /exited with code 3[^]*no way/);
    assert.equal(answer.result.resultType, 'complete');
    const { result } = await proxy.ask('tools/list');
    assert.equal(result.tools[0].name, 'which');
    proxy.save(modernScript(good('2')));
    assert.equal(await proxy.which(), '2');
  });

  test('P7 replace: with no server, calls get the failure as a result and all else as an error with the facts in its data', async (t) => {
    const proxy = await live(t, legacy(), { options: ['--strategy', 'replace'] });
    proxy.save(bad);
    assert.match(await failureOf(proxy, 'which'), /exited with code 3[^]*no way/);
    for (const method of ['tools/list', 'prompts/get', 'resources/read', 'completion/complete', 'logging/setLevel']) {
      const { error } = await proxy.request(method, {});
      assert.equal(error?.code, -32603);
      assert.match(
        error.message,
        /^The MCP server did not start.*`node` exited with code 3.*send the request again\.$/,
      );
      assert.deepEqual(factsIn(error.data), facts);
    }
    assert.deepEqual((await proxy.request('ping')).result, {});
    await proxy.notify('notifications/roots/list_changed');
    await proxy.send(
      '[{"jsonrpc":"2.0","id":"a","method":"tools/list"},{"jsonrpc":"2.0","id":"b","method":"tools/call"}]',
    );
    const { message } = await proxy.waitFor(Array.isArray, 'the answer to the batch');
    const [list, call] = message as unknown as [{ error: { data: object } }, { result: { isError: boolean } }];
    assert.deepEqual([factsIn(list.error.data), call.result.isError], [facts, true]);
    await proxy.send('{"jsonrpc":"2.0","id":7,');
    assert.equal((await proxy.response(null)).error?.code, -32700);
    proxy.save(script(good('2')));
    assert.equal(await proxy.call('which'), '2');
  });

  test('P7 P16 replace, modern: calls get a complete result, all else an error with the facts', async (t) => {
    const proxy = await modern(t, modernScript(good('1')), { options: ['--strategy', 'replace'] });
    assert.equal(await proxy.which(), '1');
    proxy.save(bad);
    const answer = await proxy.ask('tools/call', { name: 'which' });
    assert.match(failureIn(answer, proxy.transcript), /no way/);
    assert.equal(answer.result.resultType, 'complete');
    const { error } = await proxy.ask('tools/list');
    assert.deepEqual([error?.code, factsIn(error?.data)], [-32603, facts]);
    proxy.save(modernScript(good('2')));
    assert.equal(await proxy.which(), '2');
  });

  test('P7 replace: what is held while the new code fails is answered with the failure, not lost', async (t) => {
    const proxy = await live(t, legacy(), { options: ['--strategy', 'replace'] });
    const open = await proxy.saveHeld(bad);
    const held = [proxy.request('tools/call', { name: 'which' }), proxy.request('tools/list')];
    await proxy.request('ping');
    open();
    const [call, list] = await Promise.all(held);
    assert.match(failureIn(call!, proxy.transcript), /no way/);
    assert.deepEqual(factsIn(list?.error?.data), facts);
  });

  test('P7 replace: a build that fails costs no server: the old one goes on', async (t) => {
    const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') };
    const proxy = await live(t, files, { options: [...build, '--strategy', 'replace'] });
    proxy.save(behaviour('wrong'));
    assert.match(await failureOf(proxy), /this is wrong/);
    assert.equal((await proxy.request('resources/read', { uri: 'a:b' })).result.contents[0].text, 'one');
    proxy.save(behaviour('one'));
    assert.equal(JSON.parse(await proxy.call('generation')).generation, 1);
  });

  for (const strategy of ['overlap', 'replace']) {
    test(`P7 a request to restart tries again without a change (${strategy})`, async (t) => {
      const needs = (version: string) =>
        script(`import { existsSync } from 'node:fs';
      if (!existsSync('database')) throw new Error('no database');
      ${good(version)}`);
      const files = { ...legacy(), 'src/script.mjs': needs('1'), database: '' };
      const proxy = await live(t, files, { options: ['--strategy', strategy] });
      proxy.files.remove('database');
      proxy.save(needs('2'));
      await proxy.waitForLog(/start failed/);
      proxy.kill('SIGUSR2');
      await proxy.waitForLog(/start failed/, { from: proxy.stderr().split('\n').length - 1 });
      proxy.files.write('database', '');
      proxy.kill('SIGUSR2');
      await proxy.waitForLog(/reloaded in/);
      assert.equal(await proxy.call('which'), '2');
    });
  }

  test('P7 --on-failure serve: old code runs the tools, and each result says so in one more block', async (t) => {
    const odd = `export const tools = { which: () => '1' };
    export const methods = { 'tools/call': ({ name }) => name === 'odd'
      ? { extra: 1, content: [{ type: 'text', text: 'a' }, { type: 'image', data: '', mimeType: 'x/y' }], isError: true }
      : name === 'none' ? { structuredContent: {} } : { content: [] } };`;
    const proxy = await live(t, { ...legacy(), 'src/script.mjs': script(odd) }, { options: ['--on-failure', 'serve'] });
    const plain = await proxy.request('tools/call', { name: 'odd' });
    proxy.save(bad);
    const { result } = await proxy.request('tools/call', { name: 'odd' });
    const { content, ...rest } = result;
    assert.deepEqual({ ...rest, content: content.slice(0, 2) }, plain.result);
    assert.equal(content.length, 3);
    assert.equal(content[2].type, 'text');
    assert.match(content[2].text, /^This result is of the code before the last edit\. .*exited with code 3[^]*no way/);
    assert.equal((await proxy.request('tools/call', { name: 'empty' })).result.content.length, 1);
    assert.deepEqual((await proxy.request('tools/call', { name: 'none' })).result, { structuredContent: {} });
    assert.equal((await proxy.request('tools/list')).result.tools[0].name, 'which');
    proxy.save(script(good('2')));
    const { result: mended } = await proxy.request('tools/call', { name: 'which' });
    assert.deepEqual(mended, { content: [{ type: 'text', text: '2' }] });
  });

  test('P7 P2 --on-failure serve: nothing but the block is added to the bytes of the result', async (t) => {
    const result = '{ "content": [ {"type":"text","text":"\\u0061"} ], "big": 12345678901234567890, "one": 1.0 }';
    const raw = `export const methods = { 'tools/call': () => {
    process.stdout.write('{"jsonrpc":"2.0", "result":' + ${JSON.stringify(result)} + ',"id":"raw"}\\n');
  } };`;
    const proxy = await live(t, { ...legacy(), 'src/script.mjs': script(raw) }, { options: ['--on-failure', 'serve'] });
    proxy.save(bad);
    await proxy.request('tools/call', { name: 'x' }, { id: 'raw' });
    const line = String(proxy.messages.find(({ message }) => message.id === 'raw')?.raw);
    const block = JSON.stringify(JSON.parse(line).result.content[1]);
    assert.equal(
      line.replace(`,${block}`, '').replace(/\s/g, ''),
      `{"jsonrpc":"2.0", "result":${result},"id":"raw"}`.replace(/\s/g, ''),
    );
  });

  test('P7 P16 --on-failure serve, modern', async (t) => {
    const proxy = await modern(t, modernScript(good('1')), { options: ['--on-failure', 'serve'] });
    await proxy.which();
    proxy.save(bad);
    const { result } = await proxy.ask('tools/call', { name: 'which' });
    assert.equal(result.content[0].text, '1');
    assert.match(result.content[1].text, /code before the last edit.*exited with code 3/);
  });

  test('P7 --on-failure serve with replace: there is no old code to serve, calls get the failure', async (t) => {
    const proxy = await live(t, legacy(), { options: ['--on-failure', 'serve', '--strategy', 'replace'] });
    proxy.save(bad);
    assert.match(await failureOf(proxy, 'which'), /no way/);
  });
});
