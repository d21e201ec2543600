/** Who is told of calls that a server says nothing about, how often, and when such a call is given up. */
import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import type { Config } from '#src/config/config.js';
import { createEventBus } from '#src/events/bus.js';
import type { EventOf } from '#src/events/events.js';
import { CallWatch } from '#src/lineage/call-watch.js';
import { fence } from '#src/project/fence.js';
import { answer, play, promote, endHold, request, tell, type Play } from '../exchange/play.js';
import { cleanup } from '../support/cleanup.js';

interface Watched extends Play {
  readonly watch: CallWatch;
  readonly warnings: string[];
  /** The silent calls, as often as they were told of. */
  readonly shown: EventOf<'silent-calls'>['calls'][];
  readonly config: { callTimeout: number | undefined };
  /** Resolves with the next event. */
  next(): Promise<unknown>;
}

/** The clock is the test's: it says how long a call has been silent, and the timer only when somebody looks. */
function watched(
  t: TestContext,
  callTimeout?: number,
  options: Parameters<typeof play>[0] = {},
  silentAfterMs = 30,
): Watched {
  const game = play(options);
  promote(game, 1);
  endHold(game);
  const events = createEventBus();
  const warnings: string[] = [];
  const shown: EventOf<'silent-calls'>['calls'][] = [];
  const told = new EventEmitter();
  events.subscribe(['warning'], ({ text }) => void (warnings.push(text), told.emit('event')));
  events.subscribe(['silent-calls'], ({ calls }) => void (shown.push(calls), told.emit('event')));
  const config: { callTimeout: number | undefined } = { callTimeout };
  const closed = new AbortController();
  cleanup(t, () => closed.abort());
  const flow = { config: config as unknown as Config, events };
  const watch = new CallWatch({ flow, lineage: game.lineage, closed: closed.signal, silentAfterMs });
  return Object.assign(game, { watch, warnings, shown, config, next: () => within(once(told, 'event')) });
}

/** The watch’s own timers keep nothing running. */
async function within(event: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = delay(60_000, undefined, { signal: over.signal }).then(() => assert.fail('no event has come'));
  await Promise.race([event, late]);
  over.abort();
  await late.catch(() => {});
}

const call = (id: number, name = 'slow'): object => request(id, 'tools/call', { name, _meta: { progressToken: id } });

test('a call that is silent is told of once, and shown for as long as it is silent', async (t) => {
  const game = watched(t);
  game.client(call(1));
  game.now = 40;
  await game.next();
  assert.deepEqual(game.warnings, [
    'generation 1 has been silent about a call of the tool "slow" for 40 ms: the client goes on waiting; --call-timeout <ms> ends such calls with an error',
  ]);
  assert.deepEqual(
    game.shown.map((calls) => calls.map(({ tool, generation }) => [tool, generation])),
    [[['slow', 1]]],
  );
  assert.deepEqual(game.watch.silentCallsOf(game.session), [{ tool: 'slow', silentMs: 40 }]);
  game.server(1, answer(1));
  await game.next();
  assert.deepEqual(game.shown.at(-1), []);
  assert.deepEqual(game.watch.silentCallsOf(game.session), []);
  assert.equal(game.warnings.length, 1);
});

test('a call that speaks again is shown no longer, and is told of no second time', async (t) => {
  const game = watched(t);
  game.client(call(1));
  game.now = 40;
  await game.next();
  game.now = 50;
  game.server(1, tell('notifications/progress', { progressToken: 1, progress: 1 }));
  game.watch.wake();
  await game.next();
  assert.deepEqual(game.shown.at(-1), []);
  game.now = 100;
  game.watch.wake();
  await game.next();
  assert.equal(game.shown.at(-1)?.length, 1);
  assert.equal(game.warnings.length, 1);
});

test('a call that is answered in time is told of by nobody', async (t) => {
  const game = watched(t);
  game.client(call(1, 'quick'));
  game.server(1, answer(1));
  game.now = 100;
  game.client(call(2));
  game.now = 140;
  await game.next();
  assert.match(game.warnings.join(), /^generation 1 has been silent about a call of the tool "slow"/);
});

test('P1 --call-timeout: the call is given up, and a word is said of it', async (t) => {
  const game = watched(t, 20);
  game.client(call(1));
  game.now = 20;
  await game.next();
  assert.deepEqual(game.warnings, [
    'a call of the tool "slow" was answered with an error and cancelled: generation 1 was silent about it for 20 ms (--call-timeout)',
  ]);
  const answers = game.sent.filter(([to]) => to === 'client');
  assert.equal(answers.length, 1);
  assert.match(JSON.stringify(answers), /"isError":true/);
});

test('--call-timeout beyond that time: first it is told of, then it is given up', async (t) => {
  const game = watched(t, 60);
  game.client(call(1));
  game.now = 40;
  await game.next();
  assert.match(game.warnings[0] ?? '', /for 40 ms: it is given up after 60 ms \(--call-timeout\)$/);
  game.now = 70;
  await game.next();
  assert.match(game.warnings[1] ?? '', /was answered with an error and cancelled/);
  assert.deepEqual(game.shown.at(-1), []);
});

test('P1 --call-timeout: a call whose turn comes because another one is given up is watched too', async (t) => {
  const game = watched(t, 20, { concurrency: 1 });
  game.client(call(1, 'first'));
  game.client(call(2, 'second'));
  game.now = 20;
  await game.next();
  game.now = 40;
  await game.next();
  assert.deepEqual(
    game.warnings.map((text) => /tool "(\w+)"/.exec(text)?.[1]),
    ['first', 'second'],
  );
});

test('another limit is in force at once, and none gives up nothing', async (t) => {
  const game = watched(t, 0);
  game.client(call(1));
  game.now = 5_000;
  await game.next();
  assert.equal(game.sent.filter(([to]) => to === 'client').length, 0);
  game.config.callTimeout = 1_000;
  game.watch.wake();
  await game.next();
  assert.equal(game.sent.filter(([to]) => to === 'client').length, 1);
});

test('while the server waits for the client nobody looks again and again, and its answer is noticed at once', async (t) => {
  const game = watched(t, 60_000, {}, 60_000);
  const { ports } = game.lineage as { ports: { now: () => number } };
  const { now } = ports;
  game.client(call(1));
  game.now = 59_999.5;
  game.server(1, request('q', 'elicitation/create'));
  game.watch.wake();
  for (let turn = 0; turn < 4; turn++) await fence();
  let looks = 0;
  ports.now = () => (looks++, now());
  // Each of these is longer than what is left for the call.
  for (let turn = 0; turn < 20; turn++) await delay(2);
  assert.equal(looks, 0);
  game.now = 100_000;
  game.client(answer('q'));
  game.now = 100_001;
  await game.next();
  assert.match(game.warnings.join(), /was answered with an error and cancelled/);
});

test('a batch is waited for as long as one of its calls is spoken of', async (t) => {
  const game = watched(t, 20);
  game.client([call(1), call(2)]);
  game.now = 15;
  game.server(1, tell('notifications/progress', { progressToken: 2, progress: 1 }));
  game.now = 25;
  game.watch.wake();
  for (let turn = 0; turn < 4; turn++) await fence();
  assert.equal(game.warnings.length, 0);
  game.now = 40;
  await game.next();
  assert.equal(game.sent.filter(([to]) => to === 'client').length, 2, 'progress, and the answer to the batch');
});
