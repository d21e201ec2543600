/**
 * Two to four clients on one project, each with servers of its own: every promise is kept for each of them, whatever
 * the others do. Builds are shared.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crowdOf } from './crowd.js';
import { report } from './report.js';
import { run } from './run.js';

const RUNS = 40;
const EVENTS = 200;

test('P1 P3 P4 P6 P8 P9 P10 P12 P13 P16 P17 several clients of one project, every promise is kept for each of them', async () => {
  const sums = { requests: 0, reloads: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const script = crowdOf(seed, EVENTS);
    const { breach, requests, reloads } = await run(script);
    if (breach !== undefined) assert.fail(await report(script, `--crowd --seed ${seed}`));
    sums.requests += requests;
    sums.reloads += reloads;
  }
  // Idle runs prove nothing.
  assert.ok(sums.requests > RUNS * 40, `${sums.requests} requests`);
  assert.ok(sums.reloads > RUNS * 15, `${sums.reloads} reloads`);
});

test('P4 a build that a save has overtaken is not taken for done, though the next attempt has begun already', async () => {
  const { breach } = await run(crowdOf(694, 120));
  assert.equal(breach, undefined, `${breach?.promise}: ${breach?.text}`);
});

test('P17 what another client was meant to get is noticed', async () => {
  const found = new Set<string | undefined>();
  for (let seed = 1; seed <= 5; seed++) {
    const ofAnother = (line: string): readonly string[] => [line.replace('"sim":{"c":1,', '"sim":{"c":2,')];
    const { breach } = await run(crowdOf(seed, EVENTS), false, ofAnother);
    found.add(breach?.promise);
  }
  assert.ok(found.has('P17'), [...found].join(', '));
});

test('several clients: the same seed is the same run', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const [first, second] = [await run(crowdOf(seed, EVENTS), true), await run(crowdOf(seed, EVENTS), true)];
    assert.deepEqual(first.trace, second.trace);
  }
});
