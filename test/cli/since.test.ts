// What `--since` understands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSince } from '#src/cli/since.js';

const now = new Date(2026, 0, 31, 15, 0, 0).getTime();
const at = (...parts: [number, number, number, number?, number?, number?]): number => new Date(...parts).getTime();

for (const [text, expected] of [
  ['90s', now - 90_000],
  ['10m', now - 600_000],
  ['2H', now - 7_200_000],
  ['3 d', now - 3 * 86_400_000],
  ['14:30', at(2026, 0, 31, 14, 30)],
  ['2026-01-30', at(2026, 0, 30)],
  ['2026-01-30 08:15', at(2026, 0, 30, 8, 15)],
  ['2026-01-30T08:15:20Z', Date.UTC(2026, 0, 30, 8, 15, 20)],
] as const)
  test(`--since ${text}`, () => assert.deepEqual(readSince(text, now), { ok: true, value: expected }));

test('--since refuses anything else, in words', () => {
  for (const text of ['tomorrow', '10', '10 minutes', '25:00', '2026-13-01', '-5m']) {
    const read = readSince(text, now);
    assert.match(read.ok ? '' : read.error, /^--since: ".*" is not allowed, expected a time such as 90s, 10m/, text);
  }
});
