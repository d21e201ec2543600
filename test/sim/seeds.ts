/**
 * The runs of the suite: 600 seeds, in four files: processors share them, and on a loaded machine each stays within
 * the deadline of a file. What is simulated is in run.ts, what is checked in model.ts; `npm run prove sim` runs it for
 * longer.
 */
import assert from 'node:assert/strict';
import { report } from './report.js';
import { run } from './run.js';
import { scriptOf } from './script.js';

const RUNS = 150;
const EVENTS = 200;

/** Each part has seeds of its own. */
export async function keepsEveryPromise(part: number): Promise<void> {
  const sums = { requests: 0, generations: 0, reloads: 0 };
  for (let seed = part * RUNS + 1; seed <= (part + 1) * RUNS; seed++) {
    const script = scriptOf(seed, EVENTS);
    const { breach, requests, generations, reloads } = await run(script);
    if (breach !== undefined) assert.fail(await report(script, `--seed ${seed} --events ${EVENTS}`));
    sums.requests += requests;
    sums.generations += generations;
    sums.reloads += reloads;
  }
  // Idle runs prove nothing.
  assert.ok(sums.requests > RUNS * 20, `${sums.requests} requests`);
  assert.ok(sums.generations > RUNS * 4, `${sums.generations} generations`);
  assert.ok(sums.reloads > RUNS * 3, `${sums.reloads} reloads`);
}
