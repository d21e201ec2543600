// A server that goes may end its `subscriptions/listen` streams in good order before it does. If another one takes its
// place, the client must not hear of that: it would never listen again. If none does, or the server lives on, it must.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { modern, toolsChanged, withTools } from './modern.js';

const acknowledged = 'notifications/subscriptions/acknowledged';
const changed = 'notifications/tools/list_changed';

/** Ends the streams `a` and `b`, then does as told; `ring` tells the streams that are open. */
const leaving = (closing: string) =>
  withTools(`ring: () => (tell('${changed}'), generation),
  leave: ({ code }) => {
    for (const id of ['a', 'b']) ${closing};
    if (code !== undefined) process.exit(code);
    return never;
  }`);

const closings = {
  result: `send({ id, result: { resultType: 'complete' } })`,
  cancellation: `send({ method: 'notifications/cancelled', params: { requestId: id } })`,
};

for (const [name, closing] of Object.entries(closings)) {
  for (const [how, code] of [
    ['asks for a restart', 42],
    ['crashes', 1],
  ] as const) {
    test(`P16 P15 the streams of a server that ends them by a ${name} and then ${how} are fed by the next one`, async (t) => {
      const proxy = await modern(t, leaving(closing));
      await proxy.open('a', toolsChanged);
      await proxy.open('b', toolsChanged);
      const call = await proxy.start('leave', { code });
      assert.match(failureSaid(await call.answer), /may or may not have taken effect/);
      assert.equal(await proxy.which('ring'), '2');
      for (const id of ['a', 'b']) assert.deepEqual(proxy.stream(id), [acknowledged, changed]);
    });
  }
}

test('P16 the streams of a server that ends them and lives on are ended', async (t) => {
  const proxy = await modern(t, leaving(closings.result));
  await proxy.open('a', toolsChanged);
  await proxy.open('b', toolsChanged);
  const call = await proxy.start('leave');
  call.answer.catch(() => {});
  for (const id of ['a', 'b']) await proxy.response(id);
  for (const id of ['a', 'b']) assert.deepEqual(proxy.stream(id), [acknowledged, 'end']);
});

test('P16 the streams of a server that ends them and then the session are ended', async (t) => {
  const proxy = await modern(t, leaving(closings.result));
  await proxy.open('a', toolsChanged);
  await proxy.open('b', toolsChanged);
  assert.equal(await proxy.which(), '1');
  // A server that ends sooner does not leave on purpose: the time is part of what is tested.
  await new Promise((resolve) => setTimeout(resolve, 5100));
  const call = await proxy.start('leave', { code: 0 });
  call.answer.catch(() => {});
  assert.equal((await proxy.finished()).code, 0);
  for (const id of ['a', 'b']) assert.deepEqual(proxy.stream(id), [acknowledged, 'end']);
});
