/** The gate by itself: order, whatever is pushed while lines pass, and what very many of them cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate, type GateEvents } from '#src/front/gate.js';
import { cutOut } from '#src/wire/run.js';

const ask = (id: number): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
const say = (what: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","method":"${what}"}\n`);

/** Requests are guarded, nothing ever stirs; `pass` is told what of each line tells it from others. */
function open(pass: (name: string, line: Buffer) => void): Gate {
  const events: GateEvents = {
    pass: (run, from, to, envelope) => {
      const name = envelope.kind === 'request' ? envelope.id : envelope.kind === 'notification' ? envelope.method : '?';
      pass(name, cutOut(run, from, to));
    },
    guards: (envelope) => envelope.kind === 'request',
    refresh: () => undefined,
    full: () => {},
  };
  return new Gate(events);
}

test('P3 order: what is pushed while lines pass comes behind all of them', async () => {
  const passed: string[] = [];
  const gate = open((name) => {
    passed.push(name);
    if (name === '1') gate.push(say('late'));
  });
  gate.push(Buffer.concat([ask(1), say('a')]));
  gate.push(say('b'));
  gate.push(ask(2));
  await gate.emptied();
  assert.deepEqual(passed, ['1', 'a', 'b', '2', 'late']);
});

test('P4 fresh: a request passes after two turns of the event loop, and not before', async () => {
  let turns = 0;
  const passedAt: number[] = [];
  const gate = open(() => passedAt.push(turns));
  // Each turn of setImmediate contains one poll, and the second begins only after all that was there at the push.
  const count = (): void => {
    turns++;
    if (passedAt.length === 0) setImmediate(count);
  };
  setImmediate(count);
  gate.push(ask(1));
  await gate.emptied();
  assert.deepEqual(passedAt, [2]);
});

test('P3 order: what has to pass once more comes before all that waits, also while lines pass', async () => {
  const passed: string[] = [];
  const gate = open((name, line) => {
    passed.push(name);
    if (name === 'a') gate.unshift([{ line, envelope: { kind: 'notification', method: 'again' }, since: 0 }]);
  });
  gate.push(Buffer.concat([ask(1), say('a')]));
  gate.push(Buffer.concat([say('b'), ask(2)]));
  gate.push(say('c'));
  await gate.emptied();
  assert.deepEqual(passed, ['1', 'a', 'again', 'b', '2', 'c']);
});

test('P12 bounded: a line costs the same, however many chunks of one line wait', async () => {
  // Of the processor, which others can't take from it; in all, because its clock is coarse.
  const cost = async (count: number): Promise<number> => {
    let passed = 0;
    const began = process.cpuUsage();
    for (let round = 0; round < 600_000 / count; round++) {
      const gate = open(() => void passed++);
      const line = say('a');
      gate.push(ask(1));
      for (let at = 1; at < count; at++) gate.push(line);
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
