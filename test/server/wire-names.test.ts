/** What clients that share a server are called there, and for how long a name is whose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WireNames } from '#src/server/wire-names.js';

test('P17 a name is its first user’s; another one gets one of ours, which finds back', () => {
  const names = new WireNames<string>('ours');
  assert.equal(names.take('a', '1', '1'), '1');
  assert.equal(names.take('a', '1', '1'), '1');
  assert.equal(names.take('b', '1', '1'), '"ours-1"');
  assert.deepEqual([names.find('1')?.owner, names.find('"ours-1"')], ['a', { owner: 'b', own: '1', request: '1' }]);
  // Ours is passed over as well if somebody else uses it.
  assert.equal(
    names.take('c', '1', '1', (key) => key === '"ours-2"'),
    '"ours-3"',
  );
});

test('P17 the names of one that has left are nobody’s, and nobody else gets them', () => {
  const names = new WireNames<string>('ours');
  for (const id of ['1', '2']) names.take('a', id, id);
  names.take('b', '3', '3');
  names.disown('a');
  assert.deepEqual(
    ['1', '2', '3'].map((id) => names.find(id)?.owner),
    [undefined, undefined, 'b'],
  );
  assert.notEqual(names.take('b', '1', '1'), '1');
});

test('P12 only so many names are remembered, and one that left long ago costs nothing', () => {
  const names = new WireNames<number>('ours');
  for (let client = 0; client < 50_000; client++) {
    names.take(client, '0', '0');
    names.disown(client);
  }
  assert.equal(names.find('"ours-1"'), undefined, 'it was used longest ago');
  assert.notEqual(names.find('"ours-40000"'), undefined);
});

test('P17 a name that is used again and again is remembered, whatever others are used meanwhile', () => {
  const names = new WireNames<string>('ours');
  for (let other = 0; other < 100_000; other++) {
    if (other % 5_000 === 0) names.take('a', '"mine"', '1');
    names.take('b', String(other), String(other));
  }
  assert.equal(names.find('"mine"')?.owner, 'a');
  assert.equal(names.take('b', '"mine"', '1'), '"ours-1"');
});
