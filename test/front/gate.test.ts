/** The gate by itself: order, whatever is pushed while lines pass, and what very many of them cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate, type GateEvents } from '#src/front/gate.js';
import { LineSplitter } from '#src/wire/lines.js';
import type { Message } from '#src/wire/message.js';

const ask = (id: number): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
const say = (what: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","method":"${what}"}\n`);

interface Opened {
  readonly gate: Gate;
  /** Whole lines. */
  read(chunk: Buffer): void;
}

/** Requests are guarded, nothing ever stirs; `pass` is told what of each line tells it from others. */
function open(pass: (name: string, message: Message) => void): Opened {
  const events: GateEvents = {
    forward: (message) => {
      const { envelope } = message;
      const name = envelope.kind === 'request' ? envelope.id : envelope.kind === 'notification' ? envelope.method : '?';
      pass(name, message);
    },
    needsCheck: (envelope) => envelope.kind === 'request',
    check: () => undefined,
    atNextTurn: (run) => void setImmediate(run),
    full: () => {},
  };
  const gate = new Gate(events);
  const lines = new LineSplitter(
    { limit: Infinity },
    { message: (message) => gate.push(message), oversized: () => {} },
  );
  return { gate, read: (chunk) => lines.push(chunk) };
}

test('P3 what is pushed while lines pass comes behind all of them', async () => {
  const passed: string[] = [];
  const { gate, read } = open((name) => {
    passed.push(name);
    if (name === '1') read(say('late'));
  });
  read(Buffer.concat([ask(1), say('a')]));
  read(say('b'));
  read(ask(2));
  await gate.emptied();
  assert.deepEqual(passed, ['1', 'a', 'b', '2', 'late']);
});

test('P4 a request passes after two turns of the event loop, and not before', async () => {
  let turns = 0;
  const passedAt: number[] = [];
  const { gate, read } = open(() => passedAt.push(turns));
  // Each turn of setImmediate contains one poll, and the second begins only after all that was there at the push.
  const count = (): void => {
    turns++;
    if (passedAt.length === 0) setImmediate(count);
  };
  setImmediate(count);
  read(ask(1));
  await gate.emptied();
  assert.deepEqual(passedAt, [2]);
});

test('P3 what has to pass once more comes before all that waits, also while lines pass', async () => {
  const passed: string[] = [];
  const { gate, read } = open((name, message) => {
    passed.push(name);
    if (name === 'a') gate.unshift([{ message: message.meaning({ kind: 'notification', method: 'again' }), since: 0 }]);
  });
  read(Buffer.concat([ask(1), say('a')]));
  read(Buffer.concat([say('b'), ask(2)]));
  read(say('c'));
  await gate.emptied();
  assert.deepEqual(passed, ['1', 'a', 'again', 'b', '2', 'c']);
});

test('P12 a line costs the same, however many chunks of one line wait', async () => {
  // Of the processor, which others can't take from it; in all, because its clock is coarse.
  const cost = async (count: number): Promise<number> => {
    let passed = 0;
    const began = process.cpuUsage();
    for (let round = 0; round < 600_000 / count; round++) {
      const { gate, read } = open(() => void passed++);
      const line = say('a');
      read(ask(1));
      for (let at = 1; at < count; at++) read(line);
      await gate.emptied();
    }
    const { user, system } = process.cpuUsage(began);
    assert.equal(passed, 600_000);
    return (user + system) / passed;
  };
  const [few, many] = [await cost(5000), await cost(100_000)];
  // Were the queue moved up by one for each, it would be many times as much.
  assert.ok(many < 4 * few, `${few} µs each of 5,000, ${many} of 100,000`);
});
