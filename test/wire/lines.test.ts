/** Lines out of chunks: at any chunking the same lines, byte for byte, within the limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { LineSplitter } from '#src/wire/lines.js';

function split(chunks: readonly Buffer[], limit = Infinity): { lines: Buffer[]; heads: Buffer[]; rest: Buffer } {
  const lines: Buffer[] = [];
  const heads: Buffer[] = [];
  const splitter = new LineSplitter(
    { limit },
    {
      message: (message) => void lines.push(message.bytes()),
      oversized: (head) => heads.push(head),
    },
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, heads, rest: splitter.rest() };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

test('P2 whatever the chunking, the lines joined are the bytes that came', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat()), (texts, cuts) => {
      const bytes = Buffer.from(texts.join('\n'));
      const { lines, rest } = split(cutAt(bytes, cuts));
      assert.deepEqual(Buffer.concat([...lines, rest]), bytes);
      for (const line of lines) assert.equal(line.indexOf(0x0a), line.length - 1);
      assert.equal(rest.indexOf(0x0a), -1);
    }),
  );
});

test('P2 a character split between two chunks stays whole', () => {
  const bytes = Buffer.from('{"a":"é𝄞"}\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(split([bytes.subarray(0, cut), bytes.subarray(cut)]).lines, [bytes]);
  }
});

test('P12 a line over the limit is told once with its head, discarded, and the next line is itself again', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 })), fc.array(fc.nat()), (lengths, cuts) => {
      const texts = lengths.map((length, i) => `${String(i % 10).repeat(length)}\n`);
      const { lines, heads } = split(cutAt(Buffer.from(texts.join('')), cuts), 20);
      assert.deepEqual(
        lines.map(String),
        texts.filter((text) => text.length <= 20),
      );
      assert.equal(heads.length, texts.filter((text) => text.length > 20).length);
    }),
  );
});
