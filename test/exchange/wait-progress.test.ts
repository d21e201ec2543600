/** What requests hear that wait with the proxy, read off a desk without input and output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromClient } from '#src/exchange/from-client.js';
import { tellWaiting, valueOfWait } from '#src/exchange/wait-progress.js';
import { Message } from '#src/wire/message.js';
import { answer, play, request, tell, type Play, beginHold, drop, endHold, promote } from './play.js';

function serving(options: Parameters<typeof play>[0] = {}): Play {
  const game = play(options);
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'initialize', { protocolVersion: '2025-06-18' }));
  game.server(1, answer(0, { protocolVersion: '2025-06-18', capabilities: { tools: {} } }));
  game.take();
  return game;
}

const call = (id: number, progressToken?: unknown, name = 'a') =>
  request(id, 'tools/call', { name, _meta: progressToken === undefined ? {} : { progressToken } });

interface Heard {
  readonly progressToken: unknown;
  readonly progress: number;
  readonly message: string;
}

/** What the client hears a second later. */
function tick(game: Play): Heard[] {
  game.now += 1000;
  tellWaiting(game.lineage, 'building, 3 s', 'waiting for its turn');
  return game.take().map(([, message]) => (message as { params: Heard }).params);
}

test('who waits with a token hears why, and nobody else does', () => {
  const game = serving();
  beginHold(game);
  game.client(call(1, 'p'));
  game.client(call(2));
  game.client(tell('notifications/x', { _meta: { progressToken: 'no request' } }));
  game.client(call(3, { no: 'token' }));
  assert.deepEqual(tick(game), [{ progressToken: 'p', progress: -1, message: 'building, 3 s' }]);
  game.client(tell('notifications/cancelled', { requestId: 1 }));
  assert.deepEqual(tick(game), [], 'taken back');
});

test('P2 a token is told as it is spelt, and each of a batch has its own', () => {
  const game = serving();
  beginHold(game);
  game.lines.splice(0);
  const one = (id: number, token: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"_meta":{"progressToken":${token}}}}`;
  for (const line of [one(1, '12345678901234567890'), `[${one(2, '"\\u0061"')},${one(3, '1.0')}]`])
    fromClient(game.session, Message.fromJson(line));
  tick(game);
  assert.deepEqual(
    game.lines.map((line) => /"progressToken":(.*?),"progress":-1,/.exec(line)?.[1]),
    ['12345678901234567890', '"\\u0061"', '1.0'],
  );
});

test('one that has just come hears nothing yet', () => {
  const game = serving();
  beginHold(game);
  game.now = 700;
  game.client(call(1, 'p'));
  game.now = 0;
  assert.deepEqual(tick(game), []);
  assert.equal(tick(game).length, 1);
});

test('a call that waits for its turn hears that, and during a hold what it waits for then', () => {
  const game = serving({ concurrency: 1 });
  game.client(call(1, 'first'));
  game.client(call(2, 'second'));
  game.take();
  assert.deepEqual(
    tick(game).map(({ progressToken, message }) => [progressToken, message]),
    [['second', 'waiting for its turn']],
  );
  beginHold(game);
  const [heard] = tick(game);
  assert.deepEqual([heard?.progressToken, heard?.message], ['second', 'building, 3 s']);
  assert.equal(heard?.progress, -0.5);
});

test('progress only grows: over a wait, what a server says then, and a second wait when that one is lost', () => {
  for (const said of [[], [0], [0, 0.25], [7, 7.5]]) {
    const game = serving();
    const values: number[] = [];
    const hear = (): void => {
      const heard = game.take().map(([, message]) => (message as { params: Partial<Heard> }).params?.progress);
      values.push(...heard.filter((progress) => progress !== undefined));
    };
    beginHold(game);
    game.client(request(1, 'resources/read', { uri: 'a:b', _meta: { progressToken: 'p' } }));
    for (let second = 0; second < 3; second++) values.push(...tick(game).map(({ progress }) => progress));
    endHold(game);
    for (const progress of said) game.server(1, tell('notifications/progress', { progressToken: 'p', progress }));
    hear();
    beginHold(game);
    drop(game, 1);
    for (let second = 0; second < 3; second++) values.push(...tick(game).map(({ progress }) => progress));
    promote(game, 2);
    endHold(game);
    for (const progress of [0, 3, 8]) game.server(2, tell('notifications/progress', { progressToken: 'p', progress }));
    hear();
    assert.ok(values.length >= 3 + said.length + 3 + 1, `${said.join()}: ${values.join()}`);
    assert.equal(values.at(-1), 8);
    for (const [at, value] of values.entries())
      assert.ok(at === 0 || value > values[at - 1]!, `${said.join()}: ${values.join()}`);
  }
});

test('values of a wait stay below 0, where servers begin, however long it takes', () => {
  let last = -Infinity;
  for (const again of [false, true]) {
    for (let waited = 500; waited < 10 * 24 * 3600 * 1000; waited += waited < 100_000 ? 999.5 : waited / 3) {
      const value = valueOfWait(waited, again, undefined);
      assert.ok(value > last && value < 0, `${waited}: ${value} after ${last}`);
      last = value;
    }
  }
});

test('a wait leaves nothing behind', () => {
  const game = serving();
  beginHold(game);
  for (let id = 1; id <= 1000; id++) game.client(call(id, id));
  assert.equal(tick(game).length, 1000);
  endHold(game);
  for (let id = 1; id <= 1000; id++) game.server(1, answer(id, {}));
  assert.deepEqual([game.session.minimumProgress.size, game.session.progress.size], [0, 0]);
});
