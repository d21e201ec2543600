/** The writer of lines: in order, to the byte, and with as few writes as the memory they lie in allows. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { LineWriter } from '#src/wire/writer.js';

function collect(): { stream: Writable; written: Buffer[] } {
  const written: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written.push(chunk);
      done();
    },
  });
  return { stream, written };
}

test('P2 same bytes: whatever lies where in memory, what is written is what was pushed, in order', () => {
  const memory = Buffer.from(Array.from({ length: 60 }, (_, at) => at));
  const piece = fc.tuple(fc.nat(59), fc.nat(59), fc.nat(59), fc.nat(59)).map((ends) => {
    const [a, b, c, d] = ends.toSorted((x, y) => x - y) as [number, number, number, number];
    return { bytes: memory.subarray(a, d), from: b - a, to: c - a };
  });
  const next = fc
    .tuple(fc.nat(59), fc.nat(59))
    .map(([a, b]) => ({ bytes: memory.subarray(a), from: 0, to: b % (60 - a) }));
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, next)), (pieces) => {
      const { stream, written } = collect();
      const writer = new LineWriter(stream, () => {});
      for (const { bytes, from, to } of pieces) writer.push(bytes, from, to);
      writer.flush();
      const pushed = pieces.map(({ bytes, from, to }) => bytes.subarray(from, to));
      assert.deepEqual(Buffer.concat(written), Buffer.concat(pushed));
    }),
  );
});

test('lines that lie side by side leave in one write', () => {
  const { stream, written } = collect();
  const writer = new LineWriter(stream, () => {});
  const run = Buffer.from('a\nb\nc\nd\n');
  writer.push(run, 0, 2);
  writer.push(run, 2, 4);
  writer.push(run.subarray(4, 6));
  writer.push(run, 6);
  writer.flush();
  assert.deepEqual(written.map(String), ['a\nb\nc\nd\n']);
});

test('of a long run of lines the first are on their way to another process before the last are pushed', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
  const writer = new LineWriter(child.stdin, () => {});
  const run = Buffer.from('a\n'.repeat(200));
  for (let at = 0; at < run.length; at += 2) writer.push(run, at, at + 2);
  const early = (child.stdin as Socket).bytesWritten;
  assert.ok(early > 0 && early < run.length, `${early} bytes before the last line`);
  writer.end();
  assert.deepEqual(await buffer(child.stdout), run);
});

test('P1 P3 who answers in the middle of a write loses nothing, and comes behind it', async () => {
  const taken: string[] = [];
  const stream = new Writable({
    writev(chunks, done) {
      for (const { chunk } of chunks) taken.push(...String(chunk).trimEnd().split('\n'));
      for (let n = 0; n < 100 && taken.length === 2; n++) writer.push(Buffer.from(`nested ${n}\n`));
      done();
    },
  });
  const writer: LineWriter = new LineWriter(stream, () => {});
  writer.push(Buffer.from('first\n'));
  writer.push(Buffer.from('second\n'));
  await writer.drained();
  await writer.drained();
  assert.equal(taken.length, 102);
  assert.deepEqual([...taken.slice(0, 3), taken.at(-1)], ['first', 'second', 'nested 0', 'nested 99']);
});
