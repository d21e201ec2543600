/*
 * Proves that edits of JSON text change the member asked for and no other byte, with JSON.parse as the oracle over
 * texts with random white space, escapes, duplicate keys and depth, and that malformed text is refused or survived.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonObject, memberName } from '../support/json-texts.js';
import { fc } from '../support/property.js';
import { appendAt, locate, readAt, setAt } from '#src/wire/edit.js';

const path = fc.array(memberName, { minLength: 1, maxLength: 4 });
const value = fc.constantFrom('1', '"é"', '{"listChanged":true}', '[]', '123456789012345678901');

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null && !Array.isArray(x);
const parse = (text: Buffer): unknown => JSON.parse(text.toString());

/** Most random paths lead nowhere: lets the walk end at members that exist as often as not. */
function steer(text: Buffer, wish: readonly string[]): string[] {
  let at = parse(text);
  return wish.map((step, i) => {
    const keys = isObject(at) ? Object.keys(at) : [];
    const key = i % 3 === 2 || keys.length === 0 ? step : (keys[step.length % keys.length] ?? step);
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    return key;
  });
}

function follow(from: unknown, steps: readonly string[]): { found: boolean; value?: unknown } {
  let at = from;
  for (const step of steps) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return { found: false };
    at = at[step];
  }
  return { found: true, value: at };
}

/** What the parsed text should become; undefined where a value that is no object bars the way. */
function withSet(from: unknown, steps: readonly string[], to: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return to;
  if (!isObject(from)) return undefined;
  const inner = Object.hasOwn(from, step) ? from[step] : {};
  const changed = withSet(inner, rest, to);
  if (changed === undefined) return undefined;
  const copy = { ...from };
  Object.defineProperty(copy, step, { value: changed, enumerable: true, writable: true, configurable: true });
  return copy;
}

/** True if `after` is `before` with one stretch of bytes put in. */
function onlyInserted(before: Buffer, after: Buffer): boolean {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  return before.subarray(head).equals(after.subarray(after.length - (before.length - head)));
}

const runs = { numRuns: 3000 };

test('P2 a located value is the one that JSON.parse finds, the last of duplicates', () => {
  fc.assert(
    fc.property(jsonObject, path, (text, wish) => {
      const steps = steer(text, wish);
      const expected = follow(parse(text), steps);
      const span = locate(text, steps);
      assert.equal(span !== undefined, expected.found);
      if (span === undefined) return;
      assert.deepEqual(parse(text.subarray(span.start, span.end)), expected.value);
      assert.deepEqual(readAt(text, steps), expected.value);
      assert.equal(text.toString('utf8', span.start, span.end), text.toString('utf8', span.start, span.end).trim());
    }),
    runs,
  );
});

test('P2 setting a member changes that member and no other byte', () => {
  fc.assert(
    fc.property(jsonObject, path, value, (text, wish, to) => {
      const steps = steer(text, wish);
      const edited = setAt(text, steps, to);
      const expected = withSet(parse(text), steps, JSON.parse(to));
      if (expected === undefined) return assert.equal(edited, undefined);
      assert.ok(edited);
      assert.deepEqual(parse(edited), expected);
      const span = locate(text, steps);
      if (span === undefined) return assert.ok(onlyInserted(text, edited));
      const whole = [text.subarray(0, span.start), Buffer.from(to), text.subarray(span.end)];
      assert.ok(edited.equals(Buffer.concat(whole)));
    }),
    runs,
  );
});

test('P2 appending to an array adds the elements and changes no other byte', () => {
  fc.assert(
    fc.property(jsonObject, path, fc.array(value, { maxLength: 3 }), (text, wish, elements) => {
      const steps = steer(text, wish);
      const before = follow(parse(text), steps).value;
      const edited = appendAt(text, steps, elements);
      if (!Array.isArray(before)) return assert.equal(edited, undefined);
      assert.ok(edited);
      const after: unknown[] = [...(before as unknown[]), ...elements.map((e): unknown => JSON.parse(e))];
      assert.deepEqual(parse(edited), withSet(parse(text), steps, after));
      assert.ok(onlyInserted(text, edited));
    }),
    runs,
  );
});

test('P2 malformed text never throws, and what was valid elsewhere stays the same', () => {
  const mutation = fc.record({ at: fc.nat(400), drop: fc.nat(3), put: fc.uint8Array({ maxLength: 2 }) });
  fc.assert(
    fc.property(jsonObject, fc.array(mutation, { maxLength: 3 }), path, value, (text, mutations, wish, to) => {
      const steps = steer(text, wish);
      const broken = mutations.reduce((b, { at, drop, put }) => {
        const cut = at % (b.length + 1);
        return Buffer.concat([b.subarray(0, cut), put, b.subarray(cut + drop)]);
      }, text);
      const span = locate(broken, steps);
      if (span !== undefined) assert.ok(span.start >= 0 && span.start < span.end && span.end <= broken.length);
      readAt(broken, steps);
      appendAt(broken, steps, [to]);
      const edited = setAt(broken, steps, to);
      const parsed = attempt(broken);
      if (parsed === undefined) return;
      const expected = withSet(parsed.value, steps, JSON.parse(to));
      assert.deepEqual(edited && attempt(edited), expected && { value: expected });
    }),
    runs,
  );
});

test('random bytes never throw', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('{}[]":,\\ \n"id"aé1-')), { maxLength: 60 });
  fc.assert(
    fc.property(bytes, fc.array(memberName, { maxLength: 3 }), (raw, steps) => {
      for (const text of [Buffer.from(raw), Buffer.from([0x7b, ...raw, 0x7d])]) {
        locate(text, steps);
        readAt(text, steps);
        setAt(text, steps, '1');
        appendAt(text, steps, ['1']);
      }
    }),
    runs,
  );
});

function attempt(text: Buffer): { value: unknown } | undefined {
  try {
    return { value: parse(text) };
  } catch {
    return undefined;
  }
}

const edits: [title: string, text: string, at: string[], to: string, expected: string | undefined][] = [
  ['replaces a value', '{"a": 1.0 ,"id":0}\r\n', ['a'], '2', '{"a": 2 ,"id":0}\r\n'],
  ['knows an escaped key', '{"\\u0069d":1}', ['id'], '2', '{"\\u0069d":2}'],
  ['takes the last of duplicates', '{"a":1,"a":{"b":2}}', ['a', 'b'], '3', '{"a":1,"a":{"b":3}}'],
  ['refuses when the last of duplicates bars the way', '{"a":{"b":2},"a":1}', ['a', 'b'], '3', undefined],
  ['inserts into an empty object', '{ }', ['a'], '1', '{"a":1 }'],
  ['inserts after the last member', '{"b":1 }\n', ['a'], '1', '{"b":1,"a":1 }\n'],
  ['creates the objects on the way', '{"r":{}}', ['r', 'c', 't'], '1', '{"r":{"c":{"t":1}}}'],
  ['replaces the whole with an empty path', ' {"r":{}} ', [], '{}', ' {} '],
  ['refuses an array on the way', '{"r":[]}', ['r', 'c'], '1', undefined],
  ['refuses null on the way', '{"r":null}', ['r', 'c'], '1', undefined],
  ['refuses a batch', '[{"a":1}]', ['a'], '1', undefined],
  ['refuses a byte order mark', '\ufeff{"a":1}', ['a'], '1', undefined],
  ['refuses what follows the object', '{"a":1}{', ['a'], '1', undefined],
  ['refuses a truncated text', '{"a":1,"b":"x', ['a'], '1', undefined],
  ['refuses a trailing comma', '{"a":1,}', ['a'], '1', undefined],
  ['refuses crossed brackets on the way', '{"a":{"b":1]}', ['a', 'c'], '1', undefined],
  ['refuses nothing at all', '', ['a'], '1', undefined],
];
for (const [title, text, at, to, expected] of edits) {
  test(`setAt ${title}`, () => assert.equal(setAt(Buffer.from(text), at, to)?.toString(), expected));
}

const appends: [title: string, text: string, expected: string | undefined][] = [
  ['fills an empty array', '{"t":[ ]}', '{"t":[8,9 ]}'],
  ['follows the last element', '{"t":[1\n]}', '{"t":[1,8,9\n]}'],
  ['refuses an object', '{"t":{}}', undefined],
  ['refuses what is not there', '{}', undefined],
];
for (const [title, text, expected] of appends) {
  test(`appendAt ${title}`, () => assert.equal(appendAt(Buffer.from(text), ['t'], ['8', '9'])?.toString(), expected));
}

test('a million brackets deep is no deeper than one', () => {
  const deep = Buffer.from(`{"a":${'[{"a":'.repeat(500_000)}1${'}]'.repeat(500_000)},"id":7}`);
  assert.equal(readAt(deep, ['id']), 7);
  assert.equal(setAt(deep, ['id'], '8')?.subarray(-8).toString(), ',"id":8}');
  const open = Buffer.from(`{"a":${'['.repeat(1_000_000)}`);
  assert.equal(locate(open, ['a']), undefined);
});

test('escapes at a length, backslashes and quotes, take linear time', () => {
  const size = 4_000_000;
  for (const body of ['\\\\'.repeat(size / 2), '\\"'.repeat(size / 2), `\\"${'\\\\'.repeat(size / 2)}\\"`]) {
    const text = Buffer.from(`{"a":"${body}","id":7}`);
    assert.equal(readAt(text, ['id']), 7);
  }
});
