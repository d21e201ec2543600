// A proxy that is killed can end nobody. Its servers see their stdin end; one that never looks there is ended all the
// same, after a while, and one that leaves by itself has the time to do so. A proxy that goes by itself leaves nobody
// who waits.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.js';
import { processesLeft } from '../support/harness.js';
import { live, type ReloadProject } from '../support/reload-project.js';
import { script, scripted } from '../support/reloadable.js';

const linux = { skip: process.platform !== 'linux' && 'the processes are found in /proc' };

/** Children of a process that are shells, by /proc. */
function shellsOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parent) === pid && state !== 'Z' && /\((sh|dash|bash)\)/.test(stat);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function guardOf(proxy: ReloadProject): Promise<number> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const [guard] = shellsOf(proxy.child.pid!);
    if (guard !== undefined) return guard;
    assert.ok(Date.now() < deadline, 'nobody waits for the death of the proxy');
    await delay(50);
  }
}

const isThere = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

test(
  'P13 after a kill -9 of the proxy, servers that never read their stdin are ended, replaced ones are no matter',
  linux,
  async (t) => {
    const deaf = `export const tools = { which: () => generation, deafen: () => {
    process.stdin.pause(); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); return 'deaf'; } };`;
    const proxy = await live(t, scripted(deaf), { mayLeave: true });
    const guard = await guardOf(proxy);
    proxy.save(script(`${deaf}// changed`));
    assert.equal(await proxy.call('which'), '2');
    assert.equal(await proxy.call('deafen'), 'deaf');
    proxy.kill('SIGKILL');
    await proxy.exit();
    assert.deepEqual(await processesLeft(proxy.marker, 30_000), []);
    await until(() => !isThere(guard), 'the end of the guard', proxy);
  },
);

test('P13 a proxy that goes by itself leaves nobody who waits for its death', linux, async (t) => {
  const proxy = await live(t, scripted('export const tools = { which: () => generation };'));
  const guard = await guardOf(proxy);
  proxy.end();
  await proxy.exit();
  const deadline = Date.now() + 60_000;
  while (isThere(guard)) {
    assert.ok(Date.now() < deadline);
    await delay(20);
  }
});
