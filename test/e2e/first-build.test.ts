// A first build that takes longer than the client waits: a helper finishes it, and the next proxy finds it done. And
// what ends such a build all the same: a signal, an edit, the helper's own end. Reloads with a build are in
// reload/builds.test.ts.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { processesLeft, processesOf, project, projectDirOf, startDirect } from '../support/harness.js';
import type { Started } from '../support/harness.js';
import { bin } from '../support/paths.js';
import type { Project } from '../support/project.js';
import { type ReloadProject, startWatched, watched } from '../support/reload-project.js';
import { behaviour, built, reloadable } from '../support/reloadable.js';
import { until } from '../support/until.js';
import { assertInTime } from '../support/in-time.js';

/** SDK clients end stdin, signal 2 s later, and kill after 2 s more. */
const afterEnd = 4_000;
const linux = { skip: process.platform !== 'linux' && 'elsewhere processes are not found by their environment' };
const options = ['--build', 'node build.mjs', '--state-dir', 'state'];

describe('a first build', { concurrency: 4 }, () => {
  test('P13 a client that gives up three times is served at last by one build', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    assert.match(first.logged('building').at(-1)!.text, /the client has gone: process \d+ finishes the build/);
    assert.deepEqual(helpers(first).length, 1, 'the helper goes on');

    const second = startWatched(t, { on, options });
    await second.send({ jsonrpc: '2.0', id: 'i', ...initialize });
    assert.match((await second.untilLogged('building')).text, /waiting for a build/);
    await leaves(second);
    assert.deepEqual(await processesLeft(second.marker, 20_000), [], 'who joins a build leaves nothing');
    assert.deepEqual(helpers(first).length, 1, 'and does not end it');

    on.remove('hold-build');
    const third = await watched(t, { on, options });
    assert.equal(await third.call(), 'one');
    assert.equal(third.builds(), 1);
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.equal(existsSync(lockOf(on)), false, 'the lock is released');
    const trail = readFileSync(on.path('state/audit.jsonl'), 'utf8');
    assert.match(trail, /"event":"built".*its client had gone/);
  });

  test('P13 the next proxy that waits is served as soon as the helper is done', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    const second = startWatched(t, { on, options });
    const opened = second.initialize();
    await second.untilLogged('building');
    on.remove('hold-build');
    await opened;
    assert.equal(await second.call(), 'one');
    assert.equal(second.builds(), 1);
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
  });

  test('P5 the helper notes the outputs down too: what is gone afterwards is built once more', linux, async (t) => {
    const on = heldProject(t);
    on.write('package.json', '{ "name": "p" }');
    const first = await givesUp(t, on);
    on.remove('hold-build');
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    const second = await watched(t, { on, options });
    assert.deepEqual([await second.call(), second.builds()], ['one', 1]);
    await leaves(second);
    on.remove('dist');
    const third = await watched(t, { on, options });
    assert.deepEqual([await third.call(), third.builds()], ['one', 2]);
    assert.equal(third.logged('building').length, 1);
    assert.equal(third.logged('failed').length, 0, 'it is built before the server is started');
  });

  test('P4 sources that were edited while the helper built are built anew', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    on.write('src/behaviour.mjs', behaviour('two'));
    on.remove('hold-build');
    const second = await watched(t, { on, options });
    assert.equal(await second.call(), 'two');
    assert.equal(second.builds(), 2);
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
  });

  test('P4 an edit that is undone while the helper builds is not what counts as built', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    on.write('src/behaviour.mjs', behaviour('two'));
    on.write('src/behaviour.mjs', behaviour('one'));
    on.remove('hold-build');
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.equal(first.builds(), 2, 'the helper has built it again');
    const second = await watched(t, { on, options });
    assert.equal(await second.call(), 'one');
    assert.equal(second.builds(), 2);
  });

  test('P7 a build that fails in the helper is run again by the next proxy, which reports it', linux, async (t) => {
    const on = heldProject(t, 'wrong');
    const first = await givesUp(t, on);
    on.remove('hold-build');
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.match(readFileSync(on.path('state/build-default.log'), 'utf8'), /this is wrong/);
    const second = startWatched(t, { on, options });
    assert.match((await second.untilLogged('failed')).text, /exited with code 2.*this is wrong/s);
    assert.equal(second.builds(), 2);
  });

  test('P6 after kill -9 of the helper its build is ended by the next proxy, which builds', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    const [helper] = helpers(first);
    process.kill(helper!.pid, 'SIGKILL');
    await until(() => helpers(first).length === 0, 'the end of the helper', first);
    assert.equal(processesOf(first.marker).length, 1, 'the build is left');
    on.write('src/behaviour.mjs', behaviour('two'));
    const second = startWatched(t, { on, options });
    await second.untilBuilding(2);
    assert.deepEqual(await processesLeft(first.marker, 20_000), [], 'one build at a time');
    on.remove('hold-build');
    await second.initialize();
    assert.equal(await second.call(), 'two');
  });

  test(
    'P7 after kill -9 of the helper while its proxy waits, the build is ended and the failure told',
    linux,
    async (t) => {
      const on = heldProject(t);
      const proxy = startWatched(t, { on, options });
      await proxy.untilBuilding(1);
      await until(() => lockNames(on, 'build'), 'its name in the lock', proxy);
      process.kill(helpers(proxy)[0]!.pid, 'SIGKILL');
      assert.match((await proxy.untilLogged('failed')).text, /was ended with the process that ran it/);
      await until(() => processesOf(proxy.marker).length === 1, 'the end of the build', proxy);
    },
  );

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`P13 ${signal} ends a first build at once`, linux, async (t) => {
      const on = heldProject(t);
      const proxy = startWatched(t, { on, options });
      await proxy.untilBuilding(1);
      proxy.kill(signal);
      await proxy.exit();
      assert.deepEqual(await processesLeft(proxy.marker), []);
      assert.equal(existsSync(lockOf(on)), false);
    });
  }

  test('P13 a signal that follows the end of stdin ends the build too', linux, async (t) => {
    const on = heldProject(t);
    const proxy = startWatched(t, { on, options });
    await proxy.send({ jsonrpc: '2.0', id: 'i', ...initialize });
    await proxy.untilBuilding(1);
    proxy.end();
    proxy.kill('SIGTERM');
    await proxy.exit();
    assert.deepEqual(await processesLeft(proxy.marker), []);
  });

  test('P13 after kill -9 of the proxy the helper ends the build', linux, async (t) => {
    const on = heldProject(t);
    const proxy = startWatched(t, { on, options, mayLeave: true });
    await proxy.untilBuilding(1);
    proxy.kill('SIGKILL');
    await proxy.exit();
    assert.deepEqual(await processesLeft(proxy.marker, 20_000), []);
  });

  test('P13 SIGTERM to the helper ends its build and releases the lock', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on);
    process.kill(helpers(first)[0]!.pid, 'SIGTERM');
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.equal(existsSync(lockOf(on)), false);
  });

  test('P13 a helper ends a build that takes longer than --build-timeout', linux, async (t) => {
    const on = heldProject(t);
    const first = await givesUp(t, on, ['--build-timeout', '4000']);
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.equal(existsSync(lockOf(on)), false);
    on.remove('hold-build');
    const second = await watched(t, { on, options });
    assert.equal(await second.call(), 'one');
    assert.equal(second.builds(), 2);
  });

  test('P13 smoke has no helper, and ends a build that it has begun', linux, async (t) => {
    const on = heldProject(t);
    const words = ['smoke', '--watch', 'src', ...options, '--', process.execPath, 'server.mjs'];
    const smoke = startDirect(t, { command: [process.execPath, bin, ...words], cwd: on.directory });
    await until(() => existsSync(on.path('builds.txt')), 'the build', smoke);
    assert.deepEqual(helpers(smoke), []);
    smoke.kill('SIGINT');
    await smoke.exit();
    assert.deepEqual(await processesLeft(smoke.marker), []);
  });

  test('P13 once a server has served, the end of stdin ends a build', linux, async (t) => {
    const { files } = built();
    const on = project(t, { ...reloadable('one'), ...files });
    const proxy = await watched(t, { on, options });
    on.write('hold-build', '');
    proxy.say('two');
    await proxy.untilBuilding(2);
    proxy.end();
    await proxy.exit();
    assert.deepEqual(await processesLeft(proxy.marker), []);
    on.remove('hold-build');
  });
});

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hasty', version: '1' } },
};

/** A project whose build waits until the test removes `hold-build`. */
function heldProject(t: TestContext, says = 'one'): Project {
  return project(t, { ...reloadable(says), ...built().files, 'hold-build': '' });
}

/** A client that begins a session, and leaves while the first build runs. */
async function givesUp(t: TestContext, on: Project, more: readonly string[] = []): Promise<ReloadProject> {
  const proxy = startWatched(t, { on, options: [...options, ...more], mayLeave: true });
  await proxy.send({ jsonrpc: '2.0', id: 'i', ...initialize });
  await proxy.untilBuilding(1);
  await leaves(proxy);
  return proxy;
}

/** By closing stdin, as SDK clients do. */
async function leaves(proxy: ReloadProject): Promise<void> {
  const start = performance.now();
  proxy.end();
  const { code } = await proxy.exit({ deadline: 60_000 });
  assert.equal(code, 0, proxy.transcript());
  assertInTime(performance.now() - start, afterEnd);
}

function helpers(proxy: Started): { pid: number }[] {
  return processesOf(proxy.marker).filter(({ command }) => command.includes('internal:build-helper'));
}

function lockOf(on: Project): string {
  return join(projectDirOf(on), 'build.lock');
}

function lockNames(on: Project, member: string): boolean {
  const file = lockOf(on);
  return existsSync(file) && member in (JSON.parse(readFileSync(file, 'utf8')) as object);
}
