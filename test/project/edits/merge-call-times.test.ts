// When any client waited for answers, made from when each of them did.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeCallTimes } from '#src/project/edits/merge-call-times.js';
import type { CallTimes } from '#src/server/call-times.js';

/** A client that waited from `began` to `ended`, and for nothing else; without an end, it still does. */
function waited(began: number, ended?: number, more: Partial<CallTimes> = {}): CallTimes {
  const open = ended === undefined;
  const times = { open, busySince: began, idleSince: ended ?? -Infinity, activeSince: began, calls: 1 };
  return { ...times, newestBegan: began, newestEnded: ended ?? Infinity, ...more };
}

const nobody = waited(-Infinity, -Infinity, { calls: 0 });
const one = waited(1000, 1100, { calls: 7, activeSince: 500 });

const merged: [title: string, all: CallTimes[], expected: Partial<CallTimes>][] = [
  ['nobody', [], { open: false, calls: 0, idleSince: -Infinity }],
  ['one', [one], one],
  ['one, and another that has never called', [nobody, one], one],
  [
    'one after the other',
    [waited(1000, 1100), waited(2000, 2100)],
    {
      open: false,
      busySince: 2000,
      idleSince: 2100,
      activeSince: 2000,
      calls: 2,
      newestBegan: 2000,
      newestEnded: 2100,
    },
  ],
  [
    'one beside the other',
    [waited(1000, 1500), waited(1200, 2100)],
    { open: false, busySince: 1000, idleSince: 2100, activeSince: 1000, newestBegan: 1200, newestEnded: 2100 },
  ],
  [
    'one still waits, the other has waited before',
    [waited(3000), waited(1000, 1100)],
    { open: true, busySince: 3000, idleSince: 1100, newestBegan: 3000, newestEnded: Infinity },
  ],
  [
    'one still waits, the other has waited meanwhile',
    [waited(1000, undefined, { idleSince: 900 }), waited(2000, 2100)],
    { open: true, busySince: 1000, idleSince: 900, newestBegan: 2000, newestEnded: 2100 },
  ],
];
for (const [title, all, expected] of merged) {
  test(`when any client waited: ${title}`, () => {
    for (const order of [all, all.toReversed()]) {
      const times = mergeCallTimes(order);
      assert.deepEqual({ ...times, ...expected }, times);
    }
  });
}
