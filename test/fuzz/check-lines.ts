/**
 * The line splitter and the writer against a plain split at newlines: cut into chunks anywhere, the lines are the same,
 * those over the limit are told once with their beginning, and what is written are the bytes that came.
 */
import { Writable } from 'node:stream';
import { LineSplitter } from '#src/wire/lines.js';
import { scan } from '#src/wire/scan.js';
import { LineWriter } from '#src/wire/writer.js';
import { holds, same, sameBytes } from './difference.js';
import type { Random } from '../support/random.js';

export function checkLines(bytes: Buffer, random: Random): void {
  const limit = random.once(2) ? Infinity : random.below(random.pick([4, 50, 3000]));
  const written: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      written.push(chunk);
      done();
    },
  });
  const writer = new LineWriter(sink, () => {});
  const seen: (Buffer | 'too long')[] = [];
  const splitter = new LineSplitter(
    { limit },
    {
      message(message) {
        const envelope = random.once(3) ? message.envelope : undefined;
        writer.send(message);
        if (random.once(10)) writer.flush();
        const whole = message.bytes();
        same('length of a message', message.length, whole.length);
        if (envelope !== undefined) same('envelope before the line is put together', envelope, scan(whole));
        same('envelope', message.envelope, scan(whole));
        seen.push(whole);
      },
      oversized(head) {
        seen.push('too long');
        holds('a head is how a line began', head.length > 0 && bytes.includes(head));
      },
    },
  );
  for (const chunk of cut(bytes, random)) splitter.push(chunk);
  const rest = splitter.rest();
  writer.flush();

  const { expected, last } = plainly(bytes, limit);
  same('number of lines', seen.length, expected.length);
  for (const [i, line] of expected.entries()) {
    if (typeof line === 'string' || typeof seen[i] === 'string') same(`line ${i}`, seen[i], line);
    else sameBytes(`line ${i}`, seen[i]!, line);
  }
  sameBytes('rest', rest, last);
  const whole = Buffer.concat(expected.filter((line) => typeof line !== 'string'));
  sameBytes('written', Buffer.concat(written), whole);
  same('a splitter that was emptied', splitter.rest().length, 0);
}

/** Slices of one memory, and copies, as chunks of a stream are both. */
function cut(bytes: Buffer, random: Random): Buffer[] {
  const most = random.pick(bytes.length > 1000 ? [100, 1000, 5000] : [1, 7, 100]);
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const chunk = bytes.subarray(from, from + 1 + random.below(most));
    chunks.push(random.once(3) ? Buffer.from(chunk) : chunk);
    from += chunk.length;
  }
  return chunks;
}

function plainly(bytes: Buffer, limit: number): { expected: (Buffer | 'too long')[]; last: Buffer } {
  const expected: (Buffer | 'too long')[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x0a) continue;
    expected.push(at + 1 - from > limit ? 'too long' : bytes.subarray(from, at + 1));
    from = at + 1;
  }
  const last = bytes.subarray(from);
  return last.length <= limit ? { expected, last } : { expected: [...expected, 'too long'], last: Buffer.alloc(0) };
}
