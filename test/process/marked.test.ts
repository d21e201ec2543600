// Which systems tell the environment of a process, and that one is found by its variable, with its group and program.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { canFindMarked, findMarked } from '#src/process/marked.js';
import { cleanup } from '../support/cleanup.js';

test('P13 Linux and macOS tell the environment of a process, Windows does not', () => {
  assert.deepEqual((['linux', 'darwin', 'win32'] as const).map(canFindMarked), [true, true, false]);
});

test('P13 a process is found by the value of its variable', { skip: process.platform !== 'linux' }, async (t) => {
  const value = `${process.pid}-${Date.now()}`;
  const child = spawn(process.execPath, ['-e', 'console.log(); setInterval(() => {}, 1000)', `HOTLINE_UNIT=other`], {
    env: { HOTLINE_UNIT: value },
    detached: true,
  });
  cleanup(t, () => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const found = await findMarked('HOTLINE_UNIT', (one) => one === value);
  assert.deepEqual(found, [{ pid: child.pid, group: child.pid, name: 'node' }]);
  assert.deepEqual(await findMarked('HOTLINE_UNIT', (one) => one === 'other'), []);
});
