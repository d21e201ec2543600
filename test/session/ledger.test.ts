/** Who owes what, in the order that it was asked, however many there are and whatever their ids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '#src/session/ids.js';
import { Ledger } from '#src/session/ledger.js';
import { Message } from '#src/wire/message.js';
import { fc } from '../support/property.js';

const NOTHING = Message.of(Buffer.alloc(0));

test('P3 order: what a lost server owed comes back oldest first, also under ids that were used twice', () => {
  const ledger = new Ledger();
  for (const [at, id] of ['1', '2', '1', '3', '2'].entries()) ledger.enter(id, `m${at}`, NOTHING, 7);
  ledger.enter('9', 'another', NOTHING, 8);
  assert.deepEqual(
    ledger.take(7).map(({ method }) => method),
    ['m0', 'm1', 'm2', 'm3', 'm4'],
  );
  assert.equal(ledger.owing(7), 0);
  assert.equal(ledger.owing(8), 1);
});

test('P1 nothing lost: what is released keeps nothing of its request, and takes nothing into the next', () => {
  const ledger = new Ledger();
  const line = Message.of(Buffer.from('a line'));
  ledger.enter('1', 'tools/call', line, 7, {}, true);
  ledger.enter('1', 'ping', line, 7);
  const owed = ledger.settle('1', 7)!;
  ledger.release(owed);
  assert.deepEqual([owed.message.length, owed.id, owed.key, owed.method], [0, '', '', '']);

  ledger.enter('2', 'tools/list', line, 8);
  const next = ledger.find('2')!;
  const { id, method, generation, order, batch, again, cancelled, next: below } = next;
  assert.deepEqual([id, method, generation, order, String(next.message)], ['2', 'tools/list', 8, 3, 'a line']);
  assert.deepEqual([batch, again, cancelled, below], [undefined, false, false, undefined]);
  assert.equal(ledger.find('1')?.method, 'tools/call');
  assert.equal(ledger.owing(7), 1);
});

test('P1 nothing lost: whatever is asked, cancelled and answered in any order, the ledger is a list that is searched', () => {
  const id = fc.oneof(
    fc.nat({ max: 40 }).map(String),
    fc.constantFrom('"a"', '"b"', '1.0', '-3', '1e2', '"\\u0061"', `"${'x'.repeat(700)}1"`, `"${'x'.repeat(700)}2"`),
  );
  const generation = fc.integer({ min: 1, max: 3 });
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('enter' as const), id, generation }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('settle' as const), id, generation }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('cancel' as const), id, generation }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('take' as const), id, generation }) },
  );
  type Kept = { key: string; method: string; generation: number; cancelled: boolean };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const ledger = new Ledger();
      let list: Kept[] = [];
      for (const [at, { act, ...of }] of steps.entries()) {
        const key = keyOf(of.id);
        const newest = list.findLast((kept) => kept.key === key && kept.generation === of.generation);
        if (act === 'enter') {
          ledger.enter(of.id, `m${at}`, Message.of(Buffer.from(`line ${at}`)), of.generation);
          list.push({ key, method: `m${at}`, generation: of.generation, cancelled: false });
        } else if (act === 'settle') {
          const settled = ledger.settle(of.id, of.generation);
          assert.equal(settled?.method, newest?.method);
          list = list.filter((kept) => kept !== newest);
          if (settled !== undefined) ledger.release(settled);
        } else if (act === 'cancel') {
          const owed = ledger.find(key);
          const last = list.findLast((kept) => kept.key === key);
          assert.equal(owed?.method, last?.method);
          if (owed !== undefined) ledger.cancel(owed);
          if (last !== undefined) last.cancelled = true;
        } else {
          const taken = ledger.take(of.generation).map(({ method }) => method);
          const expected = list.filter((kept) => kept.generation === of.generation);
          assert.deepEqual(
            taken,
            expected.map(({ method }) => method),
          );
          list = list.filter((kept) => !expected.includes(kept));
        }
        for (const each of [1, 2, 3]) {
          const owing = list.filter((kept) => kept.generation === each && !kept.cancelled).length;
          assert.equal(ledger.owing(each), owing);
        }
      }
    }),
  );
});

test('P12 bounded: tens of thousands of open requests are found as fast as a few, also under long ids that are much alike', () => {
  const ids = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `"request/00000000-0000-${String(n).padStart(8, '0')}-of-a-long-session-id"`,
    );
  // Of the processor, which others can't take from it; the least of five.
  const cost = (count: number): number => {
    const all = ids(count);
    const costs = Array.from({ length: 5 }, () => {
      const ledger = new Ledger();
      const began = process.cpuUsage();
      for (const each of all) ledger.enter(each, 'tools/call', NOTHING, 1);
      for (const each of all) assert.equal(ledger.settle(each, 1)?.id, each);
      return process.cpuUsage(began).user / count;
    });
    return Math.min(...costs);
  };
  const [few, many] = [cost(3000), cost(60_000)];
  // Were they searched one after the other, it would be twenty times as much.
  assert.ok(many < 10 * few, `${few} µs each of 3,000, ${many} of 60,000`);
});

test('P3 order: what is owed is taken oldest first after the drawers were made more', () => {
  const ledger = new Ledger();
  for (let n = 0; n < 9000; n++) ledger.enter(String(n % 3000), `m${n}`, NOTHING, 1);
  assert.equal(ledger.settle('7', 1)?.method, 'm6007');
  const taken = ledger.take(1).map(({ method }) => Number(method.slice(1)));
  assert.deepEqual(
    taken,
    Array.from({ length: 9000 }, (_, n) => n).filter((n) => n !== 6007),
  );
});
