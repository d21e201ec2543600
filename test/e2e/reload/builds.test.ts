// Builds on the way to a reload: which command runs, when one is spared, when one is ended, and that what it prints
// reaches the agent. One build is kept going by a file that the test makes and removes.

import assert from 'node:assert/strict';
import { chmodSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { processesOf } from '../../support/harness.js';
import { startWatched, watched } from '../../support/reload-project.js';
import { behaviour, built } from '../../support/reloadable.js';

const command = ['--build', 'node build.mjs'];

const withScript = (name: string, lock: Record<string, string> = {}): Record<string, string> => ({
  ...built().files,
  'package.json': JSON.stringify({ name: 'p', version: '1.0.0', scripts: { [name]: 'node build.mjs' } }),
  ...lock,
});

test('P7 a package.json script is run by the package manager that the lock file tells', async (t) => {
  // A manager of our own on the PATH shows who was called, and with what.
  const manager = `#!/bin/sh\necho "pnpm $*" >> called.txt\nexec node build.mjs\n`;
  const files = { ...withScript('compile', { 'pnpm-lock.yaml': 'lockfileVersion: 9\n' }), 'bin/pnpm': manager };
  const proxy = await watched(t, {
    files,
    options: ['--build', 'compile'],
    prepare: ({ path }) => chmodSync(path('bin/pnpm'), 0o755),
    env: { PATH: `./bin:${process.env['PATH']}` },
  });
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  assert.equal(readFileSync(proxy.files.path('called.txt'), 'utf8'), 'pnpm run compile\npnpm run compile\n');
  assert.match(proxy.logged('building')[1]!.text, /pnpm run compile/);
});

test('P7 --build alone is the script of that name, and npm runs it without a lock file', async (t) => {
  const proxy = await watched(t, { files: withScript('build'), options: ['--build'] });
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  assert.equal(proxy.builds(), 2);
  assert.match(proxy.logged('building')[1]!.text, /npm run build/);
});

test('P7 a build that fails reaches the next tool call with the words of the compiler, and the next save tries again', async (t) => {
  const proxy = await watched(t, { ...built(), options: command });
  proxy.say('wrong');
  const { result } = await proxy.request('tools/call', { name: 'answer' });
  assert.equal(result.isError, true);
  assert.equal(result.content.length, 1);
  const { text } = result.content[0];
  for (const said of [
    /src\/behaviour\.mjs\(1,9\): error: this is wrong/,
    /node build\.mjs/,
    /code 2/,
    /not executed/,
    /call .*again/,
  ])
    assert.match(text, said);
  // Everything else goes to the generation that serves on.
  assert.equal((await proxy.request('resources/read', { uri: 'x:y' })).result.contents[0].text, 'one');
  assert.equal((await proxy.request('tools/list', {})).result.tools.at(-1).name, 'answer');
  assert.match(await proxy.call(), /this is wrong/);
  assert.equal(proxy.builds(), 2);
  const [failed] = proxy.logged('failed');
  assert.match(failed!.output, /this is wrong/);
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  assert.deepEqual([await proxy.generation(), proxy.builds()], [2, 3]);
});

test('P7 a failure that nobody asks about is reported too, without a call', async (t) => {
  const proxy = await watched(t, { ...built(), options: command });
  proxy.say('wrong');
  assert.match((await proxy.untilLogged('failed')).text, /node build\.mjs/);
  assert.match(await proxy.call(), /this is wrong/);
});

test('P7 a failure is over when the disk is back at what serves: no restart, and the build runs again', async (t) => {
  const proxy = await watched(t, { ...built(), options: command });
  proxy.say('wrong');
  assert.match(await proxy.call(), /this is wrong/);
  proxy.say('one');
  assert.equal(await proxy.call(), 'one');
  assert.deepEqual([await proxy.generation(), proxy.builds()], [1, 3]);
});

test('P7 a build command that does not exist says so, and where it was looked for', async (t) => {
  const proxy = await watched(t, { files: withScript('compile'), options: ['--build', 'compile'] });
  proxy.files.write('package.json', '{ "scripts": {} }');
  proxy.say('two');
  const text = await proxy.call();
  assert.match(text, /compile/);
  assert.match(text, /package\.json/);
});

test('P7 of a long output an agent gets the beginning and the end, and where the rest lies', async (t) => {
  const lines = Array.from({ length: 4000 }, (_, line) => `line ${line} of the compiler`);
  const proxy = await watched(t, { files: { ...built().files, 'build-says': lines.join('\n') }, options: command });
  proxy.say('wrong');
  const text = await proxy.call();
  assert.match(text, /line 0 of/);
  assert.match(text, /line 3999 of/);
  assert.doesNotMatch(text, /line 2000 of/);
  assert.ok(text.length < 12_000, `${text.length} characters`);
  const whole = /the whole is in (\S+)/.exec(text)![1]!;
  for (const said of [/line 2000 of/, /this is wrong/]) assert.match(readFileSync(whole, 'utf8'), said);
});

test('P6 a newer change ends the build with all its processes, grandchildren too', async (t) => {
  const { files } = built();
  // A child that outlives its parent and would go on writing.
  files['build.mjs'] = `
    import { spawn } from 'node:child_process';
    if (!process.argv.includes('grandchild')) {
      spawn(process.execPath, ['build.mjs', 'grandchild'], { stdio: 'ignore' });
    } else process.on('SIGTERM', () => {});
    ${files['build.mjs']}`;
  const proxy = await watched(t, { files, options: command });
  const running = () => processesOf(proxy.marker).filter(({ command: line }) => line.includes('build.mjs'));
  const compilers = () => running().filter(({ pid }) => pid !== proxy.pid);
  proxy.files.write('hold-build', '');
  proxy.say('two');
  await proxy.untilBuilding(4);
  const first = compilers().map(({ pid }) => pid);
  assert.equal(first.length, 2);
  proxy.say('three');
  await proxy.untilBuilding(6);
  const second = new Set(compilers().map(({ pid }) => pid));
  assert.deepEqual(
    first.filter((pid) => second.has(pid)),
    [],
  );
  proxy.files.remove('hold-build');
  assert.equal(await proxy.call(), 'three');
  assert.equal(proxy.logged('reloaded').length, 1);
  assert.equal(proxy.logged('failed').length, 0);
});

test('P6 what an abandoned build has left counts for nothing', async (t) => {
  const { files } = built();
  // It has written half of its output when it is abandoned.
  files['build.mjs'] = files['build.mjs']!.replace(
    `while (existsSync`,
    `if (existsSync('hold-build')) writeFileSync('dist/behaviour.mjs', 'half of it');\n        while (existsSync`,
  );
  const proxy = await watched(t, { files, options: command });
  proxy.files.write('hold-build', '');
  proxy.say('two');
  await proxy.untilBuilding(2);
  proxy.say('one');
  await proxy.untilBuilding(3);
  proxy.files.remove('hold-build');
  assert.equal(await proxy.call(), 'one');
  assert.doesNotMatch(readFileSync(proxy.files.path('dist/behaviour.mjs'), 'utf8'), /half of it/);
});

test('P5 what was built before is not built again at the next start, unless the sources differ', async (t) => {
  const first = await watched(t, { ...built(), options: command });
  first.end();
  await first.exit();
  const second = await watched(t, { on: first.files, options: command });
  assert.equal(second.builds(), 1);
  second.say('two');
  assert.equal(await second.call(), 'two');
  second.end();
  await second.exit();
  second.say('three');
  const third = await watched(t, { on: first.files, options: command });
  assert.equal(await third.call(), 'three');
  assert.equal(third.builds(), 3);
});

test('P6 a build that was spared is made up for when the server does not start', async (t) => {
  const first = await watched(t, { ...built(), options: command });
  first.end();
  await first.exit();
  first.files.remove('dist');
  const second = startWatched(t, { on: first.files, options: command });
  await second.initialize();
  assert.equal(await second.call(), 'one');
  assert.equal(second.builds(), 2);
});

test('P6 a build that was killed with its proxy is not taken for done', async (t) => {
  const first = await watched(t, { ...built(), options: command, mayLeave: true });
  first.files.write('hold-build', '');
  first.say('two');
  await first.untilBuilding(2);
  first.kill('SIGKILL');
  await first.exited;
  first.files.remove('hold-build');
  const second = await watched(t, { on: first.files, options: command });
  assert.equal(await second.call(), 'two');
});

test('P6 two proxies on one project build once for each change, one after the other', async (t) => {
  const one = await watched(t, { ...built(), options: command });
  const two = await watched(t, { on: one.files, options: command });
  assert.equal(one.builds(), 1);
  for (const says of ['two', 'three', 'four']) {
    one.say(says);
    assert.deepEqual(await Promise.all([one.call(), two.call()]), [says, says]);
  }
  assert.equal(one.builds(), 4);
});

test('P7 a build that takes longer than --build-timeout is ended and reported', async (t) => {
  const proxy = await watched(t, { ...built(), options: [...command, '--build-timeout', '1500'] });
  proxy.files.write('hold-build', '');
  proxy.say('two');
  const text = await proxy.call();
  assert.match(text, /did not end within 1\.5 s/);
  proxy.files.remove('hold-build');
  assert.match(await proxy.call(), /did not end/);
  proxy.say('three');
  assert.equal(await proxy.call(), 'three');
});

test('P6 SIGUSR2 rebuilds and restarts though nothing has changed', async (t) => {
  const proxy = await watched(t, { ...built(), options: command });
  proxy.kill('SIGUSR2');
  await proxy.untilLogged('reloaded');
  assert.deepEqual([await proxy.generation(), proxy.builds()], [2, 2]);
  proxy.kill('SIGUSR2');
  await proxy.untilLogged('reloaded', 2);
  assert.deepEqual([await proxy.call(), proxy.builds()], ['one', 3]);
});

test('P14 a state directory that can not be written costs nothing but the memory of what is built', async (t) => {
  const nowhere = '/dev/null/state';
  const proxy = await watched(t, {
    ...built(),
    options: [...command, '--state-dir', 'server.mjs/not/a/directory'],
    env: { XDG_STATE_HOME: nowhere },
  });
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  proxy.say('wrong');
  assert.match(await proxy.call(), /this is wrong/);
});

test('P5 --no-build builds nothing, whatever package.json offers', async (t) => {
  const files = { ...withScript('build'), 'dist/behaviour.mjs': behaviour('one') };
  const proxy = await watched(t, { files, options: ['--no-build'] });
  proxy.files.write('src/a.mjs', '1');
  assert.deepEqual([await proxy.generation(), proxy.builds()], [2, 0]);
});
