/**
 * An ordered writer of messages that honours backpressure. Writes are batched until the end of the event-loop turn:
 * lines that lie side by side in memory become one slice, the rest one vectored write. There is one exception: the
 * first chunk of a turn is written as soon as its last line has been pushed. Usually there is only one chunk in a turn,
 * so its answer leaves without waiting. The writer knows when its stream is full; pausing whoever feeds it is for its
 * owner.
 */
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ByteSink, Message } from './message.js';

/** So much may wait in the stream before its feeders are paused. */
const FULL_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);
/** After so many lines, or pieces of one, the other side can begin with them while the rest is looked at. */
const LINES_UNTIL_WRITE = 64;

export class LineWriter implements ByteSink {
  readonly #stream: Writable;
  readonly #onFull: (full: boolean) => void;
  readonly #isPipe: boolean;
  #slices: Buffer[] = [];
  /**
   * The slice that is still growing: the memory in which it begins, and the offsets in that. It may grow beyond it,
   * where another piece of the same memory lies behind.
   */
  #slice: Buffer | undefined;
  #from = 0;
  #to = 0;
  /** How often something was pushed since the last write. */
  #pushes = 0;
  #scheduled = false;
  /** A chunk was written before the end of the turn, and the other side has not taken it. */
  #early = false;
  #full = false;
  #dead = false;
  readonly #flush = (): void => this.flush();
  readonly #taken = (): void => {
    this.#early = false;
  };

  constructor(stream: Writable, onFull: (full: boolean) => void) {
    this.#stream = stream;
    // Who reads from a pipe answers later. Who listens to a stream of a caller's own may answer before write() returns.
    this.#isPipe = stream instanceof Socket;
    this.#onFull = onFull;
    stream.on('drain', () => this.#relieve());
    stream.on('error', () => this.#die());
    stream.on('close', () => this.#die());
  }

  get full(): boolean {
    return this.#full;
  }

  send(message: Message): void {
    message.writeTo(this);
  }

  /** `isLast`: nothing more is to be expected for now. */
  push(bytes: Buffer, from: number, to: number, isLast: boolean): void {
    if (this.#dead) return;
    if (bytes === this.#slice ? from === this.#to : this.#isBehind(bytes, from)) {
      this.#to += to - from;
    } else {
      this.#closeSlice();
      this.#slice = bytes;
      this.#from = from;
      this.#to = to;
    }
    if (isLast && this.#isPipe && !this.#early) {
      this.#early = true;
      this.#write(this.#taken);
    } else if (++this.#pushes === LINES_UNTIL_WRITE && this.#isPipe) {
      this.#write();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.#flush);
    }
  }

  /** Whether it lies right behind the slice that is growing, though in another piece of the same memory. */
  #isBehind(bytes: Buffer, from: number): boolean {
    const slice = this.#slice;
    return (
      slice !== undefined && bytes.byteOffset + from === slice.byteOffset + this.#to && bytes.buffer === slice.buffer
    );
  }

  #closeSlice(): void {
    if (this.#slice !== undefined) this.#slices.push(this.#takeSlice(this.#slice));
  }

  #takeSlice(slice: Buffer): Buffer {
    this.#slice = undefined;
    if (this.#from === 0 && this.#to === slice.length) return slice;
    return Buffer.from(slice.buffer, slice.byteOffset + this.#from, this.#to - this.#from);
  }

  flush(): void {
    this.#scheduled = false;
    this.#write();
  }

  #write(taken?: () => void): void {
    const slice = this.#slice;
    if (this.#dead || (slice === undefined && this.#slices.length === 0)) return;
    this.#pushes = 0;
    if (this.#slices.length === 0) this.#stream.write(this.#takeSlice(slice as Buffer), taken);
    else this.#writeAll(taken);
    if (!this.#full && this.#stream.writableLength >= FULL_BYTES) {
      this.#full = true;
      this.#onFull(true);
    }
  }

  #writeAll(taken?: () => void): void {
    this.#closeSlice();
    const slices = this.#slices;
    const last = slices.pop();
    this.#slices = [];
    this.#stream.cork();
    for (const slice of slices) this.#stream.write(slice);
    this.#stream.write(last, taken);
    this.#stream.uncork();
  }

  /** Writes what is left and ends the stream. */
  end(): void {
    if (this.#dead) return;
    this.flush();
    this.#stream.end();
  }

  /** Resolves once everything pushed so far was taken by the stream's other side, or never will be. */
  drained(): Promise<void> {
    this.flush();
    if (this.#dead || this.#stream.writableEnded || this.#stream.writableLength === 0) return Promise.resolve();
    // An empty write waits its turn behind all others; `drain` would not do, it comes only after a refusal.
    return new Promise((resolve) => this.#stream.write(NOTHING, () => resolve()));
  }

  #relieve(): void {
    if (!this.#full) return;
    this.#full = false;
    this.#onFull(false);
  }

  #die(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#slices = [];
    this.#slice = undefined;
    this.#relieve();
  }
}
