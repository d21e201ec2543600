/** The set and the map for members that come and go are those of JavaScript, but for what is seen while they change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShortLivedMap, ShortLivedSet } from '#src/wire/short-lived.js';
import { fc } from '../support/property.js';

const steps = fc.array(
  fc.record({ does: fc.constantFrom('add', 'add', 'delete', 'clear'), member: fc.nat({ max: 6 }), value: fc.nat() }),
  { maxLength: 60 },
);

test('P17 whatever comes and goes, they hold what a Set and a Map would, in the same order', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [set, map] = [new ShortLivedSet<number>(), new ShortLivedMap<number, number>()];
      const [plainSet, plainMap] = [new Set<number>(), new Map<number, number>()];
      for (const { does, member, value } of all) {
        if (does === 'add') {
          set.add(member);
          plainSet.add(member);
          map.set(member, value);
          plainMap.set(member, value);
        } else if (does === 'delete') {
          assert.equal(set.delete(member), plainSet.delete(member));
          assert.equal(map.delete(member), plainMap.delete(member));
        } else {
          map.clear();
          plainMap.clear();
        }
        assert.deepEqual([[...set], set.size, set.has(3)], [[...plainSet], plainSet.size, plainSet.has(3)]);
        assert.deepEqual([[...map], map.size], [[...plainMap], plainMap.size]);
        assert.deepEqual([map.has(3), map.get(3)], [plainMap.has(3), plainMap.get(3)]);
        assert.deepEqual([[...map.keys()], [...map.values()]], [[...plainMap.keys()], [...plainMap.values()]]);
      }
    }),
  );
});

test('P17 whoever looks through them sees those that were there when it began', () => {
  const set = new ShortLivedSet<string>();
  for (const member of ['a', 'b', 'c']) set.add(member);
  const seen: string[] = [];
  for (const member of set) {
    seen.push(member);
    set.delete(member);
    set.add('d');
  }
  assert.deepEqual([seen, [...set]], [['a', 'b', 'c'], ['d']]);
});
