// P15, the times: how long a server that crashed, or asked to be restarted, is waited for. Time is handed in, so that
// an hour of crashes takes none. What is answered meanwhile is e2e/failures/crashes.test.ts's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { Backoff } from '#src/lineage/backoff.js';

/** Crashes at once after each start, as the delays allow. */
function crashes(backoff: Backoff, count: number, from = 0): { delays: number[]; now: number } {
  const delays: number[] = [];
  let now = from;
  for (let n = 0; n < count; n++) {
    const delay = backoff.recordCrash(now, now);
    delays.push(delay);
    now += delay;
  }
  return { delays, now };
}

const s = 1000;
const ladder = [0, 1 * s, 1 * s, 5 * s, 5 * s, 5 * s, 5 * s, 5 * s, 5 * s, 5 * s, 10 * s, 10 * s, 10 * s];

test('P15 the ladder: at once, twice after 1 s, after 5 s up to the tenth, then after 10 s', () => {
  assert.deepEqual(crashes(new Backoff(), ladder.length).delays, ladder);
});

for (const { lived, next, why } of [
  { lived: 59_999, next: 5 * s, why: 'just not long enough' },
  { lived: 60_000, next: 0, why: 'a minute of health' },
  { lived: 3_600_000, next: 0, why: 'an hour' },
]) {
  test(`P15 after five crashes, one that lived for ${lived} ms is waited for ${next} ms: ${why}`, () => {
    const backoff = new Backoff();
    const { now } = crashes(backoff, 5);
    assert.equal(backoff.recordCrash(now + lived, now), next);
    if (next === 0) assert.deepEqual(crashes(backoff, 3, now + lived).delays, ladder.slice(1, 4));
  });
}

test('P15 waiting is not health: a minute between crashes counts only while a server runs', () => {
  const backoff = new Backoff();
  crashes(backoff, 4);
  const started = 10 * 60_000;
  assert.equal(backoff.recordCrash(started + 10, started), 5 * s);
});

test('P15 a change sets it back to its beginning', () => {
  const backoff = new Backoff();
  const { now } = crashes(backoff, 12);
  backoff.reset();
  assert.deepEqual(crashes(backoff, 5, now).delays, ladder.slice(0, 5));
});

test('P15 a restart that is asked for is at once, then no more than one a second, and none is a crash', () => {
  const backoff = new Backoff();
  const table: [at: number, delay: number][] = [
    [0, 0],
    [0, 1000],
    [1000, 1000],
    [2500, 500],
    [4000, 0],
    [4999, 1],
    [6000, 0],
  ];
  for (const [at, delay] of table) assert.equal(backoff.recordRestartRequest(at), delay, `asked at ${at}`);
  assert.equal(backoff.recordCrash(6000, 6000), 0);
  assert.equal(backoff.recordRestartRequest(6000), 1000, 'and a crash is none of these');
});

test('P15 a clock that is set back makes no wait longer', () => {
  const backoff = new Backoff();
  backoff.recordRestartRequest(3_600_000);
  assert.equal(backoff.recordRestartRequest(0), 1000);
  backoff.recordCrash(3_600_000, 3_600_000);
  assert.equal(backoff.recordCrash(10, 0), 1000);
});

test('P15 whatever happens, no more than one restart a second is asked for and done, and no wait is longer than 10 s', () => {
  const event = fc.record({ after: fc.nat(120_000), crash: fc.boolean() });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const backoff = new Backoff();
      let started = 0;
      let restarted = -Infinity;
      for (const { after, crash } of events) {
        const now = started + after;
        const delay = crash ? backoff.recordCrash(now, started) : backoff.recordRestartRequest(now);
        assert.ok(delay >= 0 && delay <= 10 * s);
        started = now + delay;
        if (crash) continue;
        assert.ok(started - restarted >= 1 * s);
        restarted = started;
      }
    }),
  );
});
