// What the bin says where it can't run: without a build, on an old Node. That the scripts which npm runs for a clone
// don't run each other without end, and that README's lines work with this build. Real installations by npm are
// check-package.mjs's.

import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { newMarker, testEnvironment } from '../support/harness.js';
import { bin, root } from '../support/paths.js';

/** Only these files of the clone. */
function partOfClone(t: TestContext, ...parts: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'hotline-part-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const part of parts) cpSync(join(root, part), join(directory, part), { recursive: true });
  return directory;
}

function node(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd, env: testEnvironment(newMarker(), env), encoding: 'utf8' });
}

test('a clone without a build: one sentence, with the command that makes it', (t) => {
  const clone = partOfClone(t, 'bin', 'scripts', 'package.json');
  const { status, stderr } = node(clone, ['bin/mcp-hotline.js', '--version']);
  assert.deepEqual(
    [status, stderr],
    [1, `mcp-hotline: it has not been built yet: run \`npm run build\` in ${clone}.\n`],
  );
});

test('an installation from git without scripts: one sentence, with what to run', (t) => {
  const installed = partOfClone(t, 'bin', 'package.json');
  const { status, stderr } = node(installed, ['bin/mcp-hotline.js', '--version']);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^mcp-hotline: it was installed without being built: run `npm uninstall mcp-hotline`, then .*\n$/,
  );
});

test('a build that is there and broken is not called missing', (t) => {
  const clone = partOfClone(t, 'bin', 'package.json');
  mkdirSync(join(clone, 'dist/bundle'), { recursive: true });
  writeFileSync(join(clone, 'dist/bundle/main.cjs'), 'require("./gone.cjs")');
  const { status, stderr } = node(clone, ['bin/mcp-hotline.js', '--version']);
  assert.equal(status, 1);
  assert.match(stderr, /gone\.cjs/);
});

for (const version of ['0.12.18', '18.20.8', '20.18.3']) {
  test(`Node ${version} is too old: one sentence`, () => {
    const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(process.argv[1]);`;
    const { status, stderr } = node(root, ['-e', script, bin]);
    assert.deepEqual(
      [status, stderr],
      [1, `mcp-hotline: this is Node ${version}, and it needs Node 20.19 or newer.\n`],
    );
  });
}

test(
  'prepare does not run itself, even if the installation that it starts runs it, and that is no global one',
  { skip: process.platform === 'win32' },
  (t) => {
    const clone = partOfClone(t, 'scripts', 'src', 'package.json', 'yarn.lock', 'tsconfig.json');
    const calls = join(clone, 'calls.txt');
    mkdirSync(join(clone, 'path'));
    const npx = join(clone, 'path/npx');
    const record = `echo npx "$npm_config_global$npm_config_dry_run$npm_config_userconfig" >> '${calls}'`;
    writeFileSync(npx, `#!/bin/sh\n${record}\n'${process.execPath}' scripts/prepare.mjs && exit 9\n`);
    chmodSync(npx, 0o755);
    const PATH = [join(clone, 'path'), process.env['PATH']].join(delimiter);
    const { status, stdout, stderr } = node(clone, ['scripts/prepare.mjs'], {
      PATH,
      npm_config_global: 'true',
      npm_config_dry_run: 'true',
      npm_config_userconfig: 'mine',
    });
    assert.equal(readFileSync(calls, 'utf8'), 'npx mine\n');
    assert.deepEqual([status, stdout], [9, ''], stderr);
  },
);

test('the lines of README work as they stand', () => {
  const { status, stderr } = node(root, ['scripts/readme.mjs']);
  assert.deepEqual([status, stderr], [0, '']);
});

test('npm test says first what it does, and how long that takes', (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { pretest: string } };
  assert.match(scripts.pretest, /^node scripts\/test-plan\.mjs && /);
  const clone = partOfClone(t, 'scripts/test-plan.mjs', 'test/cli');
  const { status, stdout } = node(clone, ['scripts/test-plan.mjs']);
  assert.equal(status, 0);
  for (const words of [/set-up: .*a minute or two/, /build: /, /tests: \d+ files/, /about\s+eight\s+minutes/])
    assert.match(stdout, words);
  assert.match(
    readFileSync(join(root, 'README.md'), 'utf8'),
    /npm test +# set-up, build, every test: about eight minutes/,
  );
});
