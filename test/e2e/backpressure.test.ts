// Memory stays flat: who does not read slows down who writes, through the proxy as through a pipe, and a line that
// never ends is cut off. The limits of the hold are tested with the hold.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { fixture, memoryOf, startProxy } from '../support/harness.js';
import type { Started } from '../support/harness.js';
import { settled } from '../support/until.js';

const gigabyte = 1024 ** 3;
const mebibyte = 1024 ** 2;
/** What may be under way in all the buffers between two processes, with room to spare. */
const underWay = 32 * mebibyte;
/**
 * MiB. An idle proxy holds about 60, and Node 24 lets 190 of garbage pile up; an unbounded one would hold what was
 * sent.
 */
const flat = 330;

test(
  'P12 a client that stops reading stops the server, and a gigabyte leaves memory flat',
  { timeout: 400_000 },
  async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('flood'), unread: true });
    const peak = watchMemory(peer);
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'stream', params: { total: gigabyte, size: 65_536 } });

    const stopped = await settled(() => serverSent(peer));
    assert.ok(stopped > 0 && stopped < underWay, `the server got rid of ${stopped} bytes that nobody read`);

    let received = 0;
    let tail = Buffer.alloc(0);
    peer.child.stdout.on('data', (chunk: Buffer) => {
      received += chunk.length;
      tail = Buffer.concat([tail, chunk]).subarray(-200);
      if (tail.toString().includes('"result"')) peer.end();
    });
    await once(peer.child.stdout, 'data');
    await peer.exit({ deadline: 300_000 });
    assert.ok(received > gigabyte, `${received} bytes arrived`);
    assert.ok(peak() < flat, `the proxy held ${peak()} MiB`);
  },
);

test(
  'P12 a server that stops reading stops the client, and a gigabyte leaves memory flat',
  { timeout: 400_000 },
  async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('flood', 'closed') });
    const peak = watchMemory(peer);
    const server = Number(/\d+/.exec(await peer.waitForLog(/^closed \d+/))![0]);
    const line = Buffer.from(`${'{"jsonrpc":"2.0","method":"n","params":"'.padEnd(65_533, 'x')}"}\n`);
    let sent = 0;
    const write = async (signal?: AbortSignal) => {
      sent += line.length;
      if (!peer.child.stdin.write(line)) await once(peer.child.stdin, 'drain', { ...(signal && { signal }) });
    };

    // As much as it takes in three seconds; without a limit it would take far more than what may be under way.
    const enough = AbortSignal.timeout(3_000);
    while (!enough.aborted && sent < gigabyte) await write(enough).catch(() => {});
    assert.ok(sent < underWay, `the proxy took ${sent} bytes that nobody read`);

    process.kill(server, 'SIGUSR2');
    while (sent < gigabyte) await write();
    peer.end();
    await peer.finished();
    assert.ok(peer.stderr().includes(`received ${sent}\n`), peer.stderr());
    assert.ok(peak() < flat, `the proxy held ${peak()} MiB`);
  },
);

test('P12 a client that reads nothing can still be heard', async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('flood'), unread: true });
  await peer.send({ jsonrpc: '2.0', id: 1, method: 'stream', params: { total: 64 * mebibyte, size: 1_000 } });
  await settled(() => serverSent(peer));
  // One more word to the server while its own words are stuck.
  assert.ok((await serverSent(peer)) > 0);
});

test('P12 noise that nobody reads on stderr does not pile up in memory', { timeout: 400_000 }, async (t) => {
  const peer = startProxy(t, { noReload: true, command: fixture('flood') });
  const peak = watchMemory(peer);
  await peer.waitForLog(/./);
  peer.child.stderr.pause();
  const done = peer.request('stream', { total: gigabyte / 2, size: 4_096, noise: true }, { deadline: 300_000 });
  // It may be slowed down or dropped: what counts is that it is not kept.
  await Promise.race([done, settled(async () => Math.round(memoryOf(peer.pid).peak || 0), 1_000)]);
  assert.ok(peak() < flat, `the proxy held ${peak()} MiB`);
  peer.child.stderr.resume();
  assert.ok((await done).result.sent >= gigabyte / 2);
});

test('P12 --max-message fails a server whose line never ends, with memory flat', async (t) => {
  const peer = startProxy(t, { noReload: true, options: ['--max-message', '1'], command: fixture('flood') });
  const peak = watchMemory(peer);
  await peer.notify('endless');
  const { code } = await peer.finished();
  assert.notEqual(code, 0);
  assert.match(peer.stderr(), /--max-message/);
  assert.equal(peer.messages.length, 0);
  assert.ok(peak() < flat, `the proxy held ${peak()} MiB`);
});

test('P12 --max-message answers -32700 to a longer line of the client, and serves on', async (t) => {
  const peer = startProxy(t, { noReload: true, options: ['--max-message', '1'], command: fixture('noise') });
  await peer.initialize();
  const tooLong = await peer.request('m', { data: 'x'.repeat(mebibyte) }, { id: 'too long' });
  assert.equal(tooLong.error?.code, -32700);
  assert.match(tooLong.error.message, /--max-message/);
  const allowed = await peer.request('m', { data: 'x'.repeat(mebibyte - 200) });
  assert.deepEqual(allowed.result, { method: 'm' });
  assert.deepEqual(peer.duplicates, []);
});

/** How much of its output the server got rid of, by its own account. */
async function serverSent(peer: Started): Promise<number> {
  const before = peer.stderr().length;
  await peer.notify('status');
  while (!/^sent \d+$/m.test(peer.stderr().slice(before))) await once(peer.child.stderr, 'data');
  return Number(/^sent (\d+)$/m.exec(peer.stderr().slice(before))![1]);
}

/** The most memory that the proxy was seen to hold, looked at until it ends. */
function watchMemory(peer: Started): () => number {
  let peak = 0;
  const look = () => (peak = Math.max(peak, memoryOf(peer.pid).peak || 0));
  const timer = setInterval(look, 20);
  void peer.exited.finally(() => clearInterval(timer));
  return () => {
    assert.ok(peak > 0, 'the memory was never looked at');
    return peak;
  };
}
