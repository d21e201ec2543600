/**
 * What is true of one generation and of no other: its process, its channel, who owes whom an answer, and what it is
 * known to be able to do. Dropping a generation is dropping this record (P10, no cross-talk). Who serves, and what
 * becomes of a message, is decided elsewhere. `S`: whose requests these are; nothing is known of it here.
 */
import type { Channel, Route } from '../channel/channel.js';
import type { Said } from '../channel/http/http-client.js';
import type { SentHeaders } from '../channel/http/request-headers.js';
import type { Opening } from '../channel/opening.js';
import type { Fetched } from '../lists/fetch.js';
import type { ListName } from '../lists/lists.js';
import { keyOf, type Key } from '../wire/ids.js';
import type { Id } from '../wire/envelope.js';
import { request } from '../wire/json-rpc.js';
import type { Beside, Message } from '../wire/message.js';
import type { CallClock } from './call-times.js';
import { OwedByClients } from './owed-by-clients.js';
import type { OutputTail } from './output-tail.js';
import { PendingRequests, type PendingRequest } from './pending-requests.js';
import type { ServerProcess } from './server-process.js';
import { TakenBackCalls } from './taken-back.js';
import { Tasks } from './tasks.js';
import { WireNames } from './wire-names.js';

const OUTPUT_OF_CALL_BYTES = 2048;

/** What came of a request of the proxy's own. */
export type Reply =
  | { readonly kind: 'result'; readonly message: Message }
  | { readonly kind: 'error'; readonly message: Message }
  | { readonly kind: 'gone' };

/** A client's `subscriptions/listen` stream, as one server has it. */
export interface StreamAtServer {
  /** The server has acknowledged it. */
  isFed: boolean;
  readonly wireId: Id;
}

/** What a client was told that servers can do, and what this generation can. */
export interface CapabilityGaps {
  readonly promisedButMissing: ReadonlySet<string>;
  /** The client can't be told of these. */
  readonly gained: readonly string[];
}

/** How a server that keeps its clients apart is told who comes and who leaves. */
export interface ClientsAtServer<S> {
  /** Opens the session of a client that has one with other generations, unless that was done. */
  open(of: S): void;
  /** The client has left. */
  close(of: S): void;
}

export interface UpstreamParts<S> {
  readonly generation: number;
  readonly process: ServerProcess;
  readonly channel: Channel;
  /** Undefined: to the server all clients are one. */
  readonly clients?: ClientsAtServer<S>;
  /** What it has printed on stdout for people and not ended with a newline, as a prompt. */
  unfinishedText(): string;
  /**
   * What it says at a path of its own, beside MCP. Undefined: it speaks no HTTP; resolves with undefined if it says
   * nothing.
   */
  readonly ask?: (path: string, headers: SentHeaders) => Promise<Said | undefined>;
  /** What has come in place of an answer to its handshake, if that is known. */
  lastProblem?(): string | undefined;
}

/** What the generations of one lineage have in common. */
export interface UpstreamContext<S = unknown> {
  readonly callClock: CallClock;
  /** On the monotonic clock. */
  now(): number;
  /** An id for a request of the proxy's own, which no client uses. */
  newRequestId(): Id;
  /** When it was last told of progress of this request, if it was. */
  progressAt?(pending: PendingRequest<S>): number | undefined;
  /** What a client has agreed with servers, or nobody in particular, for a server that keeps its clients apart. */
  opening?(of: S | undefined): Opening | undefined;
  /** What came with its last message. */
  beside?(of: S | undefined): Beside | undefined;
}

export class Upstream<S = unknown> {
  readonly generation: number;
  readonly process: ServerProcess;
  readonly channel: Channel;
  readonly clients: ClientsAtServer<S> | undefined;
  readonly ask: UpstreamParts<S>['ask'];
  readonly unfinishedText: () => string;
  readonly lastProblem: () => string | undefined;
  /** When the record was made, on the monotonic clock. */
  readonly startedAt: number;
  /** The requests of clients that it owes an answer to. */
  readonly pending: PendingRequests<S>;
  /** What clients owe it. */
  readonly serverRequests: OwedByClients<S>;
  readonly tasks = new Tasks<S>();
  /** Of clients that share it: it may be at them still. */
  readonly takenBack = new TakenBackCalls<S>();
  /** The proxy's own requests, by their ids. */
  readonly proxyRequests = new Map<Key, (reply: Reply) => void>();
  /** Clients' `subscriptions/listen` streams that it was opened with. */
  readonly streams = new Map<object, StreamAtServer>();
  /** The ids that it sees of clients that share it, and the tokens of progress. */
  readonly ids = new WireNames<S>('hotline-id');
  readonly tokens = new WireNames<S>('hotline-token');
  /** What it answered to the first `initialize`: later clients get the same. */
  introduction: Message | undefined;
  /** It has yet to answer the `initialize` of a client that is gone. */
  isIntroducing = false;
  /** It was told that the session stands (`notifications/initialized`). */
  isInitialized = false;
  /** The params of the `logging/setLevel` that it was sent last. */
  logLevel: string | undefined;
  /**
   * It has ended streams of late: if it goes, they outlive it, and the client never hears of their end.
   */
  isClosingStreams = false;
  /** It was asked something that leaves no doubt about the era: a process pins its era with such a message. */
  eraPinned = false;
  readonly capabilityGaps = new Map<S, CapabilityGaps>();
  /** The tools that it declared safe to call twice. */
  retrySafeTools: ReadonlySet<string> = new Set();
  /** A candidate's notifications of changed lists since it was last asked for them: true once it serves. */
  readonly suppressedListChanges = new Set<string>();
  /** Sessions that were replayed to it: what a client agrees to from then on, it has to be told too. */
  readonly sessionsReplayedTo = new Set<S>();
  /** The lists that it was seen to have when the proxy asked for them. */
  readonly knownLists = new Map<ListName, Fetched>();
  /** All of its tools, as they were seen last: by the proxy, or by a client. Undefined: they may be others by now. */
  tools: readonly unknown[] | undefined;
  /** Whose list that is: a client's, or undefined for one that the proxy has asked for. */
  toolsSeenBy: object | undefined;
  /** It does not declare the capability. */
  declaresNoTools = false;
  /** How often it has said that they are others now, and what has come of asking it. */
  readonly toolDoubts: {
    count: number;
    /** So often in a row they were the same all the same. */
    inVain: number;
    before: readonly unknown[] | undefined;
    isAsking: boolean;
  } = { count: 0, inVain: 0, before: undefined, isAsking: false };
  /** It was replaced and finishes what it owes. */
  isDraining = false;
  /** Nobody waits for it any more. */
  isAbandoned = false;
  /** It has answered a client, or opened the session of clients that were there before it: it is not hanging. */
  hasAnswered = false;
  /** What it says first, and its first answer, have yet to come and somebody waits for them. */
  expectsFirstMessage = false;
  expectsFirstResponse = false;
  /** Resolves when it owes nothing any more. */
  readonly drained: Promise<void>;
  /** Resolves when its process is gone. */
  readonly gone: Promise<void>;
  readonly #context: UpstreamContext<S>;
  #markDrained: () => void = () => {};
  #markGone: () => void = () => {};

  constructor(parts: UpstreamParts<S>, context: UpstreamContext<S>) {
    const { generation, process, channel, clients, ask, unfinishedText, lastProblem } = parts;
    this.generation = generation;
    this.process = process;
    this.channel = channel;
    this.clients = clients;
    this.ask = ask;
    this.unfinishedText = unfinishedText;
    this.lastProblem = lastProblem ?? (() => undefined);
    this.#context = context;
    this.startedAt = context.now();
    const { output } = process;
    this.pending = new PendingRequests(context.callClock, () => output.written);
    this.serverRequests = new OwedByClients(context.now, (session, since, now) => {
      this.pending.standStill(session, since, now, (each) => context.progressAt?.(each));
      context.callClock.onGoesOn();
    });
    this.drained = new Promise((resolve) => (this.#markDrained = resolve));
    this.gone = new Promise((resolve) => (this.#markGone = resolve));
  }

  /** Whether clients still have something to expect of it. */
  get owesAnything(): boolean {
    return this.pending.count > 0 || this.tasks.openCount > 0;
  }

  /** What it printed for people since the call was sent to it: the last 2 KB. */
  outputSince({ printedBefore }: Pick<PendingRequest<S>, 'printedBefore'>): ReturnType<OutputTail['since']> {
    const { output } = this.process;
    return output.since(printedBefore, OUTPUT_OF_CALL_BYTES);
  }

  /** The same, whenever it printed it. */
  lastOutput(): string {
    const { output } = this.process;
    return output.since(0, OUTPUT_OF_CALL_BYTES).text;
  }

  /** The id under which it is to see a request of a client that shares it. */
  takeWireId(session: S, id: Id): Id {
    return this.ids.take(session, id, id, (key) => this.#isIdInUse(session, key));
  }

  #isIdInUse(session: S, key: Key): boolean {
    if (this.proxyRequests.has(key)) return true;
    const pending = this.pending.find(key);
    return pending !== undefined && pending.session !== session;
  }

  markDrained(): void {
    this.#markDrained();
  }

  markGone(): void {
    this.#markGone();
  }

  /** A message of a client, or of the proxy's own that concerns this client. */
  send(message: Message, of: S | undefined, route?: Route): void {
    this.channel.send(message, route, of as object | undefined);
  }

  /** A request of the proxy's own: the answer is kept from clients. `params` is JSON. `of`: the client it concerns. */
  sendProxyRequest(method: string, params: string | undefined, onReply: (reply: Reply) => void, of?: S): Key {
    const id = this.#context.newRequestId();
    const key = keyOf(id);
    this.proxyRequests.set(key, onReply);
    if (method !== 'server/discover') this.eraPinned = true;
    this.send(request(id, method, params), of);
    return key;
  }

  /** The same; `gone` as well if the signal comes first. */
  request(method: string, params: string | undefined, signal: AbortSignal, of?: S): Promise<Reply> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve({ kind: 'gone' });
      const giveUp = (): void => {
        this.proxyRequests.delete(key);
        resolve({ kind: 'gone' });
      };
      const onReply = (reply: Reply): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(reply);
      };
      const key = this.sendProxyRequest(method, params, onReply, of);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Nobody answers the proxy's own requests any more. */
  failProxyRequests(): void {
    const open = [...this.proxyRequests.values()];
    this.proxyRequests.clear();
    for (const onReply of open) onReply({ kind: 'gone' });
  }

  /** An answer to one of the proxy's own requests. False if it is none. */
  completeProxyRequest(id: Id, message: Message, isError: boolean): boolean {
    const key = keyOf(id);
    const onReply = this.proxyRequests.get(key);
    if (onReply === undefined) return false;
    this.proxyRequests.delete(key);
    onReply({ kind: isError ? 'error' : 'result', message });
    return true;
  }
}
