/*
 * Another id in the place of a message's own: the same bytes as with the editor that looks for it, whether the place
 * was noticed when the message was read or not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setAt } from '#src/wire/edit.js';
import { Message } from '#src/wire/message.js';
import { jsonObject } from '../support/json-texts.js';
import { fc } from '../support/property.js';

const id = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom('0', '00', '1.0', '-1', '123456789', '1234567890', 'null', 'true', '"id":2'),
  fc.string({ unit: 'binary', maxLength: 80 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"hotline-id-12"', '""', '"\\u0061"', '"a\\"b"', '"é"'),
);
const body = fc.tuple(fc.constantFrom('params', 'result', 'error', 'other'), jsonObject);
const member = fc.oneof(
  { weight: 4, arbitrary: id.map((text) => `"id":${text}`) },
  { weight: 3, arbitrary: fc.constant('"jsonrpc":"2.0"') },
  { weight: 3, arbitrary: fc.constantFrom('"method":"tools/call"', '"method":"a\\u0062"', '"i\\u0064":7') },
  { weight: 3, arbitrary: body.map(([name, text]) => `"${name}":${String(text).replaceAll('\n', ' ')}`) },
);
const usual = fc
  .tuple(id, jsonObject, fc.boolean())
  .map(([own, text, isRequest]) => [
    '"jsonrpc":"2.0"',
    `"id":${own}`,
    ...(isRequest ? ['"method":"x"'] : []),
    `"${isRequest ? 'params' : 'result'}":${String(text).replaceAll('\n', ' ')}`,
  ])
  .chain((members) => fc.shuffledSubarray(members, { minLength: 3 }));
const line = fc.tuple(fc.oneof(usual, fc.array(member, { maxLength: 6 })), fc.constantFrom('\n', '\r\n'), fc.nat(40));

test('P2 another id takes the place of the one that counts, and no other byte changes', () => {
  let changed = 0;
  fc.assert(
    fc.property(line, fc.constantFrom('1', '"hotline-id-7"'), ([members, end, before], other) => {
      const bytes = Buffer.from(`{${members.join(',')}}${end}`);
      // It may lie anywhere in a chunk.
      const chunk = Buffer.concat([Buffer.alloc(before, 0x0a), bytes, Buffer.from('{"id":9}\n')]);
      const message = Message.inChunk(chunk, before, before + bytes.length);
      const { kind } = message.envelope;
      const expected = setAt(bytes, ['id'], other);
      assert.equal(String(message.with(['id'], other)?.bytes()), String(expected), `${kind}: ${String(bytes)}`);
      if (kind === 'request' || kind === 'response') changed++;
    }),
    { numRuns: 10_000 },
  );
  assert.ok(changed > 500, `${changed} requests and answers`);
});
