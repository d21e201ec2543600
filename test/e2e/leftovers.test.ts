// P13 for processes that a server puts into sessions of their own: named in the log, with pid and program alone, and
// left alone; ended with --reap, and nobody else's. At the end of a generation and at the end of the proxy, in both
// flows.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from '../support/cleanup.js';
import { fixture, processesLeft, proxyCommand, startDirect, startProxy } from '../support/harness.js';
import type { ProxyOptions, Started } from '../support/harness.js';
import { live, type ReloadProject } from '../support/reload-project.js';
import { script, scripted } from '../support/reloadable.js';

const linux = { concurrency: 4, skip: process.platform !== 'linux' && 'the environment of a process is read in /proc' };
const names = /has left processes behind in sessions of their own/;

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/environ`);

async function ended(pid: number): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (isAlive(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} is still there`);
    await delay(10);
  }
}

/** The process that the server said it has started; it is ended with the test. */
async function orphanOf(t: TestContext, peer: Started, from = 0): Promise<number> {
  const pid = Number(/orphan (\d+)/.exec(await peer.waitForLog(/^orphan \d+/, { from }))![1]);
  cleanup(t, () => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
  return pid;
}

function start(t: TestContext, manners: string, given: Partial<ProxyOptions> = {}): Started {
  return startProxy(t, { noReload: true, mayLeave: true, command: fixture('orphans', manners), ...given });
}

/** A server for the reload flow whose source is edited; `code` runs when it starts. */
const server = (code: string): string =>
  script(`import { spawn } from 'node:child_process';
  ${code}
  export const tools = { answer: () => generation };`);
const orphans = `const { pid } = spawn('/bin/sh', ['-c', 'while :; do sleep 60; done', 'secret-argument'], { detached: true, stdio: 'ignore' });
  process.stderr.write('orphan ' + pid + '\\n');`;
const reloading = (t: TestContext, options: readonly string[] = []): Promise<ReloadProject> =>
  live(t, { ...scripted(''), 'src/script.mjs': server(orphans) }, { options, mayLeave: true });

describe('leftovers', linux, () => {
  test('P13 a process in a session of its own is named once, without its arguments, and left alone', async (t) => {
    const peer = start(t, 'meek');
    await peer.initialize();
    const pid = await orphanOf(t, peer);
    peer.end();
    assert.deepEqual(await peer.finished(), { code: 0, signal: null });
    const told = peer
      .stderr()
      .split('\n')
      .filter((line) => names.test(line));
    assert.equal(told.length, 1, peer.stderr());
    assert.match(told[0]!, new RegExp(`: ${pid} [^ ,]+(, \\d+ [^ ,]+)*\\. --reap would end them`));
    assert.doesNotMatch(peer.stderr(), /secret-argument/);
    assert.equal(isAlive(pid), true);
  });

  for (const manners of ['meek', 'deaf']) {
    test(`P13 --reap ends a ${manners} process before the proxy is gone, and nobody else's`, async (t) => {
      const bystander = spawn('sleep', ['60'], { env: { MCP_HOTLINE_MARK: '1-x-y:1' }, stdio: 'ignore' });
      cleanup(t, () => bystander.kill('SIGKILL'));
      const other = start(t, manners);
      await other.initialize();
      const spared = await orphanOf(t, other);
      const peer = start(t, manners, { options: ['--reap'] });
      await peer.initialize();
      const pid = await orphanOf(t, peer);
      peer.end();
      assert.deepEqual(await peer.finished(), { code: 0, signal: null });
      await ended(pid);
      assert.deepEqual(await processesLeft(peer.marker), []);
      assert.equal(isAlive(spared), true);
      assert.equal(isAlive(bystander.pid!), true);
    });
  }

  test('P13 the server’s own exit code is kept while what it left is ended', async (t) => {
    const peer = start(t, 'deaf', { options: ['--reap'] });
    await peer.initialize();
    const pid = await orphanOf(t, peer);
    void peer.request('tools/call', { name: 'exit', arguments: { code: 7 } }).catch(() => {});
    assert.deepEqual(await peer.finished(), { code: 7, signal: null });
    await ended(pid);
  });

  test('P13 a replaced generation: what it left is named while the proxy serves on, and not again at its end', async (t) => {
    const proxy = await reloading(t);
    const pid = await orphanOf(t, proxy);
    proxy.save(server(''));
    assert.equal(await proxy.call('answer'), '2');
    const line = await proxy.waitForLog(names);
    assert.match(line, new RegExp(`generation 1 has left .*: ${pid} `));
    proxy.end();
    assert.equal((await proxy.finished()).code, 0);
    assert.equal(proxy.stderr().match(new RegExp(names, 'g'))!.length, 1, proxy.stderr());
    assert.equal(isAlive(pid), true);
  });

  test('P13 --reap ends what a replaced generation left, and nothing of the one that serves', async (t) => {
    const proxy = await reloading(t, ['--reap']);
    const old = await orphanOf(t, proxy);
    const from = proxy.stderr().split('\n').length - 1;
    proxy.save(server(`${orphans} // changed`));
    assert.equal(await proxy.call('answer'), '2');
    const young = await orphanOf(t, proxy, from);
    await ended(old);
    assert.equal(isAlive(young), true);
    proxy.end();
    assert.equal((await proxy.finished()).code, 0);
    await ended(young);
  });

  test('P13 a proxy behind a proxy: the outer one knows what the inner one’s server left', async (t) => {
    const inner = proxyCommand(['--no-reload'], fixture('orphans', 'deaf'));
    const peer = startDirect(t, { command: proxyCommand(['--no-reload', '--reap'], inner), mayLeave: true });
    await peer.initialize();
    const pid = await orphanOf(t, peer);
    const { result } = await peer.request('tools/call', { name: 'mark' });
    assert.equal(String(result.content[0].text).split(',').length, 2, 'each proxy has added its own');
    peer.end();
    assert.equal((await peer.finished()).code, 0);
    await ended(pid);
  });
});
