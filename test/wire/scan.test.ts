/** The envelope scanner against JSON.parse as its oracle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { quickHead, quickScan } from '#src/wire/fast-scan.js';
import { idInHead, scan, fullScan, scanPieces, type Envelope } from '#src/wire/scan.js';

/** What the scanner should say of a line that JSON.parse accepts. */
function oracle(text: string): Envelope {
  const value = JSON.parse(text) as unknown;
  if (Array.isArray(value)) {
    const good =
      value.length > 0 &&
      value.every((each) => !Array.isArray(each) && oracle(JSON.stringify(each)).kind !== 'invalid');
    return { kind: good ? 'batch' : 'invalid' };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'invalid' };
  const message = value as Record<string, unknown>;
  if (message['jsonrpc'] !== '2.0') return { kind: 'invalid' };
  const id = message['id'];
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number' && id !== null) return { kind: 'invalid' };
  const token = JSON.stringify(id);
  const method = message['method'];
  if (typeof method === 'string') {
    return id === undefined ? { kind: 'notification', method } : { kind: 'request', id: token, method };
  }
  const last = Object.keys(message).findLast((key) => key === 'result' || key === 'error');
  if (last === 'error') return { kind: 'response', id: token ?? 'null', error: true };
  return last === 'result' && id !== undefined ? { kind: 'response', id: token, error: false } : { kind: 'invalid' };
}

function normal(envelope: Envelope): Envelope {
  return 'id' in envelope ? { ...envelope, id: JSON.stringify(JSON.parse(envelope.id)) } : envelope;
}

const id = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(0, '', null, -1, 2 ** 60, 'é"\\', '},"id":3}'));
const payload = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom({ id: 7, method: 'x', jsonrpc: '2.0' }, '"id":9,"method":"y"}', ['","id":4}'], 'x'.repeat(5000), {
    text: `${'y'.repeat(3000)}","jsonrpc":"2.0","id":5}`,
  }),
);
const member = fc.oneof(
  fc.tuple(fc.constant('id'), id),
  fc.tuple(fc.constant('method'), fc.constantFrom('tools/call', 'a"b', 'é', '')),
  fc.tuple(fc.constantFrom('result', 'error', 'params', 'x'), payload),
  fc.tuple(fc.constant('jsonrpc'), fc.constantFrom('2.0', '2.0', '2.0', '1.0')),
);
const white = fc.constantFrom('', '', '', ' ', '\t', '  ');

test('P2 the scanner sees the envelope that JSON.parse sees, in any order, with any white space', () => {
  fc.assert(
    fc.property(fc.uniqueArray(member, { selector: ([key]) => key, maxLength: 7 }), white, white, (members, a, b) => {
      const text = `${a}{${b}${members.map(([key, value]) => `${JSON.stringify(key)}${a}:${b}${JSON.stringify(value)}${a}`).join(`,${b}`)}}${b}`;
      // Of these JSON-RPC allows one a message; which one counts of several is nobody's to say.
      fc.pre(members.filter(([key]) => ['method', 'result', 'error'].includes(key)).length < 2);
      assert.deepEqual(normal(scan(Buffer.from(text))), oracle(text), text.slice(0, 500));
    }),
    { numRuns: 3000 },
  );
});

test('P2 in a line of ordinary size the last of duplicate members counts, as with JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.tuple(fc.constant('id'), id), member), { maxLength: 9 }), (members) => {
      const text = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
      fc.pre(text.length < 2048);
      const parsed = oracle(text);
      fc.pre(!(/"result"/.test(text) && /"error"/.test(text)));
      assert.deepEqual(normal(scan(Buffer.from(text))), parsed, text);
    }),
    { numRuns: 3000 },
  );
});

test('P10 what stands before and behind a line is no part of it', () => {
  const around = fc.constantFrom('', '\n', '"', '}', ' \n', '{"jsonrpc":"2.0","id":1,"method":"x"}\n', '"}]}\n');
  const text = fc.oneof(
    fc.array(member, { maxLength: 5 }).map((members) => JSON.stringify(Object.fromEntries(members))),
    fc.constantFrom(
      '',
      '{',
      '{"',
      '{"jsonrpc":"2.0","id":1,"result":{',
      '[',
      '[{"jsonrpc":"2.0","method":"a"},',
      '\uFEFF',
    ),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(around, text, around, (before, line, after) => {
      const run = Buffer.from(`${before}${line}\n${after}`);
      const from = Buffer.byteLength(before);
      const to = from + Buffer.byteLength(line) + 1;
      assert.deepEqual(scan(run, from, to), scan(Buffer.from(`${line}\n`)));
    }),
    { numRuns: 3000 },
  );
});

test('the scanner never throws, and takes no mutilated envelope for a message', () => {
  const whole = '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"a":[1,"}"]}}';
  for (let cut = 0; cut < whole.length; cut++)
    assert.equal(scan(Buffer.from(whole.slice(0, cut))).kind, 'invalid', whole.slice(0, cut));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void scan(Buffer.from(bytes))));
});

const table: readonly [string, string, Envelope][] = [
  ['an id of zero', '{"jsonrpc":"2.0","id":0,"method":"ping"}', { kind: 'request', id: '0', method: 'ping' }],
  ['an empty string id', '{"jsonrpc":"2.0","id":"","result":{}}', { kind: 'response', id: '""', error: false }],
  ['a null id', '{"jsonrpc":"2.0","id":null,"error":{}}', { kind: 'response', id: 'null', error: true }],
  ['an error without an id', '{"jsonrpc":"2.0","error":{}}', { kind: 'response', id: 'null', error: true }],
  [
    'a number beyond 2^53',
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}',
    { kind: 'request', id: '12345678901234567890', method: 'x' },
  ],
  [
    'escapes in keys and method',
    '{"jsonrpc":"2.0","\\u0069d":1,"method":"a\\/b"}',
    { kind: 'request', id: '1', method: 'a/b' },
  ],
  ['CRLF', '{"jsonrpc":"2.0","method":"x"}\r\n', { kind: 'notification', method: 'x' }],
  ['a byte order mark', '\uFEFF{"jsonrpc":"2.0","method":"x"}\n', { kind: 'notification', method: 'x' }],
  ['a batch', ' [{"jsonrpc":"2.0","method":"x"}]\n', { kind: 'batch' }],
  ['a log line in brackets', '[12:00] server [ready]', { kind: 'invalid' }],
  ['an array that is no batch', '[{"level":30}]', { kind: 'invalid' }],
  ['an empty array', '[]', { kind: 'invalid' }],
  ['a log line in JSON', '{"level":30,"msg":"listening","method":"GET"}', { kind: 'invalid' }],
  ['a version that is no string', '{"jsonrpc":[2.0],"method":"x"}', { kind: 'invalid' }],
  ['a version that only contains the right one', '{"jsonrpc":12.03,"method":"x"}', { kind: 'invalid' }],
  ['an id that only begins like a number', '{"jsonrpc":"2.0","id":-x,"method":"x"}', { kind: 'invalid' }],
  ['an id with a leading zero', '{"jsonrpc":"2.0","id":01,"method":"x"}', { kind: 'invalid' }],
  ['an id with a bad escape', '{"jsonrpc":"2.0","id":"\\x","method":"x"}', { kind: 'invalid' }],
  ['text', 'listening on 3000', { kind: 'invalid' }],
  ['an empty line', '\n', { kind: 'invalid' }],
  ['an empty object', '{}', { kind: 'invalid' }],
  [
    'id last, after a large result',
    `{"result":{"t":"${'z'.repeat(9000)}"},"jsonrpc":"2.0","id":"q"}`,
    { kind: 'response', id: '"q"', error: false },
  ],
  [
    'id last, after large params',
    `{"method":"m","params":{"t":"${'z'.repeat(9000)}"},"jsonrpc":"2.0","id":-4}`,
    { kind: 'request', id: '-4', method: 'm' },
  ],
  [
    'a large notification',
    `{"jsonrpc":"2.0","method":"m","params":{"t":"${'z'.repeat(9000)}"}}`,
    { kind: 'notification', method: 'm' },
  ],
];
for (const [name, text, expected] of table) {
  test(`the scanner reads ${name}`, () => assert.deepEqual(scan(Buffer.from(text)), expected));
}

test('the head of a line that never ends tells the id to answer', () => {
  assert.equal(idInHead(Buffer.from('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"a":"xxxx')), '5');
  assert.equal(idInHead(Buffer.from('garbage')), undefined);
  assert.equal(idInHead(Buffer.from('{"method":"m","id":12')), undefined, 'it may go on');
});

const scrap = fc.oneof(
  fc.constant('"jsonrpc":"2.0"'),
  fc.constantFrom('"id":1', '"id":20', '"id":07', '"id":1234567890', '"id":-1', '"id":'),
  fc.constantFrom('"id":"a"', '"id":""', String.raw`"id":"a\"b"`, '"id":"é"', '"id":"a', `"id":"${'z'.repeat(80)}"`),
  fc.constantFrom('"method":"tools/call"', '"method":"a"', String.raw`"method":"a\\b"`, '"method":"é"', '"method":"x'),
  fc.constantFrom(
    '"params":{}',
    String.raw`"params":{"a":[1,"}\"",{}]}`,
    String.raw`"params":{"a":"\\"}`,
    '"params":[1]',
  ),
  fc.constantFrom('"result":{"id":3}', '"result":1', '"error":{}', '"x":1', '', ' ', '}', '{', '"', '\\'),
);

const ending = fc.constantFrom('', '\n', '\r\n');

test('P2 what is read in one pass is what is read with care, or nothing', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 6 }), ending, (scraps, end) => {
      const line = Buffer.from(`{${scraps.join(',')}}${end}`);
      const quick = quickScan(line, 0, line.length);
      if (quick === undefined) return;
      read++;
      assert.deepEqual(quick, fullScan(line, 0, line.length), String(line));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(read > 20, `${read} lines could be read`);
});

const long = 'y'.repeat(3000);
const large = fc.constantFrom(
  `"params":{"t":"${long}"}`,
  `"result":{"t":"${long}"}`,
  `"error":"${long}"`,
  `"${long}":1`,
);

test('P2 the head of a long line tells what the whole does, or nothing; so do its first and last pieces', () => {
  let [heads, pieced] = [0, 0];
  const scraps = fc.array(fc.oneof({ weight: 3, arbitrary: scrap }, large), { maxLength: 6 });
  fc.assert(
    fc.property(scraps, large, fc.nat({ max: 5 }), ending, fc.array(fc.nat()), (some, one, at, end, cuts) => {
      const line = Buffer.from(`{${some.toSpliced(at, 0, one).join(',')}}${end}`);
      const envelope = fullScan(line, 0, line.length);
      const quick = quickHead(line, 0, line.length);
      if (quick !== undefined) assert.deepEqual(quick, envelope, String(line));
      if (quick !== undefined) heads++;
      // Near the ends, where what matters is.
      const near = cuts.map((cut) => (cut % 2 === 0 ? cut % 120 : line.length - (cut % 120)));
      const places = [0, ...new Set(near.filter((place) => place > 0 && place < line.length))].sort((a, b) => a - b);
      const pieces = places.map((from, i) => line.subarray(from, places[i + 1] ?? line.length));
      if (pieces.length < 2) return;
      const told = scanPieces(pieces, line.length);
      if (told !== undefined) assert.deepEqual(told, envelope, pieces.map(String).join(' | '));
      if (told !== undefined) pieced++;
    }),
    { numRuns: 20_000 },
  );
  assert.ok(heads > 20 && pieced > 100, `${heads} heads and ${pieced} lines in pieces could be read`);
});

test('from the length on at which a line is no longer walked to its end, nobody does', () => {
  for (let length = 2030; length < 2070; length++) {
    const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":"', '"},"id":2}\n'];
    const line = Buffer.from(head + 'y'.repeat(length - head.length - tail.length) + tail);
    // White space at the end does not count.
    const isShort = length - 1 <= 2048;
    const envelope: Envelope = { kind: 'request', id: isShort ? '2' : '1', method: 'm' };
    for (const space of ['', ' ', ' '.repeat(500)]) {
      const spaced = Buffer.concat([line.subarray(0, -1), Buffer.from(`${space}\n`)]);
      assert.deepEqual([scan(spaced), fullScan(spaced, 0, spaced.length)], [envelope, envelope], `${length}`);
      const pieces = [spaced.subarray(0, 100), spaced.subarray(100, -3), spaced.subarray(-3)];
      assert.deepEqual(scanPieces(pieces, spaced.length), isShort ? undefined : envelope, `${length}`);
    }
  }
});

test('long lines as clients and servers write them are read in pieces', () => {
  const request: Envelope = { kind: 'request', id: '12', method: 'tools/call' };
  const response: Envelope = { kind: 'response', id: '12', error: false };
  const lines: [string, Envelope][] = [
    [`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"t":"${long}"}}\n`, request],
    [`{"method":"tools/call","params":{"t":"${long}"},"jsonrpc":"2.0","id":12}\n`, request],
    [`{"jsonrpc":"2.0","id":12,"result":{"t":"${long}"}}\n`, response],
    [`{"result":{"t":"${long}"},"jsonrpc":"2.0","id":12}\r\n`, response],
    [`{"jsonrpc": "2.0", "id": "a", "error": {"t":"${long}"}}\n`, { kind: 'response', id: '"a"', error: true }],
  ];
  for (const [text, envelope] of lines) {
    const line = Buffer.from(text);
    for (const cut of [100, 1500, line.length - 100, line.length - 1])
      assert.deepEqual(
        scanPieces([line.subarray(0, cut), line.subarray(cut)], line.length),
        envelope,
        `${cut} ${text}`,
      );
  }
});

test('P11 a piece that looks like a message is none if the line goes on', () => {
  const head = Buffer.from('{"jsonrpc":"2.0","method":"m"}');
  const rest = Buffer.from(` and ${long}}\n`);
  assert.equal(scanPieces([head, rest], head.length + rest.length), undefined);
  const half = Buffer.from('{"jsonrpc":"2.0","method":"m","id":12');
  const other = Buffer.from(`34,"params":{"t":"${long}"}}\n`);
  assert.equal(scanPieces([half, other], half.length + other.length), undefined, 'an id may go on in the next one');
});

test('lines as the SDKs write them are read in one pass', () => {
  const request = (token: string): Envelope => ({ kind: 'request', id: token, method: 'tools/call' });
  const response = (token: string): Envelope => ({ kind: 'response', id: token, error: false });
  const lines: [string, Envelope][] = [
    ['{"method":"tools/call","params":{"name":"a"},"jsonrpc":"2.0","id":12}\n', request('12')],
    [`${String.raw`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"a\\"}}`}\n`, request('0')],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call"}', request('7')],
    [`${String.raw`{"result":{"content":[{"type":"text","text":"\"}"}]},"jsonrpc":"2.0","id":3}`}\n`, response('3')],
    ['{"jsonrpc":"2.0","id":999999999,"result":{}}\n', response('999999999')],
  ];
  for (const [line, envelope] of lines) {
    // Behind another, as it is read.
    const run = Buffer.from(`{"x":1}\n${line}`);
    assert.deepEqual(quickScan(run, 8, run.length), envelope, line);
  }
});
