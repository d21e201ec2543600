/**
 * What a server printed for people, as far as the reports of its failures need it: how it began, and its last 64 KiB.
 * Both streams, in the order they were read: stderr, and what was no message on stdout. Who decides what is no message
 * is noise.ts.
 */
import { END, endOf, excerptOf, WINDOW, type Printed } from '../agent/excerpt.js';

const KEPT = 64 * 1024;
/** The unit of memory: thousands of short lines fill a few blocks and are not thousands of buffers. */
const BLOCK = 8 * 1024;
const NEWLINE = 0x0a;

export type OutputStream = 'stdout' | 'stderr';

export class OutputTail {
  #head = Buffer.alloc(0);
  #blocks: Buffer[] = [];
  /** How much of the last block is in use. The others are full. */
  #used = 0;
  #length = 0;
  #bytes = 0;
  #stream: OutputStream | undefined;
  #lineEnded = true;

  /** The bytes are copied: a short line would keep the whole chunk that it was read in. */
  push(chunk: Buffer, stream: OutputStream = 'stderr'): void {
    if (chunk.length === 0) return;
    // Half a line of one stream and a line of the other must not read as one.
    if (stream !== this.#stream && !this.#lineEnded) this.#append(Buffer.from('\n'));
    this.#stream = stream;
    this.#lineEnded = chunk[chunk.length - 1] === NEWLINE;
    this.#append(chunk);
  }

  #append(chunk: Buffer): void {
    if (this.#head.length < WINDOW)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, WINDOW - this.#head.length)]);
    this.#bytes += chunk.length;
    for (let rest = chunk.subarray(Math.max(0, chunk.length - KEPT)); rest.length > 0;) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#used === block.length) {
        this.#blocks.push((block = Buffer.allocUnsafeSlow(BLOCK)));
        this.#used = 0;
      }
      const copied = rest.copy(block, this.#used);
      this.#used += copied;
      this.#length += copied;
      rest = rest.subarray(copied);
    }
    while (this.#length - BLOCK >= KEPT) {
      this.#blocks.shift();
      this.#length -= BLOCK;
    }
  }

  /** How many bytes there were, over all. */
  get written(): number {
    return this.#bytes;
  }

  /** The last 64 KiB. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#blocks, this.#length);
    return all.subarray(Math.max(0, all.length - KEPT));
  }

  /** What came after so many bytes (`written` of an earlier time), but at most the last `max` bytes of that. */
  since(written: number, max: number): { readonly text: string; readonly isCut: boolean } {
    const length = this.#bytes - written;
    return { text: endOf(this.bytes(), Math.min(length, max)).trim(), isCut: length > max };
  }

  /** More than an excerpt shows. */
  get isLong(): boolean {
    return this.#bytes > 2 * END;
  }

  /** The beginning and the end, how much is missing between them, and where more of it lies. */
  excerpt(file: string | undefined): Printed {
    const rest = file === undefined ? undefined : { part: 'last' as const, kibibytes: KEPT / 1024, file };
    return excerptOf({ head: this.#head, tail: this.bytes(), bytes: this.#bytes, rest });
  }
}
