/**
 * An ordered writer of lines that honours backpressure. What is pushed in one turn of the event loop leaves in few
 * writes: lines that lie side by side in memory become one slice, the rest one vectored write. The first run that
 * somebody goes through line by line is written with its last line, and not only when the turn is over: mostly it is
 * the only one. It knows when its stream is full; pausing whoever feeds it is for its owner.
 */
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { isInPieces, type Run } from './run.js';

/** So much may wait in the stream before its feeders are paused. */
const FULL = 256 * 1024;
const NOTHING = Buffer.alloc(0);
/** After so many lines, or pieces of one, the other side can begin with them while the rest is looked at. */
const EARLY = 64;

export class LineWriter {
  readonly #stream: Writable;
  readonly #onFull: (full: boolean) => void;
  readonly #isPipe: boolean;
  #runs: Buffer[] = [];
  /**
   * The run that is still growing: what it begins in, and the offsets in that. It may grow beyond it, where another
   * lies behind.
   */
  #run: Buffer | undefined;
  #from = 0;
  #to = 0;
  #pending = 0;
  /** How often something was pushed since it was last written. */
  #pushes = 0;
  #scheduled = false;
  /** A run was written early, and the turn goes on, or the other side has not taken it. */
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

  /** Bytes that the stream's other side has not taken. */
  get waiting(): number {
    return this.#dead ? 0 : this.#pending + this.#stream.writableLength;
  }

  /**
   * Lines of their own, or a line in pieces; with `from` and `to`, one or more lines of a run that is gone through from
   * its beginning to its end.
   */
  push(run: Run, from?: number, to?: number): void {
    if (isInPieces(run)) for (const piece of run) this.#push(piece, 0, piece.length, false);
    else this.#push(run, from ?? 0, to ?? run.length, to === run.length);
  }

  /** `last`: nothing more is to be expected for now. */
  #push(bytes: Buffer, from: number, to: number, last: boolean): void {
    if (this.#dead) return;
    this.#pending += to - from;
    if (bytes === this.#run ? from === this.#to : this.#isBehind(bytes, from)) {
      this.#to += to - from;
    } else {
      this.#closeRun();
      this.#run = bytes;
      this.#from = from;
      this.#to = to;
    }
    if (last && this.#isPipe && !this.#early) {
      this.#early = true;
      this.#write(this.#taken);
    } else if (++this.#pushes === EARLY && this.#isPipe) {
      this.#write();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.#flush);
    }
  }

  /** Whether it lies right behind the run that is growing, though in another piece of the same memory. */
  #isBehind(bytes: Buffer, from: number): boolean {
    const run = this.#run;
    return run !== undefined && bytes.byteOffset + from === run.byteOffset + this.#to && bytes.buffer === run.buffer;
  }

  #closeRun(): void {
    if (this.#run !== undefined) this.#runs.push(this.#takeRun(this.#run));
  }

  #takeRun(run: Buffer): Buffer {
    this.#run = undefined;
    if (this.#from === 0 && this.#to === run.length) return run;
    return Buffer.from(run.buffer, run.byteOffset + this.#from, this.#to - this.#from);
  }

  flush(): void {
    this.#scheduled = false;
    this.#write();
  }

  #write(taken?: () => void): void {
    const run = this.#run;
    if (this.#dead || (run === undefined && this.#runs.length === 0)) return;
    this.#pending = 0;
    this.#pushes = 0;
    if (this.#runs.length === 0) this.#stream.write(this.#takeRun(run as Buffer), taken);
    else this.#writeAll(taken);
    if (!this.#full && this.#stream.writableLength >= FULL) {
      this.#full = true;
      this.#onFull(true);
    }
  }

  #writeAll(taken?: () => void): void {
    this.#closeRun();
    const runs = this.#runs;
    const last = runs.pop();
    this.#runs = [];
    this.#stream.cork();
    for (const run of runs) this.#stream.write(run);
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
    this.#runs = [];
    this.#run = undefined;
    this.#pending = 0;
    this.#relieve();
  }
}
