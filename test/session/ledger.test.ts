/** Who owes what, in the order that it was asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '#src/session/ledger.js';

test('P3 order: what a lost server owed comes back oldest first, also under ids that were used twice', () => {
  const ledger = new Ledger();
  for (const [at, id] of ['1', '2', '1', '3', '2'].entries()) ledger.enter(id, `m${at}`, Buffer.alloc(0), 7);
  ledger.enter('9', 'another', Buffer.alloc(0), 8);
  assert.deepEqual(
    ledger.take(7).map(({ method }) => method),
    ['m0', 'm1', 'm2', 'm3', 'm4'],
  );
  assert.equal(ledger.owing(7), 0);
  assert.equal(ledger.owing(8), 1);
});

test('P1 nothing lost: what is released keeps nothing of its request, and takes nothing into the next', () => {
  const ledger = new Ledger();
  const line = Buffer.from('a line');
  ledger.enter('1', 'tools/call', line, 7, { batch: { line }, again: true });
  ledger.enter('1', 'ping', line, 7);
  const owed = ledger.settle('1', 7)!;
  ledger.release(owed);
  assert.deepEqual([owed.run.length, owed.id, owed.key, owed.method], [0, '', '', '']);

  ledger.enter('2', 'tools/list', line, 8);
  const next = ledger.find('2')!;
  const { id, method, generation, order, batch, again, cancelled, next: below } = next;
  assert.deepEqual([id, method, generation, order, String(next.run)], ['2', 'tools/list', 8, 3, 'a line']);
  assert.deepEqual([batch, again, cancelled, below], [undefined, false, false, undefined]);
  assert.equal(ledger.find('1')?.method, 'tools/call');
  assert.equal(ledger.owing(7), 1);
});
