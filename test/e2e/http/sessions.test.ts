// Legacy sessions over HTTP from their beginning to their end: streams that are resumed, clients of HTTP+SSE that come
// back, and whatever ends a session and frees its server: DELETE, time, and too many of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { entry, script } from '../modern/modern.js';
import { until } from '../../support/until.js';
import { initialize, legacySession, send, sseClient } from './raw.js';
import type { LegacySession, Stream } from './raw.js';
import { served } from './served.js';
import type { Served } from './served.js';

/** `say` tells the client of its own accord so many numbers, from the last one on. */
const talking = script(`let said = 0;
  export const capabilities = { tools: {}, logging: {} };
  export const tools = {
    which: () => 'here',
    pid: () => process.pid,
    say: ({ count, pad = '' }) => {
      for (let each = 0; each < count; each++)
        setTimeout(() => send({ method: 'notifications/message', params: { level: 'info', data: ++said + pad } }));
      return 'said';
    },
    sayLater: ({ file }) => (void appears(file).then(() => tools.say({ count: 1 })), 'will say'),
  };`);
const files = { 'server.mjs': entry, 'src/script.mjs': talking };

const MESSAGE = 'notifications/message';
const numbers = (stream: Stream): string[] =>
  stream.events.past.filter(({ message }) => message?.method === MESSAGE).map(({ message }) => message.params.data);

/** Resolves when the server that the session has to itself is gone. */
async function gone(proxy: Served, pid: number): Promise<void> {
  const isAlive = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await until(() => !isAlive(), `the end of the server ${pid}`, proxy);
}

const pidOf = async (session: Pick<LegacySession, 'call'>): Promise<number> => Number(await session.call('pid'));

test('P16 events after the one that a client has seen are sent again, in order, across a reload', async (t) => {
  const proxy = await served(t, files);
  const session = await legacySession(proxy.url);
  // While nobody listens it waits.
  await session.call('say', { count: 2 });
  const first = await session.listen(t);
  await session.call('say', { count: 1 });
  await first.message(MESSAGE, 3);
  assert.deepEqual(numbers(first), ['1', '2', '3']);
  const seen = first.events.past.find(({ message }) => message?.params?.data === '1')?.id;
  const closed = async (stream: Stream): Promise<void> => {
    stream.close();
    // The proxy hears of it a moment later: until then a second stream is refused.
    await stream.ended;
  };
  await closed(first);
  const resumed = await listenAgain(t, proxy, session, seen);
  await resumed.message(MESSAGE, 2);
  assert.deepEqual(numbers(resumed), ['2', '3']);
  assert.equal(resumed.events.past[0]?.id, seen);
  await closed(resumed);

  proxy.files.write('src/script.mjs', `// edited\n${talking}`);
  assert.equal(await session.call('which'), 'here');
  await session.call('say', { count: 2 });
  const third = await listenAgain(t, proxy, session);
  await third.message(MESSAGE, 2);
  assert.deepEqual(numbers(third), ['1', '2']);
  const ids = third.events.past.flatMap(({ id, data }) => (data === '' ? [] : [Number(id)]));
  assert.deepEqual(ids, [4, 5]);
});

/** As clients do that find their last stream still there. */
async function listenAgain(
  t: TestContext,
  proxy: Served,
  session: LegacySession,
  lastEventId?: string,
): Promise<Stream> {
  return until(
    async () => {
      const stream = await session.listen(t, lastEventId);
      return stream.status === 200 ? stream : undefined;
    },
    'a second stream',
    proxy,
  );
}

for (const [version, isPrimed] of [
  ['2025-11-25', true],
  ['2025-06-18', false],
  ['2025-03-26', false],
] as const)
  test(`P16 the GET stream of ${version} ${isPrimed ? 'begins' : 'does not begin'} with an event that has only an id`, async (t) => {
    const proxy = await served(t, files);
    const session = await legacySession(proxy.url, { version });
    const stream = await session.listen(t);
    await session.call('say', { count: 1 });
    await stream.message(MESSAGE);
    const [first] = stream.events.past;
    assert.equal(first?.data === '' && first.id === '0', isPrimed);
    assert.equal(stream.events.past.at(-1)?.id, '1');
  });

test('P12 of what waits for a client the latest is kept, bounded in number', async (t) => {
  const proxy = await served(t, files);
  const session = await legacySession(proxy.url);
  await session.call('say', { count: 300 });
  // Whatever is read while a request is open goes out with its answer, so none is sent before all have been dropped.
  const dropped = (): number =>
    proxy.logged('warning').reduce((sum, { text }) => sum + Number(/were dropped \((\d+)\)/.exec(text)?.[1] ?? 0), 0);
  await until(() => dropped() === 44, 'messages that are dropped', proxy);
  const stream = await session.listen(t);
  const last = await stream.events.wait(({ message }) => message?.params?.data === '300', 'the last');
  assert.equal(last.id, '300');
  assert.deepEqual(
    numbers(stream),
    Array.from({ length: 256 }, (_, at) => String(at + 45)),
  );
});

test('P16 a second GET stream is refused, and the first goes on', async (t) => {
  const proxy = await served(t, files);
  const session = await legacySession(proxy.url);
  const stream = await session.listen(t);
  const second = await send(proxy.url, { method: 'GET', headers: session.headers });
  assert.deepEqual([second.status, second.messages[0]?.error?.code], [409, -32000]);
  await session.call('say', { count: 1 });
  await stream.message(MESSAGE);
});

test('P16 a client of HTTP+SSE that comes back after a drop goes on without initialize, and gets what it missed', async (t) => {
  const proxy = await served(t, files);
  const first = await sseClient(t, proxy.sse);
  const pid = await pidOf(first);
  await first.call('sayLater', { file: 'gate' });
  first.stream.close();
  await first.stream.ended;
  proxy.files.write('gate', '');
  const again = await sseClient(t, proxy.sse, { isNew: false });
  assert.notEqual(again.endpoint, first.endpoint);
  // The first message says that it is back.
  assert.equal(Number(await again.call('pid')), pid);
  await again.stream.message(MESSAGE);
  proxy.files.write('src/script.mjs', `// edited\n${talking}`);
  assert.notEqual(Number(await again.call('pid')), pid);
  assert.equal((await first.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status, 404);
});

test('P17 two clients of HTTP+SSE that have dropped: who comes back is told that it has no session', async (t) => {
  const proxy = await served(t, files);
  const clients = [await sseClient(t, proxy.sse), await sseClient(t, proxy.sse)];
  for (const { stream } of clients) {
    stream.close();
    await stream.ended;
  }
  const again = await sseClient(t, proxy.sse, { isNew: false });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const answer = await until(
    async () => {
      const { status, messages } = await again.post(ping);
      return status === 404 ? messages[0] : undefined;
    },
    'a refusal',
    proxy,
  );
  assert.deepEqual([answer.id, answer.error?.code], [1, -32001]);
  assert.match(answer.error!.message, /Send initialize first/);
  // And so it does.
  await again.request('initialize', initialize('2024-11-05').params);
  assert.equal(await again.call('which'), 'here');
});

test('P13 P16 DELETE ends the session and its server, and nobody else hears of it', async (t) => {
  const proxy = await served(t, files);
  const [session, other] = [await legacySession(proxy.url), await legacySession(proxy.url)];
  const [stream, others] = [await session.listen(t), await other.listen(t)];
  const [pid, otherPid] = [await pidOf(session), await pidOf(other)];
  assert.notEqual(pid, otherPid);
  assert.equal((await session.end()).status, 200);
  await stream.ended;
  await gone(proxy, pid);
  for (const method of ['POST', 'GET', 'DELETE']) {
    const body = method === 'POST' ? { jsonrpc: '2.0', id: 7, method: 'ping' } : undefined;
    const { status, messages } = await send(proxy.url, { method, headers: session.headers, ...(body && { body }) });
    assert.deepEqual([status, messages[0]?.error?.code], [404, -32001], method);
  }
  assert.equal(await pidOf(other), otherPid);
  assert.equal(others.isOpen, true);
  // A client that was told so opens another one, with the old id still in its headers.
  const { status, headers } = await send(proxy.url, { headers: session.headers, body: initialize() });
  assert.equal(status, 200);
  assert.notEqual(headers['mcp-session-id'], session.id);
});

test('P12 P13 a session that nobody has used for --session-timeout ends, and one with an open stream or call does not', async (t) => {
  const proxy = await served(t, files, { options: ['--session-timeout', '1500'] });
  const [idle, listening] = [await legacySession(proxy.url), await legacySession(proxy.url)];
  const stream = await listening.listen(t);
  const [pid, kept] = [await pidOf(idle), await pidOf(listening)];
  await gone(proxy, pid);
  assert.equal((await idle.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 404);
  assert.equal(await pidOf(listening), kept);
  stream.close();
  await gone(proxy, kept);
});

test('P12 P13 more sessions than --max-sessions are refused in words, and one that ends makes room', async (t) => {
  const proxy = await served(t, files, { options: ['--max-sessions', '2'] });
  const session = await legacySession(proxy.url);
  const sse = await sseClient(t, proxy.sse);
  for (const refused of [
    await send(proxy.url, { body: initialize() }),
    await send(proxy.sse, { method: 'GET', headers: { accept: 'text/event-stream' } }),
  ]) {
    assert.deepEqual([refused.status, refused.messages[0]?.error?.code], [503, -32000]);
    assert.match(refused.text, /All 2 sessions are in use\. End one with DELETE, or raise --max-sessions\./);
  }
  assert.equal(await sse.call('which'), 'here');
  await session.end();
  await legacySession(proxy.url);
});

test('P13 a session whose initialize the server refuses is none', async (t) => {
  const refusing = script(`export const methods = { initialize: () => '{"protocolVersion":5}' };`);
  const proxy = await served(t, { 'server.mjs': entry, 'src/script.mjs': refusing });
  const { headers } = await send(proxy.url, { body: initialize() });
  const named = { 'mcp-session-id': String(headers['mcp-session-id']) };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  await until(async () => (await send(proxy.url, { headers: named, body: ping })).status === 404, 'its end', proxy);
});
