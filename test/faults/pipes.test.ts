// Pipes that break or stand still under a proxy that reloads: a server that closes one end and lives on, a reader that
// does nothing for ten seconds. The plain pipe's side is e2e/backpressure.test.ts's, a client that goes away
// e2e/shutdown.test.ts's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { failureIn } from '../e2e/failures/failures.js';
import { memoryOf } from '../support/harness.js';
import { live, type ReloadProject } from '../support/reload-project.js';
import { script, scripted } from '../support/reloadable.js';

/** What the proxy may hold more than before, in MiB, while 128 go through it: what is under way, and garbage. */
const room = 96;
const megabytes = 128;
const line = 64 * 1024;
const count = (megabytes * 1024 ** 2) / line;
/** That is the fault. */
const standstill = 10_000;

const server = (version: string) =>
  script(`
    import { once } from 'node:events';
    import { closeSync } from 'node:fs';
    const text = 'x'.repeat(${line});
    export const tools = {
      version: () => '${version}',
      flood: async () => {
        for (let data = 1; data <= ${count}; data++)
          if (!send({ method: 'notifications/message', params: { level: 'info', data, text } }))
            await once(process.stdout, 'drain');
        return '${version}';
      },
      doze: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${standstill}),
      close: ({ fd }) => {
        process.on('uncaughtException', () => {}); // whoever writes to a stream that is gone
        setTimeout(() => {}, 600_000);
        closeSync(fd);
        console.error('closed');
        return never;
      },
    };`);
const files = () => ({ ...scripted(''), 'src/script.mjs': server('one') });
const env = { JOURNAL: '' };

async function withMemoryFlat(proxy: ReloadProject, act: () => Promise<void>): Promise<void> {
  const before = memoryOf(proxy.pid).peak;
  await act();
  const { peak } = memoryOf(proxy.pid);
  assert.ok(peak < before + room, `${before} MiB before, ${peak} MiB at most`);
}

describe('pipes', { concurrency: 4 }, () => {
  test('P12 P3 a client that reads nothing for 10 s while the server floods it and is edited: memory is flat, and all arrives in order', async (t) => {
    const proxy = await live(t, files(), { options: ['--drain', '0'], env });
    await proxy.call('version');
    await withMemoryFlat(proxy, async () => {
      proxy.child.stdout.pause();
      const flood = proxy.request('tools/call', { name: 'flood' }, { deadline: 60_000 });
      await delay(standstill / 2);
      proxy.save(server('two'));
      const after = proxy.request('tools/call', { name: 'version' }, { deadline: 60_000 });
      await delay(standstill / 2);
      proxy.child.stdout.resume();
      assert.equal((await after).result.content[0].text, 'two');
      assert.equal((await flood).result.content[0].text, 'one');
    });
    const data = proxy.messages.flatMap(({ message }) => (message.params?.text ? [message.params.data as number] : []));
    assert.deepEqual(
      data,
      Array.from({ length: count }, (_, at) => at + 1),
    );
  });

  test('P12 P1 a server that reads nothing for 10 s while the client floods it: memory is flat, and all is answered in order', async (t) => {
    const proxy = await live(t, files(), { env });
    await proxy.call('version');
    await withMemoryFlat(proxy, async () => {
      const doze = proxy.request('tools/call', { name: 'doze' }, { deadline: 60_000 });
      const text = 'x'.repeat(line);
      const from = proxy.messages.length;
      const ids = Array.from({ length: count }, (_, at) => `flood-${at}`);
      const answers = ids.map((id) => proxy.request('tools/call', { name: 'version', text }, { id, deadline: 60_000 }));
      await doze;
      for (const { result } of await Promise.all(answers)) assert.equal(result.content[0].text, 'one');
      const received = proxy.messages.slice(from).map(({ message }) => message.id);
      assert.deepEqual(received.slice(-count), ids);
    });
  });

  for (const [what, fd] of [
    ['stdin', 0],
    ['stdout', 1],
  ] as const) {
    test(`P1 P15 a server that closes its ${what} and lives on is stopped and started again; what it was asked is answered`, async (t) => {
      const proxy = await live(t, files(), { env });
      const closing = proxy.request('tools/call', { name: 'close', arguments: { fd } });
      await proxy.waitForLog('closed');
      const calls = Array.from({ length: 20 }, () => proxy.request('tools/call', { name: 'version' }));
      const told = new RegExp(`closed its ${what}.*may or may not have taken effect`, 's');
      assert.match(failureIn(await closing, proxy.transcript), told);
      for (const answer of await Promise.all(calls)) {
        if (answer.result?.isError === true) assert.match(failureIn(answer, proxy.transcript), told);
        else assert.equal(answer.result.content[0].text, 'one', 'by its successor');
      }
      assert.equal(await proxy.call('version'), 'one');
      proxy.save(server('two'));
      assert.equal(await proxy.call('version'), 'two');
    });
  }
});
