/**
 * The sessions of HTTP+SSE (2024-11-05): each begins with a stream, whose first event says where messages go. A client
 * whose stream breaks comes back with a new one and goes on without `initialize`; it gets the session that it had, if
 * only one can be meant. What a session does with messages is its own.
 */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Id } from '../../wire/envelope.js';
import type { Message } from '../../wire/message.js';
import { EventStream } from './event-stream.js';
import type { HttpHome } from './home.js';
import { MAX_BACKLOG_BYTES, type SlowReaders } from './slow-readers.js';
import { SseSession } from './sse-session.js';

/** One stream. It has a session once its client has sent something. */
export interface SseConnection {
  readonly stream: EventStream;
  session: SseSession | undefined;
  /** Messages go to the session one after the other. */
  tail: Promise<void>;
  /** How many of them wait to be taken. */
  waiting: number;
}

/** A client whose stream broke is waited for so long; the published ones come back after 3 s. */
const RETURNS_WITHIN_MS = 60_000;

export class SseSessions {
  readonly #home: HttpHome;
  readonly #slowReaders: SlowReaders;
  readonly #connections = new Map<string, SseConnection>();
  /** Sessions that have lost their streams, and when they are given up. */
  readonly #lost = new Map<SseSession, NodeJS.Timeout>();

  readonly #noAnswer: (id: Id) => Message;

  constructor(home: HttpHome, slowReaders: SlowReaders, noAnswer: (id: Id) => Message) {
    this.#home = home;
    this.#slowReaders = slowReaders;
    this.#noAnswer = noAnswer;
  }

  get size(): number {
    return this.#connections.size + this.#lost.size;
  }

  find(id: string): SseConnection | undefined {
    return this.#connections.get(id);
  }

  open(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    const id = randomBytes(16).toString('hex');
    const stream: EventStream = new EventStream(response, headers, {
      full: (isFull) => {
        if (isFull) this.#slowReaders.watch(stream, MAX_BACKLOG_BYTES);
        connection.session?.onFull(isFull);
      },
      closed: () => this.#onClosed(id, connection),
    });
    const connection: SseConnection = { stream, session: undefined, tail: Promise.resolve(), waiting: 0 };
    this.#connections.set(id, connection);
    stream.sendEvent({ event: 'endpoint', data: `/message?sessionId=${id}` });
  }

  /**
   * Resolves when the message has been taken. Undefined: it belongs to a session that this client does not have any
   * more.
   */
  post(connection: SseConnection, message: Message): Promise<void> | undefined {
    const session = (connection.session ??= this.#sessionFor(connection, message));
    if (session === undefined) return undefined;
    connection.waiting++;
    return (connection.tail = connection.tail.then(async () => {
      await session.post(message);
      connection.waiting--;
    }));
  }

  #sessionFor({ stream }: SseConnection, message: Message): SseSession | undefined {
    const { envelope } = message;
    const opens = envelope.kind === 'request' && envelope.method === 'initialize';
    const session = opens ? this.#create(message) : this.#returning();
    session?.open(stream);
    return session;
  }

  #create(initialize: Message): SseSession {
    const session: SseSession = new SseSession({
      overflowed: () => this.#giveUp(session),
      noAnswer: this.#noAnswer,
    });
    void this.#home.attachLegacy(session.connect, 'sse', initialize).then(() => {
      this.#forget(session);
      session.end();
    });
    return session;
  }

  /** The only session that waits for its client. */
  #returning(): SseSession | undefined {
    const [only, other] = this.#lost.keys();
    if (only === undefined || other !== undefined) return undefined;
    this.#forget(only);
    return only;
  }

  #onClosed(id: string, { stream, session }: SseConnection): void {
    this.#connections.delete(id);
    if (session === undefined) return;
    session.onStreamClosed(stream);
    if (!session.isConnected && !session.isEnded)
      this.#lost.set(session, setTimeout(() => this.#giveUp(session), RETURNS_WITHIN_MS).unref());
  }

  /** False: no session waits for its client. */
  giveUpLongestLost(): boolean {
    const [longest] = this.#lost.keys();
    if (longest === undefined) return false;
    this.#giveUp(longest);
    return true;
  }

  #giveUp(session: SseSession): void {
    this.#forget(session);
    session.leave();
  }

  #forget(session: SseSession): void {
    clearTimeout(this.#lost.get(session));
    this.#lost.delete(session);
  }
}
