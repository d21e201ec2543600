/** The writer of lines: in order, to the byte, and with as few writes as the memory they lie in allows. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fc } from '../support/property.js';
import { Message } from '#src/wire/message.js';
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

test('P2 whatever lies where in memory, what is written is what was pushed, in order', () => {
  // Two memories, so that what has the same place in both lies side by side in neither.
  const memories = [0, 100].map((first) => Buffer.from(new Uint8Array(60).map((_, at) => first + at).buffer));
  const inMemory = fc.constantFrom(...memories);
  const piece = fc.tuple(inMemory, fc.nat(59), fc.nat(59), fc.nat(59), fc.nat(59)).map(([memory, ...ends]) => {
    const [a, b, c, d] = ends.toSorted((x, y) => x - y) as [number, number, number, number];
    return { bytes: memory.subarray(a, d), from: b - a, to: c - a };
  });
  const next = fc
    .tuple(inMemory, fc.nat(59), fc.nat(59))
    .map(([memory, a, b]) => ({ bytes: memory.subarray(a), from: 0, to: b % (60 - a) }));
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, next)), (pieces) => {
      const { stream, written } = collect();
      const writer = new LineWriter(stream, () => {});
      for (const { bytes, from, to } of pieces) writer.push(bytes, from, to, to === bytes.length);
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
  writer.push(run, 0, 2, false);
  writer.push(run, 2, 4, false);
  writer.push(run.subarray(4, 6), 0, 2, false);
  writer.push(run, 6, 8, false);
  writer.flush();
  assert.deepEqual(written.map(String), ['a\nb\nc\nd\n']);
});

test('P2 what lies where the last line ended, but in another memory, is not taken for its neighbour', () => {
  const { stream, written } = collect();
  const writer = new LineWriter(stream, () => {});
  const [one, other] = ['a\nb\n', 'c\nd\n'].map((text) => Buffer.from(new TextEncoder().encode(text).buffer));
  writer.push(one!, 0, 2, false);
  writer.push(other!, 2, 4, true);
  writer.push(one!.subarray(2), 0, 2, false);
  writer.flush();
  assert.equal(Buffer.concat(written).toString(), 'a\nd\nb\n');
});

interface ToProcess {
  readonly writer: LineWriter;
  /** Bytes. */
  written(): number;
  /** Calls, those of vectored writes as one. */
  writes(): number;
  /** All that it has read. */
  end(): Promise<Buffer>;
}

/** A writer to another process. */
function toProcess(t: TestContext): ToProcess {
  const child = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const writer = new LineWriter(child.stdin, () => {});
  const counted = [t.mock.method(child.stdin, '_write'), t.mock.method(child.stdin, '_writev' as '_write')];
  const end = (): Promise<Buffer> => {
    writer.end();
    return buffer(child.stdout);
  };
  return {
    writer,
    written: () => (child.stdin as Socket).bytesWritten,
    writes: () => counted.reduce((sum, { mock }) => sum + mock.callCount(), 0),
    end,
  };
}

test('of a long run of lines the first are on their way to another process before the last are pushed', async (t) => {
  const { writer, written, end } = toProcess(t);
  const run = Buffer.from('a\n'.repeat(200));
  for (let at = 0; at < run.length - 2; at += 2) writer.push(run, at, at + 2, false);
  assert.ok(written() > 0 && written() < run.length - 2, `${written()} bytes before the last line`);
  writer.push(run, run.length - 2, run.length, true);
  assert.deepEqual(await end(), run);
});

test('P3 a run that is gone through leaves with its last line, behind what waits', async (t) => {
  const { writer, written, end } = toProcess(t);
  const run = Buffer.from('b\nc\n');
  writer.send(Message.of(Buffer.from('a\n')));
  writer.push(run, 0, 2, false);
  assert.equal(written(), 0);
  writer.push(run, 2, 4, true);
  assert.equal(written(), 6);
  writer.send(Message.of(Buffer.from('d\n')));
  assert.equal(written(), 6);
  assert.equal(String(await end()), 'a\nb\nc\nd\n');
});

test('P12 of many runs of one line in one turn, only the first is written by itself', async (t) => {
  const { writer, writes, end } = toProcess(t);
  const lines = Array.from({ length: 1000 }, (_, at) => Buffer.from(`${at}\n`));
  for (const line of lines) writer.push(line, 0, line.length, true);
  await writer.drained();
  await nextTurn();
  assert.ok(writes() < 20, `${writes()} writes`);
  const before = writes();
  writer.push(lines[0] as Buffer, 0, 2, true);
  assert.equal(writes(), before + 1);
  assert.equal(String(await end()), `${lines.join('')}0\n`);
});

test('a stream of a caller’s own gets nothing before the turn is over: it may answer at once', () => {
  const { stream, written } = collect();
  const writer = new LineWriter(stream, () => {});
  writer.push(Buffer.from('a\n'), 0, 2, true);
  assert.equal(written.length, 0);
  writer.flush();
  assert.equal(written.length, 1);
});

test('P1 P3 who answers in the middle of a write loses nothing, and comes behind it', async () => {
  const taken: string[] = [];
  const stream = new Writable({
    writev(chunks, done) {
      for (const { chunk } of chunks) taken.push(...String(chunk).trimEnd().split('\n'));
      for (let n = 0; n < 100 && taken.length === 2; n++) writer.send(Message.of(Buffer.from(`nested ${n}\n`)));
      done();
    },
  });
  const writer: LineWriter = new LineWriter(stream, () => {});
  writer.send(Message.of(Buffer.from('first\n')));
  writer.send(Message.of(Buffer.from('second\n')));
  await writer.drained();
  await writer.drained();
  assert.equal(taken.length, 102);
  assert.deepEqual([...taken.slice(0, 3), taken.at(-1)], ['first', 'second', 'nested 0', 'nested 99']);
});
