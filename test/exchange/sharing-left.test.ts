/**
 * What a shared server says after a client has taken a call back, or has left: it may be about that call, so nobody
 * else gets it. And what is no client's own is there for all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachSession } from '#src/exchange/attach.js';
import { isInitialized } from '#src/exchange/records.js';
import { answer, demote, drop, play, promote, endHold, request, tell, type Client, type Play } from './play.js';
import { INITIALIZE, INTRODUCTION, shared } from './several.js';

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const LOGGING = { ...META, 'io.modelcontextprotocol/logLevel': 'debug' };
const call = (id: number, meta?: object): object =>
  request(id, 'tools/call', { name: 'x', ...(meta && { _meta: meta }) });
const question = request('q', 'sampling/createMessage');
const log = tell('notifications/message', { level: 'info', data: 1 });

const receivers = (game: Play): (string | number)[] => game.take().map(([to]) => to);

/** Clients of the modern era, as many as there are names, on generation 1. */
function modern(...names: string[]): Play & { clients: Client[] } {
  const game = play();
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'server/discover', { _meta: META }));
  game.client(request(1, 'tools/list', { _meta: META }));
  const clients = names.map((name) => game.join(name));
  game.server(1, answer(0, { capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } }));
  game.server(1, answer(1, { tools: [] }));
  detachSession(game.session);
  game.take();
  return Object.assign(game, { clients });
}

test('P17 what a server asks after a call was taken back is not asked of another client, until the call is answered', () => {
  const game = shared();
  game.a.says(call(1));
  game.b.says(call(2));
  game.b.says(tell('notifications/cancelled', { requestId: 2 }));
  game.take();
  game.server(1, question);
  assert.deepEqual(receivers(game), [1]);
  assert.equal(game.warnings.length, 1);
  game.server(1, answer(2));
  game.take();
  game.server(1, question);
  assert.deepEqual(receivers(game), ['client']);
  game.a.says(answer('q'));
  game.a.says(tell('notifications/cancelled', { requestId: 1 }));
  game.a.says(call(3));
  game.take();
  game.server(1, question);
  assert.deepEqual(receivers(game), ['client'], 'a call of its own');
});

test('P17 what a server asks after a client has left is asked of nobody else, until the call is answered or long over', () => {
  for (const end of ['answered', 'long over']) {
    const game = shared();
    game.a.says(call(1));
    game.b.says(call(2));
    detachSession(game.b.session);
    game.take();
    game.server(1, question);
    assert.deepEqual(receivers(game), [1]);
    if (end === 'answered') game.server(1, answer(2));
    else game.now += 60_000;
    game.take();
    game.server(1, question);
    assert.deepEqual(receivers(game), ['client'], end);
  }
});

test('P17 a question for roots names nothing of a call: the client that the server was opened for is asked', () => {
  const game = shared();
  game.b.says(call(2));
  game.b.says(tell('notifications/cancelled', { requestId: 2 }));
  game.take();
  game.server(1, request(1, 'roots/list'));
  assert.deepEqual(receivers(game), ['client']);
});

test('P17 a notification that names nobody goes to the only client at work, and not to one that stays alone', () => {
  const game = shared();
  const custom = tell('notifications/of-its-own', {});
  game.server(1, custom);
  assert.deepEqual(receivers(game), []);
  game.b.says(call(1));
  game.take();
  game.server(1, custom);
  assert.deepEqual(receivers(game), ['b']);
  detachSession(game.b.session);
  game.take();
  game.server(1, custom);
  assert.deepEqual(receivers(game), []);
  game.now += 60_000;
  game.server(1, custom);
  assert.deepEqual(receivers(game), ['client']);
});

test('P3 a new process is opened for a client that is there, if the first left before its session was open', () => {
  for (const end of ['leaves', 'takes it back']) {
    const game = play();
    promote(game, 1);
    endHold(game);
    game.client(request(0, 'initialize', INITIALIZE));
    const b = game.join('b');
    if (end === 'leaves') detachSession(game.session);
    else game.client(tell('notifications/cancelled', { requestId: 0 }));
    promote(game, 2);
    drop(game, 1);
    b.says(request(0, 'initialize', { ...INITIALIZE, protocolVersion: '2025-03-26' }));
    const { id } = game.take().findLast(([to]) => to === 2)![1] as { id: number };
    game.server(2, answer(id, INTRODUCTION));
    assert.ok(game.lineage.agreement.isOpen, end);
    assert.match(game.lineage.agreement.initializeParams ?? '', /2025-03-26/);
  }
});

test('P9 P17 a shared server is asked for its lists though the client that opened it has not said that it is ready', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'initialize', INITIALIZE));
  game.server(1, answer(0, INTRODUCTION));
  const b = game.join('b');
  b.says(request(0, 'initialize', INITIALIZE));
  assert.ok(!isInitialized(game.lineage));
  b.says(tell('notifications/initialized'));
  assert.ok(isInitialized(game.lineage));
});

test('P9 P17 a list that was taken back is none that its client has, if the answer is for nobody', () => {
  const game = shared();
  game.b.says(request(1, 'tools/list'));
  game.b.says(tell('notifications/cancelled', { requestId: 1 }));
  game.server(1, answer(1, { tools: [{ name: 'x', inputSchema: {} }] }));
  assert.equal(game.b.session.served.baseline('tools'), undefined);
});

test('P17 a batch takes back the client’s own request and no other client’s of that id', () => {
  const game = shared();
  game.a.says(call(1));
  game.b.says(call(1));
  const wireId = (game.take()[1]![1] as { id: unknown }).id;
  const cancel = tell('notifications/cancelled', { requestId: 1 });
  game.b.says([cancel, call(2), tell('notifications/initialized'), tell('notifications/roots/list_changed')]);
  assert.deepEqual(game.take(), [
    [1, tell('notifications/cancelled', { requestId: wireId })],
    [1, [call(2)]],
  ]);
  game.b.says([tell('notifications/cancelled', { requestId: 9 })]);
  assert.deepEqual(game.take(), []);
  game.server(1, answer(1));
  assert.deepEqual(receivers(game), ['client']);
});

test('P17 a level that is set in a batch is no less verbose than another client wants', () => {
  const game = shared();
  game.a.says(request(1, 'logging/setLevel', { level: 'debug' }));
  game.server(1, answer(1));
  game.take();
  game.b.says([request(5, 'logging/setLevel', { level: 'error' }), call(6)]);
  assert.deepEqual(game.take(), [[1, [request(5, 'logging/setLevel', { level: 'debug' }), call(6)]]]);
});

test('P17 a log message goes to the only modern client that asks for any, and to none if it may be about another’s call', () => {
  const game = modern('a', 'b', 'c');
  const [a, b, c] = game.clients as [Client, Client, Client];
  a.says(call(1, META));
  game.take();
  game.server(1, log);
  assert.deepEqual(receivers(game), []);
  b.says(call(1, LOGGING));
  game.take();
  game.server(1, log);
  assert.deepEqual(receivers(game), ['b']);
  c.says(call(1, LOGGING));
  game.take();
  game.server(1, log);
  assert.deepEqual(receivers(game), []);
  assert.match(game.warnings.at(-1)!, /a log message of the server was passed on to nobody/);
  detachSession(c.session);
  game.take();
  game.server(1, log);
  assert.deepEqual(receivers(game), []);
});

test('P17 a modern client that is the only one just then gets nothing that it did not ask for', () => {
  const game = modern('a');
  game.clients[0]!.says(request(3, 'tools/list', { _meta: META }));
  game.take();
  game.server(1, log);
  game.server(1, tell('notifications/tools/list_changed'));
  game.server(1, tell('notifications/of-its-own'));
  game.server(1, tell('notifications/resources/updated', { uri: 'a:' }));
  game.server(1, tell('notifications/cancelled', {}));
  assert.deepEqual(receivers(game), []);
});

test('P16 a task of the modern era is there for whoever knows its id, and lives on when the request that began it is over', () => {
  const game = modern('a', 'b', 'c');
  game.lineage.runsTasks = true;
  const [a, b, c] = game.clients as [Client, Client, Client];
  a.says(call(1, META));
  const wireId = (game.take()[0]![1] as { id: number }).id;
  game.server(1, answer(wireId, { resultType: 'task', taskId: 't' }));
  detachSession(a.session);
  assert.deepEqual(receivers(game), ['a'], 'nothing is taken back');
  b.says(request(7, 'tasks/get', { taskId: 't', _meta: META }));
  assert.deepEqual(receivers(game), [1]);
  // It is lost with its server, and all may know that.
  demote(game);
  drop(game, 1);
  promote(game, 2);
  game.take();
  c.says(request(8, 'tasks/get', { taskId: 't', _meta: META }));
  const [[to, said] = []] = game.take();
  assert.equal(to, 'c');
  assert.match(JSON.stringify(said), /was lost/);
});

test('P17 a name that a client may have used while it was alone is nobody else’s, until another server comes', () => {
  const game = play();
  promote(game, 1);
  endHold(game);
  const token = (progressToken: number): object => ({ progressToken });
  game.client(request(0, 'initialize', INITIALIZE));
  game.server(1, answer(0, INTRODUCTION));
  game.client(call(1, token(1)));
  game.client(tell('notifications/cancelled', { requestId: 1 }));
  const b = game.join('b');
  b.says(request(0, 'initialize', INITIALIZE));
  game.take();
  b.says(call(1, token(1)));
  const [[, seen] = []] = game.take();
  game.server(1, tell('notifications/progress', { progressToken: 1, progress: 1 }));
  game.server(1, answer(1));
  assert.deepEqual(receivers(game), [], 'nobody waits for that answer');
  const { id } = seen as { id: string };
  game.server(1, answer(id));
  assert.deepEqual(receivers(game), ['b']);
  promote(game, 2);
  drop(game, 1);
  game.take();
  b.says(call(5, token(5)));
  assert.deepEqual(game.take(), [[2, call(5, token(5))]]);
});

test('P17 the answer to what was taken back may hold what another client said: it goes to nobody', () => {
  const game = shared();
  game.b.says(call(2));
  game.b.says(tell('notifications/cancelled', { requestId: 2 }));
  game.take();
  game.server(1, request('q', 'roots/list'));
  game.a.says(answer('q', { roots: ['of a'] }));
  game.server(1, answer(2, { roots: ['of a'] }));
  assert.deepEqual(receivers(game), ['client', 1]);
});
