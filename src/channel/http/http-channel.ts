/**
 * The channel to one generation of a server that speaks HTTP: for each client a way of its own to it (a peer), so that
 * the server keeps them apart. What belongs to no client goes by that of the client that opened the session with this
 * generation, or by one of ours. Knows the process only by what it is told of it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '../../wire/envelope.js';
import type { Beside, Message } from '../../wire/message.js';
import type { Channel, Route } from '../channel.js';
import { readWhole } from './body-reader.js';
import { HttpClient, type Said } from './http-client.js';
import { Link } from './link.js';
import type { Opening } from '../opening.js';
import type { Peer, PeerContext, Renewal } from './peer.js';
import { SsePeer } from './sse-peer.js';
import { endToEnd, type SentHeaders } from './request-headers.js';
import { StreamablePeer } from './streamable-peer.js';

/** `C`: a client, as those who use the channel know it. */
export interface HttpChannelEvents<C extends object> {
  message(message: Message, of: C | undefined): void;
  /** Nobody knows whether these requests were executed; the server is there. */
  lost(ids: readonly Id[], problem: string): void;
  /** The server can't be reached; what is asked of it waits. */
  gone(): void;
  /** The server may be another one by now. */
  renewed(why: Renewal): void;
  /** A message was longer than the limit. */
  oversized(): void;
  warn(text: string): void;
}

export interface HttpChannelOptions<C extends object> {
  readonly url: URL;
  readonly maxMessage: number;
  /** Whether it is there is to be noticed though nobody asks it anything. */
  readonly isWatched: boolean;
  /** How long a request waits for a server that can't be reached any more, in milliseconds; 0: for ever. */
  patience(): number;
  /** What a client has agreed with servers; of nobody: what a server is opened with as a rule. */
  opening(of: C | undefined): Opening | undefined;
  /** What came with a client's last message. */
  beside(of: C | undefined): Beside | undefined;
}

/** A process that ends breaks its connections first: what it took with it is known when it is gone. */
const PROCESS_GOES_MS = 500;
/** What is said beside MCP is short, and comes soon. */
const MAX_SAID = 4 * 1024 * 1024;
const ASKED_FOR_MS = 10_000;
/** How long the server may take to hear of the end of its sessions. */
const SAYS_GOODBYE_MS = 300;

export class HttpChannel<C extends object> implements Channel {
  readonly #options: HttpChannelOptions<C>;
  readonly #events: HttpChannelEvents<C>;
  readonly #client: HttpClient;
  readonly #link: Link;
  readonly #peers = new Map<C, Peer>();
  /** By it goes what belongs to no client. */
  #main: Peer | undefined;
  #isEnding = false;

  constructor(options: HttpChannelOptions<C>, events: HttpChannelEvents<C>) {
    this.#options = options;
    this.#events = events;
    this.#client = new HttpClient(options.url);
    this.#link = new Link({
      client: this.#client,
      url: options.url,
      maxMessage: options.maxMessage,
      patience: () => options.patience(),
      gone: () => this.#onGone(),
      back: () => events.renewed('restarted'),
      tooLong: () => events.oversized(),
      warn: (text) => events.warn(text),
    });
    if (options.isWatched) this.#link.watch();
  }

  /** What came last in place of an answer of MCP, as long as there has been none. */
  get lastProblem(): string | undefined {
    return this.#link.lastProblem;
  }

  /** HTTP has no end of its buffers that we could see; what a client may have open at once is limited elsewhere. */
  get full(): boolean {
    return false;
  }

  send(message: Message, _route?: Route, of?: object): void {
    if (this.#isEnding) return;
    const peer = of === undefined ? this.#mainPeer() : this.#peerOf(of as C);
    peer.send(message);
  }

  /** Opens the session of a client that has one with other generations. */
  open(of: C): void {
    if (!this.#isEnding) this.#peerOf(of).open();
  }

  /** The client has left. */
  close(of: C): void {
    const peer = this.#peers.get(of);
    this.#peers.delete(of);
    if (this.#main === peer) this.#main = undefined;
    void peer?.close();
  }

  /** What the server says at a path of its own, beside MCP. Undefined: it can't be reached. */
  async ask(path: string, headers: SentHeaders): Promise<Said | undefined> {
    const link = this.#link;
    const since = performance.now();
    const signal = AbortSignal.any([link.ended, AbortSignal.timeout(ASKED_FOR_MS)]);
    for (;;) {
      const reply = await this.#client.send({ method: 'GET', path, headers, signal });
      link.met(reply);
      switch (reply.kind) {
        case 'elsewhere':
          return { status: reply.status, headers: { location: reply.location }, body: Buffer.alloc(0) };
        case 'failed':
          if (await link.waitToRetry(since, signal)) continue;
          return undefined;
        case 'response': {
          const { response } = reply;
          const body = await readWhole(response, MAX_SAID);
          if (typeof body === 'string') return undefined;
          return { status: response.statusCode ?? 0, headers: endToEnd(response.headersDistinct), body };
        }
      }
    }
  }

  pause(): void {
    this.#link.pauseReading();
  }

  resume(): void {
    this.#link.resumeReading();
  }

  end(): void {
    void this.leave();
  }

  /** Closes the streams, for which some servers would wait, and the sessions. Resolves when the server has heard it. */
  async leave(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.resume();
    const all = Promise.all([...this.#all()].map((peer) => peer.close()));
    const over = new AbortController();
    await Promise.race([all, delay(SAYS_GOODBYE_MS, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    this.finish();
  }

  /** The process is gone: nothing is sent any more. What has come is still read. */
  processGone(): void {
    this.#link.end();
    this.resume();
  }

  /** Resolves when nothing more is on its way. */
  quiet(): Promise<void> {
    return this.#client.quiet();
  }

  finish(): void {
    this.#isEnding = true;
    this.#link.end();
    this.#client.close();
  }

  /** What is on its way is with the system. */
  drained(): Promise<void> {
    return Promise.resolve();
  }

  /** A server that is told to go may wait for its streams to be closed. */
  #onGone(): void {
    for (const peer of this.#all()) peer.serverGone();
    this.#events.gone();
  }

  #all(): ReadonlySet<Peer> {
    return new Set([...this.#peers.values(), ...(this.#main === undefined ? [] : [this.#main])]);
  }

  #mainPeer(): Peer {
    if (this.#main !== undefined) return this.#main;
    const [first] = this.#peers.values();
    return (this.#main = first ?? this.#newPeer(undefined));
  }

  #peerOf(of: C): Peer {
    let peer = this.#peers.get(of);
    if (peer === undefined) {
      peer = this.#newPeer(of);
      this.#peers.set(of, peer);
      this.#main ??= peer;
    }
    return peer;
  }

  #newPeer(of: C | undefined): Peer {
    const context: PeerContext = {
      link: this.#link,
      url: this.#options.url,
      opening: () => this.#options.opening(of),
      beside: () => this.#options.beside(of),
      message: (message) => this.#events.message(message, of),
      lost: (ids, problem) => void this.#lost(ids, problem),
      renewed: (why) => this.#events.renewed(why),
    };
    return isSse(this.#options.url) ? new SsePeer(context) : new StreamablePeer(context);
  }

  async #lost(ids: readonly Id[], problem: string): Promise<void> {
    const { ended } = this.#link;
    await delay(PROCESS_GOES_MS, undefined, { signal: ended }).catch(() => {});
    if (!ended.aborted) this.#events.lost(ids, problem);
  }
}

/** The transport of 2024-11-05 has an endpoint of its own for its stream, by custom under this name. */
function isSse({ pathname }: URL): boolean {
  return /\/sse\/?$/.test(pathname);
}
