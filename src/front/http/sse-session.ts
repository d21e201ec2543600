/**
 * A client of 2024-11-05 (HTTP+SSE), as one channel: everything that it gets goes out by one stream, and its messages
 * come by POSTs that are answered with 202. Its stream may break and come back under another name; until then what it
 * is to get waits. Who belongs together again is decided in sse-sessions.ts.
 */
import type { Channel } from '../../channel/channel.js';
import type { Message } from '../../wire/message.js';
import type { ClientEvents, Connect } from '../connection.js';
import { Gate } from '../gate.js';
import type { EventStream } from './event-stream.js';

/** While its stream is away so much waits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export interface SseContext {
  /** Too much waits for a client that is away: it is given up. */
  overflowed(): void;
}

export class SseSession implements Channel {
  readonly #context: SseContext;
  #events: ClientEvents | undefined;
  #gate: Gate | undefined;
  #stream: EventStream | undefined;
  #waiting: Message[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isEnded = false;
  #onResumed: (() => void)[] = [];

  constructor(context: SseContext) {
    this.#context = context;
  }

  readonly connect: Connect = (events) => {
    const gate = new Gate({
      needsCheck: (envelope) => events.needsCheck(envelope),
      check: () => events.check(),
      atNextTurn: (run) => events.atNextTurn(run),
      forward: (message, since) => {
        if (!this.#isEnded) events.message(message, since);
      },
      full: (isFull) => events.gateIsFull(isFull),
    });
    this.#events = events;
    this.#gate = gate;
    return { channel: this, returnToGate: (messages) => gate.unshift(messages), emptied: () => gate.emptied() };
  };

  /** It has a stream, and has not lost it. */
  get isConnected(): boolean {
    return this.#stream !== undefined;
  }

  /** Nobody serves it any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get full(): boolean {
    return this.#stream?.isFull === true;
  }

  /** Its stream is there, for the first time or again. */
  open(stream: EventStream): void {
    this.#stream = stream;
    this.#waitingBytes = 0;
    for (const message of this.#waiting.splice(0)) stream.send(message);
  }

  onFull(isFull: boolean): void {
    this.#events?.full(isFull);
  }

  onStreamClosed(stream: EventStream): void {
    if (this.#stream === stream) this.#stream = undefined;
  }

  /** A message of the client. Resolves when it has been taken. */
  async post(message: Message): Promise<void> {
    while (this.#isPaused && !this.#isEnded) await new Promise<void>((resolve) => this.#onResumed.push(resolve));
    this.#gate?.push(message);
  }

  send(message: Message): void {
    if (this.#stream !== undefined) return this.#stream.send(message);
    this.#waiting.push(message.copy());
    this.#waitingBytes += message.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#context.overflowed();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const resolve of this.#onResumed.splice(0)) resolve();
  }

  end(): void {
    this.#isEnded = true;
    this.resume();
    this.#stream?.end();
    this.#stream = undefined;
  }

  /** It will not come back. */
  leave(): void {
    this.#events?.gone();
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }
}
