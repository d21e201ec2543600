// Which name a mistyped one was meant to be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, nearMisses } from '#src/config/nearest.js';

const names = ['watch', 'hold', 'poll', 'start-timeout', 'stop-timeout', 'log-file'];

const cases: readonly [typed: string, meant: string | undefined][] = [
  ['wach', 'watch'],
  ['wathc', 'watch'],
  ['Watch', 'watch'],
  ['watcch', 'watch'],
  ['pol', 'poll'],
  ['stat-timeout', 'start-timeout'],
  ['logfile', 'log-file'],
  ['verbose', undefined],
  ['x', undefined],
  ['', undefined],
];

for (const [typed, meant] of cases) {
  test(`${JSON.stringify(typed)} is ${meant ?? 'no known word'}`, () => assert.equal(nearest(typed, names), meant));
}

test('of several near misses the nearest comes first', () => {
  assert.deepEqual(nearMisses('stat-timeout', names), ['start-timeout', 'stop-timeout']);
});
