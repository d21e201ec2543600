/**
 * The order in which one client's messages are sent: one after the other, and none while something has to be over
 * first. What that is, and how a message is sent, is for the peers.
 */
import { keyOf, type Key } from '../../wire/ids.js';
import type { Message } from '../../wire/message.js';

export interface Waiting {
  readonly message: Message;
  /** On the monotonic clock. */
  readonly since: number;
}

export class SendQueue {
  readonly #send: (message: Message) => void;
  #barrier: Promise<unknown> | undefined;
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  get isWaiting(): boolean {
    return this.#barrier !== undefined;
  }

  push(message: Message): void {
    if (this.#barrier === undefined) this.#send(message);
    else this.#waiting.push({ message, since: performance.now() });
  }

  /** The next messages wait for this. `first`: goes before them. */
  wait(until: Promise<unknown>, first?: Message): void {
    if (first !== undefined) this.#waiting.unshift({ message: first, since: performance.now() });
    this.#barrier = until;
    void this.#sendAfter(until);
  }

  /** A request that has not been sent is sent no more. False: it is not here. */
  remove(key: Key): boolean {
    const at = this.#waiting.findIndex(
      ({ message: { envelope } }) => envelope.kind === 'request' && keyOf(envelope.id) === key,
    );
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }

  takeAll(): readonly Message[] {
    return this.#waiting.splice(0).map(({ message }) => message);
  }

  /** Those that have waited for longest, as long as this is true of the time since when. */
  takeWhile(isWanted: (since: number) => boolean): readonly Waiting[] {
    const end = this.#waiting.findIndex(({ since }) => !isWanted(since));
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  async #sendAfter(until: Promise<unknown>): Promise<void> {
    await until;
    if (this.#barrier !== until) return;
    this.#barrier = undefined;
    while (this.#barrier === undefined && !this.#isClosed) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#send(next.message);
    }
  }
}
