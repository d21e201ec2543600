/*
 * Proves how a build that a person named becomes a command: scripts by the package manager of the lock file, commands
 * as argument lists, and problems that say what was looked for and where.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { planBuild } from '#src/build/plan.js';
import { project } from '../support/project.js';

const manifest = JSON.stringify({ scripts: { build: 'tsc', 'build:all': 'tsc -b' } });

const managers: [lock: string, command: string][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];
for (const [lock, command] of managers) {
  test(`${lock} means ${command} run`, async (t) => {
    const { directory, path } = project(t, { 'package.json': manifest, [lock]: '' });
    assert.deepEqual(await planBuild('build', directory), {
      ok: true,
      plan: { command, args: ['run', 'build'], cwd: directory, label: `${command} run build`, decidedBy: path(lock) },
    });
  });

  test(`${lock} above, in a workspace, means ${command} run in the package`, async (t) => {
    const files = project(t, {
      'package.json': '{}',
      [lock]: '',
      'packages/a/package.json': manifest,
      'packages/a/src/x.ts': '',
    });
    const planned = await planBuild('build:all', files.path('packages/a/src'));
    assert.ok(planned.ok);
    const label = `${command} run build:all`;
    const decidedBy = files.path(lock);
    const cwd = files.path('packages/a');
    assert.deepEqual(planned.plan, { command, args: ['run', 'build:all'], cwd, label, decidedBy });
  });
}

test('without a lock file it is npm', async (t) => {
  const { directory } = project(t, { 'package.json': manifest });
  mkdirSync(join(directory, '.git'));
  const planned = await planBuild(' build ', directory);
  assert.ok(planned.ok);
  assert.equal(planned.plan.label, 'npm run build');
});

test('a lock file above the repository says nothing', async (t) => {
  const files = project(t, { 'yarn.lock': '', 'repo/package.json': manifest, 'repo/.git/HEAD': '' });
  const planned = await planBuild('build', files.path('repo'));
  assert.ok(planned.ok);
  assert.equal(planned.plan.command, 'npm');
});

test('the package manager that the manifest names decides where there is no lock file', async (t) => {
  const named = JSON.stringify({ packageManager: 'pnpm@10.0.0', scripts: { build: 'tsc' } });
  const planned = await planBuild('build', project(t, { 'package.json': named }).directory);
  assert.ok(planned.ok);
  assert.equal(planned.plan.command, 'pnpm');
});

test('a manifest that begins with a byte order mark is read', async (t) => {
  const planned = await planBuild('build', project(t, { 'package.json': `\ufeff${manifest}` }).directory);
  assert.ok(planned.ok);
});

test('what is no script is a command, split like a shell would and run where it was asked for', async (t) => {
  const { directory } = project(t, { 'package.json': manifest });
  assert.deepEqual(await planBuild(`node -e "console.log('a b')" c`, directory), {
    ok: true,
    plan: {
      command: 'node',
      args: ['-e', `console.log('a b')`, 'c'],
      cwd: directory,
      label: `node -e "console.log('a b')" c`,
    },
  });
});

test('a command of the package is found before one on the PATH', { skip: process.platform === 'win32' }, async (t) => {
  const files = project(t, { 'node_modules/.bin/node': '#!/bin/sh\n', 'sub/package.json': '{}' });
  const program = files.path('node_modules/.bin/node');
  const found = async () => {
    const planned = await planBuild('node x.js', files.path('sub'));
    return planned.ok && planned.plan.command;
  };
  assert.equal(await found(), 'node');
  chmodSync(program, 0o755);
  assert.equal(await found(), program);
});

test('a command by its path is looked for where it will run', async (t) => {
  const files = project(t, { 'make.sh': '#!/bin/sh\n' });
  chmodSync(files.path('make.sh'), 0o755);
  const planned = await planBuild('./make.sh all', files.directory);
  assert.ok(planned.ok);
  assert.deepEqual([planned.plan.command, ...planned.plan.args], ['./make.sh', 'all']);
});

async function problem(build: string, cwd: string, env?: NodeJS.ProcessEnv): Promise<string> {
  const planned = await planBuild(build, cwd, env);
  assert.ok(!planned.ok);
  assert.match(planned.problem, /^The build .*\.$/);
  return planned.problem;
}

test('a name that is nothing is told with the scripts there are', async (t) => {
  const { directory } = project(t, { 'package.json': manifest });
  assert.equal(
    await problem('biuld', directory),
    `The build "biuld" was not found: ${directory}/package.json has no script of that name (its scripts are build, build:all), ` +
      `and "biuld" is not a command on the PATH or in ${directory}/node_modules/.bin.`,
  );
});

test('a name that is nothing is told where there are no scripts', async (t) => {
  const { directory } = project(t, { 'package.json': '{"scripts":{"constructor":7}}' });
  assert.match(await problem('constructor', directory), /has no script of that name \(it has no scripts\)/);
  assert.match(await problem('build', directory, {}), /"build" is not a command on the PATH/);
});

test('a manifest that is no JSON is told, where the name could be a script', async (t) => {
  const { directory } = project(t, { 'package.json': '{' });
  assert.match(await problem('test', directory), /can't be looked up: .*package\.json is not valid JSON \(.+\)\.$/);
  const planned = await planBuild('node build.js', directory);
  assert.ok(planned.ok);
});

test('shell operators are refused, since no shell runs the command', async (t) => {
  const { directory } = project(t);
  assert.match(await problem('node a.js && node b.js', directory), /contains &&, which only a shell understands/);
});

test('nothing, and quotes that never close, are refused', async (t) => {
  const { directory } = project(t);
  assert.match(await problem('  ', directory), /is empty/);
  assert.match(await problem('node "a', directory), /can't be split into words: .+/);
});
