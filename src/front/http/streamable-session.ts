/**
 * A client of the legacy era over Streamable HTTP, as one channel: its messages come by many POSTs, and what it gets
 * goes out by the response that it belongs to. An answer, and what is said in the course of a request, goes by that
 * request's POST; the rest by the GET stream, or else by the oldest POST, or it waits. Knows no other session.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Channel, Route } from '../../channel/channel.js';
import type { Id } from '../../wire/envelope.js';
import { keyOf, keyOfValue, type Key } from '../../wire/ids.js';
import type { Message } from '../../wire/message.js';
import { ShortLivedSet } from '../../wire/short-lived.js';
import type { ClientEvents, Connect } from '../connection.js';
import { Gate } from '../gate.js';
import { EventStream } from './event-stream.js';
import { requestsOf, takenBackBy } from './asked.js';
import { sendJson } from './json-answer.js';
import { ReplayedStream } from './replayed-stream.js';
import { MAX_BACKLOG_BYTES, type SlowReaders } from './slow-readers.js';

export interface SessionContext {
  readonly slowReaders: SlowReaders;
  /** An answer came for a request whose client had closed the response. */
  droppedAnswer(id: Id): void;
  /** Messages that nobody came for have been given up, since too many waited. */
  droppedMessages(count: number): void;
  /** An error that stands for an answer which will not come. */
  noAnswer(id: Id): Message;
  /** The session has its answer to `initialize`. */
  opened(answer: Message): void;
  /** Nobody waits for that answer, so nobody will ever know of the session. */
  abandoned(): void;
}

/** A response that owes answers. */
interface Post {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly isBatch: boolean;
  readonly owed: Set<Key>;
  readonly ids: readonly Id[];
  /** Of the progress that the client asked for. */
  readonly tokens: ReadonlySet<Key>;
  stream: EventStream | undefined;
}

export class StreamableSession implements Channel {
  readonly #context: SessionContext;
  readonly #posts = new ShortLivedSet<Post>();
  readonly #outgoing: ReplayedStream;
  #events: ClientEvents | undefined;
  #gate: Gate | undefined;
  /** Whose messages have not been taken, since too much waits already. */
  #waitingPosts = 0;
  #isPaused = false;
  #isFull = false;
  #isEnded = false;
  /** Its `initialize` has been answered. */
  #isOpen = false;
  #onResumed: (() => void)[] = [];
  #lastUsedAt = performance.now();

  constructor(context: SessionContext) {
    this.#context = context;
    this.#outgoing = new ReplayedStream((count) => context.droppedMessages(count));
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

  /** For how many milliseconds nothing of it has been open. */
  get idleMs(): number {
    return this.#posts.size > 0 || this.#outgoing.isOpen ? 0 : performance.now() - this.#lastUsedAt;
  }

  get openPosts(): number {
    return this.#posts.size + this.#waitingPosts;
  }

  get hasGetStream(): boolean {
    return this.#outgoing.isOpen;
  }

  /** A message of the client. `response` is answered now, or when the requests in the message are. */
  async post(message: Message, response: ServerResponse, headers: Readonly<Record<string, string>>): Promise<void> {
    this.#lastUsedAt = performance.now();
    this.#waitingPosts++;
    while (this.#isPaused && !this.#isEnded) await new Promise<void>((resolve) => this.#onResumed.push(resolve));
    this.#waitingPosts--;
    const requests = requestsOf(message);
    if (requests.length === 0) {
      response.writeHead(202, headers).end();
    } else if (!response.destroyed) {
      const ids = requests.map(({ id }) => id);
      const tokens = requests.flatMap((each) => keyOfValue(each.message.read(PROGRESS_TOKEN)) ?? []);
      const owed = new Set(ids.map(keyOf));
      const isBatch = message.envelope.kind === 'batch';
      const post: Post = { response, headers, isBatch, owed, ids, tokens: new Set(tokens), stream: undefined };
      this.#posts.add(post);
      response.on('error', () => {});
      response.on('close', () => this.#closed(post));
    }
    if (this.#isEnded) return this.end();
    this.#gate?.push(message);
    for (const id of takenBackBy(message)) this.#release(id);
  }

  /** The client does not wait for this answer any more: most servers give none, and the response would stay open. */
  #release(key: Key): void {
    const post = this.#find(({ owed }) => owed.has(key));
    if (post === undefined) return;
    post.owed.delete(key);
    if (post.owed.size > 0) return;
    this.#posts.delete(post);
    if (post.stream !== undefined) post.stream.end();
    else post.response.writeHead(202, post.headers).end();
  }

  /** Opens the stream that what concerns no request goes out by. */
  listen(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { lastEventId, isPrimed }: { readonly lastEventId: string | undefined; readonly isPrimed: boolean },
  ): void {
    const stream = new EventStream(response, headers, {
      full: (isFull) => this.#onFull(stream, isFull, 0),
      closed: () => {
        this.#lastUsedAt = performance.now();
        this.#outgoing.close(stream);
      },
    });
    this.#outgoing.open(stream, lastEventId, isPrimed);
  }

  get full(): boolean {
    return this.#isFull;
  }

  send(message: Message, route?: Route): void {
    if (route?.kind === 'answer') return this.#answer(this.#postOwing(message, route.to), message, route.to);
    const post = this.#postAbout(message, route);
    if (post !== undefined) this.#streamOf(post).send(message);
    else if (this.#outgoing.isOpen) this.#outgoing.send(message);
    else {
      const [oldest] = this.#posts;
      if (oldest === undefined) this.#outgoing.send(message);
      else this.#streamOf(oldest).send(message);
    }
  }

  #answer(post: Post | undefined, message: Message, to: Id): void {
    if (post === undefined) return this.#context.droppedAnswer(to);
    this.#isOpen = true;
    this.#context.opened(message);
    const answered = message.envelope.kind === 'batch' ? post.ids : [to];
    for (const id of answered) post.owed.delete(keyOf(id));
    const isLast = post.owed.size === 0;
    const { response, stream } = post;
    if (stream !== undefined || !isLast) {
      this.#streamOf(post).send(message);
      if (isLast) this.#streamOf(post).end();
    } else {
      sendJson(response, 200, post.headers, message);
    }
    if (!isLast) return;
    this.#posts.delete(post);
    this.#lastUsedAt = performance.now();
  }

  /**
   * A batch is answered as one, though one of its requests has been taken back meanwhile; and if its id is also that of
   * a request which came alone, an answer that comes alone is rather to that one.
   */
  #postOwing({ envelope }: Message, to: Id): Post | undefined {
    const key = keyOf(to);
    const isBatch = envelope.kind === 'batch';
    const owes = ({ owed }: Post): boolean => owed.has(key);
    return (
      this.#find((post) => post.isBatch === isBatch && owes(post)) ??
      this.#find(owes) ??
      (isBatch ? this.#find(({ ids }) => ids.some((id) => keyOf(id) === key)) : undefined)
    );
  }

  /** The POST in whose course something is said, if it is open. */
  #postAbout(message: Message, route: Route | undefined): Post | undefined {
    if (route?.kind === 'about') {
      const key = keyOf(route.request);
      return this.#find((post) => post.owed.has(key));
    }
    const { envelope } = message;
    if (envelope.kind !== 'notification' || envelope.method !== 'notifications/progress') return undefined;
    const token = keyOfValue(message.read(['params', 'progressToken']));
    return token === undefined ? undefined : this.#find((post) => post.tokens.has(token));
  }

  #find(isWanted: (post: Post) => boolean): Post | undefined {
    for (const post of this.#posts) if (isWanted(post)) return post;
    return undefined;
  }

  #streamOf(post: Post): EventStream {
    if (post.stream !== undefined) return post.stream;
    const stream = new EventStream(post.response, post.headers, {
      full: (isFull) => this.#onFull(stream, isFull, MAX_BACKLOG_BYTES),
      closed: () => {},
    });
    return (post.stream = stream);
  }

  /** The client does not wait for these answers any more. That takes nothing back: the era has a message for that. */
  #closed(post: Post): void {
    if (!this.#posts.delete(post)) return;
    this.#lastUsedAt = performance.now();
    if (!this.#isOpen) this.#context.abandoned();
  }

  #onFull(stream: EventStream, isFull: boolean, maxBacklog: number): void {
    if (isFull) this.#context.slowReaders.watch(stream, maxBacklog);
    const isAnyFull = this.#outgoing.isFull || this.#find((post) => post.stream?.isFull === true) !== undefined;
    if (isAnyFull === this.#isFull) return;
    this.#isFull = isAnyFull;
    this.#events?.full(isAnyFull);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const resolve of this.#onResumed.splice(0)) resolve();
  }

  /** The session is over: whoever still waits hears of it. */
  end(): void {
    this.#isEnded = true;
    this.resume();
    for (const post of this.#posts) {
      for (const id of post.ids) if (post.owed.has(keyOf(id))) this.#answer(post, this.#context.noAnswer(id), id);
    }
    this.#outgoing.end();
  }

  /** The client has asked for the end of the session, or has not been heard of for too long. */
  leave(): void {
    this.#events?.gone();
  }

  async drained(): Promise<void> {
    // An answer that has just come is written by now.
    await turn();
  }
}

const PROGRESS_TOKEN = ['params', '_meta', 'progressToken'];
