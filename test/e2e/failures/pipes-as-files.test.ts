// P14 on the built bin: a FIFO that somebody has put in place of a file of the state directory. Opening it would wait for its other
// end for ever, so it is refused in words, and neither the traffic nor the end of the proxy waits. A pipe as --log-file is in quiet.test.ts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project } from '../../support/harness.js';
import { live } from '../../support/live.js';
import { behaviour, reloadable } from '../../support/reloadable.js';
import { agent } from '../agent/agent.js';
import { build, builtFiles, countLog, failureOf } from './failures.js';

const posix = { skip: process.platform === 'win32' && 'there are no such pipes' };

/** A state directory whose files of these names are FIFOs. */
function stateWithPipes(t: TestContext, ...names: readonly string[]): string[] {
  const state = project(t, { '.keep': '' });
  for (const name of names) assert.equal(spawnSync('mkfifo', [state.path(name)]).status, 0);
  return ['--state-dir', state.directory];
}

describe('pipes in place of state files', { concurrency: 3 }, () => {
  test('P14 P13 a pipe as build.lock: builds go on without the lock, and it is told once', posix, async (t) => {
    const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') };
    const proxy = await live(t, files, { options: [...build, ...stateWithPipes(t, 'build.lock')] });
    assert.equal(await proxy.call('answer'), 'one');
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    assert.equal(countLog(proxy, /build\.lock is not a regular file/), 1, proxy.stderr());
    proxy.end();
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });

  test('P14 P7 a pipe as the file of the build’s output: builds go on, and failures are told', posix, async (t) => {
    const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one'), 'build-says': 'a line\n' };
    const proxy = await live(t, files, { options: [...build, ...stateWithPipes(t, 'build-server.log')] });
    assert.equal(await proxy.call('answer'), 'one');
    proxy.save(behaviour('wrong'));
    assert.match(await failureOf(proxy), /this is wrong/);
    proxy.end();
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });

  test('P14 a pipe as restart.json: verify_server_restarted is answered', posix, async (t) => {
    const proxy = await agent(t, reloadable('one'));
    const marker = join(proxy.stateDir, 'restart.json');
    rmSync(marker, { force: true });
    assert.equal(spawnSync('mkfifo', [marker]).status, 0);
    const since = new Date(0).toISOString();
    const { text } = await proxy.tool('verify_server_restarted', { since_timestamp: since });
    assert.notEqual(text, '');
    proxy.end();
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });
});
