/**
 * Whole lines out of chunks, as messages with the raw bytes kept: each still ends with its newline, so what was read
 * can be written as it is. A line that came in several chunks stays in those pieces, once all of it is there. Decodes,
 * copies and judges nothing.
 */
import { Message } from './message.js';

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface LineSink {
  message(message: Message): void;
  /** A line grew past the limit; `head` is how it began. What follows of it is discarded up to its newline. */
  oversized(head: Buffer): void;
}

export interface LineOptions {
  /** The longest line, in bytes. */
  limit: number;
}

export class LineSplitter {
  #parts: Buffer[] = [];
  #length = 0;
  #discarding = false;
  readonly #options: Readonly<LineOptions>;
  readonly #sink: LineSink;

  /** The options may change while lines are read. */
  constructor(options: Readonly<LineOptions>, sink: LineSink) {
    this.#options = options;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    const { length } = chunk;
    // As nearly all are: whole lines, and nothing before them.
    if (this.#length === 0 && !this.#discarding && chunk[length - 1] === NEWLINE && length <= this.#options.limit) {
      this.#pass(chunk);
      return;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    let from = 0;
    // Lines one at a time only where one of them might be too long.
    while (from < end && (this.#length > 0 || this.#discarding || end - from > this.#options.limit)) {
      const next = lineEnd(chunk, from);
      this.#finish(chunk.subarray(from, next));
      from = next;
    }
    if (from < end) this.#pass(chunk.subarray(from, end));
    if (end < chunk.length && !this.#discarding) this.#keep(chunk.subarray(end));
  }

  /** What came after the last newline. The splitter is empty afterwards. */
  rest(): Buffer {
    const rest = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#length);
    this.#drop();
    return rest;
  }

  /** How the line begins whose newline has not come yet. It stays where it is. */
  get unfinished(): Buffer {
    return this.#parts[0] ?? NOTHING;
  }

  /** Whole lines, side by side. */
  #pass(chunk: Buffer): void {
    for (let from = 0, to = 0; from < chunk.length; from = to) {
      to = lineEnd(chunk, from);
      this.#sink.message(Message.inChunk(chunk, from, to));
    }
  }

  #finish(end: Buffer): void {
    if (!this.#discarding) this.#keep(end);
    const parts = this.#parts;
    const length = this.#length;
    this.#discarding = false;
    this.#drop();
    if (parts.length === 1) this.#pass(parts[0] as Buffer);
    else if (parts.length > 1) this.#sink.message(Message.inPieces(parts, length));
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#options.limit) return;
    const [head] = this.#parts;
    this.#drop();
    this.#discarding = true;
    this.#sink.oversized(head as Buffer);
  }

  #drop(): void {
    this.#parts = [];
    this.#length = 0;
  }
}

/** Where the line ends that begins at `from`: after its newline. */
function lineEnd(chunk: Buffer, from: number): number {
  const newline = chunk.indexOf(NEWLINE, from);
  return newline < 0 ? chunk.length : newline + 1;
}
