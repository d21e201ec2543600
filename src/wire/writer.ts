/**
 * An ordered writer of lines that honours backpressure. What is pushed in one turn of the event loop leaves in as few
 * writes as possible: lines that lie side by side in memory become one slice, the rest one vectored write. It knows when its
 * stream is full; pausing whoever feeds it is for its owner.
 */
import type { Writable } from 'node:stream';

/** So much may wait in the stream before its feeders are paused. */
const FULL = 256 * 1024;
const NOTHING = Buffer.alloc(0);

export class LineWriter {
  readonly #stream: Writable;
  readonly #onFull: (full: boolean) => void;
  #runs: Buffer[] = [];
  /** The run that is still growing: what it begins with, and where in memory it lies. */
  #first: Buffer | undefined;
  #memory: ArrayBufferLike | undefined;
  #start = 0;
  #end = 0;
  #pending = 0;
  #scheduled = false;
  #full = false;
  #dead = false;
  readonly #flush = (): void => this.flush();

  constructor(stream: Writable, onFull: (full: boolean) => void) {
    this.#stream = stream;
    this.#onFull = onFull;
    stream.on('drain', () => this.#relieve());
    stream.on('error', () => this.#die());
    stream.on('close', () => this.#die());
  }

  get full(): boolean {
    return this.#full;
  }

  /** Bytes that the stream's other side has not taken. */
  get waiting(): number {
    return this.#dead ? 0 : this.#pending + this.#stream.writableLength;
  }

  /** The bytes from `from` to `to`, one or more whole lines or a piece of one. */
  push(bytes: Buffer, from = 0, to = bytes.length): void {
    if (this.#dead) return;
    this.#pending += to - from;
    const start = bytes.byteOffset + from;
    if (start === this.#end && bytes.buffer === this.#memory) {
      this.#end += to - from;
    } else {
      this.#closeRun();
      this.#first = bytes;
      this.#memory = bytes.buffer;
      this.#start = start;
      this.#end = start + to - from;
    }
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.#flush);
    }
  }

  #closeRun(): void {
    const first = this.#first;
    if (first === undefined) return;
    const length = this.#end - this.#start;
    const whole = this.#start === first.byteOffset && length === first.length;
    this.#runs.push(whole ? first : Buffer.from(first.buffer, this.#start, length));
    this.#first = undefined;
    this.#memory = undefined;
  }

  flush(): void {
    this.#scheduled = false;
    this.#closeRun();
    const runs = this.#runs;
    if (this.#dead || runs.length === 0) return;
    this.#runs = [];
    this.#pending = 0;
    if (runs.length === 1) {
      this.#stream.write(runs[0]);
    } else {
      this.#stream.cork();
      for (const run of runs) this.#stream.write(run);
      this.#stream.uncork();
    }
    if (!this.#full && this.#stream.writableLength >= FULL) {
      this.#full = true;
      this.#onFull(true);
    }
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
    this.#runs = [];
    this.#first = undefined;
    this.#memory = undefined;
    this.#pending = 0;
    this.#relieve();
  }
}
