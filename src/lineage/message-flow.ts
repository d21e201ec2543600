/**
 * The message side of a lineage: the clients that are attached, the verdicts on what they and the servers say, and the
 * generations that messages go to. Slows down whoever writes faster than the other side reads. Knows nothing of
 * attempts, and no transport.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { Channel } from '../channel/channel.js';
import type { Renewal } from '../channel/http/peer.js';
import type { Config } from '../config/config.js';
import { shownUrl } from '../config/upstream-option.js';
import { trafficOf } from '../events/traffic.js';
import type { FlowContext } from '../flow/flow.js';
import { attachSession, detachSession } from '../exchange/attach.js';
import { fromClient } from '../exchange/from-client.js';
import { fromServer } from '../exchange/from-server.js';
import { expire, loseRequests } from '../exchange/handover.js';
import { isOpening } from '../exchange/methods.js';
import { lastProgressOf } from '../exchange/progress.js';
import { asMeant } from '../exchange/malformed.js';
import { endStreams } from '../exchange/stream-messages.js';
import {
  hasServerAnswered,
  createLineageRecord,
  createSession,
  type ExchangeOptions,
  type Arrival,
  type LineageRecord,
  type Ports,
  type Role,
  type Session,
  type Upstream,
} from '../exchange/records.js';
import { noteTaskSupport } from '../exchange/task-messages.js';
import type { Exit } from '../process/child.js';
import { ShortLivedMap } from '../wire/short-lived.js';
import type { ServerEvents } from '../server/server-spec.js';
import type { UpstreamContext } from '../server/upstream.js';
import { membersOf } from '../session/agreement.js';
import type { Id } from '../wire/envelope.js';
import type { Beside, Message } from '../wire/message.js';
import type { ClientConnection, Connect } from '../front/connection.js';
import { CallWatch } from './call-watch.js';
import type { ChangeDetector } from './change-detector.js';
import type { LineageOptions } from './lineage-options.js';
import { HandshakeCache } from './handshake-cache.js';
import type { LiveGenerations } from './live-generations.js';
import { NextTurn } from './next-turn.js';
import { StderrFence } from './stderr-fence.js';
import { WaitTicker } from './wait-ticker.js';

export interface MessageFlowEvents extends Pick<Ports, 'runAgentTool' | 'fetchAllTools' | 'repeatAttempt'> {
  /** The client opens its session, and no server has answered it yet. */
  onOpening(session: Session, id: Id, method: string): void;
  /** The client has closed its side, and the verdict on all that it had sent has fallen. */
  onClientEnd(session: Session): void;
  /** The client is gone: what it has asked for concerns nobody any more. */
  onClientGone(session: Session): void;
  /** The generation of which this was expected has given its first answer. */
  onFirstResponse(upstream: Upstream): void;
  onExit(upstream: Upstream, exit: Exit): void;
  /** A server may be another one by now, though nothing was started. */
  onRenewed(upstream: Upstream, why: Renewal): void;
  /** Why requests are held at the moment. */
  whyHeld(): string;
}

interface Client {
  readonly connection: ClientConnection;
  isGateFull: boolean;
}

/** How long a server may take to go after it has ended its streams. */
const GOES_AFTER_STREAMS_MS = 1_000;

export class MessageFlow {
  readonly #context: FlowContext;
  readonly lineage: LineageRecord;
  readonly serverEvents: ServerEvents<Session>;
  readonly upstreamContext: UpstreamContext<Session>;
  readonly #generations: LiveGenerations;
  readonly #closed = new AbortController();
  readonly #ticker: WaitTicker;
  readonly callWatch: CallWatch;
  readonly #changeDetector: ChangeDetector;
  readonly #events: MessageFlowEvents;
  readonly #clients = new ShortLivedMap<Session, Client>();
  readonly #nextTurn = new NextTurn();
  readonly #warned = new Set<string>();
  #proxyRequests = 0;
  #expiring = false;
  #watchesStreams = false;
  /** The only client reads too slowly. */
  #areServersPaused = false;

  constructor(
    flow: FlowContext,
    generations: LiveGenerations,
    changeDetector: ChangeDetector,
    events: MessageFlowEvents,
    { silentAfterMs }: Pick<LineageOptions, 'silentAfterMs'> = {},
  ) {
    const { config, events: bus } = flow;
    this.#changeDetector = changeDetector;
    this.#events = events;
    // As many wait by it as the client has sent lists of tools.
    setMaxListeners(0, this.#closed.signal);
    this.#context = flow;
    this.#generations = generations;
    this.lineage = createLineageRecord(
      {
        now: () => performance.now(),
        runAgentTool: events.runAgentTool,
        fetchAllTools: events.fetchAllTools,
        repeatAttempt: events.repeatAttempt,
        onIntroduced: (method, answer) => {
          noteTaskSupport(this.lineage, membersOf(answer.read(['result'])));
          void cache.save(method, answer);
        },
        onOpenedInPlace: (method, isGuess, failure) => reportOpening(flow, method, isGuess, failure),
        onDiscoverRefused: () => void cache.forgetDiscover(),
        later: (ms, work) =>
          void delay(ms, undefined, { signal: this.#closed.signal, ref: false }).then(work, () => {}),
        warn: (text) => bus.emit({ kind: 'warning', text }),
        warnOnce: (text) => {
          if (!this.#warned.has(text)) bus.emit({ kind: 'warning', text });
          this.#warned.add(text);
        },
      },
      optionsOf(flow, config),
      generations,
    );
    const nonce = randomBytes(6).toString('hex');
    this.upstreamContext = {
      callClock: this.lineage.callClock,
      now: () => performance.now(),
      progressAt: lastProgressOf,
      newRequestId: () => `"mcp-hotline:${nonce}:${++this.#proxyRequests}"`,
      opening: (session) => (session ?? this.lineage).agreement.opening,
      beside: (session) => (session ?? this.lineage).agreement.beside,
    };
    this.#ticker = new WaitTicker({
      lineage: this.lineage,
      whyHeld: events.whyHeld,
      closed: this.#closed.signal,
    });
    this.callWatch = new CallWatch({ flow, lineage: this.lineage, closed: this.#closed.signal, silentAfterMs });
    const cache = new HandshakeCache(flow, this.lineage);
    const stderrFence = new StderrFence(this.lineage, (upstream, message, of) =>
      this.#fromServer(upstream, message, of),
    );
    this.serverEvents = {
      message: (upstream, message, of) => {
        if (bus.wants('traffic')) bus.emit(trafficOf('server', upstream.generation, message.envelope, message.length));
        if (stderrFence.concerns(upstream)) stderrFence.pass(upstream, message, of);
        else this.#fromServer(upstream, message, of);
      },
      lost: (upstream, ids, problem) => {
        loseRequests(this.lineage, upstream, ids, problem);
        this.watchHold();
      },
      renewed: (upstream, why) => events.onRenewed(upstream, why),
      away: () => bus.emit({ kind: 'warning', text: awayText(flow), level: 'info' }),
      warn: (text) => this.lineage.ports.warnOnce(text),
      noise: flow.noise,
      oversized: ({ generation, process }) => {
        const limit = flow.config.maxMessage;
        bus.emit({ kind: 'line-too-long', generation, limit });
        process.failAndKill({ kind: 'line-too-long', limitBytes: limit });
      },
      full: () => this.applyBackpressure(),
      halfClosed: ({ process }, pipe) => process.failAndKill({ kind: 'pipe-closed', pipe }),
      exit: (upstream, exit) => {
        stderrFence.flush(upstream);
        this.applyBackpressure();
        events.onExit(upstream, exit);
      },
    };
  }

  /** A client comes in. Its messages go to whoever serves the lineage. */
  attach(connect: Connect, role: Role): Session {
    const events = this.#events;
    const connection = connect({
      needsCheck: (envelope) => this.#changeDetector.needsCheck(envelope),
      check: () => this.#changeDetector.checkForRequest(),
      atNextTurn: (run) => this.#nextTurn.wait(run),
      message: (read, since) => this.#fromClient(session, read, since),
      gateIsFull: (isFull) => {
        client.isGateFull = isFull;
        this.applyBackpressure();
      },
      full: () => this.#onClientFull(),
      ended: () => events.onClientEnd(session),
      gone: () => events.onClientGone(session),
    });
    const session = attachSession(this.lineage, connection.channel, role);
    const client = { connection, isGateFull: false };
    this.#clients.set(session, client);
    // A slow reader is alone no longer.
    this.#onClientFull();
    return session;
  }

  /** The client has left, and the servers stay for others. */
  detach(session: Session): Channel | undefined {
    const client = this.#clients.get(session);
    if (client === undefined) return undefined;
    this.#clients.delete(session);
    detachSession(session);
    this.#onClientFull();
    this.watchHold();
    return client.connection.channel;
  }

  #fromClient(session: Session, read: Message, since: number): void {
    if (!this.#clients.has(session)) return;
    if (read.beside !== undefined) this.#recordBeside(session, read.beside);
    const message = asMeant(session, read);
    const { envelope } = message;
    const { events: bus } = this.#context;
    if (bus.wants('traffic')) bus.emit(trafficOf('client', undefined, envelope, message.length));
    // Only the first server of all may be answered for.
    if (!hasServerAnswered(this.lineage) && envelope.kind === 'request' && isOpening(envelope.method))
      this.#events.onOpening(session, envelope.id, envelope.method);
    fromClient(session, message, since);
    if (envelope.kind !== 'notification') this.watchHold();
  }

  /** In the modern era each request is a client, and what we ask ourselves is asked in the words of the latest. */
  #recordBeside(session: Session, beside: Beside): void {
    const { agreement } = this.lineage;
    session.agreement.recordBeside(beside);
    if (agreement.era === 'modern') agreement.recordBeside(beside);
  }

  #fromServer(upstream: Upstream, message: Message, of: Session | undefined): void {
    const owed = upstream.expectsFirstResponse ? upstream.pending.count : 0;
    fromServer(this.lineage, upstream, message, of);
    if (upstream.expectsFirstMessage) {
      upstream.expectsFirstMessage = false;
      void this.#changeDetector.onFirstMessage(upstream.generation);
    }
    // One that was asked in vain and is waited for as a candidate is ready when its session is open.
    const isServing = upstream === this.lineage.serving;
    if (upstream.expectsFirstResponse && isServing && upstream.pending.count < owed) {
      upstream.expectsFirstResponse = false;
      this.#events.onFirstResponse(upstream);
    }
    if (upstream.isClosingStreams) void this.#watchStreams(upstream);
  }

  /**
   * The client that has been here for longest, of those whose session is open if there are any. While there is none:
   * nobody, who has agreed and was told as much.
   */
  get session(): Session {
    const [first] = this.#clients.keys();
    const session = first?.agreement.isOpen === true ? first : ([...this.#clients.keys()].find(isOpen) ?? first);
    return session ?? createSession(this.lineage, { send: () => {}, full: false }, this.lineage.agreement);
  }

  /** The channels of all clients. */
  get channels(): readonly Channel[] {
    return [...this.#clients.values()].map(({ connection }) => connection.channel);
  }

  /** Resolves when everything that clients have sent so far has passed their gates. */
  async gatesEmptied(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ connection }) => connection.emptied()));
  }

  /** Held messages have to pass the check of the disk once more. */
  returnToGates(held: readonly Arrival[]): void {
    for (const [session, { connection }] of this.#clients) {
      const own = held.filter((one) => one.session === session);
      if (own.length > 0) connection.returnToGate(own);
    }
  }

  /** A generation that comes up while the client is slow is slowed down like the others. */
  admit(upstream: Upstream): void {
    this.#generations.add(upstream);
    if (this.#areServersPaused) upstream.channel.pause();
  }

  /** Tells when it says something, and when it gives its first answer. Of others that is not expected any more. */
  expectFirstMessage(expected: Upstream | undefined): void {
    for (const upstream of this.#generations) {
      upstream.expectsFirstMessage = upstream === expected;
      upstream.expectsFirstResponse = upstream === expected;
    }
  }

  /** Another configuration is in force. */
  reconfigure(config: Config): void {
    this.lineage.options = optionsOf(this.#context, config);
    this.callWatch.wake();
  }

  /** Sees to it that what waits hears why, and is answered if it waits too long. */
  watchHold(): void {
    this.#ticker.watch();
    if (this.#expiring || this.lineage.hold.size === 0 || this.lineage.options.hold === 0) return;
    this.#expiring = true;
    void this.#expire().catch(() => {});
  }

  close(): void {
    this.#closed.abort();
  }

  /** A server that has ended its streams and is there a moment later has not done it because it goes. */
  async #watchStreams(upstream: Upstream): Promise<void> {
    if (this.#watchesStreams) return;
    this.#watchesStreams = true;
    await delay(GOES_AFTER_STREAMS_MS, undefined, { signal: this.#closed.signal }).catch(() => {});
    this.#watchesStreams = false;
    endStreams(this.lineage, upstream);
  }

  async #expire(): Promise<void> {
    try {
      for (let due = expire(this.lineage); due !== undefined; due = expire(this.lineage)) {
        await delay(Math.max(1, due - performance.now()), undefined, { signal: this.#closed.signal });
      }
    } finally {
      // In the same turn as the last look: whatever is held from now on starts a new watch.
      this.#expiring = false;
    }
  }

  /** Clients are read as long as the one that serves reads. For whenever that may have changed. */
  applyBackpressure(): void {
    const isServerFull = this.lineage.serving?.channel.full === true;
    for (const { connection, isGateFull } of this.#clients.values()) {
      if (isGateFull || isServerFull) connection.channel.pause();
      else connection.channel.resume();
    }
  }

  /** A slow reader slows down servers that it has for itself, and none that others use (P12, P17). */
  #onClientFull(): void {
    const isSlowedDown = this.#isOnlyClientFull;
    if (isSlowedDown === this.#areServersPaused) return;
    this.#areServersPaused = isSlowedDown;
    for (const { channel } of this.#generations) {
      if (isSlowedDown) channel.pause();
      else channel.resume();
    }
  }

  get #isOnlyClientFull(): boolean {
    if (this.#clients.size !== 1) return false;
    const [only] = this.#clients.values();
    return only?.connection.channel.full === true;
  }
}

/** People must know that a client has a session though its server has not answered. */
function reportOpening(
  { events, name }: FlowContext,
  method: string,
  isGuess: boolean,
  failure: Failure | undefined,
): void {
  const inPlace = isGuess ? 'guess' : 'remembered';
  events.emit({ kind: 'opened-in-place', name, method, inPlace, failing: failure !== undefined });
}

function awayText({ config }: FlowContext): string {
  const limit = config.hold === 0 ? '' : `, each for ${config.hold / 1000} s at most`;
  return `the server can't be reached at ${shownUrl(config.upstream)}: requests wait for it${limit}`;
}

function optionsOf(flow: FlowContext, config: Config): ExchangeOptions {
  const isApart = config.upstream !== undefined;
  return { ...config, isApart, name: flow.name, promise: config.notify !== 'never', reloads: config.reload };
}

function isOpen({ agreement }: Session): boolean {
  return agreement.isOpen;
}
