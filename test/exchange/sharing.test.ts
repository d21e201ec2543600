/** Several clients on one server: each gets what is its own and nothing else, though they choose the same names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachSession } from '#src/exchange/attach.js';
import { answerHandshakeLocally } from '#src/exchange/handover.js';
import { hasServerAnswered } from '#src/exchange/records.js';
import { keyOf } from '#src/wire/ids.js';
import { answer, beginHold, play, promote, endHold, request, tell, type Play } from './play.js';
import { INITIALIZE, INTRODUCTION, shared } from './several.js';

interface Sent {
  id: unknown;
  method: string;
  params: { level?: string; requestId?: unknown; _meta?: { progressToken: unknown } };
  error?: { message: string };
}

const call = (id: number, token?: unknown): object =>
  request(id, 'tools/call', { name: 'x', ...(token === undefined ? {} : { _meta: { progressToken: token } }) });

function sentTo(game: Play, to: string | number): Sent[] {
  return game.take().flatMap(([at, message]) => (at === to ? [message as Sent] : []));
}

test('P17 equal ids are told apart on the wire, and each answer finds its client under the id that it knows', () => {
  const game = shared();
  game.a.says(call(1));
  game.b.says(call(1));
  const [first, second] = sentTo(game, 1);
  assert.equal(first!.id, 1);
  assert.notEqual(second!.id, 1);
  game.server(1, answer(second!.id as string, { of: 'b' }));
  game.server(1, answer(1, { of: 'a' }));
  assert.deepEqual(game.take(), [
    ['b', answer(1, { of: 'b' })],
    ['client', answer(1, { of: 'a' })],
  ]);
});

test('P17 an id stays that of its first client after the answer, so that a second answer is nobody’s', () => {
  const game = shared();
  game.a.says(call(1));
  game.server(1, answer(1));
  game.take();
  game.b.says(call(1));
  assert.notEqual(sentTo(game, 1)[0]!.id, 1);
  game.server(1, answer(1));
  assert.deepEqual(game.take(), []);
});

test('P2 names that no other client has used stay as they are', () => {
  const game = shared();
  game.b.says(call(7, 'mine'));
  assert.deepEqual(game.take(), [[1, call(7, 'mine')]]);
  game.server(1, tell('notifications/progress', { progressToken: 'mine', progress: 1 }));
  assert.deepEqual(game.take(), [['b', tell('notifications/progress', { progressToken: 'mine', progress: 1 })]]);
});

test('P17 progress goes to the client that asked for it, under its own token', () => {
  const game = shared();
  game.a.says(call(1, 1));
  game.b.says(call(2, 1));
  const [first, second] = sentTo(game, 1);
  assert.equal(first!.params['_meta']?.progressToken, 1);
  const token = second!.params['_meta']?.progressToken;
  assert.notEqual(token, 1);
  const progress = (progressToken: unknown): object => tell('notifications/progress', { progressToken, progress: 5 });
  game.server(1, progress(token));
  game.server(1, progress(1));
  game.server(1, progress('of nobody'));
  assert.deepEqual(game.take(), [
    ['b', progress(1)],
    ['client', progress(1)],
  ]);
});

test('P17 a cancellation names the request as the server knows it, and touches no other client’s', () => {
  const game = shared();
  game.a.says(call(1));
  game.b.says(call(1));
  const [, second] = sentTo(game, 1);
  game.b.says(tell('notifications/cancelled', { requestId: 1 }));
  assert.deepEqual(game.take(), [[1, tell('notifications/cancelled', { requestId: second!.id })]]);
  game.server(1, answer(1));
  assert.deepEqual(game.take(), [['client', answer(1)]]);
});

test('P17 the requests of a batch are renamed one by one, and answered as one', () => {
  const game = shared();
  game.a.says(call(1));
  game.take();
  game.b.says([call(1), call(2)]);
  const [[, batch] = []] = game.take() as [number, Sent[]][];
  assert.deepEqual(batch![1], call(2));
  assert.notEqual(batch![0]!.id, 1);
  game.server(1, [answer(batch![0]!.id as string), answer(2)]);
  assert.deepEqual(game.take(), [['b', [answer(1), answer(2)]]]);
  game.a.says(call(5));
  game.b.says(call(6));
  game.take();
  game.server(1, [answer(5), answer(6)]);
  assert.deepEqual(game.take(), [
    ['client', [answer(5)]],
    ['b', [answer(6)]],
  ]);
});

test('P2 P3 what clients of a shared server tell in a batch stays in it, in order', () => {
  const game = shared();
  const [initialized, other] = [tell('notifications/initialized'), tell('notifications/made/up')];
  game.b.says([call(1), other, call(2)]);
  assert.deepEqual(game.take(), [[1, [call(1), other, call(2)]]]);
  game.b.says([initialized, other, call(3)]);
  assert.deepEqual(game.take(), [[1, [other, call(3)]]], 'it has been told that by the first');
  game.b.says([initialized]);
  assert.deepEqual(game.take(), []);
});

test('P16 a shared legacy server is opened once, and later clients get its answer', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  const [b, c] = [game.join('b'), game.join('c')];
  b.says(request(3, 'initialize', INITIALIZE));
  c.says(request(0, 'initialize', INITIALIZE));
  assert.deepEqual(game.take(), [[1, request(3, 'initialize', INITIALIZE)]]);
  game.server(1, answer(3, INTRODUCTION));
  const told = { ...INTRODUCTION, capabilities: { tools: { listChanged: true }, logging: {} } };
  const byClient = Object.fromEntries(game.take());
  assert.deepEqual(byClient, { b: answer(3, told), c: answer(0, told) });
  b.says(tell('notifications/initialized'));
  c.says(tell('notifications/initialized'));
  assert.deepEqual(game.take(), [[1, tell('notifications/initialized')]]);
  assert.equal(game.lineage.agreement, b.session.agreement);
});

test('P16 if the client that opens the server leaves meanwhile, those that wait get the answer all the same', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  const b = game.join('b');
  game.client(request(0, 'initialize', INITIALIZE));
  b.says(request(0, 'initialize', INITIALIZE));
  detachSession(game.session);
  game.take();
  game.server(1, answer(0, INTRODUCTION));
  assert.deepEqual(
    game.take().map(([to]) => to),
    ['b'],
  );
});

test('P17 a client that opens its session with a server that answers others waits for it, and nothing is said in its place', () => {
  const cases = [
    { answersFirst: false, is: 'overdue' },
    { answersFirst: true, is: 'nobody' },
  ];
  for (const { answersFirst, is } of cases) {
    const game = play();
    promote(game, 1);
    endHold(game);
    const b = game.join('b');
    game.client(request(0, 'initialize', INITIALIZE));
    if (answersFirst) game.server(1, answer(0, INTRODUCTION));
    b.says(request(1, 'server/discover', {}));
    game.take();
    const opened = answerHandshakeLocally(b.session, keyOf('1'), undefined);
    assert.equal(typeof opened === 'string' ? opened : 'overdue', is);
    assert.deepEqual(
      game.take().map(([to]) => to),
      answersFirst ? [] : ['b'],
    );
  }
});

test('P17 a question goes to the only client with a call running, or to nobody', () => {
  const game = shared();
  const ask = request('q', 'sampling/createMessage');
  const cases: [what: string, prepare: () => void, to: string | number][] = [
    ['nobody has a call running', () => {}, 1],
    ['b has', () => game.b.says(call(1)), 'b'],
    ['both have', () => game.a.says(call(2)), 1],
    ['b took its own back', () => game.b.says(tell('notifications/cancelled', { requestId: 1 })), 1],
    ['and the server has answered it', () => game.server(1, answer(1)), 'client'],
    ['b asks for what no server asks back in', () => game.b.says(request(2, 'tools/list')), 'client'],
  ];
  for (const [what, prepare, to] of cases) {
    prepare();
    game.take();
    game.server(1, ask);
    const asked = game.take();
    assert.deepEqual([asked.length, asked[0]?.[0]], [1, to], what);
    if (to === 1) assert.match((asked[0]![1] as Sent).error!.message, /Several clients share this server/);
  }
  assert.equal(game.warnings.length, 3);
  game.b.says(answer('q', { of: 'b' }));
  game.a.says(answer('q', { of: 'a' }));
  assert.deepEqual(sentTo(game, 1).length, 2);
});

test('P17 for its roots a server asks the client that it was opened for', () => {
  const game = shared();
  game.server(1, request(1, 'roots/list'));
  assert.deepEqual(game.take(), [['client', request(1, 'roots/list')]]);
  game.b.says(tell('notifications/roots/list_changed'));
  assert.deepEqual(game.take(), []);
  game.b.says(answer(1, { roots: ['of b'] }));
  assert.deepEqual(game.take(), []);
  game.a.says(answer(1, { roots: [] }));
  assert.deepEqual(game.take(), [[1, answer(1, { roots: [] })]]);
});

test('P17 log messages go to those that asked for the level, and the server has the most verbose', () => {
  const game = shared();
  const level = (id: number, to: string): object => request(id, 'logging/setLevel', { level: to });
  const log = (of: string): object => tell('notifications/message', { level: of, data: 1 });
  game.a.says(level(1, 'error'));
  game.server(1, answer(1));
  game.take();
  game.server(1, log('error'));
  game.server(1, log('info'));
  assert.deepEqual(game.take(), [['client', log('error')]]);
  game.b.says(level(2, 'debug'));
  assert.deepEqual(sentTo(game, 1), [level(2, 'debug')]);
  game.server(1, answer(2));
  game.a.says(level(3, 'warning'));
  assert.deepEqual(sentTo(game, 1), [level(3, 'debug')]);
  game.server(1, answer(3));
  game.take();
  game.server(1, log('info'));
  game.server(1, log('error'));
  assert.deepEqual(
    game.take().map(([to]) => to),
    ['b', 'client', 'b'],
  );
  detachSession(game.b.session);
  assert.deepEqual(
    sentTo(game, 1).map(({ method, params }) => [method, params.level]),
    [['logging/setLevel', 'warning']],
  );
});

test('P17 a resource is subscribed to with the first client and given up with the last', () => {
  const game = shared();
  const about = (id: number, kind: string): object => request(id, `resources/${kind}`, { uri: 'a:' });
  const news = tell('notifications/resources/updated', { uri: 'a:' });
  game.a.says(about(1, 'subscribe'));
  game.server(1, answer(1));
  game.take();
  game.server(1, news);
  assert.deepEqual(game.take(), [['client', news]]);
  game.b.says(about(2, 'subscribe'));
  assert.deepEqual(game.take(), [['b', answer(2)]]);
  game.server(1, news);
  assert.equal(game.take().length, 2);
  game.a.says(about(3, 'unsubscribe'));
  assert.deepEqual(game.take(), [['client', answer(3)]]);
  game.server(1, news);
  assert.deepEqual(game.take(), [['b', news]]);
  detachSession(game.b.session);
  assert.deepEqual(
    sentTo(game, 1).map(({ method }) => method),
    ['resources/unsubscribe'],
  );
});

test('P17 listen streams of one id are two on the wire, and each gets its own news and its own end', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  const b = game.join('b');
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const listen = request('listen:0', 'subscriptions/listen', {
    _meta: meta,
    notifications: { toolsListChanged: true },
  });
  game.client(listen);
  b.says(listen);
  const [first, second] = sentTo(game, 1);
  assert.equal(first!.id, 'listen:0');
  assert.notEqual(second!.id, 'listen:0');
  const stamped = (method: string, id: unknown): object =>
    tell(`notifications/${method}`, {
      notifications: { toolsListChanged: true },
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
    });
  for (const method of ['subscriptions/acknowledged', 'tools/list_changed']) {
    game.server(1, stamped(method, second!.id));
    assert.deepEqual(game.take(), [['b', stamped(method, 'listen:0')]]);
    game.server(1, stamped(method, 'listen:0'));
    assert.deepEqual(game.take(), [['client', stamped(method, 'listen:0')]]);
  }
  b.says(tell('notifications/cancelled', { requestId: 'listen:0' }));
  assert.deepEqual(game.take(), [[1, tell('notifications/cancelled', { requestId: second!.id })]]);
  game.server(1, stamped('tools/list_changed', second!.id));
  assert.deepEqual(game.take(), []);
  game.server(1, stamped('tools/list_changed', 'listen:0'));
  assert.equal(game.take().length, 1);
});

test('P17 what a client leaves behind is taken back at the server, and those that stay do not notice', () => {
  const game = shared({ concurrency: 2 });
  game.a.says(call(1));
  game.b.says(call(1));
  game.b.says(call(2));
  game.a.says(call(3));
  const wireId = sentTo(game, 1)[1]!.id;
  game.server(1, request('q', 'roots/list'));
  game.take();
  detachSession(game.b.session);
  const [taken, next, ...rest] = game.take() as [unknown, Sent][];
  assert.deepEqual([taken![1].method, taken![1].params.requestId], ['notifications/cancelled', wireId]);
  assert.deepEqual(next, [1, call(3)]);
  assert.deepEqual(rest, []);
  game.server(1, answer(wireId as string));
  assert.deepEqual(game.take(), []);
  game.server(1, answer(1));
  game.server(1, answer(3));
  assert.equal(game.take().length, 2);
  assert.equal(game.lineage.runningCalls, 0);
});

test('P17 the questions of a client that leaves are answered with an error, and its held messages go', () => {
  const game = shared();
  game.b.says(call(1));
  game.server(1, request('q', 'elicitation/create'));
  beginHold(game);
  game.b.says(call(2));
  game.a.says(call(2));
  game.take();
  detachSession(game.b.session);
  const [question, taken] = game.take() as [unknown, Sent][];
  const sent = [question![1], taken![1]];
  assert.ok(sent.some(({ id, error }) => id === 'q' && error !== undefined));
  assert.ok(sent.some(({ method }) => method === 'notifications/cancelled'));
  endHold(game);
  assert.deepEqual(game.take(), [[1, call(2)]]);
});

test('P17 who comes when all others have left gets what the server said of itself, and none of their news', () => {
  const game = shared();
  game.a.says(call(1, 1));
  detachSession(game.a.session);
  detachSession(game.b.session);
  assert.ok(hasServerAnswered(game.lineage));
  const c = game.join('c');
  game.take();
  c.says(request(0, 'initialize', INITIALIZE));
  assert.deepEqual(
    game.take().map(([to]) => to),
    ['c'],
  );
  c.says(tell('notifications/initialized'));
  c.says(call(1, 1));
  const [mine] = sentTo(game, 1);
  assert.notEqual(mine!.id, 1);
  game.server(1, tell('notifications/progress', { progressToken: 1, progress: 1 }));
  game.server(1, answer(1));
  assert.deepEqual(game.take(), []);
});

test('P17 a task is its client’s', () => {
  const game = shared();
  game.lineage.runsTasks = true;
  game.a.says(call(1));
  game.server(1, answer(1, { task: { taskId: 't' } }));
  game.take();
  game.b.says(request(4, 'tasks/get', { taskId: 't' }));
  assert.match((sentTo(game, 'b')[0] as Sent).error!.message, /No task "t" is known/);
  game.b.says(request(5, 'tasks/list'));
  game.take();
  game.server(1, answer(5, { tasks: [{ taskId: 't' }] }));
  assert.deepEqual(game.take(), [['b', answer(5, { tasks: [] })]]);
});
