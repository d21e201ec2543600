/**
 * Which response of one legacy session a message goes out by, and when a response ends, with real requests and without
 * a server behind.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { answerTo } from '#src/channel/channel.js';
import type { ClientEvents } from '#src/front/connection.js';
import { SlowReaders } from '#src/front/http/slow-readers.js';
import { StreamableSession } from '#src/front/http/streamable-session.js';
import { joinBatch } from '#src/wire/batch.js';
import { Message } from '#src/wire/message.js';
import { cleanup } from '../../support/cleanup.js';
import { bodyOf, eventsOf, isEventStream, newAgent, send, type Posted } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

interface Session {
  readonly session: StreamableSession;
  /** What has come in, as JSON. */
  readonly came: string[];
  readonly dropped: string[];
  /** How many responses have ended, or lost their clients. */
  closed(): number;
  /** Sends what is written as JSON, and waits for nothing. */
  begin(message: unknown): Posted;
  /** How often the session was given up before it was open. */
  readonly abandoned: { times: number };
  /** Posts what is written as JSON. Resolves when it has come in. */
  post(message: unknown): Promise<Posted>;
  /** Opens the GET stream. */
  listen(): Promise<IncomingMessage>;
}

async function openSession(t: TestContext, events: Partial<ClientEvents> = {}): Promise<Session> {
  const came: string[] = [];
  const dropped: string[] = [];
  const abandoned = { times: 0 };
  const session = new StreamableSession({
    slowReaders: new SlowReaders(() => {}),
    droppedAnswer: (id) => void dropped.push(id),
    droppedMessages: () => {},
    noAnswer: (id) => Message.fromJson(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"ended"}}`),
    opened: () => {},
    abandoned: () => void abandoned.times++,
  });
  session.connect({
    needsCheck: () => false,
    check: () => undefined,
    atNextTurn: (run) => void setImmediate(run),
    message: (message) => void came.push(String(message).trim()),
    gateIsFull: () => {},
    full: () => {},
    ended: () => {},
    gone: () => {},
    ...events,
  });
  let closed = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.once('close', () => closed++);
    if (request.method === 'GET') return session.listen(response, {}, { lastEventId: undefined, isPrimed: false });
    const body = await bodyOf(request);
    return session.post(Message.of(Buffer.concat([body, Buffer.from('\n')])), response, {});
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const agent = newAgent();
  cleanup(t, () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const story = { transcript: () => came.join('\n') };
  return {
    session,
    came,
    dropped,
    closed: () => closed,
    begin: (message) => send(url, { agent, body: JSON.stringify(message) }),
    abandoned,
    async post(message) {
      const [body, before] = [JSON.stringify(message), came.length];
      const posted = send(url, { agent, body });
      await until(() => came.length > before, 'the message', story);
      return posted;
    },
    listen: () => send(url, { method: 'GET', agent }).response,
  };
}

const request = (id: number, method = 'tools/call', params = {}): object => ({ jsonrpc: '2.0', id, method, params });
const cancelled = (requestId: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const answer = (id: number): Message => Message.fromJson(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
const progress = (progressToken: number): Message =>
  Message.fromJson(
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${progressToken},"progress":1}}`,
  );

async function statusOf({ response }: Posted): Promise<number | undefined> {
  const { statusCode } = await response;
  return statusCode;
}

test('P1 an answer alone is JSON, and one after other messages is the last event of the response', async (t) => {
  const { session, post } = await openSession(t);
  const [alone, other] = [await post(request(1)), await post(request(2))];
  session.send(progress(9), { kind: 'about', request: '2' });
  session.send(answer(2), answerTo('2'));
  session.send(answer(1), answerTo('1'));
  assert.equal(String(await bodyOf(await alone.response)), '{"jsonrpc":"2.0","id":1,"result":{}}');
  const response = await other.response;
  assert.ok(isEventStream(response));
  const events: unknown[] = [];
  for await (const { data } of eventsOf(response)) events.push(JSON.parse(data));
  assert.deepEqual(
    events,
    [progress(9), answer(2)].map((each) => JSON.parse(String(each))),
  );
});

test('P12 the response of a request that was taken back ends, though the server never answers; a late answer is dropped', async (t) => {
  const { session, post, dropped } = await openSession(t);
  const [silent, begun] = [await post(request(1)), await post(request(2))];
  session.send(progress(9), { kind: 'about', request: '2' });
  await post(cancelled(1));
  await post([cancelled(2)]);
  assert.equal(await statusOf(silent), 202);
  const response = await begun.response;
  for await (const { data } of eventsOf(response)) assert.match(data, /progress/);
  assert.equal(session.openPosts, 0);
  session.send(answer(1), answerTo('1'));
  assert.deepEqual(dropped, ['1']);
});

test('P1 a batch of which one request was taken back is answered, with that one or without it', async (t) => {
  for (const answers of [[1, 2], [2]]) {
    const { session, post } = await openSession(t);
    const posted = await post([request(1), request(2)]);
    await post(cancelled(1));
    session.send(joinBatch(answers.map(answer)), answerTo(String(answers[0])));
    const body = JSON.parse(String(await bodyOf(await posted.response))) as { id: number }[];
    assert.deepEqual(
      body.map(({ id }) => id),
      answers,
    );
    assert.equal(session.openPosts, 0);
  }
});

test('P1 under an id of a batch and of a request alone, each is answered by its own response', async (t) => {
  for (const isFirst of [true, false]) {
    const { session, post, dropped } = await openSession(t);
    const both = [[request(1), request(2)], request(2)];
    if (!isFirst) both.reverse();
    const posted = [await post(both[0]), await post(both[1])];
    const [batch, alone] = isFirst ? posted : posted.toReversed();
    session.send(answer(2), answerTo('2'));
    session.send(joinBatch([1, 2].map(answer)), answerTo('1'));
    assert.equal(session.openPosts, 0);
    assert.deepEqual(dropped, []);
    assert.equal(String(await bodyOf(await alone!.response)), '{"jsonrpc":"2.0","id":2,"result":{}}');
    const body = JSON.parse(String(await bodyOf(await batch!.response))) as { id: number }[];
    assert.deepEqual(
      body.map(({ id }) => id),
      [1, 2],
    );
  }
});

test('P1 whoever still waits when the session ends is told', async (t) => {
  const { session, post } = await openSession(t);
  const posted = await post([request(1), request(2)]);
  session.end();
  const events: string[] = [];
  for await (const { data } of eventsOf(await posted.response)) events.push(data);
  assert.deepEqual(
    events.map((data) => (JSON.parse(data) as { id: number }).id),
    [1, 2],
  );
});

test('P17 what concerns no request goes out by the GET stream, or else by the oldest response', async (t) => {
  const { session, post, listen } = await openSession(t);
  const changed = Message.fromJson('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  const oldest = await post(request(1));
  await post(request(2));
  session.send(changed);
  const events = eventsOf(await oldest.response);
  assert.match(String((await events.next()).value?.data), /list_changed/);
  const stream = eventsOf(await listen());
  session.send(changed);
  const { value } = await stream.next();
  assert.match(String(value?.data), /list_changed/);
  assert.equal(value?.id, '1', 'it can be resumed');
});

test('P12 a client that goes before its request could be taken leaves nothing open; the request goes on', async (t) => {
  const { session, came, closed, begin } = await openSession(t);
  const story = { transcript: () => came.join('\n') };
  session.pause();
  const posted = begin({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
  await until(() => session.openPosts === 1, 'the request', story);
  posted.request.destroy();
  await until(() => closed() === 1, 'its end', story);
  session.resume();
  await until(() => came.length === 1, 'the message', story);
  assert.equal(session.openPosts, 0);
  assert.ok(session.idleMs >= 0 && session.idleMs < 60_000);
});

test('a session whose client is gone before initialize is answered is given up, and one that is open is not', async (t) => {
  const { session, abandoned, post } = await openSession(t);
  const story = { transcript: () => `${abandoned.times} times` };
  const initialize = (id: number): object => ({ jsonrpc: '2.0', id, method: 'initialize', params: {} });
  const first = await post(initialize(1));
  first.request.destroy();
  await until(() => abandoned.times === 1, 'the end of the first', story);
  const second = await post(initialize(2));
  session.send(Message.fromJson('{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18"}}'), answerTo('2'));
  await bodyOf(await second.response);
  const third = await post({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
  third.request.destroy();
  const fourth = await post({ jsonrpc: '2.0', id: 4, method: 'tools/list' });
  session.send(Message.fromJson('{"jsonrpc":"2.0","id":4,"result":{}}'), answerTo('4'));
  await bodyOf(await fourth.response);
  assert.equal(abandoned.times, 1);
});
