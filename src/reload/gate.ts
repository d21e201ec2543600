/**
 * The freshness gate (P4). A save that returned before a line was sent is in the kernel's queue of events before the line is
 * in the pipe, but the line may be read first. So a request waits until the event loop has polled once more (two turns of
 * setImmediate), and if something has stirred by then, until that was hashed and acted upon. Lines behind it wait too: order
 * is kept. What the hashing led to is not known here.
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
  /** Of the first line, where somebody had to look at it. */
  readonly envelope: Envelope | undefined;
  readonly since: number;
  readonly due: number;
}

const FULL = 4 * 1024 * 1024;

export class Gate {
  readonly #events: GateEvents;
  #queue: Waiting[] = [];
  #bytes = 0;
  #turn = 0;
  #ticking = false;
  #refreshing = false;
  #full = false;
  #empty: (() => void)[] = [];

  constructor(events: GateEvents) {
    this.#events = events;
  }

  /** Whole lines side by side; at the very end, one without its newline. */
  push(run: Buffer, since = performance.now()): void {
    for (let from = 0; from < run.length;) {
      let envelope: Envelope | undefined;
      if (this.#queue.length === 0) {
        const to = lineEnd(run, from);
        envelope = scan(run, from, to);
        if (!this.#events.guards(envelope)) {
          this.#events.pass(run, from, to, envelope, since);
          from = to;
          continue;
        }
      }
      return this.#wait(run, from, run.length - from, envelope, since);
    }
  }

  /** One line of so many bytes. */
  pushPieces(pieces: Pieces, length: number, since = performance.now()): void {
    const envelope = scanPieces(pieces, length);
    if (envelope === undefined) this.push(Buffer.concat(pieces, length), since);
    else if (this.#queue.length > 0 || this.#events.guards(envelope)) this.#wait(pieces, 0, length, envelope, since);
    else this.#events.pass(pieces, 0, length, envelope, since);
  }

  /** What has passed before everything that waits here has to pass once more. */
  unshift(lines: readonly Read[]): void {
    const due = this.#turn + 2;
    const again = lines.map(({ line, ...read }) => ({ ...read, run: line, from: 0, bytes: line.length, due }));
    this.#queue = [...again, ...this.#queue];
    this.#crowd(lines.reduce((bytes, { line }) => bytes + line.length, 0));
  }

  /** Resolves when everything that was pushed has passed. */
  emptied(): Promise<void> {
    return this.#queue.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#empty.push(resolve));
  }

  #wait(run: Run, from: number, bytes: number, envelope: Envelope | undefined, since: number): void {
    this.#queue.push({ run, from, bytes, envelope, since, due: this.#turn + 2 });
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
    setImmediate(() => {
      this.#ticking = false;
      this.#turn++;
      this.#open(this.#turn);
      this.#tick();
    });
  }

  /** Lets everything pass that was due at `turn`; one check serves all of it. */
  #open(turn: number): void {
    const first = this.#queue[0];
    if (first === undefined || first.due > turn) return;
    const refreshed = this.#queue.some((waiting) => waiting.due <= turn && this.#isGuarded(waiting))
      ? this.#events.refresh()
      : undefined;
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
    const later = this.#queue.findIndex((waiting) => waiting.due > turn);
    const due = later < 0 ? this.#queue : this.#queue.slice(0, later);
    this.#queue = later < 0 ? [] : this.#queue.slice(later);
    for (const waiting of due) this.#passRun(waiting);
    if (this.#full && this.#bytes <= FULL) this.#events.full((this.#full = false));
    if (this.#queue.length > 0) return;
    for (const resolve of this.#empty.splice(0)) resolve();
  }

  #passRun({ run, from, bytes, envelope: known, since }: Waiting): void {
    this.#bytes -= bytes;
    let envelope = known;
    if (isInPieces(run)) return this.#events.pass(run, 0, bytes, known as Envelope, since);
    for (let to = from; from < run.length; from = to) {
      to = lineEnd(run, from);
      this.#events.pass(run, from, to, envelope ?? scan(run, from, to), since);
      envelope = undefined;
    }
  }
}

/** Lets the event loop poll once more: whatever was saved before now has stirred when this resolves. */
export async function fence(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
