/** So many starts at once and no more; what is aborted while it waits takes no slot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartSlots } from '#src/lineage/start-slots.js';

const never = new AbortController().signal;

function opened(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

test('P12 no more starts run at once than there are slots, and all of them run', async () => {
  const slots = new StartSlots(2);
  const gates = Array.from({ length: 5 }, opened);
  let running = 0;
  let most = 0;
  const all = gates.map(({ promise }, at) =>
    slots.run(async () => {
      most = Math.max(most, ++running);
      await promise;
      running--;
      return at;
    }, never),
  );
  for (const { open } of gates) {
    await new Promise((resolve) => setImmediate(resolve));
    open();
  }
  assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4]);
  assert.equal(most, 2);
});

test('a start that is given up while it waits is over at once, and never begins', async () => {
  const slots = new StartSlots(1);
  const gate = opened();
  const first = slots.run(() => gate.promise.then(() => 'first'), never);
  const abort = new AbortController();
  let hasBegun = false;
  const second = slots.run(() => Promise.resolve((hasBegun = true)), abort.signal);
  abort.abort();
  assert.equal(await second, undefined);
  gate.open();
  assert.equal(await first, 'first');
  assert.equal(await slots.run(() => Promise.resolve('third'), never), 'third');
  assert.equal(hasBegun, false);
});

test('a start that fails frees its slot', async () => {
  const slots = new StartSlots(1);
  await assert.rejects(
    slots.run(() => Promise.reject(new Error('no')), never),
    /no/,
  );
  assert.equal(await slots.run(() => Promise.resolve(1), never), 1);
});
