/** Verdicts on single messages and at handovers, read off a desk without input and output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid, type Message } from '../support/message.js';
import { fc } from '../support/property.js';
import { answer, play, request, tell, type Play, beginHold, drop, endHold, demote, promote } from './play.js';

const cause = { kind: 'exit', code: 2 } as const;
const failure = { kind: 'build', command: 'tsc', cause, output: 'error TS1005' } as const;

function serving(game: Play, generation = 1): Play {
  promote(game, generation);
  endHold(game);
  game.take();
  return game;
}

function opened(game: Play): Play {
  serving(game);
  game.client(request(0, 'initialize', { protocolVersion: '2025-06-18' }));
  game.server(1, answer(0, { protocolVersion: '2025-06-18', capabilities: { tools: {} } }));
  game.client(tell('notifications/initialized'));
  game.take();
  return game;
}

function errorOf(message: unknown): { message: string } {
  return (message as { error: { message: string } }).error;
}

test("P1 an answer that is not owed is nobody's", () => {
  const game = opened(play());
  game.client(request(1, 'tools/list'));
  game.server(1, answer(1));
  game.server(1, answer(1));
  game.server(1, answer(2));
  assert.deepEqual(
    game.take().filter(([to]) => to === 'client'),
    [['client', answer(1)]],
  );
});

test('P10 a request that moved on is answered by its new server alone', () => {
  const game = opened(play());
  game.client(request(1, 'resources/read', { uri: 'a:' }));
  beginHold(game);
  game.lineage.candidate = game.upstream(2);
  promote(game, 2);
  drop(game, 1);
  endHold(game);
  game.take();
  game.server(1, answer(1, { from: 1 }));
  game.server(2, answer(1, { from: 2 }));
  assert.deepEqual(game.take(), [['client', answer(1, { from: 2 })]]);
});

test('P2 what comes in pieces goes on, is held, sent again and looked into like everything else', () => {
  const game = opened(play());
  const long = { text: 'x'.repeat(9000) };
  game.client(request(1, 'resources/read', long));
  game.client(request(2, 'tools/call', { name: 'a', ...long }));
  game.client(request(3, 'tools/list', long));
  assert.deepEqual(game.take(), [
    [1, request(1, 'resources/read', long)],
    [1, request(2, 'tools/call', { name: 'a', ...long })],
    [1, request(3, 'tools/list', long)],
  ]);
  game.server(1, answer(2, long));
  game.server(1, answer(3, { tools: [{ name: 'read', annotations: { readOnlyHint: true } }], ...long }));
  assert.deepEqual(game.upstream(1).retrySafeTools, new Set(['read']));
  game.client(request(4, 'tools/call', { name: 'read', ...long }));
  beginHold(game);
  game.client(request(5, 'tools/call', { name: 'a', ...long }));
  game.take();
  promote(game, 2);
  drop(game, 1);
  endHold(game);
  assert.deepEqual(game.take(), [
    [2, request(1, 'resources/read', long)],
    [2, request(4, 'tools/call', { name: 'read', ...long })],
    [2, request(5, 'tools/call', { name: 'a', ...long })],
  ]);
});

test("P8 of a lost server's requests the safe ones go on and the others are answered", () => {
  const game = opened(play());
  game.client(request('l', 'tools/list'));
  game.server(1, answer('l', { tools: [{ name: 'read', annotations: { readOnlyHint: true } }, { name: 'write' }] }));
  game.client(request(1, 'tools/call', { name: 'read' }));
  game.client(request(2, 'tools/call', { name: 'write' }));
  game.client(request(3, 'resources/read', { uri: 'a:' }));
  game.take();
  beginHold(game);
  drop(game, 1);
  const [[to, message] = ['', {}], ...rest] = game.take();
  assert.equal(to, 'client');
  assert.match(failureSaid(message as Message), /the tool "write" was running, so it may or may not have taken effect/);
  assert.deepEqual(rest, []);
  promote(game, 2);
  endHold(game);
  assert.deepEqual(game.take(), [
    [2, request(1, 'tools/call', { name: 'read' })],
    [2, request(3, 'resources/read', { uri: 'a:' })],
  ]);
});

test('P8 with --retry never nothing is sent again once the session stands', () => {
  const game = opened(play({ retry: 'never' }));
  game.client(request(3, 'resources/read', { uri: 'a:' }));
  game.take();
  beginHold(game);
  drop(game, 1);
  assert.equal(game.take().length, 1);
  promote(game, 2);
  endHold(game);
  assert.deepEqual(game.take(), []);
});

test('P3.hold what is held leaves in the order it came, notifications included', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (kinds) => {
      const game = opened(play());
      beginHold(game);
      const messages = kinds.map((asks, i) => (asks ? request(i + 1, 'tools/call') : tell('notifications/x', { i })));
      for (const message of messages) game.client(message);
      assert.deepEqual(game.take(), []);
      promote(game, 2);
      endHold(game);
      assert.deepEqual(
        game.take(),
        messages.map((message) => [2, message]),
      );
    }),
  );
});

test('P3 answers, progress and cancellations pass a hold, to the one they are meant for', () => {
  const game = opened(play());
  game.server(1, request(7, 'roots/list'));
  game.client(request(1, 'tools/call', { name: 'x' }));
  game.take();
  beginHold(game);
  game.client(request(2, 'tools/call', { name: 'y' }));
  game.client(answer(7, { roots: [] }));
  game.client(tell('notifications/cancelled', { requestId: 1 }));
  game.client(tell('notifications/cancelled', { requestId: 2 }));
  game.client(tell('notifications/cancelled', { requestId: 99 }));
  game.client(request(3, 'ping'));
  assert.deepEqual(game.take(), [
    [1, answer(7, { roots: [] })],
    [1, tell('notifications/cancelled', { requestId: 1 })],
    ['client', answer(3)],
  ]);
  promote(game, 2);
  endHold(game);
  assert.deepEqual(game.take(), []);
});

test('P10 two servers may ask under one id, and each gets its own answer', () => {
  const game = opened(play());
  game.server(1, request(0, 'roots/list'));
  game.lineage.candidate = game.upstream(2);
  game.server(2, request(0, 'roots/list'));
  const shown = game.take().map(([, message]) => (message as { id: number | string }).id);
  assert.equal(shown[0], 0);
  assert.notEqual(shown[1], 0);
  game.client(answer(shown[1] as string, { for: 2 }));
  game.client(answer(0, { for: 1 }));
  assert.deepEqual(game.take(), [
    [2, answer(0, { for: 2 })],
    [1, answer(0, { for: 1 })],
  ]);
});

test("P10 the client is told when a question's asker is gone, and its late answer goes to nobody", () => {
  const game = opened(play());
  game.server(1, request(0, 'sampling/createMessage'));
  game.take();
  beginHold(game);
  drop(game, 1);
  const [[, cancelled] = ['', {}]] = game.take();
  assert.equal((cancelled as { method: string }).method, 'notifications/cancelled');
  promote(game, 2);
  endHold(game);
  game.server(2, request(0, 'sampling/createMessage'));
  const [[, second] = ['', {}]] = game.take();
  game.client(answer(0, { late: true }));
  assert.deepEqual(game.take(), []);
  game.client(answer((second as { id: string }).id, { mine: true }));
  assert.deepEqual(game.take(), [[2, answer(0, { mine: true })]]);
});

test('P7 a failure answers tool calls and nothing else', () => {
  const game = opened(play());
  beginHold(game);
  endHold(game, failure);
  game.client(request(1, 'tools/call', { name: 'x' }));
  game.client(request(2, 'tools/list'));
  const [[, refused] = ['', {}], forwarded] = game.take();
  const { result } = refused as { result: { isError: boolean; content: { text: string }[] } };
  assert.equal(result.isError, true);
  assert.match(result.content[0]?.text ?? '', /`tsc` exited with code 2.*error TS1005/s);
  assert.deepEqual(forwarded, [1, request(2, 'tools/list')]);
});

test('P7 with --on-failure serve the old code runs, and its result says so', () => {
  const game = opened(play({ onFailure: 'serve' }));
  endHold(game, failure);
  game.client(request(1, 'tools/call', { name: 'x' }));
  game.server(1, answer(1, { content: [{ type: 'text', text: 'old' }] }));
  const message = game.take().at(-1)?.[1] as { result: { content: { text: string }[] } };
  assert.equal(message.result.content[0]?.text, 'old');
  assert.match(message.result.content[1]?.text ?? '', /code before the last edit/);
});

test('P7 a session that is born broken is opened with our tools alone, its calls explained', () => {
  const game = play();
  endHold(game, failure);
  game.client(request(0, 'initialize', { protocolVersion: '2025-11-25' }));
  game.client(request(1, 'tools/list'));
  game.client(request(2, 'tools/call', { name: 'x' }));
  game.client(request(3, 'resources/read', { uri: 'a:' }));
  const sent = game.take().map(([, message]) => message as { result?: Record<string, unknown> });
  const [initialize, tools, call, read] = sent;
  assert.equal(initialize?.result?.['protocolVersion'], '2025-11-25');
  const listed = tools?.result?.['tools'] as { name: string; description: string }[];
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['server_status', 'list_server_tools', 'call_server_tool'],
  );
  for (const text of [listed[0]?.description, initialize?.result?.['instructions']])
    assert.match(String(text), /^The build of the MCP server failed/);
  assert.equal(call?.result?.['isError'], true);
  assert.match(errorOf(read).message, /build of the MCP server failed/);
  assert.equal(game.session.agreement.isOpen, true);
});

test('P12.hold 10,000 messages are held, the next request is told so and the next notification dropped', () => {
  const game = opened(play());
  beginHold(game);
  for (let id = 1; id <= 10_000; id++) game.client(request(id, 'tools/call'));
  assert.deepEqual(game.take(), []);
  game.client(request(10_001, 'tools/call'));
  assert.match(failureSaid(game.take()[0]?.[1] as Message), /10000 messages wait/);
  game.client(tell('notifications/x'));
  assert.equal(game.warnings.length, 1);
});

test('P1 --concurrency lets n calls go, the rest in order, other messages overtake', () => {
  const game = opened(play({ concurrency: 2 }));
  for (let id = 1; id <= 4; id++) game.client(request(id, 'tools/call', { name: 'x' }));
  game.client(request('l', 'tools/list'));
  assert.deepEqual(
    game.take().map(([, message]) => (message as { id: unknown }).id),
    [1, 2, 'l'],
  );
  game.server(1, answer(2));
  const freed = game.take();
  assert.deepEqual(
    freed.find(([to]) => to === 'client'),
    ['client', answer(2)],
  );
  assert.deepEqual(
    freed.filter(([to]) => to === 1),
    [[1, request(3, 'tools/call', { name: 'x' })]],
  );
  game.client(tell('notifications/cancelled', { requestId: 4 }));
  game.server(1, answer(1));
  game.server(1, answer(3));
  assert.deepEqual(
    game.take().map(([to]) => to),
    ['client', 'client'],
  );
});

test('P10 a retired server finishes, then it is not heard any more', () => {
  const game = opened(play());
  game.client(request(1, 'tools/call', { name: 'x' }));
  demote(game);
  game.server(1, tell('notifications/tools/list_changed'));
  game.server(1, answer(1));
  assert.deepEqual(game.drained, [1]);
  drop(game, 1);
  game.take();
  game.server(1, tell('notifications/message', { level: 'info', data: 'late' }));
  assert.deepEqual(game.take(), []);
});

test('P2 a note goes with the first plain tool result of the serving generation: not with a batch, a task or an error', () => {
  const call = (id: number, more: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'x', arguments: {}, ...more },
  });
  const emptyResult = (id: number) => ({ jsonrpc: '2.0', id, result: { content: [] } });
  const game = play();
  game.lineage.isHolding = false;
  game.lineage.serving = game.upstream(1);
  for (const each of [call(1, { task: {} }), [call(2), call(3)], call(4), call(5), call(6)]) game.client(each);
  game.take();
  game.session.memory.notes = new Map([
    ['one', 'built'],
    ['other', 'built too'],
  ]);
  const asItIs = [
    emptyResult(1),
    [emptyResult(2), emptyResult(3)],
    { jsonrpc: '2.0', id: 4, error: { code: 1, message: 'm' } },
  ];
  for (const each of asItIs) game.server(1, each);
  assert.deepEqual(
    game.take(),
    asItIs.map((each) => ['client', each]),
  );
  game.server(1, emptyResult(5));
  game.server(1, emptyResult(6));
  const noted = { jsonrpc: '2.0', id: 5, result: { content: [{ type: 'text', text: 'built\nbuilt too' }] } };
  assert.deepEqual(game.take(), [
    ['client', noted],
    ['client', emptyResult(6)],
  ]);
});
