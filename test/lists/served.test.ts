/*
 * Proves that the remembered list is a listing that the client was really served whole, or none, however the pages of
 * several listings interleave.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { createServed } from '#src/lists/served.js';

test('P9 nothing is known before the first listing', () => {
  assert.equal(createServed().baseline('tools'), undefined);
});

test('P9 a listing of one page is the baseline, each list by itself', () => {
  const served = createServed();
  served.onPage('tools', undefined, { tools: [1] });
  served.onPage('resourceTemplates', null, { resourceTemplates: [2], nextCursor: null });
  assert.deepEqual(served.baseline('tools'), [1]);
  assert.deepEqual(served.baseline('resourceTemplates'), [2]);
  assert.equal(served.baseline('resources'), undefined);
});

test('P9 a listing counts once its last page is served', () => {
  const served = createServed();
  served.onPage('tools', undefined, { tools: ['old'] });
  served.onPage('tools', undefined, { tools: [1], nextCursor: 'a' });
  assert.deepEqual(served.baseline('tools'), ['old']);
  served.onPage('tools', 'a', { tools: [2], nextCursor: 'b' });
  served.onPage('tools', 'b', { tools: [3] });
  assert.deepEqual(served.baseline('tools'), [1, 2, 3]);
});

test('P9 a listing begun anew replaces one that was left half-way', () => {
  const served = createServed();
  served.onPage('tools', undefined, { tools: [1], nextCursor: 'a' });
  served.onPage('tools', undefined, { tools: [2], nextCursor: 'b' });
  served.onPage('tools', 'b', { tools: [3] });
  assert.deepEqual(served.baseline('tools'), [2, 3]);
});

const doubts: [title: string, cursor: unknown, result: unknown][] = [
  ['a cursor that was never given', 'z', { tools: [] }],
  ['a cursor that is no string', 7, { tools: [] }],
  ['a result that is no list', undefined, { tools: {} }],
  ['no result', undefined, undefined],
];
for (const [title, cursor, result] of doubts) {
  test(`P9 ${title} makes the list unknown until it is listed again`, () => {
    const served = createServed();
    served.onPage('tools', undefined, { tools: ['old'] });
    served.onPage('tools', undefined, { tools: [1], nextCursor: 'a' });
    served.onPage('tools', cursor, result);
    assert.equal(served.baseline('tools'), undefined);
    served.onPage('tools', 'a', { tools: [2] });
    assert.equal(served.baseline('tools'), undefined);
    served.onPage('tools', undefined, { tools: ['new'] });
    assert.deepEqual(served.baseline('tools'), ['new']);
  });
}

test('P12 an endless listing is not kept', () => {
  const served = createServed();
  served.onPage('tools', undefined, { tools: [0], nextCursor: 'c' });
  for (let i = 0; i < 500; i++) served.onPage('tools', 'c', { tools: [i], nextCursor: 'c' });
  served.onPage('tools', 'c', { tools: [] });
  assert.equal(served.baseline('tools'), undefined);
});

test('P9 interleaved listings leave a whole one or none', () => {
  // Each listing has its own cursors and items: a baseline mixed from two of them would be a list that no one served.
  const lengths = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lengths, fc.array(fc.nat(3), { maxLength: 24 }), (listings, order) => {
      const served = createServed();
      const progress = listings.map(() => 0);
      const whole = listings.map((pages, n) => Array.from({ length: pages }, (_, p) => `${n}:${p}`));
      for (const turn of order) {
        const n = turn % listings.length;
        const page = progress[n] ?? 0;
        progress[n] = page + 1;
        const pages = whole[n] ?? [];
        if (page >= pages.length) continue;
        const next = page + 1 < pages.length ? { nextCursor: `${n}:${page + 1}` } : {};
        served.onPage('tools', page === 0 ? undefined : `${n}:${page}`, { tools: [pages[page]], ...next });
        const baseline = served.baseline('tools');
        if (baseline !== undefined) assert.ok(whole.some((list) => list.join() === baseline.join()));
      }
    }),
    { numRuns: 2000 },
  );
});
