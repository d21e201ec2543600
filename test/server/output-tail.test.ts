/** What is kept of a server's output: both streams in order, the beginning and the end, and no more than that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedText } from '#src/agent/excerpt.js';
import { OutputTail, type OutputStream } from '#src/server/output-tail.js';

const table: [what: string, pushed: [stream: OutputStream, text: string][], excerpt: string][] = [
  ['nothing', [], ''],
  [
    'lines of both streams',
    [
      ['stderr', 'a\n'],
      ['stdout', 'b\n'],
      ['stderr', 'c\n'],
    ],
    'a\nb\nc\n',
  ],
  [
    'a line of one stream in two parts',
    [
      ['stderr', 'a'],
      ['stderr', 'b\n'],
    ],
    'ab\n',
  ],
  [
    'half a line before a line of the other stream',
    [
      ['stderr', 'Key: '],
      ['stdout', 'set it\n'],
    ],
    'Key: \nset it\n',
  ],
  [
    'an empty chunk, which ends no line',
    [
      ['stderr', 'a'],
      ['stdout', ''],
      ['stderr', 'b\n'],
    ],
    'ab\n',
  ],
];

for (const [what, pushed, excerpt] of table) {
  test(`P7 in the excerpt of a server's output: ${what}`, () => {
    const tail = new OutputTail();
    for (const [stream, text] of pushed) tail.push(Buffer.from(text), stream);
    assert.equal(printedText(tail.excerpt(undefined)), excerpt);
    assert.equal(tail.bytes().toString(), excerpt);
  });
}

for (const size of [1, 7, 4096, 8192, 8193, 65_536, 200_001]) {
  test(`P12 of output in chunks of ${size} bytes the first and the last are kept, whatever the size`, () => {
    const text = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `line ${n}\n`).join(''));
    const tail = new OutputTail();
    for (let at = 0; at < text.length; at += size) tail.push(text.subarray(at, at + size), 'stdout');
    assert.ok(tail.bytes().equals(text.subarray(-64 * 1024)));
    assert.ok(tail.isLong);
    assert.match(
      printedText(tail.excerpt('there')),
      /^line 0\n[^]*bytes left out, the last 64 KiB are in there[^]*line 39999\n$/,
    );
  });
}

test('P12 a chunk that is kept in part is not kept whole', () => {
  const tail = new OutputTail();
  const chunk = Buffer.from('short\n');
  tail.push(chunk, 'stdout');
  chunk.fill('x');
  assert.equal(tail.bytes().toString(), 'short\n');
});
