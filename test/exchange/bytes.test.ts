/**
 * What the pipeline changes in a line, or makes of several, seen byte by byte; with the rest of the proxy this is in
 * test/e2e.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBatch, messagesIn } from '#src/wire/batch.js';
import { neverCached } from '#src/exchange/patch.js';
import { Message } from '#src/wire/message.js';

test('P2 a batch is put together of the bytes that its messages had, be they UTF-8 or not', () => {
  const line = Buffer.from('[{"a":"\xff\xc3"} , {"b":1.0}]\n', 'latin1');
  const joined = joinBatch(messagesIn(Message.of(line)) ?? []);
  assert.equal(joined.bytes().toString('latin1'), '[{"a":"\xff\xc3"},{"b":1.0}]\n');
});

test('P16 no list may be cached, however its ttlMs is spelt', () => {
  const cases: [before: string, after: string][] = [
    ['{"result":{"ttlMs":5}}', '{"result":{"ttlMs":0}}'],
    ['{"result":{"ttl\\u004ds": 5e3 }}', '{"result":{"ttl\\u004ds": 0 }}'],
    ['{"result":{"ttlMs":0}}', '{"result":{"ttlMs":0}}'],
    ['{"result":{"text":"\\u0000"}}', '{"result":{"text":"\\u0000"}}'],
  ];
  for (const [before, after] of cases) assert.equal(neverCached(Message.of(Buffer.from(before))).toString(), after);
});
