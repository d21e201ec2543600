/**
 * One client's way to a server that speaks Streamable HTTP, in either era. Legacy: a session, opened by the client's
 * own `initialize` or in its words, and a GET stream. Modern: each request stands for itself. Messages go in order as
 * far as HTTP has one: what opens a session, and a notification, is taken before the next message is sent.
 */
import type { IncomingMessage } from 'node:http';
import { keyOf, type Key } from '../../wire/ids.js';
import type { Id } from '../../wire/envelope.js';
import { notification } from '../../wire/json-rpc.js';
import type { Message } from '../../wire/message.js';
import { isEventStream } from './body-reader.js';
import { ListeningStream } from './listening-stream.js';
import type { Opening } from '../opening.js';
import { OwnRequests } from './own-requests.js';
import type { Peer, PeerContext } from './peer.js';
import { Post, takenBackBy } from './post.js';
import { SendQueue } from './send-queue.js';
import { modernHeaders, modernVersionOf, headersIn, type SentHeaders } from './request-headers.js';
import type { Link } from './link.js';
import { follow, noAnswer, runPost, type PostOwner } from './run-post.js';

interface Session {
  /** Undefined: the server keeps none. */
  readonly id: string | undefined;
  readonly version: string | undefined;
}

const ACCEPT = 'application/json, text/event-stream';
/** A server that has not taken a notification by then gets the next message all the same. */
const TAKES_NOTIFICATION_MS = 5_000;
/** How long a server may take to hear that a session has ended. */
const HEARS_END_MS = 300;
/** When a modern stream that was lost is opened again. */
const LISTEN_AGAIN_MS = 500;
const MAX_RESUMES = 20;

export class StreamablePeer implements Peer, PostOwner {
  readonly link: Link;
  path: string;
  readonly #context: PeerContext;
  readonly #posts = new Map<Key, Post>();
  readonly #own = new OwnRequests();
  #session: Session | undefined;
  #isInitialized = false;
  #stream: ListeningStream | undefined;
  readonly #queue = new SendQueue((message) => this.#sendLegacy(message));
  #renewing: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(context: PeerContext) {
    this.#context = context;
    this.link = context.link;
    this.path = context.url.pathname + context.url.search;
  }

  open(): void {
    if (this.#session === undefined && !this.#queue.isWaiting && this.#context.opening() !== undefined)
      this.#queue.wait(this.#replay());
  }

  send(message: Message): void {
    if (this.#isClosed) return;
    // Also if it names a version, as modern clients do over stdio.
    if (this.#takesBack(message)) return;
    const version = modernVersionOf(message);
    if (version !== undefined) return this.#sendModern(message, version);
    if (this.#overtakes(message)) this.#sendLegacy(message);
    else this.#queue.push(message);
  }

  /** The session ends with the client, or the generation. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.close();
    this.#stream?.close();
    for (const post of this.#posts.values()) post.abort();
    const session = this.#session;
    if (session?.id === undefined || this.link.ended.aborted) return;
    const { path } = this;
    const signal = AbortSignal.timeout(HEARS_END_MS);
    const headers = { ...this.#ownHeaders(session), accept: ACCEPT };
    const reply = await this.link.client.send({ method: 'DELETE', path, headers, signal });
    if (reply.kind === 'response') reply.response.resume();
  }

  serverGone(): void {
    this.#stream?.reopen();
    for (const post of this.#posts.values()) if (post.isListening) post.disconnect();
  }

  #sendModern(message: Message, version: string): void {
    const post = new Post(message, version);
    for (const key of post.owed.keys()) this.#posts.set(key, post);
    void this.#post(post);
  }

  /**
   * What an open request is taken back by. In the modern era that is the end of its connection. A request that has not
   * been sent need not be taken back from anybody.
   */
  #takesBack(message: Message): boolean {
    const key = takenBackBy(message);
    if (key === undefined) return false;
    if (this.#queue.remove(key)) return true;
    const post = this.#posts.get(key);
    if (post === undefined) return false;
    this.#posts.delete(key);
    post.complete(key);
    if (post.version !== undefined || !post.isUnderWay) {
      if (post.isDone) post.abort();
      return true;
    }
    // The server says nothing more about it, as a rule, and keeps the response open.
    void this.#post(new Post(message, undefined)).then(() => {
      if (post.isDone) post.abort();
    });
    return true;
  }

  /** What a server waits for in the course of a request must not wait for others. */
  #overtakes({ envelope }: Message): boolean {
    if (this.#session === undefined) return false;
    if (envelope.kind === 'response') return true;
    return envelope.kind === 'notification' && envelope.method === 'notifications/progress';
  }

  #sendLegacy(message: Message): void {
    const { envelope } = message;
    const method = envelope.kind === 'request' || envelope.kind === 'notification' ? envelope.method : undefined;
    if (method === 'initialize') return this.#queue.wait(this.#openByClient(message));
    if (this.#session === undefined && this.#context.opening() !== undefined)
      return this.#queue.wait(this.#replay(), message);
    if (method === 'notifications/initialized') {
      if (!this.#isInitialized) this.#queue.wait(this.#initialized(message));
      return;
    }
    const post = this.#postOf(message);
    const done = this.#post(post);
    if (envelope.kind === 'notification' && method !== 'notifications/progress')
      this.#queue.wait(Promise.race([done, this.link.pause(TAKES_NOTIFICATION_MS, post.signal)]));
  }

  #postOf(message: Message): Post {
    const post = new Post(message, undefined);
    for (const key of post.owed.keys()) this.#posts.set(key, post);
    return post;
  }

  async #post(post: Post): Promise<'accepted' | 'refused'> {
    const taken = await runPost(this, post);
    if (post.isDone) this.#forget(post);
    return taken;
  }

  #forget(post: Post): void {
    for (const key of post.keys) if (this.#posts.get(key) === post) this.#posts.delete(key);
  }

  /** A client that opens a second session has no use for the one before. */
  async #openByClient(message: Message): Promise<void> {
    const before = this.#session;
    this.#stream?.close();
    this.#stream = undefined;
    this.#session = undefined;
    this.#isInitialized = false;
    const post = this.#postOf(message);
    await this.#post(post);
    if (before?.id !== undefined) void this.#forgetAtServer(before);
    await post.done;
  }

  async #forgetAtServer(session: Session): Promise<void> {
    const { path } = this;
    const reply = await this.link.client.send({ method: 'DELETE', path, headers: this.#ownHeaders(session) });
    if (reply.kind === 'response') reply.response.resume();
  }

  async #initialized(message: Message): Promise<void> {
    this.#isInitialized = true;
    const post = new Post(message, undefined);
    await Promise.race([this.#post(post), this.link.pause(TAKES_NOTIFICATION_MS, post.signal)]);
    this.#listen();
  }

  #listen(): void {
    const session = this.#session;
    if (session === undefined || this.#stream !== undefined || this.#isClosed) return;
    this.#stream = new ListeningStream({
      link: this.link,
      path: this.path,
      headers: () => this.#ownHeaders(session),
      hasSession: session.id !== undefined,
      message: (message) => this.#context.message(message),
      sessionGone: () => void this.renew(session),
    });
  }

  renew(lost: object): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    if (this.#session !== lost && this.#session !== undefined) return Promise.resolve(true);
    if (this.#renewing === undefined) {
      this.#stream?.close();
      this.#stream = undefined;
      this.#session = undefined;
      const renewing = this.#replay().then((isOpen) => {
        this.#renewing = undefined;
        if (isOpen) this.#context.renewed('forgotten');
        return isOpen;
      });
      this.#renewing = renewing;
      this.#queue.wait(renewing);
    }
    return this.#renewing;
  }

  /** Opens the session in the words of the client. False: the server refuses it, and so all that waits is refused. */
  async #replay(): Promise<boolean> {
    const opening = this.#context.opening();
    if (opening === undefined) return this.#refuseAll(undefined);
    this.#isInitialized = false;
    const answer = await this.#ask('initialize', opening.initialize);
    const { envelope } = answer;
    if (envelope.kind !== 'response' || envelope.error) return this.#refuseAll(answer);
    this.#session ??= { id: undefined, version: versionIn(answer) };
    await this.#restore(opening);
    return true;
  }

  async #restore({ isInitialized, settings }: Opening): Promise<void> {
    if (!isInitialized) return;
    this.#isInitialized = true;
    await runPost(this, new Post(notification('notifications/initialized'), undefined));
    this.#listen();
    for (const { method, params } of settings) {
      const answer = await this.#ask(method, params);
      if (answer.envelope.kind === 'response' && answer.envelope.error)
        this.link.warn(`the server refused ${method} ${params} in a session that was opened again`);
    }
  }

  /** Everything that waits for the session gets the answer that opening it had. */
  #refuseAll(refusal: Message | undefined): boolean {
    const waiting = this.#queue.takeAll();
    const open = [...new Set(this.#posts.values())].filter(({ wasRefused }) => wasRefused);
    const ids = [
      ...waiting.flatMap((message) => new Post(message, undefined).ids),
      ...open.flatMap(({ ids: of }) => of),
    ];
    for (const post of open) {
      for (const key of post.owed.keys()) post.complete(key);
      this.#forget(post);
    }
    for (const id of ids) {
      const problem = 'it does not know the session any more, and there is nothing to open it again with';
      this.#context.message(refusal?.with(['id'], id) ?? noAnswer(id, problem));
    }
    return false;
  }

  /** A request of ours. Its answer is an error if there is none. */
  #ask(method: string, params: string): Promise<Message> {
    const { message, answer } = this.#own.make(method, params, this.link.ended);
    void runPost(this, new Post(message, undefined));
    return answer;
  }

  /** What the client says of itself with each of its messages; what is sent for it says the same. */
  get #headers(): SentHeaders | undefined {
    return headersIn(this.#context.beside());
  }

  sendWith({ version, message }: Post): { readonly headers: SentHeaders; readonly session: Session | undefined } {
    const common = {
      ...(message.beside?.headers ?? this.#headers),
      'content-type': 'application/json',
      accept: ACCEPT,
    };
    if (version !== undefined)
      return { headers: { ...common, ...modernHeaders(message, version) }, session: undefined };
    const session = this.#session;
    if (session === undefined) return { headers: common, session };
    const headers = { ...common, ...headersOf(session) };
    return { headers, session: session.id === undefined ? undefined : session };
  }

  #ownHeaders(session: Session): SentHeaders {
    return { ...this.#headers, ...headersOf(session) };
  }

  saysWhoItIs({ message }: Post): boolean {
    return (message.beside?.headers ?? this.#headers) !== undefined;
  }

  accepted(post: Post, response: IncomingMessage): void {
    const { envelope } = post.message;
    if (envelope.kind !== 'request' || envelope.method !== 'initialize' || this.#session !== undefined) return;
    const id = response.headers['mcp-session-id'];
    // The version is known with the answer, before anything else is sent.
    if (typeof id === 'string') this.#session = { id, version: undefined };
  }

  message(post: Post, message: Message): void {
    const { envelope } = message;
    const isAnswer = envelope.kind === 'response';
    if (isAnswer && post.message.envelope.kind === 'request' && post.message.envelope.method === 'initialize') {
      if (envelope.error) this.#session = undefined;
      else this.#session = { id: this.#session?.id, version: versionIn(message) };
    }
    if (isAnswer && this.#own.complete(message)) return;
    if (post.isDone) this.#forget(post);
    if (!this.#isClosed) this.#context.message(message);
  }

  async resume(post: Post, lastEventId: string, retryMs: number | undefined): Promise<boolean> {
    const { link, path } = this;
    const { signal } = post;
    if (post.version !== undefined) return false;
    for (let attempt = 0; attempt < MAX_RESUMES; attempt++) {
      if (!(await link.pause(retryMs ?? LISTEN_AGAIN_MS, signal))) return true;
      const session = this.#session;
      if (session === undefined) return false;
      const headers = { ...this.#ownHeaders(session), accept: 'text/event-stream', 'last-event-id': lastEventId };
      const reply = await link.client.send({ method: 'GET', path, headers, signal });
      link.met(reply);
      if (reply.kind === 'failed') continue;
      if (reply.kind === 'elsewhere') return false;
      if (reply.response.statusCode === 200 && isEventStream(reply.response)) {
        follow(this, post, reply.response, lastEventId);
        return true;
      }
      reply.response.resume();
      return false;
    }
    return false;
  }

  lost(ids: readonly Id[], problem: string): void {
    const lost = ids.filter((id) => !this.#own.fail(id, problem) && !this.#listensAgain(keyOf(id)));
    for (const id of lost) {
      const key = keyOf(id);
      this.#posts.get(key)?.complete(key);
      this.#posts.delete(key);
    }
    if (lost.length > 0) this.#context.lost(lost, problem);
  }

  /** A modern stream that was lost is opened again: the client has it open all along. */
  #listensAgain(key: Key): boolean {
    const post = this.#posts.get(key);
    if (post?.isListening !== true) return false;
    const { message, version } = post;
    // One that could not be reached for a while is known to have been restarted.
    const { returns } = this.link;
    void this.link.pause(LISTEN_AGAIN_MS, post.signal).then((goesOn) => {
      if (!goesOn || this.#posts.get(key) !== post || version === undefined) return;
      this.#sendModern(message, version);
      if (this.link.returns === returns) this.#context.renewed('restarted');
    });
    return true;
  }
}

function headersOf({ id, version }: Session): SentHeaders {
  return {
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  };
}

function versionIn(answer: Message): string | undefined {
  const version = answer.read(['result', 'protocolVersion']);
  return typeof version === 'string' ? version : undefined;
}
