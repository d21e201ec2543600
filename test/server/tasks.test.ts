/** Which generation has a task, and when it is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tasks } from '#src/session/tasks.js';

test('P1 tasks: a task is open until the client is told how it ended, by the generation that has it', () => {
  const tasks = new Tasks();
  tasks.created('a', 1);
  assert.deepEqual([tasks.openIn(1), tasks.openIn(2), tasks.generationOf('a')], [1, 0, 1]);
  tasks.end('a', 2);
  tasks.end('b', 1);
  assert.equal(tasks.openIn(1), 1, 'what another generation says of it, or it of another task, counts for nothing');
  tasks.end('a', 1);
  assert.deepEqual([tasks.openIn(1), tasks.anyIn(1), tasks.generationOf('a')], [0, true, 1]);
});

test('P1 tasks: of those whose server is gone it is remembered how they ended, the newest thousand', () => {
  const tasks = new Tasks();
  for (let n = 0; n < 1500; n++) tasks.created(`t${n}`, 1);
  tasks.created('other', 2);
  tasks.end('t1498', 1);
  tasks.lose(1);
  assert.deepEqual([tasks.openIn(1), tasks.openIn(2), tasks.gone('other')], [0, 1, undefined]);
  assert.deepEqual(
    [tasks.gone('t1499'), tasks.gone('t1498'), tasks.gone('t0'), tasks.generationOf('t1499')],
    ['lost', 'over', undefined, undefined],
  );
  tasks.created('t1499', 2);
  assert.equal(tasks.gone('t1499'), undefined, 'ids of a new server may be the same');
});
