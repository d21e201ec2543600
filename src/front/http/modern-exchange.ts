/**
 * One POST of the modern era: a client of its own, with one request, whose answer is the response. It comes to the
 * lineage that all modern requests share and leaves it with its answer, so equal ids of two clients never meet. A
 * client that closes the connection takes its request back. Whether the request is right is found out before.
 */
import type { ServerResponse } from 'node:http';
import type { Channel, Route } from '../../channel/channel.js';
import { keyOf, type Key } from '../../wire/ids.js';
import type { Id } from '../../wire/envelope.js';
import { error, INTERNAL_ERROR } from '../../wire/json-rpc.js';
import type { Message } from '../../wire/message.js';
import type { ClientEvents, Connect } from '../connection.js';
import { Gate } from '../gate.js';
import { EventStream } from './event-stream.js';
import { sendJson } from './json-answer.js';
import { statusOfAnswer } from './modern-request.js';
import { MAX_BACKLOG_BYTES, type SlowReaders } from './slow-readers.js';

export interface Exchange {
  readonly id: Id;
  readonly request: Message;
  readonly response: ServerResponse;
  /** For every response to this client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly slowReaders: SlowReaders;
  /** What is said if the lineage ends before the request is answered. */
  readonly noAnswer: string;
  /** For those who want to know what it was answered. */
  readonly onAnswer?: (answer: Message) => void;
}

export class ModernExchange implements Channel {
  readonly #exchange: Exchange;
  readonly #key: Key;
  #events: ClientEvents | undefined;
  #stream: EventStream | undefined;
  #isAnswered = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#key = keyOf(exchange.id);
    exchange.response.on('error', () => {});
  }

  /** Hands the request over. */
  readonly connect: Connect = (events) => {
    const gate = new Gate({
      needsCheck: (envelope) => events.needsCheck(envelope),
      check: () => events.check(),
      atNextTurn: (run) => events.atNextTurn(run),
      forward: (message, since) => {
        if (this.#events !== undefined) events.message(message, since);
      },
      full: () => {},
    });
    this.#events = events;
    const { request, response } = this.#exchange;
    response.on('close', () => this.#onClose());
    // The lineage knows the client only when this function has returned.
    queueMicrotask(() => (response.destroyed ? this.#onClose() : gate.push(request)));
    return { channel: this, returnToGate: (messages) => gate.unshift(messages), emptied: () => gate.emptied() };
  };

  get full(): boolean {
    return this.#stream?.isFull === true;
  }

  send(message: Message, route?: Route): void {
    if (this.#isAnswered) return;
    const { response, headers } = this.#exchange;
    if (route?.kind !== 'answer' || keyOf(route.to) !== this.#key) return this.#openStream().send(message);
    this.#isAnswered = true;
    this.#exchange.onAnswer?.(message);
    if (this.#stream !== undefined) {
      this.#stream.send(message);
      this.#stream.end();
    } else {
      sendJson(response, statusOfAnswer(errorCodeOf(message)), headers, message);
    }
    this.#leave();
  }

  /** The lineage has ended. */
  onLineageEnd(): void {
    if (this.#isAnswered || this.#events === undefined) return;
    const { id, noAnswer } = this.#exchange;
    this.send(error(id, INTERNAL_ERROR, noAnswer), { kind: 'answer', to: id });
  }

  /** There is nothing more to read of this client. */
  pause(): void {}
  resume(): void {}
  end(): void {}

  /** One response is nothing that the end of a lineage has to wait for: the listener waits for all of them. */
  drained(): Promise<void> {
    return Promise.resolve();
  }

  #openStream(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { response, headers, slowReaders } = this.#exchange;
    const stream = new EventStream(response, headers, {
      full: (isFull) => {
        this.#events?.full(isFull);
        if (isFull) slowReaders.watch(stream, MAX_BACKLOG_BYTES);
      },
      closed: () => {},
    });
    return (this.#stream = stream);
  }

  #onClose(): void {
    this.#isAnswered = true;
    this.#leave();
  }

  #leave(): void {
    const events = this.#events;
    this.#events = undefined;
    // The answer that is being sent has its own bookkeeping to finish first.
    if (events !== undefined) queueMicrotask(() => events.gone());
  }
}

function errorCodeOf(message: Message): number | undefined {
  const { envelope } = message;
  if (envelope.kind !== 'response' || !envelope.error) return undefined;
  const code = message.read(['error', 'code']);
  return typeof code === 'number' ? code : undefined;
}
