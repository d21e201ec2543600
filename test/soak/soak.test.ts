// The soak itself for twenty seconds, at a calmer pace; and its judges, on made-up messages: a check that can't fail
// proves nothing. Longer runs are `npm run prove soak`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../support/message.js';
import type { Call } from './calls.js';
import { createRandom } from '../support/random.js';
import { faultsOf, storiesOf, tables } from './report.js';
import { soak } from './run.js';
import { growth } from './samples.js';
import { answered, cancelled, concluded, createTally, progressed, sent } from './tally.js';
import type { Tally } from './tally.js';

test(
  'P1 P3 P4 P6 P8 P9 P10 P13 P15 P16 edits, crashes and broken edits under constant calls cost nothing',
  { timeout: 500_000 },
  async () => {
    const seed = Date.now() % 1e6;
    const intervals = { edit: 300, crash: 5_000, break: 10_000 };
    const seen = await soak({ seconds: 20, seed, intervals, lanes: 3, pause: 200 });
    const stories = `seed ${seed}\n${storiesOf(seen).join('\n')}\n${tables(seen, false)}`;
    assert.deepEqual(faultsOf(seen), {}, stories);
    for (const { tally, events } of seen.clients) {
      assert.ok((tally.answers.get('result') ?? 0) > 0, stories);
      assert.ok((events.get('reloaded') ?? 0) > 0, stories);
    }
  },
);

test(
  'P1 P4 P6 P8 P9 P10 P13 P15 P16 the same before servers that speak HTTP themselves',
  { timeout: 500_000 },
  async () => {
    const seed = Date.now() % 1e6;
    const intervals = { edit: 400, crash: 5_000, break: 10_000 };
    const seen = await soak({ seconds: 15, seed, intervals, lanes: 3, pause: 200, isUpstream: true });
    const stories = `seed ${seed}\n${storiesOf(seen).join('\n')}\n${tables(seen, false)}`;
    assert.deepEqual(faultsOf(seen), {}, stories);
    for (const { tally, events } of seen.clients) {
      assert.ok((tally.answers.get('result') ?? 0) > 0, stories);
      assert.ok((events.get('reloaded') ?? 0) > 0, stories);
    }
  },
);

const call = (seq: number, more: Partial<Call> = {}): Call => ({
  seq,
  id: seq,
  method: 'tools/call',
  tool: 'work',
  asked: 5,
  breaks: 0,
  broken: false,
  hear: 3,
  say: 2,
  steps: 0,
  ...more,
});
const result = (id: number, facts: object = {}): Message => {
  const said = { version: 5, generation: 1, arrival: id, heard: 3, ...facts };
  const content = [
    { type: 'text', text: JSON.stringify(said) },
    { type: 'text', text: 'yy' },
  ];
  return { jsonrpc: '2.0', id, result: { content } };
};
const failed = (id: number, error: object): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32603, message: 'no', data: error },
});
const report = (id: number): Message => {
  const content = [{ type: 'text', text: 'The MCP server did not start with the code that is on the disk: …' }];
  return { jsonrpc: '2.0', id, result: { isError: true, content } };
};

const judged: [what: string, play: (tally: Tally) => void, found: Record<string, number>][] = [
  ['an answer by the saved version is good', (tally) => answered(tally, result(1), 0), {}],
  ['a newer one is', (tally) => answered(tally, result(1, { version: 6 }), 0), {}],
  ['an older one is stale', (tally) => answered(tally, result(1, { version: 4 }), 0), { stale: 1 }],
  ['not if the proxy had said so', (tally) => answered(tally, result(1, { version: 4 }), 0, true), {}],
  ['a report of a failure is not', (tally) => answered(tally, report(1), 1), {}],
  [
    'an error that says that it may have run is not',
    (tally) => answered(tally, failed(1, { mayHaveRun: true }), 0),
    {},
  ],
  ['any other error is a fault', (tally) => answered(tally, failed(1, {}), 0), { unexpected: 1 }],
  ['text that was lost is', (tally) => answered(tally, result(1, { heard: 2 }), 0), { wrong: 1 }],
  ['no answer is', () => {}, { missing: 1 }],
  [
    'two answers are',
    (tally) => void [answered(tally, result(1), 0), answered(tally, result(1), 0)],
    { duplicates: 1 },
  ],
  [
    'an answer to nothing is',
    (tally) => void [answered(tally, result(1), 0), answered(tally, result(7), 0)],
    { duplicates: 1 },
  ],
];
for (const [what, play, found] of judged) {
  test(`the soak's tally: ${what}`, () => {
    const tally = createTally();
    sent(tally, call(1));
    play(tally);
    concluded(tally, new Set(), []);
    assert.deepEqual(Object.fromEntries(tally.faults), found);
  });
}

test("the soak's tally: old code may answer what is no tool while the disk is broken, and tools never", () => {
  const tally = createTally();
  const read = { method: 'resources/read', tool: undefined } as unknown as Partial<Call>;
  const old = (id: number): Message => ({
    jsonrpc: '2.0',
    id,
    result: { contents: [{ text: JSON.stringify({ version: 4 }) }] },
  });
  sent(tally, call(1, { ...read, broken: true, breaks: 1 }));
  sent(tally, call(2, { ...read, breaks: 0 }));
  sent(tally, call(3, { ...read, breaks: 1 }));
  sent(tally, call(4, { broken: true, breaks: 1 }));
  answered(tally, old(1), 1);
  answered(tally, old(2), 1);
  assert.deepEqual(Object.fromEntries(tally.faults), {});
  answered(tally, old(3), 1);
  answered(tally, result(4, { version: 4 }), 1);
  assert.deepEqual(Object.fromEntries(tally.faults), { stale: 2 });
});

test("the soak's tally: calls of one lane are executed in their order; two lanes have none between them", () => {
  const tally = createTally();
  for (const [seq, lane] of [
    [1, 1],
    [2, 2],
    [3, 1],
    [4, 2],
  ] as const)
    sent(tally, call(seq, { lane }));
  for (const [seq, arrival] of [
    [1, 2],
    [2, 1],
    [3, 4],
    [4, 3],
  ] as const)
    answered(tally, result(seq, { arrival }), 0);
  concluded(tally, new Set(), []);
  assert.deepEqual(Object.fromEntries(tally.faults), {});
  sent(tally, call(5, { lane: 1 }));
  answered(tally, result(5, { arrival: 3 }), 0);
  concluded(tally, new Set(), []);
  assert.deepEqual(Object.fromEntries(tally.faults), { outOfOrder: 1 });
});

test("the soak's tally: what was taken back need not be answered, and not twice", () => {
  const tally = createTally();
  for (const seq of [1, 2]) {
    sent(tally, call(seq));
    assert.equal(cancelled(tally, call(seq)), true);
  }
  answered(tally, result(1), 0);
  assert.equal(cancelled(tally, call(1)), false);
  concluded(tally, new Set(['1', '2']), []);
  assert.deepEqual([tally.cancelled, Object.fromEntries(tally.faults)], [2, {}]);
  answered(tally, result(1), 0);
  assert.deepEqual(Object.fromEntries(tally.faults), { duplicates: 1 });
});

test("the soak's tally: order is that of arrival, and progress comes before its answer, in order", () => {
  const tally = createTally();
  for (const seq of [1, 2, 3, 4]) sent(tally, call(seq));
  answered(tally, result(2, { arrival: 2 }), 0);
  answered(tally, result(1, { arrival: 1 }), 0);
  answered(tally, result(3, { arrival: 1, generation: 2 }), 0);
  progressed(tally, { progressToken: 4, progress: 1 });
  progressed(tally, { progressToken: 4, progress: 2 });
  assert.deepEqual(Object.fromEntries(tally.faults), {});
  progressed(tally, { progressToken: 4, progress: 2 });
  answered(tally, result(4, { arrival: 4, generation: 1 }), 0);
  progressed(tally, { progressToken: 4, progress: 3 });
  concluded(tally, new Set(), []);
  assert.deepEqual(Object.fromEntries(tally.faults), { outOfOrder: 3 });
});

test("the soak's tally: an effect happens once, and not where it was said that it did not", () => {
  const tally = createTally();
  for (const seq of [1, 2, 3]) sent(tally, call(seq));
  answered(tally, result(1), 0);
  answered(tally, report(2), 0);
  answered(tally, failed(3, { mayHaveRun: true }), 0);
  concluded(tally, new Set(), [1, 3, 3, 2]);
  assert.deepEqual(Object.fromEntries(tally.faults), { twice: 1, denied: 1 });
});

test('the soak tells growth from waves', () => {
  const samples = (memory: (at: number) => number, descriptors = (_at: number) => 20) =>
    Array.from({ length: 300 }, (_, index) => {
      const at = index * 2;
      return { at, memory: memory(at), descriptors: descriptors(at), watches: 2 };
    });
  assert.deepEqual(growth(samples((at) => 70 + (at % 60) * 3)), []);
  assert.equal(growth(samples((at) => 70 + at / 2)).length, 1);
  assert.equal(
    growth(
      samples(
        () => 70,
        (at) => 20 + at / 10,
      ),
    ).length,
    1,
  );
});

test('the same seed gives the same run', () => {
  const run = () => {
    const random = createRandom(12).fork('edit');
    return Array.from({ length: 20 }, () => [random.whole(1, 6), random.size(100, 1e6), random.chance(0.5)]);
  };
  assert.deepEqual(run(), run());
  const values = run()
    .flat()
    .filter((value) => typeof value === 'number');
  assert.ok(values.every((value) => value >= 1 && value <= 1e6) && new Set(values).size > 10);
});
