// A clean exit from every angle that a client has: it closes its side, it signals, it dies. Within what clients allow,
// with every process gone; the harness checks after each test that none is left. What a server's own exit does is in
// exit.test.ts.

import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { until } from '../support/until.js';
import {
  fixture,
  fixtureCopy,
  processesLeft,
  processesOf,
  proxyCommand,
  startDirect,
  startProxy,
} from '../support/harness.js';
import type { Started } from '../support/harness.js';
import { assertInTime } from '../support/in-time.js';

/** SDK clients end stdin, signal 2 s later, and kill after 2 s more. */
const afterEnd = 4_000;
const afterSignal = 2_000;
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A client that starts the proxy, sends as many bytes as it is told, and says so when that goes no further. */
const dyingClient = `
  const [bytes, command, ...args] = process.argv.slice(1);
  const proxy = require('node:child_process').spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const report = setTimeout(() => console.error('client is stuck or done'), 1500);
  proxy.stdin.write(Buffer.alloc(Number(bytes), '{"jsonrpc":"2.0","method":"n"}\\n'));
  proxy.stdin.on('drain', () => report.refresh());
`;

describe('shutdown', { concurrency: 6 }, () => {
  for (const { server, initialize } of [
    { server: 'tools', initialize: true },
    { server: 'tools', initialize: false },
    { server: 'stubborn', initialize: true },
    { server: 'grandchild', initialize: true },
    { server: 'exit-code', initialize: true },
  ]) {
    const when = initialize ? '' : ' before anything was said';
    test(`P13 the client closes stdin${when}, ${server} server`, async (t) => {
      const peer = await up(startProxy(t, { noReload: true, command: fixture(server) }), initialize);
      const { code, ms } = await timed(peer, () => peer.end());
      assert.equal(code, 0, peer.transcript());
      assertInTime(ms, afterEnd);
      assert.deepEqual(processesOf(peer.marker), []);
    });
  }

  for (const server of ['tools', 'stubborn', 'grandchild']) {
    for (const signal of signals) {
      test(`P13 ${signal} with the ${server} server`, async (t) => {
        const peer = await up(startProxy(t, { noReload: true, command: fixture(server) }));
        const { code, ms } = await timed(peer, () => peer.kill(signal));
        assert.equal(code, 128 + constants.signals[signal], peer.transcript());
        assertInTime(ms, afterSignal);
        assert.deepEqual(processesOf(peer.marker), []);
        if (server === 'stubborn') assert.match(peer.stderr(), new RegExp(`ignoring ${signal}`));
      });
    }
  }

  for (const server of ['tools', 'stubborn', 'grandchild']) {
    test(`P13 with reloading, the client closes stdin and signals, ${server} server`, async (t) => {
      const ended = await up(startProxy(t, { command: fixtureCopy(server) }));
      const signalled = await up(startProxy(t, { command: fixtureCopy(server) }));
      const exits = await Promise.all([
        timed(ended, () => ended.end()),
        timed(signalled, () => signalled.kill('SIGTERM')),
      ]);
      assert.deepEqual(
        exits.map(({ code }) => code),
        [0, 128 + constants.signals.SIGTERM],
      );
      assertInTime(exits[0].ms, afterEnd);
      assertInTime(exits[1].ms, afterSignal);
    });
  }

  test('P13 after the end of stdin a server has 1.5 s until SIGTERM, and as long again to heed it', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('stubborn') }));
    const start = performance.now();
    peer.end();
    await peer.waitForLog('ignoring SIGTERM');
    const signalled = performance.now() - start;
    await peer.exit();
    const ended = performance.now() - start;
    // On a busy machine the log of the signal comes late, which shortens what seems to be left. Neither comes too soon.
    assert.ok(signalled >= 1490 && ended >= 2980, `SIGTERM after ${signalled} ms, the end after ${ended} ms`);
    assertInTime(signalled, 1700);
    assertInTime(ended, afterEnd);
  });

  test('P13 a signal after the end of stdin makes it faster', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('stubborn') }));
    peer.end();
    await peer.waitForLog('ignoring the end of stdin');
    const { ms } = await timed(peer, () => peer.kill('SIGTERM'));
    assertInTime(ms, afterSignal);
  });

  test('P13 a second signal does no harm', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('stubborn') }));
    peer.kill('SIGINT');
    await peer.waitForLog('ignoring SIGINT');
    const { ms } = await timed(peer, () => peer.kill('SIGTERM'));
    assertInTime(ms, afterSignal);
  });

  test('P13 a call is running and its client leaves', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('tools') }));
    await peer.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sleep', arguments: { name: 'a' } },
    });
    const { code, ms } = await timed(peer, () => peer.end());
    assert.equal(code, 0);
    assertInTime(ms, afterEnd);
  });

  for (const { server, then } of [
    { server: 'tools', then: { method: 'ping' } },
    { server: 'flood', then: { method: 'stream', params: { total: 64 * 1024 ** 2, size: 1_000 } } },
    { server: 'stubborn', then: { method: 'ping' } },
  ]) {
    test(`P13 the client closes only its reading end, ${server} server`, async (t) => {
      const peer = await up(startProxy(t, { noReload: true, command: fixture(server), unread: true }), false);
      peer.child.stdout.destroy();
      const { ms } = await timed(peer, () => void peer.send({ jsonrpc: '2.0', id: 1, ...then }));
      assertInTime(ms, afterEnd);
      assert.doesNotMatch(peer.stderr(), /^\s+at /m, 'a stack trace');
    });
  }

  test('P13 the client dies in the middle of a stream', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('flood'), unread: true }), false);
    const params = { total: 1024 ** 3, size: 1_000 };
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'stream', params });
    await new Promise((resolve) => peer.child.stdout.once('data', resolve));
    const { ms } = await timed(peer, () => {
      for (const stream of [peer.child.stdin, peer.child.stdout, peer.child.stderr]) stream.destroy();
    });
    assertInTime(ms, afterEnd);
  });

  test('P13 the client stops reading and closes stdin', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('flood'), unread: true }), false);
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'stream', params: { total: 1024 ** 3, size: 1_000 } });
    await new Promise((resolve) => peer.child.stdout.once('readable', resolve));
    const { ms } = await timed(peer, () => peer.end());
    assertInTime(ms, afterEnd + 500);
  });

  test('P13 the client does not read stderr and closes stdin', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('noise') }));
    peer.child.stderr.pause();
    const bytes = Buffer.alloc(4 * 1024 ** 2, 'a log line\n').toString('base64');
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'print', params: { stream: 'stderr', bytes } });
    const { code, ms } = await timed(peer, () => peer.end());
    assert.equal(code, 0);
    assertInTime(ms, afterEnd);
  });

  test('P14 a stderr that is closed unread does not keep the server waiting', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('noise') }));
    peer.child.stderr.pause();
    const bytes = Buffer.alloc(4 * 1024 ** 2, 'a log line\n').toString('base64');
    const printed = peer.request('print', { stream: 'stderr', bytes });
    // More than the pipes take: from here on the server waits for a reader.
    await until(() => peer.child.stderr.readableLength > 0, 'something on stderr', peer);
    peer.child.stderr.destroy();
    assert.ok((await printed).result, peer.transcript());
    assert.equal((await timed(peer, () => peer.end())).code, 0);
  });

  for (const { what, server, bytes } of [
    { what: 'while nothing happens', server: fixture('tools'), bytes: 0 },
    {
      what: 'while the server has stopped reading what it sends',
      server: fixture('flood', 'closed'),
      bytes: 8 * 1024 ** 2,
    },
  ]) {
    test(`P13 the client is killed ${what}`, async (t) => {
      const command = [process.execPath, '-e', dyingClient, String(bytes), ...proxyCommand(['--no-reload'], server)];
      const client = startDirect(t, { command, mayLeave: true });
      await client.waitForLog('client is stuck or done');
      await processesAre(3, client);
      client.kill('SIGKILL');
      assert.deepEqual(await processesLeft(client.marker, afterEnd), []);
    });
  }

  test('P13 after kill -9 of the proxy the server sees its stdin end', async (t) => {
    const peer = await up(startProxy(t, { noReload: true, command: fixture('tools') }));
    peer.kill('SIGKILL');
    await peer.exit();
    assert.deepEqual(await processesLeft(peer.marker, 20_000), []);
  });

  test('P13 a signal at any moment of the start leaves nothing behind', async (t) => {
    for (let pause = 0; pause < 400; pause += 40) {
      const peer = startProxy(t, { noReload: true, command: fixture('stubborn') });
      await delay(pause); // Not a wait for something: the point in time is the test's input.
      const { ms } = await timed(peer, () => peer.kill('SIGTERM'));
      assertInTime(ms, afterSignal);
      assert.deepEqual(await processesLeft(peer.marker), [], `signalled ${pause} ms after the start`);
    }
  });

  test('P13 requests sent right before the end of stdin are answered', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('echo') });
    for (let id = 0; id < 100; id++) void peer.send({ jsonrpc: '2.0', id, method: 'm' });
    peer.end();
    assert.equal((await peer.finished()).code, 0);
    assert.deepEqual(
      peer.messages.map(({ message }) => message.id),
      Array.from({ length: 100 }, (_, id) => id),
    );
  });
});

/** Waits until the server is known to run: by its handshake, or by what it or the proxy says on stderr. */
async function up(peer: Started, initialize = true): Promise<Started> {
  if (initialize) await peer.initialize();
  else await peer.waitForLog(/./);
  return peer;
}

/** On a slow machine the client is done before the proxy has started its server. */
async function processesAre(count: number, peer: Started): Promise<void> {
  await until(() => processesOf(peer.marker).length === count, `${count} processes`, peer);
}

async function timed(peer: Started, act: () => void): Promise<{ code: number | null; ms: number }> {
  const start = performance.now();
  act();
  const { code } = await peer.exit({ deadline: 60_000 });
  return { code, ms: performance.now() - start };
}
