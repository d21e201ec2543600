/**
 * One POST to a server, as far as it has come: what it carries, which answers are owed, whether it may have arrived.
 * How it is sent, and what is made of the reply, is in run-post.ts.
 */
import { requestsIn } from '../../wire/batch.js';
import type { Id } from '../../wire/envelope.js';
import { keyOf, keyOfValue, type Key } from '../../wire/ids.js';
import type { Message } from '../../wire/message.js';
import type { Asker } from './http-client.js';

export class Post implements Asker {
  readonly message: Message;
  readonly body: Buffer;
  /** The modern version that it names. */
  readonly version: string | undefined;
  /** Of the requests in it. */
  readonly keys: readonly Key[];
  /** The answers that have not come. */
  readonly owed: Map<Key, Id>;
  /** The session in which it was sent was refused once. */
  wasRefused = false;
  /** It may have reached the server: there was an answer, or the connection was lost. */
  wasSent = false;
  /** It may be reaching the server just now. */
  isUnderWay = false;
  /** Resolves when it is done. */
  readonly done: Promise<void>;
  #markDone: () => void = () => {};
  #isAborted = false;
  #controller: AbortController | undefined;
  #request: { destroy(): unknown } | undefined;

  constructor(message: Message, version: string | undefined) {
    this.message = message;
    const line = message.bytes();
    this.body = line[line.length - 1] === 0x0a ? line.subarray(0, -1) : line;
    this.version = version;
    this.owed = new Map(idsIn(message).map((id) => [keyOf(id), id]));
    this.keys = [...this.owed.keys()];
    this.done = new Promise((resolve) => (this.#markDone = resolve));
    if (this.isDone) this.#markDone();
  }

  /** Nobody waits for it any more. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Made when it is asked for, as most posts need none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
    this.disconnect();
  }

  /** Ends the connection by which it is answered, and nothing else. */
  disconnect(): void {
    this.#request?.destroy();
  }

  opened(request: { destroy(): unknown }): void {
    this.#request = request;
  }

  connected(): void {
    this.isUnderWay = true;
  }

  /** Nothing more is expected for this request. */
  complete(key: Key): void {
    this.owed.delete(key);
    if (this.isDone) this.#markDone();
  }

  get ids(): readonly Id[] {
    return [...this.owed.values()];
  }

  /** It only opens a session, or asks who is there: sending it twice does nothing. */
  get isOpening(): boolean {
    const { envelope } = this.message;
    return envelope.kind === 'request' && OPENING.has(envelope.method);
  }

  /** A client of both eras asks so first. */
  get asksWhoIsThere(): boolean {
    const { envelope } = this.message;
    return envelope.kind === 'request' && envelope.method === 'server/discover';
  }

  /** A stream that its client has open for as long as it wants. */
  get isListening(): boolean {
    const { envelope } = this.message;
    return envelope.kind === 'request' && envelope.method === 'subscriptions/listen';
  }

  /** It has an answer, or will have none. */
  get isDone(): boolean {
    return this.owed.size === 0;
  }
}

const OPENING: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

function idsIn(message: Message): readonly Id[] {
  const { envelope } = message;
  if (envelope.kind === 'request') return envelope.id === 'null' ? [] : [envelope.id];
  return envelope.kind === 'batch' ? requestsIn(message).map(({ id }) => id) : [];
}

/** The request that a client takes back with this message. */
export function takenBackBy(message: Message): Key | undefined {
  const { envelope } = message;
  if (envelope.kind !== 'notification' || envelope.method !== 'notifications/cancelled') return undefined;
  return keyOfValue(message.read(['params', 'requestId']));
}
