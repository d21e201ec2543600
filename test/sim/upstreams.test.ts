/**
 * Servers that speak HTTP, with connections that break at any moment and sessions that are forgotten, behind clients on
 * stdio and over HTTP: every promise is kept for each of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from './report.js';
import { run } from './run.js';
import { upstreamsOf } from './upstreams.js';

const RUNS = 12;
const EVENTS = 200;

test('P1 P2 P4 P6 P8 P9 P10 P12 P13 P16 P17 servers that speak HTTP: every promise is kept, whatever breaks', async () => {
  const sums = { requests: 0, reloads: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const script = upstreamsOf(seed, EVENTS);
    const { breach, requests, reloads } = await run(script);
    if (breach !== undefined) assert.fail(await report(script, `--upstream --seed ${seed}`));
    sums.requests += requests;
    sums.reloads += reloads;
  }
  // Idle runs prove nothing.
  assert.ok(sums.requests > RUNS * 25, `${sums.requests} requests`);
  assert.ok(sums.reloads > RUNS * 10, `${sums.reloads} reloads`);
});

test('servers that speak HTTP: the same seed is the same run', async () => {
  for (let seed = 1; seed <= 2; seed++) {
    const [first, second] = [await run(upstreamsOf(seed, 80), true), await run(upstreamsOf(seed, 80), true)];
    assert.deepEqual(first.trace, second.trace);
  }
});
