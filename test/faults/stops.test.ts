// SIGSTOP and SIGCONT: a process that stands still is not a process that is gone. Of the server, the candidate in its
// handshake, the old server in its drain, and the proxy itself, which wakes up with all its timers due.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.js';
import { processesOf } from '../support/harness.js';
import { live, type ReloadProject } from '../support/reload-project.js';
import { behaviour, reloadable } from '../support/reloadable.js';
import { failureOf } from '../e2e/failures/failures.js';

const mayHaveRun = /may or may not have taken effect/;
const texts = async (answers: Promise<{ result?: { content: { text: string }[] } }>[]) =>
  (await Promise.all(answers)).map(({ result }) => result?.content[0]?.text);

/** The process of the generation that answers. */
async function pidOf(proxy: ReloadProject): Promise<number> {
  return (JSON.parse(await proxy.call('generation')) as { pid: number }).pid;
}

/** Source that goes on when the file exists. */
const waitsFor = (file: string) => `
  import { existsSync } from 'node:fs';
  while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 5));`;

/** With the lists served, nothing has to be asked of a server that does not answer. */
async function served(proxy: ReloadProject): Promise<void> {
  for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) await proxy.request(`${list}/list`);
}

function standsStill(pid: number, proxy: ReloadProject): Promise<true> {
  return until(() => /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')), 'a process to stop', proxy);
}

const ask = (proxy: ReloadProject, times: number) =>
  Array.from({ length: times }, () => proxy.request('tools/call', { name: 'answer' }));

describe('stopped processes', { concurrency: 4, skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  test('P1 P3 a server that is stopped and goes on: what was sent meanwhile is answered, in order', async (t) => {
    const proxy = await live(t, reloadable('one'));
    const pid = await pidOf(proxy);
    process.kill(pid, 'SIGSTOP');
    const from = proxy.messages.length;
    const sent = ask(proxy, 200);
    process.kill(pid, 'SIGCONT');
    assert.deepEqual(new Set(await texts(sent)), new Set(['one']));
    const ids = proxy.messages.slice(from).map(({ message }) => Number(String(message.id).replace('test-', '')));
    assert.deepEqual(
      ids,
      ids.map((_, at) => ids[0]! + at),
    );
    assert.equal(await pidOf(proxy), pid, 'nobody took it for dead');
  });

  test('P1 P13 a server that is stopped for good is replaced at a save; what it owed is answered, and it is gone', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--drain', '200', '--stop-timeout', '200'] });
    await served(proxy);
    const pid = await pidOf(proxy);
    process.kill(pid, 'SIGSTOP');
    const sent = ask(proxy, 5);
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    // A save may be noticed before a call that was sent before it is passed on.
    for (const { result } of await Promise.all(sent)) {
      if (result.isError !== true) assert.equal(result.content[0].text, 'two');
      else assert.match(result.content[0].text, mayHaveRun);
    }
    await proxy.gone(pid);
  });

  test('P1 an old server that is stopped in its drain and goes on in time: its answer is the answer', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--drain', '60000'] });
    await served(proxy);
    const pid = await pidOf(proxy);
    const gate = proxy.gate();
    const slow = await proxy.begin('effect', { file: proxy.files.path('effects'), until: gate.path });
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    process.kill(pid, 'SIGSTOP');
    gate.open();
    assert.equal(await proxy.call('answer'), 'two');
    process.kill(pid, 'SIGCONT');
    assert.equal((await slow.answer).result.content[0].text, '1');
    await proxy.gone(pid);
  });

  test('P7 a candidate that is stopped in its handshake: it is given up and told of, or serves if it goes on in time', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--start-timeout', '5000'] });
    await served(proxy);
    const stopped = `process.kill(process.pid, 'SIGSTOP');`;
    proxy.save(`console.error('stops', process.pid);${stopped}${behaviour('two')}`);
    const first = Number(/stops (\d+)/.exec(await proxy.waitForLog(/^stops \d+/))![1]);
    await standsStill(first, proxy);
    process.kill(first, 'SIGCONT');
    assert.equal(await proxy.call('answer'), 'two');
    proxy.save(`console.error('stays', process.pid);${stopped}${behaviour('three')}`);
    const second = Number(/stays (\d+)/.exec(await proxy.waitForLog(/^stays \d+/))![1]);
    assert.match(await failureOf(proxy), /did not answer the handshake within 5000 ms/);
    await proxy.gone(second);
    assert.equal((await proxy.request('resources/read', { uri: 'a:b' })).result.contents[0].text, 'two');
    proxy.save(behaviour('four'));
    assert.equal(await proxy.call('answer'), 'four');
  });

  test('P1 P4 the proxy is stopped, files are saved and calls sent, and it goes on: all are answered by the new code', async (t) => {
    const proxy = await live(t, reloadable('one'));
    await served(proxy);
    process.kill(proxy.pid, 'SIGSTOP');
    const before = ask(proxy, 20);
    for (const says of ['two', 'three']) proxy.save(behaviour(says));
    const after = ask(proxy, 20);
    process.kill(proxy.pid, 'SIGCONT');
    assert.deepEqual(new Set(await texts(after)), new Set(['three']));
    for (const text of await texts(before)) assert.ok(text === 'one' || text === 'three', text);
  });

  test('P7 the proxy is stopped for longer than a start may take, and its candidate answers meanwhile: that is no failed start', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--start-timeout', '5000'] });
    await served(proxy);
    const gate = proxy.gate();
    proxy.save(`console.error('waits');${waitsFor(gate.path)}${behaviour('two')}`);
    const held = proxy.call('answer');
    await proxy.waitForLog('waits');
    process.kill(proxy.pid, 'SIGSTOP');
    gate.open();
    await proxy.received(/"initialize"/, 2);
    await delay(5200); // Not a wait for something: the time that passes is the fault.
    process.kill(proxy.pid, 'SIGCONT');
    assert.equal(await held, 'two');
    assert.doesNotMatch(proxy.stderr(), /failed/);
  });

  test('P1 the proxy is stopped for longer than a drain may take, and the old server answers meanwhile: that is the answer', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--drain', '3000'] });
    await served(proxy);
    const gate = proxy.gate();
    const slow = await proxy.begin('effect', { file: proxy.files.path('effects'), until: gate.path });
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    process.kill(proxy.pid, 'SIGSTOP');
    gate.open();
    await delay(3200); // Not a wait for something: the time that passes is the fault.
    process.kill(proxy.pid, 'SIGCONT');
    assert.equal((await slow.answer).result?.content[0].text, '1');
  });

  test('P13 the client leaves while its server is stopped: nothing is left of it', async (t) => {
    const proxy = await live(t, reloadable('one'));
    process.kill(await pidOf(proxy), 'SIGSTOP');
    proxy.end();
    assert.equal((await proxy.exit()).code, 0);
    assert.deepEqual(processesOf(proxy.marker), []);
  });
});
