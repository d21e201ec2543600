// Real checkouts of a thousand files with calls in flight: one reload each, none for there and back, and no answer of a
// tree that is half the one and half the other to who asked when git was done.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ReloadProject, watched } from '../support/reload-project.js';
import { behaviour } from '../support/reloadable.js';
import { until } from '../support/until.js';

const count = 1000;
const many = (text: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`src/d${n % 20}/f${n}.mjs`, `export default '${text}';\n`]),
  );

function gitIn(directory: string) {
  const settings = [
    'user.name=t',
    'user.email=t@example.org',
    'init.defaultBranch=one',
    'core.fsync=none',
    'gc.auto=0',
  ];
  const identity = settings.flatMap((setting) => ['-c', setting]);
  const options = { cwd: directory, env: { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1' } };
  return {
    git: (...args: string[]) => void execFileSync('git', [...identity, ...args], { ...options, stdio: 'pipe' }),
    meanwhile: (...args: string[]) => promisify(execFile)('git', [...identity, ...args], options),
  };
}

/** A project with two branches, `one` and `two`, of which all files differ. */
async function branched(t: Parameters<typeof watched>[0]) {
  const proxy = await watched(t, {
    files: many('one'),
    // Only what calls and the ends of attempts look at counts: on a busy machine a checkout takes longer than a
    // debounce.
    options: ['-d', '60000', '--drain', '60000'],
    prepare(files) {
      const { git } = gitIn(files.directory);
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'one');
      git('checkout', '-qb', 'two');
      for (const [file, text] of Object.entries(many('two'))) files.write(file, text);
      files.write('src/behaviour.mjs', behaviour('two'));
      git('commit', '-qam', 'two');
      git('checkout', '-q', 'one');
    },
  });
  return { proxy, ...gitIn(proxy.files.directory) };
}

/** Calls that take until the returned function is called; resolves when a server is at them. */
async function inFlight(proxy: ReloadProject, name: string): Promise<() => Promise<string[]>> {
  const [file, gate] = [proxy.files.path(`${name}-runs`), proxy.files.path(`${name}-gate`)];
  const calls = [1, 2, 3].map(() => proxy.call('effect', { file, until: gate }));
  await until(() => existsSync(file), 'the calls', proxy);
  return () => {
    proxy.files.write(`${name}-gate`, '');
    return Promise.all(calls);
  };
}

test('P6 P5 P4 P1 a checkout of 1,000 files with calls in flight is one reload, the way back is one, there and back is none; under a stream of calls none is answered too early', async (t) => {
  const { proxy, git, meanwhile } = await branched(t);
  for (const [at, branch] of ['two', 'one'].entries()) {
    const answers = await inFlight(proxy, branch);
    git('checkout', '-q', branch);
    assert.equal(await proxy.call(), branch);
    assert.deepEqual(await answers(), ['3', '3', '3'], 'what was in flight is finished by who began it, once');
    const reloads = proxy.logged('reloaded');
    assert.equal(reloads.length, at + 1);
    assert.equal(reloads[at]!.files.length, count + 1);
  }

  const answers = await inFlight(proxy, 'both');
  git('checkout', '-q', 'two');
  git('checkout', '-q', 'one');
  assert.equal(await proxy.generation(), 3);
  assert.deepEqual(await answers(), ['3', '3', '3']);
  assert.deepEqual([proxy.logged('change').length, proxy.logged('reloaded').length], [2, 2], proxy.transcript());

  const over = new AbortController();
  const stream = (async () => {
    let answered = 0;
    for (; !over.signal.aborted; answered++) {
      await proxy.call();
      await delay(10);
    }
    return answered;
  })();
  await meanwhile('checkout', '-q', 'two');
  assert.equal(await proxy.call(), 'two');
  over.abort();
  assert.ok((await stream) > 0);
  const { length } = proxy.logged('reloaded');
  assert.equal(await proxy.call(), 'two');
  assert.equal(proxy.logged('reloaded').length, length, 'at rest');
  assert.deepEqual(proxy.duplicates, []);
});
