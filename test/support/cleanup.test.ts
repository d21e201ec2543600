// What cleanup.ts promises about order and failures, on a context of the test's own.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';

/** A context that runs its one hook when told to. */
function context(): { t: TestContext; end: () => Promise<void> } {
  const hooks: (() => unknown)[] = [];
  const t = { after: (hook: () => unknown) => void hooks.push(hook) } as unknown as TestContext;
  return {
    t,
    async end() {
      for (const hook of hooks) await hook();
    },
  };
}

test('the last thing done is undone first, whatever fails on the way', async () => {
  const { t, end } = context();
  const order: string[] = [];
  cleanup(t, () => void order.push('directory'));
  cleanup(t, () => {
    throw new Error('left behind');
  });
  cleanup(t, async () => {
    await Promise.resolve();
    order.push('server');
  });
  await assert.rejects(end(), /left behind/);
  assert.deepEqual(order, ['server', 'directory']);
});

test('all failures are told', async () => {
  const { t, end } = context();
  cleanup(t, () => Promise.reject(new Error('one')));
  cleanup(t, () => Promise.reject(new Error('two')));
  await assert.rejects(end(), /two\n.*one/);
});
