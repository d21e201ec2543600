// P6: however many saves come while a reload is under way, one more reload serves them all, and none is lost. Builds
// and starts are kept going by files that the test makes and removes, so that a save falls where the test says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { project } from '../../support/harness.js';
import { startWatched, watched } from '../../support/reload-project.js';
import { built, gated } from '../../support/reloadable.js';
import { until } from '../../support/until.js';

const building = ['--build', 'node build.mjs'];

test('P6 any number of saves during a build cause one more reload', async (t) => {
  const proxy = await watched(t, { ...built(), options: building });
  proxy.files.write('hold-build', '');
  proxy.say('0');
  await proxy.untilBuilding(2);
  const calls = Array.from({ length: 10 }, (_, save) => {
    proxy.say(`${save + 1}`);
    return proxy.call();
  });
  proxy.files.remove('hold-build');
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['10']));
  assert.equal(proxy.logged('reloaded').length, 1);
});

test('P6 any number of saves during a handshake cause one more reload', async (t) => {
  const proxy = await watched(t, gated());
  proxy.files.write('hold-start', '');
  proxy.say('0');
  const calls = [proxy.call()];
  await proxy.waitForLog('generation 2 waits');
  for (let save = 1; save <= 10; save += 1) {
    proxy.say(`${save}`);
    calls.push(proxy.call());
  }
  await proxy.waitForLog('generation 3 waits');
  proxy.files.remove('hold-start');
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['10']));
  assert.equal(proxy.logged('reloaded').length, 1);
});

for (const strategy of ['overlap', 'replace']) {
  test(`P6 any number of saves during a drain cause one more reload (${strategy})`, async (t) => {
    const proxy = await watched(t, { ...gated(), options: ['--strategy', strategy] });
    const slow = proxy.call('effect', { file: proxy.files.path('effect'), until: proxy.files.path('go') });
    await until(() => existsSync(proxy.files.path('effect')), 'the effect', proxy);
    proxy.say('0');
    await (strategy === 'overlap' ? proxy.untilLogged('reloaded') : proxy.untilLogged('change'));
    // With `overlap` nothing but this keeps a reload from ending before the last save.
    proxy.files.write('hold-start', '');
    const calls = Array.from({ length: 10 }, (_, save) => {
      proxy.say(`${save + 1}`);
      return proxy.call();
    });
    proxy.files.remove('hold-start');
    if (strategy === 'overlap') await Promise.all(calls);
    proxy.files.write('go', '');
    assert.equal(await slow, '1');
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['10']));
    assert.equal(proxy.logged('reloaded').length, strategy === 'overlap' ? 2 : 1);
  });
}

test('P6 a checkout of 1,000 files is one reload', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`src/${i % 20}/${i}.mjs`, `${i}`]));
  // On a machine that is busy a checkout takes longer than the usual debounce waits at most.
  const proxy = await watched(t, { files: many, options: ['--debounce', '3000'] });
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
    const env = { PATH: process.env['PATH'], HOME: proxy.files.directory, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', [...identity, ...args], { cwd: proxy.files.directory, env, stdio: 'pipe' });
  };
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  assert.equal(await proxy.generation(), 1);
  // Made in another working tree: in this one, only the checkout below changes files.
  const tree = project(t).path('tree');
  git('worktree', 'add', '-q', '--detach', tree);
  execFileSync('sh', ['-c', 'for file in src/*/*.mjs; do echo changed >> $file; done'], { cwd: tree });
  execFileSync('sed', ['-i', 's/"one"/"two"/', 'src/behaviour.mjs'], { cwd: tree });
  git('-C', tree, 'commit', '-qam', 'second');
  const commit = execFileSync('git', ['-C', tree, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  assert.equal(await proxy.generation(), 1);

  git('checkout', '-q', commit);
  const { files, generation } = await proxy.untilLogged('reloaded');
  assert.equal(files.length, 1001);
  assert.equal(await proxy.call(), 'two');
  assert.equal(await proxy.generation(), generation);
  assert.equal(proxy.logged('reloaded').length, 1);
});

test('P6 settles, P4 fresh: 25 edits 100 ms apart under a stream of calls, each answered once and none too old', async (t) => {
  const proxy = await watched(t, { says: '0' });
  let saved = 0;
  let calls = 0;
  const over = new AbortController();
  const stream = [1, 2, 3].map(async () => {
    while (!over.signal.aborted) {
      const asked = saved;
      calls += 1;
      const text = await proxy.call();
      const fits = Number(text) >= asked && Number(text) <= saved;
      assert.ok(fits, `asked at ${asked}, saved ${saved}, answered ${text}\n${proxy.transcript()}`);
      await delay(5);
    }
  });
  for (let edit = 1; edit <= 25; edit += 1) {
    await delay(100);
    proxy.say(`${edit}`);
    saved = edit;
  }
  assert.equal(await proxy.call(), '25');
  over.abort();
  await Promise.all(stream);
  const responses = proxy.messages.filter(({ message }) => 'id' in message && message.method === undefined);
  assert.equal(responses.length, calls + 3);
  assert.deepEqual(proxy.duplicates, []);
  assert.ok(proxy.logged('reloaded').length <= 25);
});

test('P6 an edit during the very first start is not lost', async (t) => {
  const proxy = startWatched(t, { files: { ...gated().files, 'hold-start': '' } });
  const session = proxy.initialize();
  await proxy.waitForLog('generation 1 waits');
  proxy.say('two');
  proxy.files.remove('hold-start');
  await session;
  assert.equal(await proxy.call(), 'two');
});

test('P6 an edit during the very first build is not lost', async (t) => {
  const proxy = startWatched(t, { files: { ...built().files, 'hold-build': '' }, options: building });
  const session = proxy.initialize();
  await proxy.untilBuilding(1);
  proxy.say('two');
  proxy.files.remove('hold-build');
  await session;
  assert.equal(await proxy.call(), 'two');
});
