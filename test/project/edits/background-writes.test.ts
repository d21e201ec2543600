// Files that a server writes though nobody calls it, told from edits by how long after each reload they change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundWrites } from '#src/project/edits/background-writes.js';

/** Each step is a reload and a change so much later; with `calls`, there is a call in between each time. */
function play(delays: readonly number[], { calls = false, writes = new BackgroundWrites() } = {}) {
  let now = 0;
  const taken = delays.map((delay, index) => {
    writes.recordReload((now += 1000));
    now += delay;
    return writes.recordFitting('state.json', now) ?? writes.record('state.json', now, calls ? index : 0) ?? 'edit';
  });
  return { writes, now, taken };
}

const edits = (count: number) => Array.from({ length: count }, () => 'edit');
const times = (count: number, delay: number) => Array.from({ length: count }, () => delay);

test('P6 a file that changes at the same time after five reloads running is the server’s, and surely after the sixth', () => {
  for (const delay of [0, 300, 1000, 60_000])
    assert.deepEqual(play(times(7, delay)).taken, [...edits(4), 'likely', 'certain', 'certain']);
});

test('P4 with calls in between, it takes eight: a script that edits and calls is regular, too', () => {
  assert.deepEqual(play(times(9, 500), { calls: true }).taken, [...edits(7), 'likely', 'certain']);
});

test('P4 edits come at other times each', () => {
  assert.deepEqual(play([300, 1000, 2000, 700, 1500, 300, 4000, 900, 2000]).taken, edits(9));
});

test('P4 several changes before the reload that they bring about count once', () => {
  const writes = new BackgroundWrites();
  writes.recordReload(0);
  const taken = Array.from({ length: 9 }, (_, index) => writes.record('state.json', 100 + index, 0));
  assert.deepEqual(
    taken.filter((one) => one !== undefined),
    [],
  );
});

test('P4 a change after a longer rest than the server ever made is an edit again; sooner ones are the server’s', () => {
  const { writes, now } = play(times(6, 1000));
  for (let write = 1; write <= 5; write++)
    assert.equal(writes.recordFitting('state.json', now + write * 2000), 'certain');
  assert.equal(writes.recordFitting('state.json', now + 15_000), undefined);
  assert.equal(writes.recordFitting('state.json', now + 15_100), undefined);
});
