/** What is left of a request that the client took back, read off a desk without input and output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '#src/wire/ids.js';
import { answer, play, request, tell, type Play, beginHold, drop, endHold, promote } from './play.js';

function serving(): Play {
  const game = play();
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'initialize', { protocolVersion: '2025-06-18' }));
  game.server(1, answer(0, { protocolVersion: '2025-06-18', capabilities: { tools: {} } }));
  game.client(tell('notifications/initialized'));
  game.take();
  return game;
}

const takeBack = (requestId: number) => tell('notifications/cancelled', { requestId });

test('P12 a request that was taken back is not kept, because servers need not answer it', () => {
  const game = serving();
  game.client(request(1, 'tools/call', { name: 'a', arguments: { text: 'x'.repeat(100_000) } }));
  game.client(takeBack(1));
  assert.equal(game.upstream(1).pending.find(keyOf('1'))?.message.length, 0);
  game.take();
  game.server(1, answer(1, { late: true }));
  game.server(1, answer(1, { late: true }));
  assert.deepEqual(game.take(), [['client', answer(1, { late: true })]], 'at most one answer all the same');
});

test('P12 what was held and taken back makes room for as much again', () => {
  const game = serving();
  beginHold(game);
  const text = 'x'.repeat(4 * 1024 * 1024);
  const ask = (id: number) => game.client(request(id, 'tools/call', { name: 'a', arguments: { text } }));
  const ids = Array.from({ length: 10 }, (_, at) => at + 1);
  for (const id of ids) ask(id);
  for (const id of ids) game.client(takeBack(id));
  assert.equal(game.lineage.hold.size, 0);
  for (const id of ids) ask(id + 100);
  assert.deepEqual(game.take(), [], '40 MiB and 40 MiB more are not 80');
  assert.equal(game.lineage.hold.size, 10);
});

test('P9 the answer to a list that was taken back is known for the page that it is', () => {
  const game = serving();
  game.client(request(1, 'tools/list'));
  game.server(1, answer(1, { tools: [{ name: 'a' }], nextCursor: '2' }));
  game.client(request(2, 'tools/list', { cursor: '2' }));
  game.client(takeBack(2));
  game.server(1, answer(2, { tools: [{ name: 'b' }] }));
  const served = game.session.served.baseline('tools') as { name: string }[] | undefined;
  assert.deepEqual(
    served?.map(({ name }) => name),
    ['a', 'b'],
  );
});

test('P12 the progress of requests that come to no answer is not remembered for good', () => {
  const game = serving();
  for (let id = 1; id <= 20_000; id += 1) {
    game.client(request(id, 'tools/call', { name: 'a', _meta: { progressToken: id } }));
    game.server(1, tell('notifications/progress', { progressToken: id, progress: 1 }));
    game.client(takeBack(id));
    game.server(1, tell('notifications/progress', { progressToken: id, progress: 2 }));
    game.take();
  }
  assert.ok(game.session.progress.size <= 10_000, String(game.session.progress.size));
  drop(game, 1);
  assert.deepEqual(game.take(), []);
});

test('progress of the request that runs longest is the last to be forgotten', () => {
  const game = serving();
  game.client(request(0, 'tools/list', { _meta: { progressToken: 'long' } }));
  for (let token = 1; token <= 10_500; token += 1) {
    game.server(1, tell('notifications/progress', { progressToken: token, progress: 1 }));
    game.server(1, tell('notifications/progress', { progressToken: 'long', progress: token }));
  }
  game.take();
  drop(game, 1);
  promote(game, 2);
  endHold(game);
  game.take();
  game.server(2, tell('notifications/progress', { progressToken: 'long', progress: 10_500 }));
  game.server(2, tell('notifications/progress', { progressToken: 'long', progress: 10_501 }));
  assert.deepEqual(game.take(), [
    ['client', tell('notifications/progress', { progressToken: 'long', progress: 10_501 })],
  ]);
});
