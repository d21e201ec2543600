/** Which generation has a task, and when it is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tasks } from '#src/session/tasks.js';

const open: [what: string, play: (tasks: Tasks) => void, openIn1: number][] = [
  ['one that was begun is open', () => {}, 1],
  ['one that works is', (tasks) => tasks.update('a', 1, 'working', false), 1],
  ['one that waits for input is', (tasks) => tasks.update('a', 1, 'input_required', false), 1],
  ['one that has completed is, until its result is fetched', (tasks) => tasks.update('a', 1, 'completed', false), 1],
  ['one whose result is fetched is over', (tasks) => tasks.update('a', 1, undefined, true), 0],
  ['one that has failed is over', (tasks) => tasks.update('a', 1, 'failed', false), 0],
  ['one that was cancelled is over', (tasks) => tasks.update('a', 1, 'cancelled', false), 0],
  ['what another generation says of it counts for nothing', (tasks) => tasks.update('a', 2, 'failed', false), 1],
];

for (const [what, play, openIn1] of open) {
  test(`P1 tasks: ${what}`, () => {
    const tasks = new Tasks();
    tasks.created('a', 1, 'working');
    play(tasks);
    assert.deepEqual([tasks.openIn(1), tasks.openIn(2), tasks.generationOf('a')], [openIn1, 0, 1]);
  });
}

test('P1 tasks: those of a generation that is gone are lost, and of so many it is remembered', () => {
  const tasks = new Tasks();
  for (let n = 0; n < 1500; n++) tasks.created(`t${n}`, 1, 'working');
  tasks.created('other', 2, 'working');
  tasks.lose(1);
  assert.deepEqual([tasks.openIn(1), tasks.openIn(2), tasks.isLost('other')], [0, 1, false]);
  assert.deepEqual([tasks.isLost('t1499'), tasks.isLost('t0'), tasks.generationOf('t1499')], [true, false, undefined]);
});
