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
