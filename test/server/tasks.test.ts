/** Which tasks a server has, and when one is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tasks } from '#src/server/tasks.js';
import { GoneTasks } from '#src/session/gone-tasks.js';

test('P1 tasks: a task is open until the client is told how it ended, by the generation that has it', () => {
  const [one, other] = [new Tasks<string>(), new Tasks<string>()];
  one.add('a', 'client');
  assert.deepEqual([one.openCount, other.openCount, one.has('a')], [1, 0, true]);
  other.end('a');
  one.end('b');
  assert.equal(one.openCount, 1, 'what another generation says of it, or it of another task, counts for nothing');
  one.end('a');
  assert.deepEqual([one.openCount, one.size, one.has('a')], [0, 1, true]);
});

test('P1 tasks: of those whose server is gone it is remembered how they ended, the newest thousand', () => {
  const [tasks, other, gone] = [new Tasks<string>(), new Tasks<string>(), new GoneTasks()];
  for (let n = 0; n < 1500; n++) tasks.add(`t${n}`, 'client');
  other.add('other', 'client');
  tasks.end('t1498');
  for (const { id, isOver } of tasks.takeAll()) gone.add(id, isOver ? 'over' : 'lost');
  assert.deepEqual([tasks.openCount, other.openCount, gone.get('other')], [0, 1, undefined]);
  assert.deepEqual(
    [gone.get('t1499'), gone.get('t1498'), gone.get('t0'), tasks.has('t1499')],
    ['lost', 'over', undefined, false],
  );
  gone.remove('t1499');
  assert.equal(gone.get('t1499'), undefined, 'ids of a new server may be the same');
});
