// What is on record as built: sources and outputs alike, for all proxies of a project, wherever each keeps its state.
// And commands that build by themselves, which need no build of ours. How a build runs is builds.test.ts's.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { projectDirOf } from '../../support/harness.js';
import { type ReloadProject, watched, type WatchedOptions } from '../../support/reload-project.js';
import { behaviour, built } from '../../support/reloadable.js';

const command = ['--build', 'node build.mjs'];

/** A project whose output is known to be one: `dist`, at the top of a package. */
function packaged(scripts: Record<string, string> = {}): Record<string, string> {
  return { ...built().files, 'package.json': JSON.stringify({ name: 'p', version: '1.0.0', scripts }) };
}

async function ended(proxy: ReloadProject): Promise<void> {
  proxy.end();
  await proxy.exit();
}

for (const [how, given] of [
  ['that was found', { files: packaged({ build: 'node build.mjs' }) }],
  ['that was named', { files: packaged(), options: command }],
] as const) {
  test(`P5 a build ${how} is run once more when its output is gone or another, and only then`, async (t) => {
    const first = await watched(t, given);
    assert.equal(first.builds(), 1, 'no record: one build');
    await ended(first);
    const next: WatchedOptions = { ...given, on: first.files };
    const second = await watched(t, next);
    assert.equal(second.builds(), 1, 'sources and outputs are the same: no build');
    second.files.write('dist/notes.json', '{ "written": "by the server" }');
    await ended(second);

    first.files.remove('dist');
    const third = await watched(t, next);
    assert.deepEqual([await third.call(), third.builds()], ['one', 2], 'the output is gone: one build');
    assert.equal(third.logged('ready')[0]?.['generation'], 1, 'before the first start');
    await ended(third);

    first.files.write('dist/behaviour.mjs', behaviour('by hand'));
    const fourth = await watched(t, next);
    assert.deepEqual([await fourth.call(), fourth.builds()], ['one', 3], 'the output is another: one build');
    await ended(fourth);
    const fifth = await watched(t, next);
    assert.equal(fifth.builds(), 3);
  });
}

test('P6 an output that is deleted during a session is made again by a restart', async (t) => {
  const proxy = await watched(t, { files: packaged(), options: [...command, '--agent-tools'] });
  proxy.files.remove('dist');
  assert.match(await proxy.call('restart_server', { reason: 'dist is gone' }), /was restarted/);
  assert.deepEqual([await proxy.call(), proxy.builds()], ['one', 2]);
});

test('P6 proxies with state directories of their own share the builds of their project', async (t) => {
  const state = (name: string) => ['--state-dir', `state/${name}`];
  const one = await watched(t, { files: packaged(), options: [...command, ...state('one')] });
  const two = await watched(t, { on: one.files, options: [...command, ...state('two')] });
  assert.equal(one.builds(), 1);
  for (const says of ['two', 'three']) {
    one.say(says);
    assert.deepEqual(await Promise.all([one.call(), two.call()]), [says, says]);
  }
  assert.equal(one.builds(), 3);
  assert.ok(existsSync(projectDirOf(one.files)), 'the record lies in the state directory of the user');
});

for (const [what, scripts, words] of [
  ['a script', { build: 'node build.mjs', dev: 'node build.mjs && node server.mjs' }, ['run', '--silent', 'dev']],
  [
    'a script prestart',
    { build: 'node build.mjs', prestart: 'npm run --silent build', start: 'node server.mjs' },
    ['start', '--silent'],
  ],
] as const) {
  test(`P6 ${what} that builds is not built by us as well: one build for each start`, async (t) => {
    const proxy = await watched(t, { files: packaged(scripts), command: ['npm', ...words] });
    assert.deepEqual([await proxy.call(), proxy.builds()], ['one', 1]);
    proxy.say('two');
    assert.deepEqual([await proxy.call(), proxy.builds()], ['two', 2]);
    assert.deepEqual(proxy.logged('building'), []);
  });
}
