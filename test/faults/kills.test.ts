// A short run of the random kills; `npm run prove faults` does as many as one likes. A failure names its seed. And that
// whoever is to be killed is found: a role that nobody plays would make every run pass.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { project, startProxy } from '../support/harness.js';
import { killRounds } from './kills/rounds.js';
import { files, roles, victim, type Role } from './kills/victims.js';

test('P1 P13 P15 kill -9 of servers, their children, builds and the proxy at random moments: every request is answered or told why not, the next proxy goes on', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}`);
  const { kills, proxies, asked } = await killRounds({ kills: 8, seed });
  t.diagnostic(`${kills} kills, ${proxies} proxies, ${asked} requests`);
});

test('each role of those kills is played, by a process of its own', async (t) => {
  const slow = {
    ...files(true),
    'build.sh': 'until [ -e go ]; do sleep 0.02; done; mkdir -p dist; cp src/script.mjs dist\n',
  };
  const here = project(t, slow);
  const proxy = startProxy(t, {
    options: ['--watch', 'src', '--build', 'sh build.sh'],
    command: [process.execPath, 'server.mjs'],
    cwd: here.directory,
  });
  const found = async (role: Role): Promise<number> => {
    for (const late = performance.now() + 30_000; performance.now() < late; await delay(5)) {
      const pid = victim(proxy.marker, role);
      if (pid !== undefined) return pid;
    }
    throw new Error(`no ${role}\n${proxy.transcript()}`);
  };
  const building: readonly Role[] = ['build', 'build helper'];
  const pids = new Map<Role, number>();
  for (const role of building) pids.set(role, await found(role));
  assert.equal(victim(proxy.marker, 'newest server'), undefined, 'it is built first');
  here.write('go', '');
  await proxy.initialize();
  for (const role of roles) if (!building.includes(role)) pids.set(role, await found(role));
  assert.equal(pids.get('proxy'), proxy.child.pid);
  assert.equal(pids.get('oldest server'), pids.get('newest server'), 'there is one');
  assert.equal(new Set(pids.values()).size, roles.length - 1, JSON.stringify([...pids]));
});
