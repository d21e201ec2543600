// A build that is finished without its proxy: whether it counts as done, by a table, and on real files that the record
// and the lock follow. The helper's process is tested end to end, in e2e/first-build.test.ts.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { acquireBuildLock } from '#src/build/lock.js';
import { outputsFingerprint } from '#src/build/outputs.js';
import { readBuilt, type Built } from '#src/build/record.js';
import type { BuildResult } from '#src/build/run.js';
import { afterBuild, finishBuild } from '#src/project/finish-build.js';
import type { Finish } from '#src/project/finish-build.js';
import { openWatch } from '#src/watch/watch.js';
import { project } from '../support/project.js';
import type { Project } from '../support/project.js';

const built: BuildResult = { kind: 'built', ms: 5, output: { excerpt: () => '' } };
const failed: BuildResult = { ...built, kind: 'failed', cause: { kind: 'exit', code: 2 } };

for (const { what, fingerprint = 'a', saved, savedBefore, verdict } of [
  { what: 'nothing was saved', saved: [], verdict: 'record' },
  { what: 'the content is another', fingerprint: 'b', saved: [], verdict: 'give up' },
  {
    what: 'the content is another, in the second build too',
    fingerprint: 'b',
    saved: ['x'],
    savedBefore: ['x'],
    verdict: 'give up',
  },
  { what: 'a file was saved with the same bytes', saved: ['x'], verdict: 'build again' },
  { what: 'both builds save the same file', saved: ['x'], savedBefore: ['x', 'y'], verdict: 'record' },
  { what: 'the second build saves nothing', saved: [], savedBefore: ['x'], verdict: 'record' },
  { what: 'another file was saved during the second build', saved: ['y'], savedBefore: ['x'], verdict: 'give up' },
] as const) {
  test(`P4 after a build without its proxy, ${what}: ${verdict}`, () => {
    assert.equal(afterBuild('a', { fingerprint, saved }, savedBefore), verdict);
  });
}

test('a build that was finished is on record, and the lock is released', async (t) => {
  const files = project(t, { 'src/a.js': '1', 'dist/a.js': 'made of 1' });
  const finish = await finishOf(files);
  await finishBuild(finish, built, () => assert.fail('no second build is needed'));
  assert.deepEqual(await readBuilt(finish.projectDir, finish.ruleKey), await recordOf(finish));
  assert.equal(existsSync(files.path('state/build.lock')), false);
});

test('a build that failed, was ended or is outdated is on no record, and the lock is released all the same', async (t) => {
  for (const { result, edit } of [
    { result: failed, edit: '1' },
    { result: { kind: 'aborted' }, edit: '1' },
    { result: built, edit: '2' },
  ] as const) {
    const files = project(t, { 'src/a.js': '1', 'dist/a.js': 'made of 1' });
    const finish = await finishOf(files);
    if (edit !== '1') files.write('src/a.js', edit);
    await finishBuild(finish, result, () => assert.fail('no second build is needed'));
    assert.equal(await readBuilt(finish.projectDir, finish.ruleKey), undefined);
    assert.equal(existsSync(files.path('state/build.lock')), false);
  }
});

test('P6 a build that saves its own sources with the same bytes is run twice, and then it is on record', async (t) => {
  const files = project(t, { 'src/a.js': '1', 'dist/a.js': 'made of 1' });
  const finish = await finishOf(files);
  let builds = 0;
  const build = async (): Promise<BuildResult> => {
    builds++;
    files.write('src/a.js', '1');
    return built;
  };
  await finishBuild(finish, await build(), async (lock) => {
    await lock.building(process.pid);
    assert.match(readFileSync(files.path('state/build.lock'), 'utf8'), new RegExp(`"build":{"pid":${process.pid},`));
    return build();
  });
  assert.equal(builds, 2);
  assert.deepEqual(await readBuilt(finish.projectDir, finish.ruleKey), await recordOf(finish));
  assert.equal(existsSync(files.path('state/build.lock')), false);
});

/** What a proxy hands over for the rule `r`, whose build begins now. */
async function finishOf(files: Project): Promise<Finish> {
  const stateDir = files.path('state');
  const lock = await acquireBuildLock(stateDir, new AbortController().signal);
  const lockText = (await lock?.handTo(process.pid)) ?? assert.fail('no lock');
  // A file that was written less than a tick of the kernel's clock ago seems to be saved during the build.
  while (Date.now() < statSync(files.path('src/a.js')).ctimeMs + 20) await turn();
  const began = Date.now();
  const options = { cwd: files.directory, ignore: [], ext: [], debounce: 10, poll: undefined, never: [stateDir] };
  const watch = { ...options, rules: [{ name: 'r', paths: ['src'] }], since: began };
  const opened = openWatch(watch, { onQuiet: () => {}, warn: () => {} });
  await opened.ready;
  const fingerprint = opened.fingerprint('r');
  await opened.close();
  const outputs = [files.path('dist')];
  return { stateDir, projectDir: stateDir, lockText, rule: 'r', ruleKey: 'key', fingerprint, outputs, began, watch };
}

/** Sources and outputs, as a proxy would note them down. */
async function recordOf({ fingerprint: sources, outputs }: Finish): Promise<Built> {
  const left = await outputsFingerprint(outputs);
  assert.ok(left !== undefined);
  return { sources, outputs: left };
}
