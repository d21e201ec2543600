/**
 * The freshness gate (P4, fresh). If a save returned before a line was sent, its event is in the kernel's queue before
 * the line is in the pipe, but the line may be read first. So a request waits until the event loop has polled once more
 * (two turns of `setImmediate`). If a file was touched by then, it waits until that is hashed and acted upon. Lines
 * behind it wait too, to keep the order (P3, order). `lineage/change-detector.ts` decides what the check leads to.
 */
import type { Envelope } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';

export interface GateEvents {
  /** Forwards a message that was read at `since`. */
  forward(message: Message, since: number): void;
  /** Whether the message must wait for a check. Held ones need none: a check ends the hold, or they come back. */
  needsCheck(envelope: Envelope): boolean;
  /** Undefined if no file was touched. Otherwise resolves when the touched files are hashed and acted upon. */
  check(): Promise<void> | undefined;
  /** Calls back in the next turn of the event loop. */
  atNextTurn(run: () => void): void;
  /** Too many bytes wait (true), or no longer (false). */
  full(isFull: boolean): void;
}

interface Read {
  readonly message: Message;
  readonly since: number;
}

/** The envelope is not parsed before the message is due. */
interface Waiting extends Read {
  /** The turn of the event loop in which it may pass. */
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
  #isTicking = false;
  #isChecking = false;
  #isFull = false;
  /** When the present chunk was read: one time for all its lines. */
  #chunkReadAt: number | undefined;
  #onEmpty: (() => void)[] = [];
  readonly #onTurn = (): void => {
    this.#isTicking = false;
    this.#open(++this.#turn);
    this.#tick();
  };

  constructor(events: GateEvents) {
    this.#events = events;
  }

  push(message: Message): void {
    const since = (this.#chunkReadAt ??= performance.now());
    if (message.isLast) this.#chunkReadAt = undefined;
    if (this.#queue.length === 0 && !this.#events.needsCheck(message.envelope))
      return this.#events.forward(message, since);
    this.#queue.push({ message, since, due: this.#turn + 2 });
    this.#countBytes(message.length);
  }

  /** Puts messages that have passed the gate back, before all that wait here. */
  unshift(messages: readonly Read[]): void {
    const due = this.#turn + 2;
    const again = messages.map(({ message, since }) => ({ message, since, due }));
    this.#queue = [...again, ...this.#queue.slice(this.#passed)];
    this.#passed = 0;
    this.#countBytes(messages.reduce((bytes, { message }) => bytes + message.length, 0));
  }

  /** Resolves when every message that was pushed has passed. */
  emptied(): Promise<void> {
    return this.#queue.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  #countBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > FULL_BYTES && !this.#isFull) this.#events.full((this.#isFull = true));
    this.#tick();
  }

  #tick(): void {
    if (this.#isTicking || this.#isChecking || this.#queue.length === 0) return;
    this.#isTicking = true;
    this.#events.atNextTurn(this.#onTurn);
  }

  /** Forwards every message that is due at `turn`. One check serves all of them. */
  #open(turn: number): void {
    const first = this.#queue[0];
    if (first === undefined || first.due > turn) return;
    const checked = this.#doesAnyNeedCheck(turn) ? this.#events.check() : undefined;
    if (checked === undefined) {
      this.#pass(turn);
      return;
    }
    this.#isChecking = true;
    void checked.then(() => {
      this.#isChecking = false;
      this.#pass(turn);
      this.#tick();
    });
  }

  /** Usually the first message decides. */
  #doesAnyNeedCheck(turn: number): boolean {
    for (const { message, due } of this.#queue) {
      if (due > turn) return false;
      if (this.#events.needsCheck(message.envelope)) return true;
    }
    return false;
  }

  #pass(turn: number): void {
    // A message stays in the queue until it has passed, so one that is pushed meanwhile comes behind all of them.
    for (let next = this.#queue[0]; next !== undefined && next.due <= turn; next = this.#queue[this.#passed]) {
      this.#passed++;
      this.#bytes -= next.message.length;
      this.#events.forward(next.message, next.since);
    }
    this.#queue = this.#passed === this.#queue.length ? [] : this.#queue.slice(this.#passed);
    this.#passed = 0;
    if (this.#isFull && this.#bytes <= FULL_BYTES) this.#events.full((this.#isFull = false));
    if (this.#queue.length > 0 || this.#onEmpty.length === 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
