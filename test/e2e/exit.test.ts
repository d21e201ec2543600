// The server decides: its exit, by a code or a signal, ends a pass-through with the same code, once everything it said
// has been delivered, however slowly the client reads.

import assert from 'node:assert/strict';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { until } from '../support/until.js';
import { fixture, processesOf, project, startProxy } from '../support/harness.js';
import type { Started } from '../support/harness.js';

describe('exit', { concurrency: 4 }, () => {
  for (const code of [0, 1, 7, 42, 255]) {
    test(`P13 a server that exits with ${code} ends the proxy with ${code}`, async (t) => {
      const peer = startProxy(t, { noReload: true, command: fixture('exit-code') });
      assert.ok((await peer.request('exit', { code })).result);
      assert.equal((await peer.finished()).code, code);
    });
  }

  test('P13 a server that exits before it has read anything ends the proxy with its code', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('exit-code', '5') });
    void peer.send({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    assert.equal((await peer.finished()).code, 5);
  });

  for (const { signal, code } of [
    { signal: 'SIGKILL', code: 137 },
    { signal: 'SIGTERM', code: 143 },
    { signal: 'SIGSEGV', code: 139 },
  ]) {
    test(`P13 a server killed by ${signal} ends the proxy with ${code}`, async (t) => {
      const peer = startProxy(t, { noReload: true, command: fixture('exit-code') });
      assert.ok((await peer.request('exit', { signal })).result);
      assert.equal((await peer.finished()).code, code);
    });
  }

  test('P13 a server that exits and leaves a grandchild at its pipes', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('grandchild') });
    await peer.initialize();
    assert.ok((await peer.request('exit', { code: 3 })).result);
    assert.equal((await peer.finished()).code, 3);
    assert.deepEqual(processesOf(peer.marker), []);
  });

  test('P13 a response of 1 MB right before the exit is delivered whole', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('exit-code') });
    const { result } = await peer.request('exit', { code: 9, bytes: 1_000_000 });
    assert.equal(result.data.length, 1_000_000);
    assert.equal((await peer.finished()).code, 9);
  });

  test('P13 a client that reads slowly gets all of it', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('exit-code'), unread: true });
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'exit', params: { code: 9, bytes: 1_000_000 } });
    let received = 0;
    for await (const chunk of peer.child.stdout.iterator()) {
      received += (chunk as Buffer).length;
      await setImmediate();
      await delay(5); // Slow reading is the test's input.
    }
    assert.ok(received > 1_000_000, `${received} bytes`);
    assert.equal((await peer.finished()).code, 9);
  });

  test('P13 a client that reads only after the server has gone gets all of it', async (t) => {
    const peer = startProxy(t, { noReload: true, command: fixture('exit-code'), unread: true });
    // Node reads a dead child's stdout to its end and throws it away, unless somebody has said that it will be read.
    peer.child.stdout.on('readable', () => {});
    await peer.waitForLog('up');
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'exit', params: { code: 9, bytes: 150_000 } });
    await until(() => processesOf(peer.marker).length <= 1, 'the end of the server', peer);
    let received = 0;
    for await (const chunk of peer.child.stdout.iterator()) received += (chunk as Buffer).length;
    assert.ok(received > 150_000, `${received} bytes`);
    assert.equal((await peer.finished()).code, 9);
  });

  test('P13 a signal while the client reads the last of a server that has exited leaves its code as it is', async (t) => {
    const peer = startProxy(t, {
      noReload: true,
      command: fixture('exit-code'),
      options: ['--log-level', 'debug'],
      unread: true,
    });
    await peer.waitForLog('up');
    await peer.send({ jsonrpc: '2.0', id: 1, method: 'exit', params: { code: 9, bytes: 1_000_000 } });
    // More than the pipes take, so that the proxy has to wait for a reader.
    await peer.waitForLog('closing: server');
    peer.kill('SIGTERM');
    assert.deepEqual(await peer.exit(), { code: 9, signal: null });
  });

  for (const noReload of [true, false]) {
    test(`a command that does not exist: 127 and one line with its name${noReload ? '' : ', with reloading'}`, async (t) => {
      const peer = startProxy(t, { noReload, command: ['no-such-command-here', '--flag'] });
      assert.equal((await peer.finished()).code, 127);
      oneLine(peer, 'no-such-command-here');
    });
  }

  test('a command whose file does not exist: 127 and one line with its path', async (t) => {
    const { path } = project(t);
    const peer = startProxy(t, { noReload: true, command: [path('nowhere/server')] });
    assert.equal((await peer.finished()).code, 127);
    oneLine(peer, path('nowhere/server'));
  });

  test('the environment of the client and the generation reach the server', async (t) => {
    const env = { GREETING: 'hello = wörld' };
    const peer = startProxy(t, { noReload: true, command: fixture('tools'), env });
    await peer.initialize();
    const variable = async (name: string) =>
      (await peer.request('tools/call', { name: 'environment', arguments: { name } })).result.content[0].text;
    assert.equal(await variable('GREETING'), 'hello = wörld');
    assert.equal(await variable('MCP_HOTLINE_GENERATION'), '1');
  });
});

function oneLine(peer: Started, name: string): void {
  const lines = peer.stderr().trimEnd().split('\n');
  assert.equal(lines.length, 1, peer.stderr());
  assert.ok(lines[0]?.includes(name), peer.stderr());
  assert.equal(peer.messages.length, 0);
}
