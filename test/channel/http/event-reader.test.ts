/** Server-sent events out of chunks: at any chunking and with any end of line the same events, byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader } from '#src/channel/http/event-reader.js';
import { fc } from '../../support/property.js';

interface Read {
  readonly events: (readonly [type: string, line: string])[];
  readonly ids: string[];
  readonly retries: number[];
  isTooLong: boolean;
}

function read(chunks: readonly Buffer[], limit = 1_000_000): Read {
  const found: Read = { events: [], ids: [], retries: [], isTooLong: false };
  const reader = new EventReader(limit, {
    event: ({ type, line }) => found.events.push([type, String(line)]),
    id: (id) => found.ids.push(id),
    retry: (ms) => found.retries.push(ms),
    tooLong: () => (found.isTooLong = true),
  });
  for (const chunk of chunks) reader.push(chunk);
  return found;
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

const cases: readonly (readonly [what: string, text: string, expected: Partial<Read>])[] = [
  ['a message', 'event: message\ndata: {"a":1}\n\n', { events: [['message', '{"a":1}\n']] }],
  ['no name', 'data: {"a":1}\n\n', { events: [['message', '{"a":1}\n']] }],
  ['no space', 'data:{"a":1}\n\n', { events: [['message', '{"a":1}\n']] }],
  ['one space alone is left out', 'data:  1\n\n', { events: [['message', ' 1\n']] }],
  [
    'other ends of lines',
    'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\r\n',
    {
      events: [
        ['message', '1\n'],
        ['message', '2\n'],
        ['message', '3\n'],
      ],
    },
  ],
  ['several lines', 'data: {\ndata: "a":1\r\ndata: }\n\n', { events: [['message', '{ "a":1 }\n']] }],
  ['a comment', ': still here\n\ndata: 1\n\n', { events: [['message', '1\n']] }],
  ['a priming event', 'id: 7\ndata: \n\n', { events: [], ids: ['7'] }],
  ['an id without data', 'id: 8\n\n', { events: [], ids: ['8'] }],
  ['a field without a value', 'id\ndata: 1\n\n', { events: [['message', '1\n']], ids: [''] }],
  ['retry', 'retry: 250\nretry: soon\ndata: 1\n\n', { events: [['message', '1\n']], retries: [250] }],
  ['another name', 'event: endpoint\ndata: /message?id=1\n\n', { events: [['endpoint', '/message?id=1\n']] }],
  [
    'a name is for one event',
    'event: ping\ndata: 1\n\ndata: 2\n\n',
    {
      events: [
        ['ping', '1\n'],
        ['message', '2\n'],
      ],
    },
  ],
  ['an event without an end', 'data: 1\n\ndata: 2\n', { events: [['message', '1\n']] }],
  ['a byte order mark', '\uFEFFdata: 1\n\n', { events: [['message', '1\n']] }],
  ['an unknown field', 'other: 1\ndatas: 2\ndata: 3\n\n', { events: [['message', '3\n']] }],
];

for (const [what, text, expected] of cases) {
  test(`P2 events of a stream: ${what}`, () => {
    const bytes = Buffer.from(text);
    const { events, ids = [], retries = [] } = expected;
    const all = { events, ids, retries, isTooLong: false };
    assert.deepEqual(read([bytes]), all);
    for (let cut = 1; cut < bytes.length; cut++) assert.deepEqual(read(cutAt(bytes, [cut])), all, `cut at ${cut}`);
    assert.deepEqual(read([...bytes].map((byte) => Buffer.of(byte))), all, 'byte by byte');
  });
}

test('P2 what is in an event is what was sent, whatever the chunking', () => {
  const text = fc.string({ unit: 'binary' }).filter((line) => !/[\r\n]/.test(line) && line !== '');
  fc.assert(
    fc.property(fc.array(text), fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat()), (texts, end, cuts) => {
      const bytes = Buffer.from(texts.map((line) => `data: ${line}${end}${end}`).join(''));
      const found = read(cutAt(bytes, cuts));
      assert.deepEqual(
        found.events,
        texts.map((line) => ['message', `${String(Buffer.from(line))}\n`]),
      );
    }),
  );
});

test('P12 an event beyond the limit ends the reading, however it comes', () => {
  const long = Buffer.from(`data: ${'x'.repeat(200_000)}\n\n`);
  assert.equal(read([long], 100_000).isTooLong, true);
  assert.equal(read(cutAt(long, [1000, 100_000]), 100_000).isTooLong, true);
  const endless = Array.from({ length: 400 }, () => Buffer.alloc(1000, 'x'));
  assert.equal(read([Buffer.from('data: '), ...endless], 100_000).isTooLong, true);
});
