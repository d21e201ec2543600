// What was saved during an attempt and is what it was: when that is news, and when it is a habit of the build or the
// server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SameContentSaves } from '#src/project/edits/same-content-saves.js';

test('P4 a file that stirs is news, for as long as the attempt goes on', () => {
  const saves = new SameContentSaves();
  saves.beginAttempt();
  assert.deepEqual([saves.unexpected([]), saves.record([])], [[], []]);
  for (const isNew of [true, false]) {
    assert.deepEqual(saves.unexpected(['a']), ['a']);
    assert.deepEqual(saves.record(['a']), isNew ? ['a'] : []);
  }
  assert.deepEqual(
    [saves.unexpected(['a', 'b']), saves.record(['a', 'b'])],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
});

test('P6 what has stirred in the attempt before is no news, nor if attempts in between were given up', () => {
  const saves = new SameContentSaves();
  saves.beginAttempt();
  saves.record(['a']);
  saves.beginAttempt();
  saves.beginAttempt();
  assert.deepEqual(saves.unexpected(['a', 'b']), ['b']);
});

test('P4 an attempt that ended without it makes it news again', () => {
  const saves = new SameContentSaves();
  saves.beginAttempt();
  saves.record(['a', 'b']);
  saves.beginAttempt();
  saves.record(['a']);
  saves.endAttempt();
  saves.beginAttempt();
  assert.deepEqual(saves.unexpected(['a', 'b']), ['b']);
});
