/**
 * How a client reaches the program: lines go there, and lines come back. What is said is the client's; this is the
 * interface, and stdio, which is a pipe each way. HTTP is in http-transport.ts.
 */
import { Readable, Writable } from 'node:stream';
import type { Kernel } from './kernel.js';
import type { Event } from './script.js';

/** The client, as its transport knows it. */
export interface Reader {
  /** `by`: the stream that it came by, of several. `owed`: the ids, as JSON, that may be answered there. */
  read(line: string, by?: string, owed?: ReadonlySet<string>): void;
  /** The program has this line, which asks for no answer. */
  accepted(line: string): void;
  /** Nobody waits for the answers to these requests any more, or they can't come. */
  unanswered(uids: readonly number[], because: 'taken back' | 'cut' | 'ended'): void;
  /** Whether there is a stream for what is said at large, and all has come that was said while there was none. */
  hears(isSo: boolean): void;
  /** What was said at large may have been lost on its way. */
  missed(): void;
  /** The program does not know the client's session any more. */
  sessionGone(): void;
}

export interface Transport {
  send(line: string): void;
  /** Nothing more is sent, and nothing more is read. */
  close(): void;
  /** Stops reading, or goes on. */
  stall(on: boolean): void;
  /** By a way of its own, a request is taken back. False: there is none. */
  takeBack(uid: number): boolean;
  /** False if that makes no sense. */
  act(event: Event): boolean;
}

export class StdioTransport implements Transport {
  readonly input = new Readable({ read() {} });
  readonly output: Writable;
  readonly #kernel: Kernel;
  readonly #source: string;
  #stalled: (() => void)[] | undefined;
  #partial = '';

  constructor(kernel: Kernel, number: number, reader: Reader) {
    this.#kernel = kernel;
    this.#source = number === 0 ? 'client' : `client ${number}`;
    this.output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const take = (): void => {
          const lines = (this.#partial + chunk.toString('utf8')).split('\n');
          this.#partial = lines.pop() ?? '';
          for (const line of lines) reader.read(line);
          done();
        };
        if (this.#stalled === undefined) take();
        else this.#stalled.push(take);
      },
    });
  }

  send(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    const cut = this.#kernel.random.once(10) ? this.#kernel.random.below(bytes.length) : 0;
    if (cut > 0) this.#kernel.input(this.#source, 0, () => void this.input.push(bytes.subarray(0, cut)));
    this.#kernel.input(this.#source, 0, () => void this.input.push(bytes.subarray(cut)));
  }

  close(): void {
    this.#kernel.input(this.#source, 0, () => void this.input.push(null));
  }

  stall(on: boolean): void {
    if (on) this.#stalled ??= [];
    else {
      const waiting = this.#stalled ?? [];
      this.#stalled = undefined;
      for (const take of waiting) take();
    }
  }

  takeBack(): boolean {
    return false;
  }

  act(): boolean {
    return false;
  }
}
