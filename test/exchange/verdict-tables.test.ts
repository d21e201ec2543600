/** Which verdict falls on a message, by what is known when it comes. What is done then is in the other tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientVerdict } from '#src/exchange/verdict-on-client.js';
import { serverVerdict } from '#src/exchange/verdict-on-server.js';
import type { ExchangeOptions } from '#src/exchange/records.js';
import { answer, asRead, beginHold, play, promote, endHold, request, tell, type Play } from './play.js';

const failure = {
  kind: 'build',
  command: 'tsc',
  cause: { kind: 'exit', code: 2, signal: null },
  output: 'error TS1005',
} as never;
const call = request(1, 'tools/call', { name: 'x' });
const read = request(2, 'resources/read', { uri: 'a:' });
const initialized = tell('notifications/initialized');

function serving(options: Partial<ExchangeOptions> = {}): Play {
  const game = play(options);
  promote(game, 1);
  endHold(game);
  game.client(request(0, 'initialize', { protocolVersion: '2025-06-18' }));
  game.server(1, answer(0, { protocolVersion: '2025-06-18', capabilities: { tools: {} } }));
  game.client(tell('notifications/initialized'));
  return game;
}

/** Nothing may have been done by it: the verdict is the same the second time. */
function ofClient(game: Play, message: unknown): string {
  game.take();
  const held = { session: game.session, message: asRead(message), since: 0, isRetry: false };
  const verdict = clientVerdict(held);
  assert.equal(clientVerdict(held).do, verdict.do);
  assert.deepEqual(game.take(), []);
  return verdict.do;
}

function ofServer(game: Play, generation: number, message: unknown): string {
  game.take();
  const upstream = game.upstream(generation);
  const verdict = serverVerdict(game.lineage, upstream, asRead(message));
  assert.equal(serverVerdict(game.lineage, upstream, asRead(message)).do, verdict.do);
  assert.deepEqual(game.take(), []);
  return verdict.do;
}

test('P3 P7 P8 what becomes of a client’s message, by what serves, what fails and whether a reload runs', () => {
  const none = (): Play => {
    const game = serving();
    game.lineage.serving = undefined;
    return game;
  };
  const failing = (options: Partial<ExchangeOptions> = {}): Play => {
    const game = serving(options);
    game.lineage.failure = failure;
    return game;
  };
  const held = (): Play => {
    const game = serving();
    beginHold(game);
    return game;
  };
  const cancelled = tell('notifications/cancelled', { requestId: 1 });
  const rows: [what: string, game: Play, message: unknown, verdict: string][] = [
    ['a server serves', serving(), call, 'ask'],
    ['a server serves', serving(), [call, read], 'ask-batch'],
    ['a server serves', serving(), initialized, 'tell'],
    ['a reload runs', held(), call, 'hold'],
    ['a reload runs', held(), [call], 'hold'],
    ['a reload runs', held(), initialized, 'hold'],
    ['a reload runs', held(), request(3, 'ping'), 'answer'],
    ['nobody serves', none(), call, 'answer-in-place'],
    ['nobody serves', none(), [call], 'answer-batch-in-place'],
    ['nobody serves', none(), initialized, 'tell'],
    ['a failure stands', failing(), call, 'repeat-attempt'],
    ['a failure stands', failing(), [call], 'repeat-attempt'],
    ['a failure stands', failing(), read, 'ask'],
    ['a failure stands, and old code executes tools', failing({ onFailure: 'serve' }), call, 'ask'],
    ['no more calls at a time', serving({ concurrency: 0 }), call, 'queue'],
    ['no more calls at a time', serving({ concurrency: 0 }), read, 'ask'],
    ['a stream is asked for', serving(), request(4, 'subscriptions/listen'), 'listen'],
    [
      'a tool of ours',
      serving({ agentTools: true }),
      request(1, 'tools/call', { name: 'server_status' }),
      'learn-names',
    ],
    ['it was never asked', serving(), answer(9), 'drop'],
    ['it has asked nothing', serving(), cancelled, 'drop'],
    ['no message', serving(), { jsonrpc: '2.0', id: {}, method: 'x' }, 'take-malformed'],
  ];
  for (const [what, game, message, verdict] of rows)
    assert.equal(ofClient(game, message), verdict, `${what}: ${JSON.stringify(message)}`);
});

test('P1 wherever a request is, its cancellation finds it there', () => {
  const cancelled = tell('notifications/cancelled', { requestId: 1 });
  const rows: [at: string, prepare: (game: Play) => void, options?: Partial<ExchangeOptions>][] = [
    ['server', () => {}],
    ['hold', beginHold],
    ['queue', () => {}, { concurrency: 0 }],
  ];
  for (const [at, prepare, options] of rows) {
    const game = serving(options);
    prepare(game);
    game.client(call);
    const verdict = clientVerdict({ session: game.session, message: asRead(cancelled), since: 0, isRetry: false });
    assert.ok(verdict.do === 'take-back');
    assert.equal(verdict.request.at, at);
  }
});

test('P10 P17 what becomes of a server’s message, by who says it', () => {
  const game = serving();
  game.client(call);
  game.lineage.candidate = game.upstream(2);
  const changed = tell('notifications/tools/list_changed');
  const log = tell('notifications/message', { level: 'info', data: 1 });
  const rows: [generation: number, message: unknown, verdict: string][] = [
    [1, answer(1), 'answer'],
    [2, answer(1), 'drop'],
    [1, answer(99), 'drop'],
    [1, changed, 'deliver'],
    [2, changed, 'suppress'],
    [2, log, 'deliver'],
    [2, request(1, 'roots/list'), 'ask'],
    [1, tell('notifications/subscriptions/acknowledged'), 'acknowledge'],
  ];
  for (const [generation, message, verdict] of rows)
    assert.equal(ofServer(game, generation, message), verdict, `${generation}: ${JSON.stringify(message)}`);
  const b = game.join('b');
  assert.equal(ofServer(game, 1, request(1, 'sampling/createMessage')), 'ask', 'one client has a call running');
  b.says(request(1, 'tools/call', { name: 'x' }));
  assert.equal(ofServer(game, 1, request(1, 'sampling/createMessage')), 'refuse', 'both have');
});
