// When a change belongs to a call, and to which: by the times that the ledger keeps of tool calls.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeTimeOf, type When } from '#src/project/edits/call-writes.js';
import { CallClock } from '#src/server/call-times.js';
import { PendingRequests } from '#src/server/pending-requests.js';
import { Message } from '#src/wire/message.js';

const idle = {
  open: false,
  busySince: 1000,
  idleSince: 1100,
  activeSince: 1000,
  calls: 7,
  newestBegan: 1000,
  newestEnded: 1100,
};
const busy = {
  open: true,
  busySince: 2000,
  idleSince: 1950,
  activeSince: 1000,
  calls: 7,
  newestBegan: 2000,
  newestEnded: Infinity,
};
/** A long call has been open since 2000; the newest has been answered. */
const long = { ...busy, newestBegan: 3000, newestEnded: 3010 };
const never = {
  open: false,
  busySince: -Infinity,
  idleSince: -Infinity,
  activeSince: -Infinity,
  calls: 0,
  newestBegan: -Infinity,
  newestEnded: -Infinity,
};

test('a change within a tick of the answer may have come after it', () => {
  assert.deepEqual(
    [1050, 1095, 1105].map((at) => changeTimeOf(at, idle).close),
    [undefined, true, undefined],
  );
  assert.equal(changeTimeOf(2001, busy).close, undefined);
});

test('a change just before a call began may also be of that call, whose beginning file times may lag behind', () => {
  assert.deepEqual(
    [990, 1000, 1002].map((at) => changeTimeOf(at, idle).orBefore),
    [true, true, undefined],
  );
});

const times: [title: string, changed: number, calls: typeof idle, when: When, call: number | undefined][] = [
  ['nobody has ever called', 50, never, 'apart', undefined],
  ['long before the call', 900, idle, 'apart', undefined],
  ['by a clock that is a little late', 990, idle, 'during', 7],
  ['in the middle', 1050, idle, 'during', 7],
  ['soon after the answer', 1250, idle, 'after', 7],
  ['long after the answer', 1350, idle, 'apart', undefined],
  ['while a call is open', 9000, busy, 'during', 7],
  ['during another call not long before', 1500, busy, 'during', 6],
  ['before all of these calls', 900, busy, 'apart', undefined],
  ['while a long call is open, soon after a short one', 3100, long, 'during', 7],
  ['while nothing but a long call is open', 4000, long, 'during', undefined],
];
for (const [title, changed, calls, when, call] of times) {
  test(`when a file changed: ${title}`, () => {
    const time = changeTimeOf(changed, calls);
    assert.deepEqual([time.at, time.when, time.call], [changed, when, call]);
  });
}

test('it is known when clients waited for results of tool calls, and for nothing else', () => {
  let now = 0;
  const clock = new CallClock(() => now);
  const pending = new PendingRequests<string>(clock);
  const at = (time: number, work: () => unknown) => {
    now = time;
    work();
    const { open, busySince, idleSince, activeSince, calls, newestBegan, newestEnded } = clock.times;
    return [open, busySince, idleSince, activeSince, calls, newestBegan, newestEnded];
  };
  const add =
    (id: string, method = 'tools/call') =>
    () =>
      pending.add('client', id, method, Message.fromJson('{}'));
  const complete = (id: string) => () => pending.complete(id);
  at(900, add('0', 'tools/list'));
  at(910, complete('0'));
  assert.deepEqual([clock.times.open, clock.times.calls, clock.times.idleSince], [false, 0, -Infinity]);
  assert.deepEqual(at(1000, add('1')), [true, 1000, -Infinity, 1000, 1, 1000, Infinity]);
  assert.deepEqual(at(1010, add('2')), [true, 1000, -Infinity, 1000, 2, 1010, Infinity]);
  assert.deepEqual(at(1020, complete('1')), [true, 1000, -Infinity, 1000, 2, 1010, Infinity]);
  assert.deepEqual(at(1030, complete('2')), [false, 1000, 1030, 1000, 2, 1010, 1030]);
  assert.deepEqual(at(1100, add('3')), [true, 1100, 1030, 1000, 3, 1100, Infinity]);
  assert.deepEqual(
    at(1200, () => pending.takeAll()),
    [false, 1100, 1200, 1000, 3, 1100, 1200],
  );
  assert.equal(at(1500, add('4'))[3], 1500);
  assert.equal(at(1510, () => pending.cancel(pending.find('4')!))[0], false);
  assert.deepEqual(at(1520, complete('4')).slice(2, 4), [1510, 1500]);
});
