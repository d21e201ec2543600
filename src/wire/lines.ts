/**
 * Whole lines out of chunks, with the raw bytes kept. Lines that came in one chunk are handed on as one run: each still
 * ends with its newline, so what was read can be written as it is. One that came in several is handed on as those, once
 * all of it is there. Decodes, copies and judges nothing.
 */
import type { Pieces } from './run.js';

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface LineSink {
  /** One or more whole lines, side by side. */
  run(run: Buffer): void;
  /** One line, and how many bytes it has. */
  pieces(pieces: Pieces, length: number): void;
  /** A line grew past the limit; `head` is how it began. What follows of it is discarded up to its newline. */
  tooLong(head: Buffer): void;
}

export interface LineOptions {
  /** The longest line, in bytes. */
  readonly limit: number;
}

/** Where the line ends that begins at `from`: after its newline, or with the run, if that is the last there was. */
export function lineEnd(run: Buffer, from: number): number {
  const newline = run.indexOf(NEWLINE, from);
  return newline < 0 ? run.length : newline + 1;
}

export class LineSplitter {
  #parts: Buffer[] = [];
  #length = 0;
  #discarding = false;
  readonly #options: LineOptions;
  readonly #sink: LineSink;

  constructor(options: LineOptions, sink: LineSink) {
    this.#options = options;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    const { length } = chunk;
    // As nearly all are: whole lines, and nothing before them.
    if (this.#length === 0 && !this.#discarding && chunk[length - 1] === NEWLINE && length <= this.#options.limit) {
      this.#sink.run(chunk);
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
    if (from < end) this.#sink.run(chunk.subarray(from, end));
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

  #finish(end: Buffer): void {
    if (!this.#discarding) this.#keep(end);
    const parts = this.#parts;
    const length = this.#length;
    this.#discarding = false;
    this.#drop();
    if (parts.length === 1) this.#sink.run(parts[0] as Buffer);
    else if (parts.length > 1) this.#sink.pieces(parts, length);
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#options.limit) return;
    const [head] = this.#parts;
    this.#drop();
    this.#discarding = true;
    this.#sink.tooLong(head as Buffer);
  }

  #drop(): void {
    this.#parts = [];
    this.#length = 0;
  }
}
