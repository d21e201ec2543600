// Whether a package manager runs a script `prestart` before `start`: the table, and what of it is read from the files
// around.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managerFacts, runsPreScripts, type ManagerFacts } from '#src/config/discovery/pre-scripts.js';
import { project } from '../../support/project.js';

const table: [manager: string, facts: ManagerFacts, runs: boolean][] = [
  ['npm', {}, true],
  ['npm', { ignoresScripts: true }, false],
  ['bun', {}, true],
  ['deno', {}, true],
  ['node', {}, false],
  ['yarn', { major: 1 }, true],
  ['yarnpkg', { major: 1 }, true],
  ['yarn', { major: 4 }, false],
  ['yarn', {}, false],
  ['pnpm', { major: 5 }, true],
  ['pnpm', { major: 8 }, false],
  ['pnpm', { major: 9 }, true],
  ['pnpm', { major: 10 }, true],
  ['pnpm', {}, false],
  ['pnpm', { major: 8, setting: true }, true],
  ['pnpm', { major: 10, setting: false }, false],
  ['pnpm', { setting: true, ignoresScripts: true }, false],
];

for (const [manager, facts, runs] of table) {
  test(`${manager} ${JSON.stringify(facts)} ${runs ? 'runs' : 'does not run'} pre scripts`, () => {
    assert.equal(runsPreScripts(manager, facts), runs);
  });
}

const files: [
  what: string,
  manager: string,
  files: Record<string, string>,
  declared: string | undefined,
  runs: boolean,
][] = [
  ['the declared version', 'pnpm', {}, 'pnpm@10.2.0+sha512.x', true],
  ['the declared version comes before the lock', 'yarn', { 'yarn.lock': '# yarn lockfile v1\n' }, 'yarn@4.1.0', false],
  ['another manager is declared', 'pnpm', {}, 'npm@11.0.0', false],
  ['a lock of pnpm 9 and later', 'pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }, undefined, true],
  ['a lock of pnpm 8', 'pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, undefined, false],
  ['a lock of pnpm 7', 'pnpm', { 'pnpm-lock.yaml': 'lockfileVersion: 5.4\n' }, undefined, false],
  ['a lock of yarn 1', 'yarn', { 'yarn.lock': '# THIS IS\n# yarn lockfile v1\n' }, undefined, true],
  ['a lock of a later yarn', 'yarn', { 'yarn.lock': '__metadata:\n  version: 8\n' }, undefined, false],
  ['switched off', 'pnpm', { 'pnpm-workspace.yaml': 'enablePrePostScripts: false\n' }, 'pnpm@10.0.0', false],
  ['switched on', 'pnpm', { '.npmrc': 'a=b\nenable-pre-post-scripts=true\n' }, 'pnpm@8.0.0', true],
  ['ignored by the settings', 'npm', { '.npmrc': 'ignore-scripts = true\n' }, undefined, false],
  ['not ignored by the settings', 'npm', { '.npmrc': 'ignore-scripts=false\n' }, undefined, true],
  ['ignored by the settings of the user', 'npm', { 'home/.npmrc': 'ignore-scripts=true\n' }, undefined, false],
];

for (const [what, manager, given, declared, runs] of files) {
  test(`${manager}: ${what}`, (t) => {
    const here = project(t, { ...given, '.git/HEAD': '' });
    const facts = managerFacts(manager, [manager, 'start'], here.directory, declared, { HOME: here.path('home') });
    assert.equal(runsPreScripts(manager, facts), runs, JSON.stringify(facts));
  });
}

test('scripts that are ignored by a word or a variable', (t) => {
  const { directory } = project(t);
  const words = managerFacts('npm', ['npm', 'start', '--ignore-scripts'], directory, undefined, {});
  const variable = managerFacts('npm', ['npm', 'start'], directory, undefined, { npm_config_ignore_scripts: 'true' });
  assert.deepEqual([words.ignoresScripts, variable.ignoresScripts], [true, true]);
});
