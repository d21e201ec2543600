// Connections that break under published clients, as a laptop that sleeps or a proxy in between breaks them: what was
// said meanwhile reaches the client when it has come back, and its session is the one that it had.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { until } from '../../support/until.js';
import { connect, servers } from '../modern/sdk.js';
import type { ClientName } from '../modern/sdk.js';
import { served } from './served.js';
import { tools } from './through-edits.js';

interface Line {
  /** The same place, by way of this line. */
  through(url: string): string;
  cut(): void;
}

/** Passes bytes on both ways until it is cut. */
async function line(t: TestContext, to: string): Promise<Line> {
  const sockets = new Set<Socket>();
  const { port } = new URL(to);
  const server = createServer((near) => {
    const far = connectTcp(Number(port), '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => {});
      socket.on('close', () => (sockets.delete(socket), other.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  cleanup(t, () => {
    server.close();
    cut();
  });
  const own = (server.address() as AddressInfo).port;
  return { through: (url) => url.replace(`:${port}/`, `:${own}/`), cut };
}

describe('connections that break', { concurrency: 2 }, () => {
  for (const [client, server] of [
    ['v1', 'v1'],
    ['v2 legacy', 'v2'],
  ] as [ClientName, 'v1' | 'v2'][])
    test(`P9 P16 the ${client} client hears of what changed while its GET stream was gone`, async (t) => {
      const proxy = await served(t, { 'server.mjs': servers[server], 'src/tools.mjs': tools('one') });
      const { through, cut } = await line(t, proxy.url);
      const sdk = await connect(t, client, { url: through(proxy.url) });
      await sdk.call('pid');
      // What the client sends by a connection that it takes to be there still is lost.
      const call = (name: string) => until(() => sdk.call(name).catch(() => undefined), 'another connection', proxy);
      cut();
      proxy.files.write('src/tools.mjs', tools('two', 'added'));
      assert.equal(await call('version'), 'two');
      await sdk.changed('version', 'pid', 'added');
      const pid = await sdk.call('pid');
      cut();
      assert.equal(await call('pid'), pid, 'the same session');
    });

  test('P9 P16 the v1 client over SSE comes back by itself, and goes on in the session that it had', async (t) => {
    const proxy = await served(t, { 'server.mjs': servers.v1, 'src/tools.mjs': tools('one') });
    const { through, cut } = await line(t, proxy.sse);
    const sdk = await connect(t, 'v1', { url: through(proxy.sse), sse: true });
    const pid = await sdk.call('pid');
    for (let drop = 0; drop < 2; drop++) {
      cut();
      // Until it has its new endpoint its messages go to the old one.
      const answer = await until(() => sdk.call('pid').catch(() => undefined), 'its return', proxy);
      assert.equal(answer, pid, 'the same server');
    }
    proxy.files.write('src/tools.mjs', tools('two', 'added'));
    assert.equal(await sdk.call('version'), 'two');
    await sdk.changed('version', 'pid', 'added');
  });
});
