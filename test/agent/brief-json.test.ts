/** JSON that is cut: the beginning of what JSON.stringify gives, and all of it if there is room. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefJson } from '#src/agent/brief-json.js';
import { fc } from '../support/property.js';

test('what has room is whole, and of anything else there is the beginning', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), (value, max) => {
      const json = JSON.stringify(value);
      const { text, isWhole } = briefJson(value, max);
      assert.equal(isWhole, json.length <= max);
      if (isWhole) assert.equal(text, json);
      else assert.ok(text.length <= max && text.length >= max - 1 && (json.startsWith(text) || text.includes('\\')));
    }),
  );
});

test('a character is not cut in two', () => {
  assert.equal(briefJson('ab😀', 4).text, '"ab');
});

test('no more of it is looked at than is shown, however large or deep it is', () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown;
  assert.deepEqual(briefJson(deep, 5), { text: '[[[[[', isWhole: false });
  const { text, isWhole } = briefJson(deep, 1_000_000);
  assert.ok(!isWhole && text.length < 10_000);
  const watched = new Proxy([1, 2, 3, 4, 5, 6, 7, 8, 9], {
    get: (list, at): unknown => (at === '8' ? assert.fail('too far') : Reflect.get(list, at)),
  });
  assert.equal(briefJson(watched, 6).text, '[1,2,3');
});
