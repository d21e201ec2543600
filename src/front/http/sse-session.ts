/**
 * A client of 2024-11-05 (HTTP+SSE), as one channel: everything that it gets goes out by one stream, and its messages
 * come by POSTs that are answered with 202. Its stream may break and come back under another name; until then what it
 * is to get waits. Who belongs together again is decided in sse-sessions.ts.
 */
import type { Channel, Route } from '../../channel/channel.js';
import type { Id } from '../../wire/envelope.js';
import { keyOf, type Key } from '../../wire/ids.js';
import type { Message } from '../../wire/message.js';
import type { ClientEvents, Connect } from '../connection.js';
import { Gate } from '../gate.js';
import { requestsOf, takenBackBy } from './asked.js';
import type { EventStream } from './event-stream.js';

/** While its stream is away so much waits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export interface SseContext {
  /** Too much waits for a client that is away: it is given up. */
  overflowed(): void;
  /** An error that stands for an answer which will not come. */
  noAnswer(id: Id): Message;
}

export class SseSession implements Channel {
  readonly #context: SseContext;
  #events: ClientEvents | undefined;
  #gate: Gate | undefined;
  #stream: EventStream | undefined;
  /** What the client waits for: each id with those of its batch. */
  readonly #owed = new Map<Key, readonly Id[]>();
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
    const ids = requestsOf(message).map(({ id }) => id);
    for (const id of ids) this.#owed.set(keyOf(id), ids);
    for (const key of takenBackBy(message)) this.#owed.delete(key);
    this.#gate?.push(message);
  }

  send(message: Message, route?: Route): void {
    if (route?.kind === 'answer') {
      const ofBatch = message.envelope.kind === 'batch' ? this.#owed.get(keyOf(route.to)) : undefined;
      for (const id of ofBatch ?? [route.to]) this.#owed.delete(keyOf(id));
    }
    this.#pass(message);
  }

  #pass(message: Message): void {
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

  /** The session is over: what the client still waits for it would wait for in vain. */
  end(): void {
    this.#isEnded = true;
    this.resume();
    for (const [key, ids] of this.#owed) {
      const id = ids.find((each) => keyOf(each) === key);
      if (id !== undefined) this.#stream?.send(this.#context.noAnswer(id));
    }
    this.#owed.clear();
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
