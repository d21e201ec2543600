// P7: a failure whose cause nobody watches. A tool call that meets it tries once more what failed, calls that come
// meanwhile join it, and a server that dies while a failure stands is started again. What ends a failure otherwise is
// standing.test.ts's.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, script, scripted } from '../../support/reloadable.js';
import type { Message } from '../../support/message.js';
import { modern, script as modernScript } from '../modern/modern.js';
import { build, builtFiles, countLog, failureOf } from './failures.js';

/** It starts only where there is a file called `database`, and writes down that it was started. */
const needs = (version: string): string =>
  `import { appendFileSync, existsSync } from 'node:fs';
  appendFileSync('starts', '${version}');
  if (!existsSync('database')) throw new Error('no database');
  export const tools = { which: () => '${version}' };`;
const files = (): Record<string, string> => ({
  ...scripted(''),
  'src/script.mjs': script(needs('1')),
  database: '',
  starts: '',
});

/** How often this version was started. */
const starts = (proxy: ReloadProject, version: string): number =>
  readFileSync(proxy.files.path('starts'), 'utf8').split(version).length - 1;

/** Calls until the answer is no failure. When that is, the proxy decides: it says so in its words. */
async function callUntilServed(ask: () => Promise<Message>): Promise<Message> {
  for (;;) {
    const answer = await ask();
    if (answer.result?.isError !== true) return answer;
    await delay(100);
  }
}

describe('what failed is tried again by a tool call', { concurrency: 3 }, () => {
  for (const strategy of ['overlap', 'replace']) {
    test(`P7 a start that failed for want of something that nobody watches (${strategy})`, async (t) => {
      const proxy = await live(t, files(), { options: ['--strategy', strategy] });
      proxy.files.remove('database');
      proxy.save(script(needs('2')));
      const text = await failureOf(proxy, 'which');
      assert.match(text, /no database/);
      assert.match(text, /last tried at \d\d:\d\d:\d\d UTC\. .*a call \d+ s after that time, or later, tries again/);
      proxy.files.write('database', '');
      const { result } = await callUntilServed(() => proxy.request('tools/call', { name: 'which' }));
      assert.equal(result.content[0].text, '2', proxy.transcript());
      assert.equal(countLog(proxy, /: changed: src\/script\.mjs/), 1, 'no edit is told that was not made');
    });
  }

  test('P7 P16 the same for a modern client', async (t) => {
    const proxy = await modern(t, modernScript(`export const tools = { which: () => '1' };`));
    assert.equal(await proxy.which(), '1');
    proxy.save(modernScript(needs('2')));
    const first = await proxy.ask('tools/call', { name: 'which' });
    assert.match(first.result.content[0].text, /no database/);
    proxy.files.write('database', '');
    const { result } = await callUntilServed(() => proxy.ask('tools/call', { name: 'which' }));
    assert.equal(result.content[0].text, '2');
  });

  test('P7 calls that meet the same attempt join it: all are answered by its end, and it is made once', async (t) => {
    const proxy = await live(t, files());
    proxy.files.remove('database');
    proxy.save(script(needs('2')));
    assert.match(await failureOf(proxy, 'which'), /no database/);
    const before = starts(proxy, '2');
    const ask = () => proxy.request('tools/call', { name: 'which' });
    while (starts(proxy, '2') === before) {
      const texts = await Promise.all([ask(), ask(), ask()]);
      for (const { result } of texts) assert.match(result.content[0].text, /no database/);
      await delay(50);
    }
    assert.equal(starts(proxy, '2'), before + 1, proxy.transcript());
  });

  test('P7 a build that failed is built again, and a start that failed is not', async (t) => {
    const flaky = `import { existsSync as isThere } from 'node:fs';\nif (!isThere('compiler')) throw new Error('no compiler');\n`;
    const made = builtFiles();
    made['build.mjs'] = flaky + made['build.mjs']!;
    const proxy = await live(t, { ...made, compiler: '', 'src/behaviour.mjs': behaviour('one') }, { options: build });
    proxy.files.remove('compiler');
    proxy.save(behaviour('two'));
    assert.match(await failureOf(proxy), /no compiler/);
    proxy.files.write('compiler', '');
    const { result } = await callUntilServed(() => proxy.request('tools/call', { name: 'answer' }));
    assert.equal(result.content[0].text, 'two');
    const before = proxy.builds();
    // What is started fails, once it is built; the reason lies beside what is built.
    proxy.files.write('stop', '');
    const stops = `import { existsSync } from 'node:fs';\nif (existsSync('stop')) throw new Error('stopped');\n`;
    proxy.files.write('server.mjs', stops + made['server.mjs']!);
    proxy.save(behaviour('three'));
    assert.match(await failureOf(proxy), /stopped/);
    assert.equal(proxy.builds(), before + 1);
    proxy.files.remove('stop');
    const started = await callUntilServed(() => proxy.request('tools/call', { name: 'answer' }));
    assert.equal(started.result.content[0].text, 'three');
    assert.equal(proxy.builds(), before + 1, 'what is built is not built again');
  });

  test('P7 --on-failure serve: the old code answers at once, and what failed is tried again beside it', async (t) => {
    const proxy = await live(t, files(), { options: ['--on-failure', 'serve'] });
    proxy.files.remove('database');
    proxy.save(script(needs('2')));
    const { result } = await proxy.request('tools/call', { name: 'which' });
    assert.equal(result.content[0].text, '1');
    assert.match(result.content[1].text, /last tried at \d\d:\d\d:\d\d UTC; calls try it again/);
    proxy.files.write('database', '');
    for (;;) {
      const answer = await proxy.request('tools/call', { name: 'which' });
      assert.notEqual(answer.result.isError, true);
      if (answer.result.content[0].text === '2') break;
      await delay(100);
    }
  });

  test('P7 P15 replace: a start that failed is made again by itself, without a call', async (t) => {
    const proxy = await live(t, files(), { options: ['--strategy', 'replace'] });
    proxy.files.remove('database');
    proxy.save(script(needs('2')));
    await proxy.waitForLog(/start failed/);
    proxy.files.write('database', '');
    await proxy.waitForLog(/reloaded in/);
    assert.equal(await proxy.call('which'), '2');
  });

  test('P7 P15 a server that dies while a start has failed: what is on the disk is started, until it comes', async (t) => {
    const proxy = await live(t, files());
    proxy.files.remove('database');
    proxy.save(script(needs('2')));
    assert.match(await failureOf(proxy, 'which'), /no database/);
    process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
    await proxy.waitForLog('SIGKILL');
    await proxy.waitForLog(/start failed/, { from: proxy.stderr().split('\n').length - 1 });
    proxy.files.write('database', '');
    await proxy.waitForLog(/reloaded in/);
    assert.equal(await proxy.call('which'), '2');
  });

  test('P7 P4 a server that dies while a build has failed: the earlier build serves again, but no tool of it', async (t) => {
    const proxy = await live(t, { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') }, { options: build });
    proxy.save(behaviour('wrong'));
    assert.match(await failureOf(proxy), /this is wrong/);
    process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
    await proxy.waitForLog(/generation 2 serves what was built before/);
    assert.equal((await proxy.request('resources/read', { uri: 'a:b' })).result.contents[0].text, 'one');
    assert.match(await failureOf(proxy), /this is wrong/);
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
  });
});
