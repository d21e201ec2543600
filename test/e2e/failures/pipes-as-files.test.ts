// P14 on the built bin: a FIFO that somebody has put in place of a file of the state directory. Opening it would wait
// for its other end for ever, so it is refused in words, and neither the traffic nor the end of the proxy waits. A pipe
// as --log-file is in quiet.test.ts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project, projectDirOf } from '../../support/harness.js';
import { live, watched } from '../../support/reload-project.js';
import { behaviour, built, reloadable } from '../../support/reloadable.js';
import type { Project } from '../../support/project.js';
import { agent } from '../agent/agent.js';
import { build, builtFiles, failureOf } from './failures.js';

const posix = { skip: process.platform === 'win32' && 'there are no such pipes' };

/** A state directory whose files of these names are FIFOs. */
function stateWithPipes(t: TestContext, ...names: readonly string[]): string[] {
  const state = project(t, { '.keep': '' });
  for (const name of names) assert.equal(spawnSync('mkfifo', [state.path(name)]).status, 0);
  return ['--state-dir', state.directory];
}

describe('pipes in place of state files', { concurrency: 3 }, () => {
  test('P14 P13 a pipe as build.lock: builds go on without the lock, and it is told once', posix, async (t) => {
    // The lock is the project's, whatever --state-dir says.
    const prepare = (files: Project): void => {
      mkdirSync(projectDirOf(files), { recursive: true });
      assert.equal(spawnSync('mkfifo', [join(projectDirOf(files), 'build.lock')]).status, 0);
    };
    const proxy = await watched(t, { ...built(), options: build, prepare });
    assert.equal(await proxy.call(), 'one');
    proxy.say('two');
    assert.equal(await proxy.call(), 'two');
    const told = proxy.logged('warning').filter(({ text }) => /build\.lock is not a regular file/.test(text));
    assert.equal(told.length, 1, proxy.stderr());
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
