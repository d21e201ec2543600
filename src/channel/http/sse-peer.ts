/**
 * One client's way to a server that speaks HTTP+SSE, the transport of 2024-11-05: everything that the server says comes
 * by one stream, which is the session, and what it is told goes to an endpoint that the stream names. A stream that was
 * lost is opened again in the client's words.
 */
import type { IncomingMessage } from 'node:http';
import type { Id } from '../../wire/envelope.js';
import { keyOf, type Key } from '../../wire/ids.js';
import { notification } from '../../wire/json-rpc.js';
import type { Message } from '../../wire/message.js';
import { isEventStream, isJson, readEvents, readWhole, shown } from './body-reader.js';
import type { Link } from './link.js';
import { outcomeOf, statusText } from './outcome.js';
import { OwnRequests } from './own-requests.js';
import type { Peer, PeerContext } from './peer.js';
import { Post, takenBackBy } from './post.js';
import { headersIn, type SentHeaders } from './request-headers.js';
import { SendQueue } from './send-queue.js';
import { answerIn, noAnswer, notReached, refusalFor } from './run-post.js';

/** A stream, and where it wants to be answered. */
interface Connection {
  readonly path: string;
  readonly abort: AbortController;
}

const TAKES_NOTIFICATION_MS = 5_000;
const RECONNECTS_AFTER_MS = 100;
/** Whether somebody has waited for too long. */
const LOOKS_EVERY_MS = 200;
const MAX_REFUSAL = 1024 * 1024;

export class SsePeer implements Peer {
  readonly #context: PeerContext;
  readonly #link: Link;
  readonly #queue = new SendQueue((message) => this.#sendNow(message));
  /** Requests whose answers have not come by the stream. */
  readonly #posts = new Map<Key, Post>();
  readonly #own = new OwnRequests();
  /** Sent in a session that the server did not know. */
  readonly #refused = new WeakSet<Message>();
  #connection: Connection | undefined;
  #connecting = new AbortController();
  #isInitialized = false;
  #isClosed = false;

  constructor(context: PeerContext) {
    this.#context = context;
    this.#link = context.link;
  }

  open(): void {
    if (this.#connection === undefined && !this.#queue.isWaiting && this.#context.opening() !== undefined)
      this.#queue.wait(this.#replay());
  }

  send(message: Message): void {
    if (this.#isClosed) return;
    if (this.#takesBack(message)) return;
    const isResponse = message.envelope.kind === 'response';
    if (isResponse && this.#connection !== undefined) this.#sendNow(message);
    else this.#queue.push(message);
  }

  /** The stream is the session: a server that goes has lost it. */
  serverGone(): void {
    this.#connection?.abort.abort();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.close();
    this.#connecting.abort();
    this.#connection?.abort.abort();
    for (const post of this.#posts.values()) post.abort();
    return Promise.resolve();
  }

  /** What the client says of itself with each of its messages; what is sent for it says the same. */
  get #headers(): SentHeaders | undefined {
    return headersIn(this.#context.beside());
  }

  /** A request that has not been sent need not be taken back from anybody. */
  #takesBack(message: Message): boolean {
    const key = takenBackBy(message);
    if (key === undefined) return false;
    if (this.#queue.remove(key)) return true;
    const post = this.#posts.get(key);
    this.#posts.delete(key);
    if (post === undefined || post.isUnderWay) return false;
    post.abort();
    return true;
  }

  #sendNow(message: Message): void {
    const { envelope } = message;
    const method = envelope.kind === 'request' || envelope.kind === 'notification' ? envelope.method : undefined;
    if (method === 'initialize') return this.#queue.wait(this.#openByClient(message));
    if (this.#connection === undefined) {
      const opened = this.#context.opening() === undefined ? this.#connected() : this.#replay();
      return this.#queue.wait(opened, message);
    }
    if (method === 'notifications/initialized') {
      if (this.#isInitialized) return;
      this.#isInitialized = true;
    }
    const post = this.#postOf(message);
    const taken = this.#run(post);
    if (envelope.kind === 'notification' && method !== 'notifications/progress')
      this.#queue.wait(Promise.race([taken, this.#link.pause(TAKES_NOTIFICATION_MS, post.signal)]));
  }

  #postOf(message: Message): Post {
    const post = new Post(message, undefined);
    for (const key of post.keys) this.#posts.set(key, post);
    return post;
  }

  async #openByClient(message: Message): Promise<void> {
    this.#connection?.abort.abort();
    this.#connection = undefined;
    this.#isInitialized = false;
    const post = this.#postOf(message);
    const refusal = await this.#connect(true);
    if (refusal !== undefined) return this.#answer(post, (id) => refusalFor(id, refusal));
    await this.#run(post);
    await post.done;
  }

  /** All that waits is refused if the stream is. */
  async #connected(): Promise<boolean> {
    const refusal = await this.#connect();
    if (refusal === undefined) return true;
    return this.#refuseAll(refusal);
  }

  /** Opens the session in the words of the client. */
  async #replay(): Promise<boolean> {
    const opening = this.#context.opening();
    if (opening === undefined) return this.#connected();
    if (!(await this.#connected())) return false;
    const answer = await this.#ask('initialize', opening.initialize);
    const { envelope } = answer;
    if (envelope.kind !== 'response' || envelope.error) return this.#refuseAll(answer);
    if (!opening.isInitialized) return true;
    this.#isInitialized = true;
    await this.#run(new Post(notification('notifications/initialized'), undefined));
    for (const { method, params } of opening.settings) await this.#ask(method, params);
    return true;
  }

  #refuseAll(refusal: Message): boolean {
    for (const message of this.#queue.takeAll())
      for (const id of new Post(message, undefined).ids) this.#context.message(refusalFor(id, refusal));
    return false;
  }

  /** What has waited for the stream for too long. The stream itself is waited for as long as it takes. */
  #refuseLate(problem: string): void {
    const late = this.#queue.takeWhile((since) => this.#link.isLate(since));
    for (const { message, since } of late)
      for (const id of new Post(message, undefined).ids)
        this.#context.message(notReached(id, problem, performance.now() - since));
  }

  #ask(method: string, params: string): Promise<Message> {
    const { message, answer } = this.#own.make(method, params, this.#link.ended);
    void this.#run(new Post(message, undefined));
    return answer;
  }

  /**
   * Opens the stream, and waits until the server has said where it listens. Resolves with its refusal, if it refuses.
   * `isAwaited`: a client waits for nothing but this.
   */
  async #connect(isAwaited = false): Promise<Message | undefined> {
    const link = this.#link;
    const { pathname, search } = this.#context.url;
    this.#connecting = new AbortController();
    const { signal } = this.#connecting;
    const since = performance.now();
    for (;;) {
      if (signal.aborted || link.ended.aborted) return noAnswer('null', 'the server was stopped');
      const abort = new AbortController();
      const headers = { ...this.#headers, accept: 'text/event-stream' };
      const ended = AbortSignal.any([abort.signal, signal]);
      const reply = await link.client.send({ method: 'GET', path: pathname + search, headers, signal: ended });
      link.met(reply);
      let problem: string;
      if (reply.kind === 'response') {
        const { response } = reply;
        const status = response.statusCode ?? 0;
        if (status === 200 && isEventStream(response)) {
          const path = await this.#endpoint(response, abort);
          if (path !== undefined) {
            link.markUp();
            this.#connection = { path, abort };
            return undefined;
          }
          abort.abort();
          problem = 'the stream names no endpoint of the server';
        } else {
          const body = await readWhole(response, MAX_REFUSAL);
          const text = typeof body === 'string' ? '' : shown(body);
          if (status === 401 || status === 403) {
            link.markUp();
            const said = typeof body === 'string' ? Buffer.alloc(0) : body;
            return answerIn('null', response, status, said, this.#headers !== undefined);
          }
          problem = statusText(status, text);
        }
      } else problem = reply.kind === 'failed' ? reply.problem : `HTTP ${reply.status} points elsewhere`;
      link.note(problem);
      this.#refuseLate(problem);
      const isLate = isAwaited && link.isLate(since);
      if (isLate) return notReached('null', problem, performance.now() - since);
      if (!(await link.waitToRetry(since, signal, { isPatient: true, most: LOOKS_EVERY_MS })))
        return noAnswer('null', problem);
    }
  }

  /**
   * Reads the stream from now on. Resolves with the path that it names first; undefined: it names none of this server.
   */
  #endpoint(response: IncomingMessage, abort: AbortController): Promise<string | undefined> {
    const link = this.#link;
    return new Promise((resolve) => {
      readEvents(response, link.maxMessage, {
        message: (message) => this.#onMessage(message),
        event: ({ type, line }) => {
          if (type === 'endpoint') resolve(this.#pathIn(String(line).trim()));
        },
        noise: (text) => link.warn(`the server has sent an event that is no message: ${text.slice(0, 200)}`),
        tooLong: () => link.tooLong(),
        end: () => {
          resolve(undefined);
          if (this.#connection?.abort === abort) this.#onLost();
        },
      });
      link.reads(response);
    });
  }

  #pathIn(endpoint: string): string | undefined {
    const { url } = this.#context;
    if (!URL.canParse(endpoint, url.href)) return undefined;
    const { origin, pathname, search } = new URL(endpoint, url);
    return origin === url.origin ? pathname + search : undefined;
  }

  #onMessage(message: Message): void {
    const { envelope } = message;
    if (envelope.kind === 'response') {
      if (this.#own.complete(message)) return;
      const key = keyOf(envelope.id);
      this.#posts.get(key)?.complete(key);
      this.#posts.delete(key);
    }
    if (!this.#isClosed) this.#context.message(message);
  }

  /** With the stream the server has lost the session, and the answers that were to come by it. */
  #onLost(): void {
    this.#connection = undefined;
    if (this.#isClosed || this.#link.ended.aborted) return;
    const lost = [...this.#posts.values()].filter(({ wasSent }) => wasSent).flatMap(({ ids }) => ids);
    this.#lose(lost, 'the stream of its answers was lost');
    if (this.#context.opening() === undefined) return;
    const again = this.#link.pause(RECONNECTS_AFTER_MS, this.#connecting.signal).then(async (goesOn) => {
      if (goesOn && this.#connection === undefined && (await this.#replay())) this.#context.renewed('forgotten');
    });
    this.#queue.wait(again);
  }

  #lose(ids: readonly Id[], problem: string): void {
    const others = ids.filter((id) => !this.#own.fail(id, problem));
    for (const id of others) {
      const key = keyOf(id);
      this.#posts.get(key)?.complete(key);
      this.#posts.delete(key);
    }
    if (others.length > 0) this.#context.lost(others, problem);
  }

  /** Resolves when the server has taken the message, or will not. */
  async #run(post: Post): Promise<void> {
    const link = this.#link;
    const { signal } = post;
    const since = performance.now();
    for (;;) {
      const connection = this.#connection;
      if (signal.aborted || link.ended.aborted) return;
      if (connection === undefined) return this.#lose(post.ids, 'the stream of its answers was lost');
      const { path } = connection;
      const given = post.message.beside?.headers ?? this.#headers;
      const headers = { ...given, 'content-type': 'application/json' };
      const { body: sent } = post;
      const reply = await link.client.send({ method: 'POST', path, headers, body: sent, asker: post });
      link.met(reply);
      if (signal.aborted || link.ended.aborted) return;
      if (reply.kind === 'elsewhere')
        return this.#answer(post, (id) => noAnswer(id, `HTTP ${reply.status} points elsewhere`));
      if (reply.kind === 'failed') {
        post.wasSent ||= reply.wasSent;
        if (reply.wasSent) return this.#lose(post.ids, reply.problem);
        if (await link.waitToRetry(since, signal)) continue;
        return this.#answer(post, (id) => noAnswer(id, reply.problem));
      }
      post.wasSent = true;
      const { response } = reply;
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return void response.resume();
      const read = await readWhole(response, MAX_REFUSAL);
      const body = typeof read === 'string' ? Buffer.alloc(0) : read;
      const outcome = outcomeOf({ status, isJson: isJson(response), body, owed: post.ids, hasSession: true });
      switch (outcome.kind) {
        case 'answer':
          return this.#onMessage(outcome.message);
        case 'unauthorized':
          return this.#answer(post, (id) => answerIn(id, response, status, body, given !== undefined));
        case 'no-mcp':
          return this.#answer(post, (id) => noAnswer(id, outcome.text));
        case 'session-gone':
          if (this.#refused.has(post.message) || this.#connection !== connection) {
            return this.#answer(post, (id) => noAnswer(id, statusText(status, shown(body))));
          }
          // Nothing was executed: it goes first when the session is there again.
          this.#refused.add(post.message);
          for (const key of post.keys) this.#posts.delete(key);
          connection.abort.abort();
          this.#connection = undefined;
          this.#queue.wait(this.#renewed(), post.message);
          return;
      }
    }
  }

  async #renewed(): Promise<void> {
    if (await this.#replay()) this.#context.renewed('forgotten');
  }

  #answer(post: Post, answerTo: (id: Id) => Message): void {
    for (const id of post.ids) {
      const answer = answerTo(id);
      const key = keyOf(id);
      post.complete(key);
      this.#posts.delete(key);
      if (!this.#own.complete(answer) && !this.#isClosed) this.#context.message(answer);
    }
  }
}
