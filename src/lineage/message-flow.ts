/**
 * The message side of the reload flow: the client's streams, the gate that its lines pass, the verdicts on them, and
 * the generations they go to. Slows down whoever writes faster than the other side reads. Knows nothing of attempts.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import { SESSION } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import type { Config } from '../config/config.js';
import type { FlowContext } from '../flow/flow.js';
import { attachSession } from '../exchange/attach.js';
import { fromClient } from '../exchange/from-client.js';
import { fromServer } from '../exchange/from-server.js';
import { expire } from '../exchange/handover.js';
import { asMeant } from '../exchange/malformed.js';
import { endStreams } from '../exchange/listen-streams.js';
import {
  createLineageRecord,
  type ExchangeOptions,
  type LineageRecord,
  type Ports,
  type Session,
  type Upstream,
} from '../exchange/records.js';
import { noteTaskSupport } from '../exchange/task-messages.js';
import type { Exit } from '../process/child.js';
import type { ServerEvents } from '../server/start-server.js';
import type { UpstreamContext } from '../server/upstream.js';
import { membersOf } from '../session/agreement.js';
import type { Envelope, Id } from '../wire/envelope.js';
import { error, PARSE_ERROR } from '../wire/json-rpc.js';
import { Gate } from '../front/gate.js';
import { HandshakeCache } from './handshake-cache.js';
import type { LiveGenerations } from './live-generations.js';
import { WaitTicker } from './wait-ticker.js';

export interface MessageFlowEvents extends Pick<Ports, 'agent' | 'allTools' | 'retryFailure'> {
  readonly needsCheck: (envelope: Envelope) => boolean;
  readonly check: () => Promise<void> | undefined;
  /** The client opens its session, and no server has answered it yet. */
  onOpening(session: Session, id: Id, method: string): void;
  /** The client has closed its side, and the verdict on all that it had sent has fallen. */
  onClientEnd(): void;
  /** The generation of which this was expected has said something. */
  onFirstMessage(upstream: Upstream): void;
  /** It has given its first answer. */
  onFirstResponse(upstream: Upstream): void;
  onExit(upstream: Upstream, exit: Exit): void;
  /** Why requests are held at the moment. */
  whyHeld(): string;
}

/** How long a server may take to go after it has ended its streams. */
const GOES_AFTER_STREAMS_MS = 1_000;

const OPENING_METHODS = new Set(['initialize', 'server/discover']);

export class MessageFlow {
  readonly #flow: FlowContext;
  readonly lineage: LineageRecord;
  readonly session: Session;
  readonly client: StdioChannel;
  readonly serverEvents: ServerEvents<Session>;
  readonly upstreamContext: UpstreamContext;
  readonly gate: Gate;
  readonly #generations: LiveGenerations;
  readonly #closed = new AbortController();
  readonly #ticker: WaitTicker;
  /** Too much waits at the gate. */
  #gateIsFull = false;
  readonly #warned = new Set<string>();
  #proxyRequests = 0;
  #expiring = false;
  #watchesStreams = false;

  constructor(flow: FlowContext, generations: LiveGenerations, events: MessageFlowEvents) {
    const { config, log, io } = flow;
    // As many wait by it as the client has sent lists of tools.
    setMaxListeners(0, this.#closed.signal);
    this.#flow = flow;
    this.#generations = generations;
    this.lineage = createLineageRecord(
      {
        now: () => performance.now(),
        agent: events.agent,
        allTools: events.allTools,
        retryFailure: events.retryFailure,
        introduced: (method, answer) => {
          noteTaskSupport(this.lineage, membersOf(answer.read(['result'])));
          void cache.save(method, answer);
        },
        openedInPlace: (method, isGuess, failure) => reportOpening(flow, method, isGuess, failure),
        refusedDiscover: () => void cache.forgetDiscover(),
        later: (ms, work) =>
          void delay(ms, undefined, { signal: this.#closed.signal, ref: false }).then(work, () => {}),
        warn: (text) => log.warn('warning', text),
        warnOnce: (text) => {
          if (!this.#warned.has(text)) log.warn('warning', text);
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
      newRequestId: () => `"mcp-hotline:${nonce}:${++this.#proxyRequests}"`,
    };
    this.#ticker = new WaitTicker({
      lineage: this.lineage,
      whyHeld: events.whyHeld,
      closed: this.#closed.signal,
    });
    const cache = new HandshakeCache(flow, this.lineage);
    this.gate = new Gate({
      needsCheck: events.needsCheck,
      check: events.check,
      forward: (read, since) => {
        const message = asMeant(this.session, read);
        const { envelope } = message;
        if (!this.session.hasServerAnswered && envelope.kind === 'request' && OPENING_METHODS.has(envelope.method))
          events.onOpening(this.session, envelope.id, envelope.method);
        fromClient(this.session, message, since);
        if (envelope.kind !== 'notification') this.watchHold();
      },
      full: (full) => {
        this.#gateIsFull = full;
        this.applyBackpressure();
      },
    });
    this.client = new StdioChannel(
      io.input,
      io.output,
      // Asked for with each chunk: an edit of the configuration file may change it.
      {
        get limit() {
          return flow.config.maxMessage;
        },
      },
      {
        message: (message) => this.gate.push(message),
        oversized: (id = 'null') =>
          this.client.send(error(id, PARSE_ERROR, flow.tooLong), id === 'null' ? SESSION : { kind: 'answer', to: id }),
        end: (unfinished) => {
          if (unfinished !== undefined) this.gate.push(unfinished);
          void this.gate.emptied().then(() => events.onClientEnd());
        },
        full: (full) => {
          for (const { channel } of generations) if (full) channel.pause();
          for (const { channel } of generations) if (!full) channel.resume();
        },
        gone: () => events.onClientEnd(),
      },
    );
    this.session = attachSession(this.lineage, this.client);
    this.serverEvents = {
      message: (upstream, message) => {
        const owed = upstream.expectsFirstResponse ? upstream.pending.count : 0;
        fromServer(this.lineage, upstream, message);
        if (upstream.expectsFirstMessage) {
          upstream.expectsFirstMessage = false;
          events.onFirstMessage(upstream);
        }
        // One that was asked in vain and is waited for as a candidate is ready when its session is open.
        const isServing = upstream === this.lineage.serving;
        if (upstream.expectsFirstResponse && isServing && upstream.pending.count < owed) {
          upstream.expectsFirstResponse = false;
          events.onFirstResponse(upstream);
        }
        if (upstream.isClosingStreams) void this.#watchStreams(upstream);
      },
      noise: flow.noise,
      oversized: ({ generation, process }) => {
        const fault = `wrote a line of more than ${flow.config.maxMessage} bytes`;
        log.error('failed', `generation ${generation} ${fault}: it is stopped. --max-message raises the limit`);
        process.failAndKill(fault);
      },
      full: () => this.applyBackpressure(),
      halfClosed: ({ process }, pipe) => process.failAndKill(`closed its ${pipe} and was stopped`),
      exit: (upstream, exit) => {
        this.applyBackpressure();
        events.onExit(upstream, exit);
      },
    };
  }

  /** A generation that comes up while the client is slow is slowed down like the others. */
  admit(upstream: Upstream): void {
    this.#generations.add(upstream);
    if (this.client.full) upstream.channel.pause();
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
    this.lineage.options = optionsOf(this.#flow, config);
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

  /** The client is read as long as the one that serves reads. For whenever that may have changed. */
  applyBackpressure(): void {
    if (this.#gateIsFull || this.lineage.serving?.channel.full === true) this.client.pause();
    else this.client.resume();
  }
}

/** Whoever reads the log must know that a client has a session though its server has not answered. */
function reportOpening(
  { log, name }: FlowContext,
  method: string,
  isGuess: boolean,
  failure: Failure | undefined,
): void {
  const answer = isGuess ? 'with a minimal answer' : 'with what it said when it last ran';
  const then = failure === undefined ? 'everything else waits for it' : 'its tools come once it has started';
  log.info('starting', `${name} has not answered ${method}: the client is answered in its place, ${answer}; ${then}`, {
    method,
    inPlace: isGuess ? 'guess' : 'remembered',
  });
}

function optionsOf(flow: FlowContext, config: Config): ExchangeOptions {
  return { ...config, name: flow.name, promise: config.notify !== 'never' };
}
