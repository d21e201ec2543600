/** Who owes whom an answer, in the corners: ids used twice at once, and questions that nobody ever answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '#src/session/ledger.js';
import { Questions } from '#src/session/questions.js';
import { Message } from '#src/wire/message.js';

test('P1 one answer: requests under one id are settled one by one, each with the generation that owes it', () => {
  const ledger = new Ledger();
  const line = Message.fromJson('{}');
  for (const generation of [1, 2, 3]) ledger.enter('7', `method-${generation}`, line, generation);
  assert.equal(ledger.settle('7', 2)?.method, 'method-2');
  assert.equal(ledger.settle('7', 2), undefined);
  assert.equal(ledger.settle('7', 3)?.method, 'method-3');
  assert.equal(ledger.settle('7.0', 1)?.method, 'method-1');
  assert.deepEqual(
    [1, 2, 3].map((generation) => ledger.owing(generation)),
    [0, 0, 0],
  );
});

test('P1 one answer: a lost generation owes all that was asked of it, and nothing of the others', () => {
  const ledger = new Ledger();
  const line = Message.fromJson('{}');
  for (const generation of [1, 2, 1]) ledger.enter('"a"', `method-${generation}`, line, generation);
  assert.equal(ledger.take(1).length, 2);
  assert.deepEqual([ledger.owing(1), ledger.owing(2)], [0, 1]);
  assert.equal(ledger.settle('"a"', 1), undefined);
  assert.equal(ledger.settle('"a"', 2)?.generation, 2);
});

test('P12 bounded: of the questions of lost generations only the newest thousand are remembered', () => {
  const questions = new Questions();
  for (let id = 0; id < 1200; id++) questions.ask(String(id), 1, 'sampling/createMessage', undefined);
  assert.equal(questions.orphan(1).length, 1200);
  assert.equal(questions.answer('199'), undefined);
  assert.equal(questions.answer('200')?.orphan, true);
  assert.equal(questions.answer('1199')?.orphan, true);
});

test('P10 no cross-talk: a question is found by the id that its asker gave it, whatever the client sees', () => {
  const questions = new Questions();
  const first = questions.ask('0', 1, 'sampling/createMessage', undefined);
  const second = questions.ask('0', 2, 'sampling/createMessage', undefined);
  assert.equal(first.shown, '0');
  assert.notEqual(second.shown, '0');
  assert.equal(questions.asked('0', 2), second);
  assert.equal(questions.asked('0', 3), undefined);
  assert.equal(questions.answer(second.shown)?.generation, 2);
});
