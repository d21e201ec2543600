/** Who owes what, in the order that it was asked, however many there are and whatever their ids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallClock } from '#src/server/call-times.js';
import { PendingRequests } from '#src/server/pending-requests.js';
import { keyOf } from '#src/wire/ids.js';
import { Message } from '#src/wire/message.js';
import { fc } from '../support/property.js';

const NOTHING = Message.of(Buffer.alloc(0));

const client = 'the client';

test('P1 requests under one id are completed one by one, each by the generation that owes it', () => {
  const tables = [1, 2, 3].map(() => new PendingRequests<string>());
  for (const [at, pending] of tables.entries()) pending.add(client, '7', `method-${at + 1}`, NOTHING);
  const [first, second, third] = tables as [PendingRequests<string>, PendingRequests<string>, PendingRequests<string>];
  assert.equal(second.complete('7')?.method, 'method-2');
  assert.equal(second.complete('7'), undefined);
  assert.equal(third.complete('7')?.method, 'method-3');
  assert.equal(first.complete('7.0')?.method, 'method-1');
  assert.deepEqual(
    tables.map(({ count }) => count),
    [0, 0, 0],
  );
});

test('P3 what a lost server owed comes back oldest first, also under ids that were used twice', () => {
  const pending = new PendingRequests<string>();
  for (const [at, id] of ['1', '2', '1', '3', '2'].entries()) pending.add(client, id, `m${at}`, NOTHING);
  assert.deepEqual(
    pending.takeAll().map(({ method }) => method),
    ['m0', 'm1', 'm2', 'm3', 'm4'],
  );
  assert.equal(pending.count, 0);
});

test('P1 nothing lost: what is recycled keeps nothing of its request, and takes nothing into the next', () => {
  const pending = new PendingRequests<string>(new CallClock());
  const line = Message.of(Buffer.from('a line'));
  pending.add(client, '1', 'tools/call', line, {}, true);
  pending.add(client, '1', 'ping', line);
  const done = pending.complete('1')!;
  pending.recycle(done);
  assert.deepEqual([done.message.length, done.id, done.key, done.method, done.session], [0, '', '', '', undefined]);

  pending.add('another client', '2', 'tools/list', line);
  const next = pending.find('2')!;
  const { session, id, method, order, batch, isRetry, cancelled, message } = next;
  assert.equal(next, done, 'it is the same record');
  assert.deepEqual([session, id, method, order, String(message)], ['another client', '2', 'tools/list', 3, 'a line']);
  assert.deepEqual([batch, isRetry, cancelled], [undefined, false, false]);
  assert.equal(pending.find('1')?.method, 'tools/call');
  assert.equal(pending.count, 2);
});

test('P1 nothing lost: whatever is asked, cancelled and answered in any order, the table is a list that is searched', () => {
  const id = fc.oneof(
    fc.nat({ max: 40 }).map(String),
    fc.constantFrom('"a"', '"b"', '1.0', '-3', '1e2', '"\\u0061"', `"${'x'.repeat(700)}1"`, `"${'x'.repeat(700)}2"`),
  );
  const generation = fc.integer({ min: 1, max: 3 });
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('add' as const), id, generation }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('complete' as const), id, generation }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('cancel' as const), id, generation }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('take' as const), id, generation }) },
  );
  type Kept = { key: string; method: string; generation: number; cancelled: boolean };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const clock = new CallClock();
      const tables = [1, 2, 3].map(() => new PendingRequests<string>(clock));
      let list: Kept[] = [];
      for (const [at, { act, ...of }] of steps.entries()) {
        const key = keyOf(of.id);
        const pending = tables[of.generation - 1]!;
        const newest = list.findLast((kept) => kept.key === key && kept.generation === of.generation);
        if (act === 'add') {
          pending.add(client, of.id, `m${at}`, Message.of(Buffer.from(`line ${at}`)));
          list.push({ key, method: `m${at}`, generation: of.generation, cancelled: false });
        } else if (act === 'complete') {
          const completed = pending.complete(of.id);
          assert.equal(completed?.method, newest?.method);
          list = list.filter((kept) => kept !== newest);
          if (completed !== undefined) pending.recycle(completed);
        } else if (act === 'cancel') {
          const found = pending.find(key);
          assert.equal(found?.method, newest?.method);
          if (found !== undefined) pending.cancel(found);
          if (newest !== undefined) newest.cancelled = true;
        } else {
          const taken = pending.takeAll().map(({ method }) => method);
          const expected = list.filter((kept) => kept.generation === of.generation);
          assert.deepEqual(
            taken,
            expected.map(({ method }) => method),
          );
          list = list.filter((kept) => !expected.includes(kept));
        }
        for (const each of [1, 2, 3]) {
          const owed = list.filter((kept) => kept.generation === each && !kept.cancelled).length;
          assert.equal(tables[each - 1]?.count, owed);
        }
      }
    }),
  );
});

test('P12 tens of thousands of open requests are found as fast as a few, also under long ids that are much alike', () => {
  const ids = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `"request/00000000-0000-${String(n).padStart(8, '0')}-of-a-long-session-id"`,
    );
  // Of the processor, which others can't take from it; the least of five.
  const cost = (count: number): number => {
    const all = ids(count);
    const costs = Array.from({ length: 5 }, () => {
      const pending = new PendingRequests<string>();
      const began = process.cpuUsage();
      for (const each of all) pending.add(client, each, 'tools/call', NOTHING);
      for (const each of all) assert.equal(pending.complete(each)?.id, each);
      return process.cpuUsage(began).user / count;
    });
    return Math.min(...costs);
  };
  const [few, many] = [cost(3000), cost(60_000)];
  // Were they searched one after the other, it would be twenty times as much.
  assert.ok(many < 10 * few, `${few} µs each of 3,000, ${many} of 60,000`);
});

test('P3 what is owed is taken oldest first after the table has grown', () => {
  const pending = new PendingRequests<string>();
  for (let n = 0; n < 9000; n++) pending.add(client, String(n % 3000), `m${n}`, NOTHING);
  assert.equal(pending.complete('7')?.method, 'm6007');
  const taken = pending.takeAll().map(({ method }) => Number(method.slice(1)));
  assert.deepEqual(
    taken,
    Array.from({ length: 9000 }, (_, n) => n).filter((n) => n !== 6007),
  );
});
