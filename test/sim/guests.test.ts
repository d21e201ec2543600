/**
 * Clients over HTTP, on one project with one on stdio or alone, with connections that break and clients that vanish:
 * every promise is kept for each of them, with servers of their own and with shared ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestsOf } from './guests.js';
import { report } from './report.js';
import { run } from './run.js';

const RUNS = 12;
const EVENTS = 200;
const PROMISES = 'P1 P2 P3 P4 P6 P8 P9 P10 P12 P13 P16 P17';

for (const shared of [false, true]) {
  test(`${PROMISES} clients over HTTP${shared ? ' that share servers' : ''}: every promise is kept for each`, async () => {
    const sums = { requests: 0, reloads: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const script = guestsOf(seed, EVENTS, shared);
      const { breach, requests, reloads } = await run(script);
      if (breach !== undefined) assert.fail(await report(script, `--http${shared ? ' --shared' : ''} --seed ${seed}`));
      sums.requests += requests;
      sums.reloads += reloads;
    }
    // Idle runs prove nothing.
    assert.ok(sums.requests > RUNS * 30, `${sums.requests} requests`);
    assert.ok(sums.reloads > RUNS * 15, `${sums.reloads} reloads`);
  });
}

test('clients over HTTP: an answer that is lost, doubled or changed, and what is another client’s, is noticed', async () => {
  const isAnswer = (line: string): boolean => line.includes('"sim"') && line.includes('"result"');
  const cases: readonly [promise: string, tamper: (line: string) => readonly string[]][] = [
    ['P1', (line) => (isAnswer(line) ? [] : [line])],
    ['P10', (line) => (isAnswer(line) ? [line, line] : [line])],
    ['P2', (line) => [line.replace('"by ', '"bye ')]],
    ['P17', (line) => [line.replace(/"sim":\{"c":\d/, '"sim":{"c":7')]],
  ];
  for (const [promise, tamper] of cases) {
    const found = new Set<string | undefined>();
    for (let seed = 1; seed <= 6; seed++) found.add((await run(guestsOf(seed, 60), false, tamper)).breach?.promise);
    assert.ok(found.has(promise), `${promise} is not among ${[...found].join(', ')}`);
  }
});

test('clients over HTTP: the same seed is the same run', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const [first, second] = [await run(guestsOf(seed, 100), true), await run(guestsOf(seed, 100), true)];
    assert.deepEqual(first.trace, second.trace);
  }
});
