// Limits that the product itself has to keep, such as how soon it is gone. On a machine that is busy with something
// else everything takes longer, so what is over the limit is judged by how long a process that does nothing takes there
// just then.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** A bare start of Node on an idle machine, generously. */
const BARE_START = 60;

export function assertInTime(ms: number, limit: number): void {
  if (ms < limit) return;
  const slowness = Math.max(1, ...[1, 2, 3].map(bareStart)) / BARE_START;
  assert.ok(
    ms < limit * Math.max(1, slowness),
    `${ms} ms, ${limit} are allowed; bare starts take ${slowness} × as usual`,
  );
}

function bareStart(): number {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { env: {} });
  return performance.now() - began;
}
