// The mark of a proxy: unique, handed on by proxies that are servers of others, and known by its generation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMarked, markValue, newMark } from '#src/process/mark.js';

test('P13 a mark is of one proxy and one generation', () => {
  const [one, other] = [newMark(), newMark()];
  assert.notEqual(one, other);
  const value = markValue(undefined, one, 2);
  assert.equal(isMarked(value, one, 2), true);
  assert.equal(isMarked(value, one, undefined), true);
  assert.equal(isMarked(value, one, 1), false);
  assert.equal(isMarked(markValue('', one, 12), one, 1), false);
  assert.equal(isMarked(value, other, 2), false);
  assert.equal(isMarked(value, other, undefined), false);
  assert.equal(isMarked('', one, undefined), false);
});

test('P13 a proxy behind a proxy adds its mark, and both are known', () => {
  const [outer, inner] = [newMark(), newMark()];
  const value = markValue(markValue(undefined, outer, 3), inner, 1);
  assert.equal(isMarked(value, outer, 3), true);
  assert.equal(isMarked(value, inner, 1), true);
  assert.equal(isMarked(value, outer, 1), false);
  assert.equal(isMarked(value, inner, 3), false);
});
