// Outputs told from edits: what makes a file one, what keeps it from being one, and what makes it a source again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENOUGH, Outputs } from '#src/project/edits/outputs.js';

function attempts(outputs: Outputs, count: number, ...files: string[]): readonly string[] {
  let taken: readonly string[] = [];
  for (let attempt = 0; attempt < count; attempt += 1) taken = outputs.ended(files);
  return taken;
}

test('P6 a file that changes in attempt after attempt is taken for an output once, and then is good', () => {
  const outputs = new Outputs();
  assert.equal(outputs.mayBe(['a']), false);
  assert.deepEqual(attempts(outputs, ENOUGH - 1, 'a'), []);
  assert.deepEqual([outputs.mayBe(['a']), outputs.are(['a']), outputs.doubt], [true, false, ENOUGH - 1]);
  assert.deepEqual(outputs.ended(['a', 'b']), ['a']);
  assert.deepEqual([outputs.are(['a']), outputs.are(['a', 'b']), outputs.doubt], [true, false, 1]);
  assert.deepEqual(outputs.ended(['a']), []);
});

test('P6 two files that change in turns are both taken for outputs', () => {
  const outputs = new Outputs();
  for (let turn = 1; turn < ENOUGH; turn += 1) for (const file of ['a', 'b']) outputs.ended([file]);
  assert.deepEqual([outputs.ended(['a']), outputs.ended(['b'])], [['a'], ['b']]);
});

test('P6 an edit in a pause, or an attempt in which nothing changes, clears a file of all suspicion', () => {
  const outputs = new Outputs();
  attempts(outputs, ENOUGH - 1, 'a', 'b');
  outputs.edited(['a']);
  assert.deepEqual(outputs.ended(['a', 'b']), ['b']);
  outputs.ended([]);
  assert.equal(outputs.doubt, 0);
  assert.deepEqual(attempts(outputs, ENOUGH - 1, 'a'), []);
});

test('P6 an output that somebody edits is a source again', () => {
  const outputs = new Outputs();
  attempts(outputs, ENOUGH, 'a');
  outputs.ended([]);
  assert.equal(outputs.are(['a']), true);
  outputs.edited(['a']);
  assert.deepEqual([outputs.are(['a']), outputs.mayBe(['a'])], [false, false]);
});

test('P6 a file that no attempt could keep up with delays none, counts afterwards, and is let off once it rests', () => {
  const outputs = new Outputs();
  attempts(outputs, ENOUGH, 'a');
  outputs.ended(['a', 'b']);
  assert.deepEqual(outputs.giveUp(['a', 'b']), ['b']);
  outputs.edited(['b']);
  assert.deepEqual([outputs.mayBe(['a', 'b']), outputs.are(['a', 'b'])], [true, true]);
  assert.deepEqual([outputs.anyRestless(['a']), outputs.anyRestless(['a', 'b'])], [false, true]);
  outputs.ended(['a']);
  assert.deepEqual([outputs.are(['b']), outputs.anyRestless(['b'])], [false, false]);
});
