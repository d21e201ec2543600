/**
 * The freshness gate (P4, fresh). A save that returned before a line was sent is in the kernel's queue of events before
 * the line is in the pipe, but the line may be read first. So a request waits until the event loop has polled once more
 * (two turns of setImmediate), and if a file was touched by then, until that was hashed and acted upon. Lines behind it
 * wait too: order is kept (P3). What the hashing leads to is decided elsewhere.
 */
import type { Envelope } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';

export interface GateEvents {
  /** The message, read at `since`, may go on. */
  forward(message: Message, since: number): void;
  /** Whether messages must pass a check now. Held ones need none: the hold ends with one, or they come back here. */
  needsCheck(envelope: Envelope): boolean;
  /** Undefined if no file was touched; else it resolves when those that were are hashed and acted upon. */
  check(): Promise<void> | undefined;
  /** Too much waits (true), or no longer (false). */
  full(full: boolean): void;
}

interface Read {
  readonly message: Message;
  readonly since: number;
}

/** Its envelope is not looked at before it is due. */
interface Waiting extends Read {
  /** The turn in which it may pass. */
  readonly due: number;
}

const FULL_BYTES = 4 * 1024 * 1024;

export class Gate {
  readonly #events: GateEvents;
  #queue: Waiting[] = [];
  /**
   * Index of the next entry while `#pass` walks the queue; 0 otherwise. The array is cut once at the end, because
   * `shift()` for each of many entries is quadratic.
   */
  #passed = 0;
  #bytes = 0;
  #turn = 0;
  #ticking = false;
  #checking = false;
  #full = false;
  /** When the lines were read that come together. */
  #since: number | undefined;
  #empty: (() => void)[] = [];
  readonly #onTurn = (): void => {
    this.#ticking = false;
    this.#open(++this.#turn);
    this.#tick();
  };

  constructor(events: GateEvents) {
    this.#events = events;
  }

  push(message: Message): void {
    const since = (this.#since ??= performance.now());
    if (message.isLast) this.#since = undefined;
    if (this.#queue.length === 0 && !this.#events.needsCheck(message.envelope))
      return this.#events.forward(message, since);
    this.#queue.push({ message, since, due: this.#turn + 2 });
    this.#countBytes(message.length);
  }

  /** What has passed before everything that waits here has to pass once more. */
  unshift(messages: readonly Read[]): void {
    const due = this.#turn + 2;
    const again = messages.map(({ message, since }) => ({ message, since, due }));
    this.#queue = [...again, ...this.#queue.slice(this.#passed)];
    this.#passed = 0;
    this.#countBytes(messages.reduce((bytes, { message }) => bytes + message.length, 0));
  }

  /** Resolves when everything that was pushed has passed. */
  emptied(): Promise<void> {
    return this.#queue.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#empty.push(resolve));
  }

  #countBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > FULL_BYTES && !this.#full) this.#events.full((this.#full = true));
    this.#tick();
  }

  #tick(): void {
    if (this.#ticking || this.#checking || this.#queue.length === 0) return;
    this.#ticking = true;
    setImmediate(this.#onTurn);
  }

  /** Lets everything pass that was due at `turn`; one check serves all of it. */
  #open(turn: number): void {
    const first = this.#queue[0];
    if (first === undefined || first.due > turn) return;
    const checked = this.#doesAnyNeedCheck(turn) ? this.#events.check() : undefined;
    if (checked === undefined) {
      this.#pass(turn);
      return;
    }
    this.#checking = true;
    void checked.then(() => {
      this.#checking = false;
      this.#pass(turn);
      this.#tick();
    });
  }

  /** Mostly the first tells. */
  #doesAnyNeedCheck(turn: number): boolean {
    for (const { message, due } of this.#queue) {
      if (due > turn) return false;
      if (this.#events.needsCheck(message.envelope)) return true;
    }
    return false;
  }

  #pass(turn: number): void {
    // In its place until it has passed: what is pushed meanwhile comes behind all of it.
    for (let next = this.#queue[0]; next !== undefined && next.due <= turn; next = this.#queue[this.#passed]) {
      this.#passed++;
      this.#bytes -= next.message.length;
      this.#events.forward(next.message, next.since);
    }
    this.#queue = this.#passed === this.#queue.length ? [] : this.#queue.slice(this.#passed);
    this.#passed = 0;
    if (this.#full && this.#bytes <= FULL_BYTES) this.#events.full((this.#full = false));
    if (this.#queue.length > 0 || this.#empty.length === 0) return;
    for (const resolve of this.#empty.splice(0)) resolve();
  }
}
