/** Ids as keys: the same for JSON, the same for us. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { keyOf, keyOfValue } from '#src/wire/ids.js';

test('P1 an id that a peer spells otherwise is still the same id', () => {
  for (const [a, b] of [
    ['1', '1.0'],
    ['1', '1e0'],
    ['"a"', '"\\u0061"'],
    ['-0', '0'],
    ['100', '1e2'],
  ] as const) {
    assert.equal(keyOf(a), keyOf(b), `${a} ${b}`);
  }
});

test('P1 strings and numbers never meet', () => {
  fc.assert(fc.property(fc.integer(), (n) => assert.notEqual(keyOf(String(n)), keyOf(JSON.stringify(String(n))))));
  assert.notEqual(keyOf('""'), keyOf('0'));
  assert.notEqual(keyOf('null'), keyOf('"null"'));
});

test('P1 keys are equal exactly where the parsed ids are', () => {
  const id = fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(id, id, (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      assert.equal(keyOf(JSON.stringify(a)) === keyOf(JSON.stringify(b)), same);
      assert.equal(keyOfValue(a), keyOf(JSON.stringify(a)));
    }),
  );
});
