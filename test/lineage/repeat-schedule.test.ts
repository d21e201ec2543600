// When a tool call tries a failure again (P7): never right after the last attempt, and later the longer that took.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFailure } from '#src/agent/failure.js';
import { RepeatSchedule } from '#src/lineage/repeat-schedule.js';

const cause = { kind: 'ended', end: { kind: 'exit', code: 1 } } as const;
const failure: ServerFailure = { kind: 'start', command: 'node', cause, output: '' };

for (const [what, given, tookMs, dueAfterMs] of [
  ['a short attempt', failure, 100, 2000],
  ['a long attempt', failure, 4000, 12_000],
  ['a long build', { ...failure, kind: 'build', cause: cause.end }, 30_000, 90_000],
  ['a start that was given up', { ...failure, cause: { kind: 'hanging', ms: 25_000 } }, 60_000, 2000],
  ['a server that ended by itself after a while', { ...failure, kind: 'exit' }, 60_000, 2000],
] as const) {
  test(`P7 after ${what} of ${tookMs} ms, a call tries again ${dueAfterMs} ms later, and not before`, (t) => {
    let now = 1_000_000;
    t.mock.method(performance, 'now', () => now);
    const repeats = new RepeatSchedule();
    const told = repeats.recordFailure(given, now - tookMs);
    assert.equal(told.tried?.againAfterMs, dueAfterMs);
    now += dueAfterMs - 1;
    assert.equal(repeats.isDue(told), false);
    now += 1;
    assert.equal(repeats.isDue(told), true);
  });
}

test('P15 a crashed server is started again by itself: calls never hasten that', () => {
  const repeats = new RepeatSchedule();
  assert.equal(repeats.isDue({ ...failure, kind: 'crash' }), false);
});
