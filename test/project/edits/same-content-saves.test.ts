// What was saved during an attempt and is what it was: when that is news, and when it is a habit of the build or the
// server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rewrites } from '#src/project/edits/same-content-saves.js';

test('P4 a file that stirs is news, for as long as the attempt goes on', () => {
  const rewrites = new Rewrites();
  rewrites.begin();
  assert.deepEqual(rewrites.news([]), { files: [], told: true });
  assert.deepEqual(rewrites.news(['a']), { files: ['a'], told: false });
  assert.deepEqual(rewrites.news(['a']), { files: ['a'], told: true });
  assert.deepEqual(rewrites.news(['a', 'b']), { files: ['a', 'b'], told: false });
});

test('P6 what has stirred in the attempt before is no news, nor if attempts in between were given up', () => {
  const rewrites = new Rewrites();
  rewrites.begin();
  rewrites.news(['a']);
  rewrites.begin();
  rewrites.begin();
  assert.deepEqual(rewrites.news(['a', 'b']).files, ['b']);
});

test('P4 an attempt that ended without it makes it news again', () => {
  const rewrites = new Rewrites();
  rewrites.begin();
  rewrites.news(['a', 'b']);
  rewrites.begin();
  rewrites.news(['a']);
  rewrites.stood();
  rewrites.begin();
  assert.deepEqual(rewrites.news(['a', 'b']).files, ['b']);
});
