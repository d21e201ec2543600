/** The processor time of a process group. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { groupCpuTicks, parseStat } from '#src/process/cpu-time.js';

test('a line of /proc/…/stat is read from behind the name, whatever that is', () => {
  const stat = `17 (a) b (c)) S 1 42 42 0 -1 4194560 100 0 0 0 5 6 7 8 20 0 1 0 100 1000 10\n`;
  assert.deepEqual(parseStat(stat), { group: 42, ticks: 26 });
});

test('elsewhere than on Linux nothing is known', () => {
  assert.equal(groupCpuTicks(process.pid, 'darwin'), 0);
  assert.equal(groupCpuTicks(process.pid, 'win32'), 0);
});

test(
  'the time of a group grows while one of its processes works',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const busy = `setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 1); console.log('up')`;
    const child = spawn(process.execPath, ['-e', busy], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const before = groupCpuTicks(child.pid!);
    while (groupCpuTicks(child.pid!) <= before) await new Promise((resolve) => setTimeout(resolve, 20));
  },
);
