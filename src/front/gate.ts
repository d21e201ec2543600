/**
 * The freshness gate (P4). A save that returned before a line was sent is in the kernel's queue of events before the
 * line is in the pipe, but the line may be read first. So a request waits until the event loop has polled once more
 * (two turns of setImmediate), and if something has stirred by then, until that was hashed and acted upon. Lines behind
 * it wait too: order is kept. What the hashing led to is not known here.
 */
import { lineEnd } from '../wire/lines.js';
import { isInPieces, type Pieces, type Run } from '../wire/run.js';
import { scan, scanPieces, type Envelope } from '../wire/scan.js';

export interface GateEvents {
  /** The message that lies in `run` between `from` and `to`, read at `since`, may go on. */
  pass(run: Run, from: number, to: number, envelope: Envelope, since: number): void;
  /** Whether messages must pass a check now. Held ones need none: the hold ends with one, or they come back here. */
  guards(envelope: Envelope): boolean;
  /** Undefined if nothing has stirred; else it resolves when what has was hashed and acted upon. */
  refresh(): Promise<void> | undefined;
  /** Too much waits (true), or no longer (false). */
  full(full: boolean): void;
}

interface Read {
  readonly line: Buffer;
  readonly envelope: Envelope;
  readonly since: number;
}

/** Lines that were read together wait together, and are not looked at before they are due. */
interface Waiting {
  readonly run: Run;
  readonly from: number;
  /** How many wait. */
  readonly bytes: number;
  /** Of the first line, where somebody had to look at it; and where it ends. */
  readonly envelope: Envelope | undefined;
  readonly to: number;
  readonly since: number;
  readonly due: number;
}

const FULL = 4 * 1024 * 1024;

export class Gate {
  readonly #events: GateEvents;
  #queue: Waiting[] = [];
  /**
   * How many of the queue have passed: more than none only while others do. Cut off together, since there may be very
   * many.
   */
  #passed = 0;
  #bytes = 0;
  #turn = 0;
  #ticking = false;
  #refreshing = false;
  #full = false;
  #empty: (() => void)[] = [];
  readonly #onTurn = (): void => {
    this.#ticking = false;
    this.#open(++this.#turn);
    this.#tick();
  };

  constructor(events: GateEvents) {
    this.#events = events;
  }

  /** Whole lines side by side; at the very end, one without its newline. */
  push(run: Buffer, since = performance.now()): void {
    for (let from = 0; from < run.length;) {
      if (this.#queue.length > 0) return this.#wait(run, from, run.length - from, undefined, from, since);
      const to = lineEnd(run, from);
      const envelope = scan(run, from, to);
      if (this.#events.guards(envelope)) return this.#wait(run, from, run.length - from, envelope, to, since);
      this.#events.pass(run, from, to, envelope, since);
      from = to;
    }
  }

  /** One line of so many bytes. */
  pushPieces(pieces: Pieces, length: number, since = performance.now()): void {
    const envelope = scanPieces(pieces, length);
    if (envelope === undefined) this.push(Buffer.concat(pieces, length), since);
    else if (this.#queue.length > 0 || this.#events.guards(envelope))
      this.#wait(pieces, 0, length, envelope, length, since);
    else this.#events.pass(pieces, 0, length, envelope, since);
  }

  /** What has passed before everything that waits here has to pass once more. */
  unshift(lines: readonly Read[]): void {
    const due = this.#turn + 2;
    const again = lines.map(({ line, ...read }) => ({
      ...read,
      run: line,
      from: 0,
      to: line.length,
      bytes: line.length,
      due,
    }));
    this.#queue = [...again, ...this.#queue.slice(this.#passed)];
    this.#passed = 0;
    this.#crowd(lines.reduce((bytes, { line }) => bytes + line.length, 0));
  }

  /** Resolves when everything that was pushed has passed. */
  emptied(): Promise<void> {
    return this.#queue.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#empty.push(resolve));
  }

  #wait(run: Run, from: number, bytes: number, envelope: Envelope | undefined, to: number, since: number): void {
    this.#queue.push({ run, from, bytes, envelope, to, since, due: this.#turn + 2 });
    this.#crowd(bytes);
  }

  #crowd(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > FULL && !this.#full) this.#events.full((this.#full = true));
    this.#tick();
  }

  #tick(): void {
    if (this.#ticking || this.#refreshing || this.#queue.length === 0) return;
    this.#ticking = true;
    setImmediate(this.#onTurn);
  }

  /** Lets everything pass that was due at `turn`; one check serves all of it. */
  #open(turn: number): void {
    const first = this.#queue[0];
    if (first === undefined || first.due > turn) return;
    const refreshed = this.#isAnyGuarded(turn) ? this.#events.refresh() : undefined;
    if (refreshed === undefined) {
      this.#pass(turn);
      return;
    }
    this.#refreshing = true;
    void refreshed.then(() => {
      this.#refreshing = false;
      this.#pass(turn);
      this.#tick();
    });
  }

  #isAnyGuarded(turn: number): boolean {
    for (const waiting of this.#queue) {
      if (waiting.due > turn) return false;
      if (this.#isGuarded(waiting)) return true;
    }
    return false;
  }

  /** Whether any of its lines must pass a check; mostly the first tells. */
  #isGuarded({ run, from, envelope }: Waiting): boolean {
    if (envelope !== undefined && this.#events.guards(envelope)) return true;
    if (isInPieces(run)) return false;
    for (let to = from; from < run.length; from = to) {
      to = lineEnd(run, from);
      if (this.#events.guards(scan(run, from, to))) return true;
    }
    return false;
  }

  #pass(turn: number): void {
    // In its place until it has passed: what is pushed meanwhile comes behind all of it.
    for (let next = this.#queue[0]; next !== undefined && next.due <= turn; next = this.#queue[this.#passed]) {
      this.#passed++;
      this.#passRun(next);
    }
    this.#queue = this.#passed === this.#queue.length ? [] : this.#queue.slice(this.#passed);
    this.#passed = 0;
    if (this.#full && this.#bytes <= FULL) this.#events.full((this.#full = false));
    if (this.#queue.length > 0 || this.#empty.length === 0) return;
    for (const resolve of this.#empty.splice(0)) resolve();
  }

  #passRun({ run, from, bytes, envelope, to, since }: Waiting): void {
    this.#bytes -= bytes;
    if (envelope !== undefined) this.#events.pass(run, from, to, envelope, since);
    if (isInPieces(run)) return;
    for (let next = to; to < run.length; to = next) {
      next = lineEnd(run, to);
      this.#events.pass(run, to, next, scan(run, to, next), since);
    }
  }
}
