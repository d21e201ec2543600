/**
 * A channel made of two streams: lines come in by one and go out by the other. The same for the client (our stdin and
 * stdout), for a server (its stdout and stdin), and for streams in memory. One stream serves everything, so that routes
 * are of no account here.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LineSplitter, type LineOptions } from '../wire/lines.js';
import { Message } from '../wire/message.js';
import { idInHead } from '../wire/scan.js';
import { LineWriter } from '../wire/writer.js';
import type { Channel, ChannelEvents, Route } from './channel.js';

/** How often a paused input is read all the same. */
const READ_PAUSED_EVERY_MS = 500;
/** How much is read by that: each time, and in one pause. */
const READ_PAUSED_BYTES = 512 * 1024;
const MAX_READ_PAUSED_BYTES = 16 * 1024 * 1024;

export class StdioChannel implements Channel {
  readonly #input: Readable;
  readonly #writer: LineWriter;
  readonly #splitter: LineSplitter;
  readonly #events: ChannelEvents;
  #ended = false;
  #paused = false;
  /** How often it was paused so far. */
  #pauses = 0;
  #looksForEnd = false;
  /** How many bytes were read during this pause, and up to which amount that may go on. */
  #readPaused = 0;
  #mayReadPaused = 0;

  constructor(input: Readable, output: Writable, lines: LineOptions, events: ChannelEvents) {
    this.#input = input;
    this.#events = events;
    this.#splitter = new LineSplitter(lines, {
      message: (message) => events.message(message),
      oversized: (head) => events.oversized(idInHead(head)),
    });
    this.#writer = new LineWriter(output, (full) => events.full(full));
    const gone = once(() => events.gone());
    output.on('error', gone);
    output.on('close', gone);
    input.on('data', (chunk: Buffer | Uint8Array | string) => {
      const bytes = Buffer.isBuffer(chunk) ? chunk : bytesOf(chunk, input.readableEncoding);
      this.#splitter.push(bytes);
      if (this.#paused) this.#countPaused(bytes.length);
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

  get full(): boolean {
    return this.#writer.full;
  }

  /** The route is of no account: there is one stream. */
  send(message: Message, _route?: Route): void {
    message.writeTo(this.#writer);
  }

  end(): void {
    this.#writer.end();
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#pauses++;
    this.#readPaused = 0;
    this.#mayReadPaused = 0;
    this.#input.pause();
    if (!this.#looksForEnd) void this.#lookForEnd();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#ended) this.#input.resume();
  }

  /**
   * A paused stream never reports its end. So while we are paused, a little is read all the same. One loop serves all
   * pauses: under load there are thousands of short ones, and a timer for each would cost more than the check.
   */
  async #lookForEnd(): Promise<void> {
    this.#looksForEnd = true;
    while (this.#paused && this.#readPaused < MAX_READ_PAUSED_BYTES) {
      const pause = this.#pauses;
      await delay(READ_PAUSED_EVERY_MS, undefined, { ref: false });
      if (!this.#paused || this.#pauses !== pause) continue;
      this.#mayReadPaused = this.#readPaused + READ_PAUSED_BYTES;
      this.#input.resume();
    }
    this.#looksForEnd = false;
  }

  #countPaused(bytes: number): void {
    this.#readPaused += bytes;
    if (this.#readPaused >= this.#mayReadPaused) this.#input.pause();
  }

  /** Takes what has been read so far for all there is. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#paused = false;
    const rest = this.#splitter.rest();
    this.#events.end(rest.length === 0 ? undefined : Message.of(rest));
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
