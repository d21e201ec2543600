// Where state would lie on each system. Paths only: nothing is created.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { stateDir } from '#src/config/state-dir.js';

const base = { cwd: '/projects/my project', command: 'node', args: ['server.js'], env: {}, home: '/home/me' };

const cases: readonly [platform: NodeJS.Platform, env: NodeJS.ProcessEnv, start: string][] = [
  ['linux', {}, '/home/me/.local/state/mcp-hotline/my-project-'],
  ['linux', { XDG_STATE_HOME: '/state' }, '/state/mcp-hotline/my-project-'],
  ['linux', { XDG_STATE_HOME: 'relative' }, '/home/me/.local/state/mcp-hotline/my-project-'],
  ['linux', { XDG_STATE_HOME: '' }, '/home/me/.local/state/mcp-hotline/my-project-'],
  ['darwin', {}, '/home/me/Library/Application Support/mcp-hotline/my-project-'],
  ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local\\mcp-hotline\\my-project-'],
  ['win32', {}, '\\home\\me\\AppData\\Local\\mcp-hotline\\my-project-'],
];

for (const [platform, env, start] of cases) {
  test(`on ${platform} with ${JSON.stringify(env)} it is ${start}…`, () => {
    const dir = stateDir({ ...base, env, platform });
    assert.ok(dir.startsWith(start), dir);
    assert.match(dir.slice(start.length), /^[0-9a-f]{16}$/);
    assert.ok(!existsSync(dir));
  });
}

test('directory, command and each argument make a difference, and nothing else', () => {
  const variants = [
    base,
    { ...base, cwd: '/projects/other' },
    { ...base, command: 'python' },
    { ...base, args: ['server.js', 'x'] },
    { ...base, args: ['server.js x'] },
    ...Array.from({ length: 2000 }, (_, index) => ({ ...base, cwd: `/projects/${index}` })),
  ];
  assert.equal(new Set(variants.map((one) => stateDir(one))).size, variants.length);
  assert.equal(stateDir({ ...base, env: { A: '1' } }), stateDir(base));
});

test('any directory has a name that is one path component', () => {
  for (const cwd of ['/', '/a/…', '/projects/' + 'x'.repeat(300)]) {
    assert.match(stateDir({ ...base, cwd }), /\/mcp-hotline\/[\w.-]{1,60}$/, cwd);
  }
});
