/**
 * One peer that is reached by two streams: lines come in by one and go out by the other. The same for the client (our
 * stdin and stdout) and for a server (its stdout and stdin). Whose turn it is, and what a line means, is decided above.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LineSplitter, type LineOptions, type LineSink } from './lines.js';
import type { Run } from './run.js';
import { LineWriter } from './writer.js';

export interface EndpointEvents extends LineSink {
  /** Nothing more will come. `rest` is what stood after the last newline. */
  end(rest: Buffer): void;
  /** The peer has stopped reading (true) or reads again (false): pause or resume whoever writes to it. */
  full(full: boolean): void;
  /** The peer will never read again. */
  gone(): void;
}

/** How often a paused input is looked at, and how much may be taken in by that: each time, and in one pause. */
const LOOK_EVERY = 500;
const LOOK = 512 * 1024;
const LOOK_LIMIT = 16 * 1024 * 1024;

export class Endpoint {
  readonly #input: Readable;
  readonly #writer: LineWriter;
  readonly #splitter: LineSplitter;
  readonly #events: EndpointEvents;
  #ended = false;
  #paused = false;
  /** How often it was paused so far. */
  #pauses = 0;
  #looking = false;
  /** What was taken in during this pause, and up to which amount that may go on. */
  #taken = 0;
  #allowed = 0;

  constructor(input: Readable, output: Writable, lines: LineOptions, events: EndpointEvents) {
    this.#input = input;
    this.#events = events;
    this.#splitter = new LineSplitter(lines, events);
    this.#writer = new LineWriter(output, (full) => events.full(full));
    const gone = once(() => events.gone());
    output.on('error', gone);
    output.on('close', gone);
    input.on('data', (chunk: Buffer | Uint8Array | string) => {
      const bytes = Buffer.isBuffer(chunk) ? chunk : bytesOf(chunk, input.readableEncoding);
      this.#splitter.push(bytes);
      if (this.#paused) this.#takenIn(bytes.length);
    });
    input.on('end', () => this.finish());
    input.on('error', () => this.finish());
    input.on('close', () => this.finish());
    // Streams of a caller's own may have ended before: they will not say so again.
    if (input.readableEnded || input.destroyed) process.nextTick(() => this.finish());
    if (output.writableEnded || output.destroyed) process.nextTick(gone);
  }

  /** How the line begins that the peer has not ended yet. */
  get unfinished(): Buffer {
    return this.#splitter.unfinished;
  }

  get writer(): LineWriter {
    return this.#writer;
  }

  /** The bytes from `from` to `to`, as a rule one line. */
  send(run: Run, from?: number, to?: number): void {
    this.#writer.push(run, from, to);
  }

  pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#pauses++;
    this.#taken = 0;
    this.#allowed = 0;
    this.#input.pause();
    if (!this.#looking) void this.#lookForEnd();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#ended) this.#input.resume();
  }

  /**
   * A peer that dies while nobody reads from it goes unnoticed, so now and then a little is taken in all the same.
   * Pauses are many and short when much is written: this goes on from one to the next, and begins nothing for each.
   */
  async #lookForEnd(): Promise<void> {
    this.#looking = true;
    while (this.#paused && this.#taken < LOOK_LIMIT) {
      const pause = this.#pauses;
      await delay(LOOK_EVERY, undefined, { ref: false });
      if (!this.#paused || this.#pauses !== pause) continue;
      this.#allowed = this.#taken + LOOK;
      this.#input.resume();
    }
    this.#looking = false;
  }

  #takenIn(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken >= this.#allowed) this.#input.pause();
  }

  /** Takes what has been read so far for all there is. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#paused = false;
    this.#events.end(this.#splitter.rest());
  }
}

/** A stream that decodes, or that was made of something else than bytes. */
function bytesOf(chunk: Uint8Array | string, encoding: BufferEncoding | null): Buffer {
  return typeof chunk === 'string'
    ? Buffer.from(chunk, encoding ?? 'utf8')
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
