/**
 * Lines that somebody spoilt: bytes changed, cut, doubled, put in, of a line or of two. Most are no JSON any more, many
 * almost are. What they come from is generate.ts's and the corpus's.
 */
import type { Random } from '../support/random.js';
import { BYTES, INSERTS } from './vocabulary.js';

export function mutate(line: Buffer, other: () => Buffer, random: Random): Buffer {
  let spoilt = line;
  do spoilt = once(spoilt, other, random);
  while (random.once(2));
  return spoilt;
}

function once(line: Buffer, other: () => Buffer, random: Random): Buffer {
  const at = random.below(line.length + 1);
  const to = Math.min(line.length, at + random.below(random.pick([2, 8, 64])));
  switch (random.below(9)) {
    case 0:
      return line.subarray(0, at);
    case 1:
      return line.subarray(at);
    case 2:
      return put(line, at, to, Buffer.alloc(0));
    case 3:
      return put(line, at, at, line.subarray(at, to));
    case 4:
      return put(line, at, at, random.pick(BYTES));
    case 5:
      return put(line, at, to, Buffer.from([random.below(256)]));
    case 6: {
      const bytes = other();
      const from = random.below(bytes.length + 1);
      return put(line, at, to, bytes.subarray(from, from + random.below(40)));
    }
    default:
      return put(line, at, random.once(2) ? at : to, random.pick(INSERTS));
  }
}

function put(line: Buffer, from: number, to: number, bytes: Buffer): Buffer {
  return Buffer.concat([line.subarray(0, from), bytes, line.subarray(to)]);
}
