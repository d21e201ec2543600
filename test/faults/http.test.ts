// Faults that come by HTTP: clients that are killed in mid-stream, readers that stop, requests that are none, headers
// that never end, a port that somebody else has taken meanwhile. Whoever else is there goes on as if nothing had been.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { entry, script, toolsChanged } from '../e2e/modern/modern.js';
import { legacySession, listen, modernCall, send, sseClient } from '../e2e/http/raw.js';
import type { LegacySession, SseClient, Stream } from '../e2e/http/raw.js';
import { served, type Served } from '../e2e/http/served.js';
import { cleanup } from '../support/cleanup.js';
import { memoryOf, startProxy } from '../support/harness.js';
import { createRandom, type Random } from '../support/random.js';
import { root } from '../support/paths.js';
import { until } from '../support/until.js';

/** What the proxy may hold more than before, in MiB: what is under way, and garbage. */
const room = 96;

const source = (version: string, ...more: string[]): string =>
  script(`
    import { once } from 'node:events';
    export const capabilities = { tools: { listChanged: true }, logging: {} };
    export const methods = { 'logging/setLevel': () => ({}) };
    const text = 'x'.repeat(65_536);
    export const tools = {
      which: () => '${version}',
      hold: async ({ file }, { meta } = {}) => {
        const progressToken = meta?.progressToken;
        if (progressToken !== undefined)
          send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        await appears(file);
        return 'held';
      },
      flood: async ({ count }) => {
        for (let data = 1; data <= count; data++) {
          const params = { level: 'info', data, text };
          const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
          if (!process.stdout.write(line + '\\n')) await once(process.stdout, 'drain');
        }
        return 'flooded';
      },
      ${more.map((name) => `${name}: () => '${name}',`).join('')}
    };`);
const files = (): Record<string, string> => ({ 'server.mjs': entry, 'src/script.mjs': source('1') });

/** Who is there all the time, by every transport. */
interface Others {
  readonly session: LegacySession;
  readonly sse: SseClient;
  readonly streams: readonly Stream[];
  /** What each is answered. */
  which(): Promise<string[]>;
}

async function others(t: TestContext, proxy: Served): Promise<Others> {
  const session = await legacySession(proxy.url);
  const sse = await sseClient(t, proxy.sse);
  const streams = [await session.listen(t), sse.stream, await listen(t, proxy.url, toolsChanged)];
  const which = async (): Promise<string[]> => [
    await session.call('which'),
    await sse.call('which'),
    await modernCall(proxy.url, 'which'),
  ];
  assert.deepEqual(await which(), ['1', '1', '1']);
  return { session, sse, streams, which };
}

/** An edit reaches every one of them, on the streams that they had. */
async function assertWell(proxy: Served, { streams, which }: Others, version: string): Promise<void> {
  proxy.files.write('src/script.mjs', source(version, `of${version}`));
  assert.deepEqual(await which(), [version, version, version]);
  for (const stream of streams) await stream.message('notifications/tools/list_changed');
}

/** How many the proxy has open; on other systems than Linux that is not told. */
const descriptors = (pid: number): number => (process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0);

/** A connection whose every byte the test writes itself. */
async function connectTo(t: TestContext, { url }: Served): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  cleanup(t, () => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('faults over HTTP', { concurrency: 3 }, () => {
  for (const way of ['serve', 'share'] as const)
    test(`P10 P13 P16 P17 kill -9 of a client in mid-stream, on every transport: what was its is freed, and nobody else notices (${way})`, async (t) => {
      const proxy = await served(t, files(), { way });
      const all = await others(t, proxy);
      const file = fileURLToPath(new URL(`file://${root}/test/faults/vanishing-client.mjs`));
      const client = spawn(process.execPath, [file, proxy.url], { stdio: ['ignore', 'pipe', 'inherit'] });
      cleanup(t, () => client.kill('SIGKILL'));
      const [said] = (await once(client.stdout, 'data')) as [Buffer];
      const { session } = JSON.parse(said.toString()) as { session: string };
      client.kill('SIGKILL');
      await once(client, 'exit');

      // Of the modern era both were taken back by that; in the legacy one nothing was.
      const ids = ['"hold".*2026-07-28', 'subscriptions/listen.*vanishing'].map(async (what) => {
        const { line } = await proxy.received(new RegExp(what));
        return (JSON.parse(line) as { id: unknown }).id;
      });
      const takenBack = (): unknown[] =>
        proxy
          .journal()
          .map(({ line }) => JSON.parse(line) as { method?: string; params?: { requestId?: unknown } })
          .flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : []));
      await until(() => takenBack().length >= 2 || undefined, 'both to be taken back', proxy);
      assert.deepEqual(new Set(takenBack()), new Set(await Promise.all(ids)));
      // Its session is still there, and its stream is free for whoever has the id.
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
      proxy.files.write('gate', '');
      await proxy.untilLogged('warning', ({ text }) => text.includes('an answer was dropped'));
      const deleted = await send(proxy.url, { method: 'DELETE', headers });
      assert.equal(deleted.status, 200);
      await assertWell(proxy, all, '2');
    });

  test('P12 P17 a reader that stops on a server that others share is cut when it is too far behind; memory is bounded, and the others go on', async (t) => {
    const proxy = await served(t, files(), { way: 'share' });
    const all = await others(t, proxy);
    const slow = await connectTo(t, proxy);
    slow.write('GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    const [begun] = (await once(slow, 'data')) as [Buffer];
    const endpoint = /data: (\S+)/.exec(begun.toString())?.[1];
    assert.ok(endpoint, begun.toString());
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'slow', version: '1' } };
    const messages = new URL(endpoint, proxy.url).href;
    await send(messages, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    await send(messages, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await send(messages, {
      body: { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } },
    });
    await once(slow, 'data');
    slow.pause();
    const before = memoryOf(proxy.pid).peak;
    const closed = once(slow, 'close');
    const flooded = all.session.call('flood', { count: 1600 });
    const isCut = (): boolean => proxy.logged('warning').some(({ text }) => /read nothing for 30 s/.test(text));
    const latest = performance.now() + 120_000;
    let calls = 0;
    for (; !isCut() && performance.now() < latest; calls += 3) {
      assert.deepEqual(await all.which(), ['1', '1', '1']);
      await delay(50); // The others are not in a hurry.
    }
    assert.ok(isCut(), proxy.transcript());
    assert.equal(await flooded, 'flooded');
    const { peak } = memoryOf(proxy.pid);
    assert.ok(peak < before + room + 100, `${before} MiB before, ${peak} MiB at most, ${calls} calls meanwhile`);
    slow.resume();
    await closed;
    await assertWell(proxy, all, '2');
  });

  test('P12 P17 a reader that stops slows down the server that it has for itself, and nothing else; when it reads on, all comes in order', async (t) => {
    const count = 1600;
    const proxy = await served(t, files());
    const all = await others(t, proxy);
    const slow = await legacySession(proxy.url);
    const before = memoryOf(proxy.pid).peak;
    const stream = await connectTo(t, proxy);
    const head = Object.entries(slow.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    stream.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${head.join('')}\r\n`);
    await once(stream, 'data');
    stream.pause();
    let isDone = false;
    const flooded = slow.call('flood', { count }).then((said) => ((isDone = true), said));
    for (let round = 0; round < 100; round++) assert.deepEqual(await all.which(), ['1', '1', '1']);
    assert.equal(isDone, false, 'it waits for its reader');
    const { peak } = memoryOf(proxy.pid);
    assert.ok(peak < before + room, `${before} MiB before, ${peak} MiB at most`);
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    stream.resume();
    assert.equal(await flooded, 'flooded');
    const numbers = (): number[] => Array.from(text.matchAll(/"data":(\d+),"text"/g), ([, number]) => Number(number));
    await until(() => numbers().length === count || undefined, 'the last message', proxy);
    assert.deepEqual(
      numbers(),
      Array.from({ length: count }, (_, at) => at + 1),
    );
    await assertWell(proxy, all, '2');
  });

  test('P12 P18 ten thousand requests that are none: each is refused or cut off, nothing of it stays, and everybody else goes on', async (t) => {
    const proxy = await served(t, files());
    const all = await others(t, proxy);
    const [before, files0] = [memoryOf(proxy.pid).now, descriptors(proxy.pid)];
    const seed = Date.now() % 1_000_000;
    t.diagnostic(`seed ${seed}`);
    const random = createRandom(seed);
    const statuses = new Map<string, number>();
    let left = 10_000;
    const lane = async (own: Random): Promise<void> => {
      while (left-- > 0) {
        const status = await thrown(proxy, garbage(own, all.session.id));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    let isOver = false;
    const lanes = Promise.all(Array.from({ length: 20 }, (_, at) => lane(random.fork(String(at))))).then(
      () => (isOver = true),
    );
    while (!isOver) assert.deepEqual(await all.which(), ['1', '1', '1']);
    await lanes;
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
    assert.deepEqual(
      [...statuses.keys()].filter((status) => !/^(4\d\d|closed)$/.test(status)),
      [],
    );
    assert.ok((statuses.get('400') ?? 0) > 1000 && statuses.size > 5, JSON.stringify([...statuses]));
    await until(() => descriptors(proxy.pid) <= files0 + 2 || undefined, 'their connections to be closed', proxy);
    assert.ok(memoryOf(proxy.pid).now < before + room, `${before} MiB before, ${memoryOf(proxy.pid).now} MiB now`);
    assert.doesNotMatch(proxy.stderr(), /could not be served/);
    await assertWell(proxy, all, '2');
  });

  test('P12 P18 headers that come a byte at a time hold up nobody, and are cut off', async (t) => {
    const proxy = await served(t, files());
    const all = await others(t, proxy);
    const text = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'x'.repeat(1000)}`;
    const slow = await Promise.all(Array.from({ length: 300 }, () => connectTo(t, proxy)));
    let ended = 0;
    let last = '';
    for (const socket of slow) {
      socket.once('close', () => ended++);
      socket.on('data', (chunk: Buffer) => (last = chunk.toString()));
    }
    for (let at = 0; ended < slow.length; at += 1) {
      for (const socket of slow) if (socket.writable) socket.write(text[at % text.length]!);
      assert.deepEqual(await all.which(), ['1', '1', '1']);
      await delay(100); // The pace of the fault.
    }
    assert.match(last, /^HTTP\/1\.1 408 /);
    await assertWell(proxy, all, '2');
  });

  test('P16 what is no request behind a stream that is open is not written into it', async (t) => {
    const proxy = await served(t, files());
    const session = await legacySession(proxy.url);
    const socket = await connectTo(t, proxy);
    const head = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${head.join('')}\r\n`);
    let text = String((await once(socket, 'data'))[0]);
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.write('no request\r\n\r\n');
    await once(socket, 'close');
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1, text);
    // And the stream is free again.
    const stream = await session.listen(t);
    assert.equal(stream.status, 200);
  });

  test('P13 P16 a port that somebody else has taken while the proxy was dead: stdio goes on, serve says so, and later it is the same URL again', async (t) => {
    const first = await served(t, files());
    const { port } = await first.untilLogged('listening');
    const session = await legacySession(first.url);
    first.kill('SIGKILL');
    await first.exit();
    const taker = createServer((socket) => void socket.end('something else')).listen(Number(port), '127.0.0.1');
    cleanup(t, () => void taker.close());
    await once(taker, 'listening');
    const start = (serve: boolean, words: readonly string[]) =>
      startProxy(t, {
        serve,
        options: ['--watch', 'src', ...words],
        cwd: first.files.directory,
        command: [process.execPath, 'server.mjs'],
        env: { JOURNAL: '' },
      });
    const refused = start(true, ['--port', String(port)]);
    assert.equal((await refused.finished()).code, 1);
    assert.match(refused.stderr(), new RegExp(`can't listen on port ${port} .*another program listens there`));
    const beside = start(false, ['--http', String(port)]);
    await beside.waitForLog('nothing is served over HTTP, since another program listens there');
    await beside.initialize();
    const { result } = await beside.request('tools/call', { name: 'which', arguments: {} });
    assert.equal(result.content[0].text, '1');
    beside.end();
    await beside.finished();
    taker.close();
    await once(taker, 'close');
    const again = start(true, ['--port', String(port)]);
    await again.waitForLog(`listening on ${first.url}`);
    const stale = await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.deepEqual([stale.status, stale.messages[0]?.error?.code], [404, -32001]);
    assert.equal(await (await legacySession(first.url)).call('which'), '1');
  });
});

/** Sends this on a connection of its own; resolves with the status of the answer, or `closed`. */
async function thrown({ url }: Served, bytes: Buffer): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    socket.end();
  });
  socket.end(bytes);
  await once(socket, 'close');
  return /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 'closed';
}

/** What no client would send, and no answer is owed to. */
function garbage(random: Random, session: string): Buffer {
  const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random.below(256)));
  const method = random.pick(['POST', 'POST', 'GET', 'DELETE', 'PUT', 'PATCH', 'TRACE', 'NONSENSE']);
  const path = random.pick([
    '/mcp',
    '/mcp',
    '/sse/',
    '/message',
    `/message?sessionId=${session}`,
    '//',
    '/..',
    '*',
    '/x',
  ]);
  const names = [
    'Accept',
    'Content-Type',
    'Mcp-Session-Id',
    'MCP-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'Origin',
  ];
  const values = ['x', '', 'null', '*/*', '2026-07-28', '2025-11-25', '__proto__', 'a, b', '\xff', 'x'.repeat(5000)];
  const line = (): string => `${random.pick(names)}: ${random.pick(values)}\r\n`;
  const lines = Array.from({ length: random.below(6) }, line).join('');
  const body = random.pick([
    () => noise(random.below(400)),
    () => Buffer.from('['.repeat(random.below(2000))),
    () => Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"'),
    () => Buffer.from('"text"'),
    () => Buffer.from('{"__proto__":{"method":"initialize"}}'),
    () => Buffer.from(`${'\r\n'.repeat(random.below(50))}0`),
  ])();
  const head = (length: string | number): string =>
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines}Content-Length: ${length}\r\n\r\n`;
  return random.pick([
    () => noise(random.size(1, 3000)),
    () => Buffer.concat([Buffer.from(head(body.length), 'latin1'), body]),
    () => Buffer.concat([Buffer.from(head(body.length + 10), 'latin1'), body]),
    () => Buffer.concat([Buffer.from(head(random.pick(['-1', 'x', '1e3', ''])), 'latin1'), body]),
    () =>
      Buffer.from(head(0).replace('localhost', random.pick(['evil.com', '', 'a b', '127.0.0.1.evil.com'])), 'latin1'),
    () => Buffer.from(head(5).slice(0, random.whole(1, 60)), 'latin1'),
    () =>
      Buffer.concat([
        Buffer.from(head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'), 'latin1'),
        noise(random.below(200)),
      ]),
  ])();
}
