/**
 * The message side of the reload flow: the client's streams, the gate that its lines pass, the desk where verdicts
 * fall, and the generations they go to. Slows down whoever writes faster than the other side reads. Knows nothing of
 * attempts.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import { SESSION } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import type { Config } from '../config/config.js';
import type { FlowContext } from '../flow/flow.js';
import { trafficOf } from '../events/traffic.js';
import { createDesk, type Desk, type DeskOptions, type Ports } from '../exchange/desk.js';
import { fromClient } from '../exchange/from-client.js';
import { fromServer } from '../exchange/from-server.js';
import { expire } from '../exchange/handover.js';
import { asMeant } from '../exchange/malformed.js';
import { endStreams } from '../exchange/listen-streams.js';
import { noteTaskSupport } from '../exchange/task-messages.js';
import type { Exit } from '../process/child.js';
import type { Generation, GenerationEvents } from '../server/generation.js';
import { membersOf } from '../session/session.js';
import type { Envelope, Id } from '../wire/envelope.js';
import { error, PARSE_ERROR } from '../wire/json-rpc.js';
import { Gate } from '../front/gate.js';
import { Memory } from './handshake-cache.js';
import type { Roster } from './live-generations.js';
import { WaitTicker } from './wait-ticker.js';

export interface TrafficEvents extends Pick<Ports, 'agent' | 'allTools' | 'retryFailure'> {
  readonly needsCheck: (envelope: Envelope) => boolean;
  readonly check: () => Promise<void> | undefined;
  /** The client opens its session, and no server has answered it yet. */
  introducing(id: Id, method: string): void;
  /** The client has closed its side, and all that it had sent is with the desk. */
  ended(): void;
  /** The generation that this was to be told of has said its first word. */
  spoke(generation: number): void;
  /** It has given its first answer. */
  answered(generation: number): void;
  exit(generation: Generation, exit: Exit): void;
  /** Why requests are held at the moment. */
  whyHeld(): string;
}

/** How long a server may take to go after it has ended its streams. */
const STAYS = 1_000;

const opening = new Set(['initialize', 'server/discover']);

export class Traffic {
  readonly #flow: FlowContext;
  readonly desk: Desk;
  readonly client: StdioChannel;
  readonly generationEvents: GenerationEvents;
  readonly gate: Gate;
  readonly #roster: Roster;
  readonly #over = new AbortController();
  readonly #ticker: WaitTicker;
  /** Generations that have stopped reading. */
  readonly #stuck = new Set<number>();
  /** Too much waits at the gate. */
  #crowded = false;
  readonly #said = new Set<string>();
  #silent: number | undefined;
  #unready: number | undefined;
  #expiring = false;
  #ending = false;

  constructor(flow: FlowContext, roster: Roster, events: TrafficEvents) {
    const { config, events: bus, io } = flow;
    // As many wait by it as the client has sent lists of tools.
    setMaxListeners(0, this.#over.signal);
    this.#flow = flow;
    this.#roster = roster;
    this.desk = createDesk(
      {
        client: (message, route) => this.client.send(message, route),
        server: (generation, message, route) => roster.get(generation)?.channel.send(message, route),
        now: () => performance.now(),
        drained: (generation) => roster.drained(generation),
        agent: events.agent,
        allTools: events.allTools,
        retryFailure: events.retryFailure,
        introduced: (method, answer) => {
          noteTaskSupport(this.desk, membersOf(answer.read(['result'])));
          void memory.remember(method, answer);
        },
        openedInPlace: (method, isGuess, failure) => reportOpening(flow, method, isGuess, failure),
        refusedDiscover: () => void memory.forgetDiscover(),
        later: (ms, work) => void delay(ms, undefined, { signal: this.#over.signal, ref: false }).then(work, () => {}),
        warn: (text) => bus.emit({ kind: 'warning', text }),
        warnOnce: (text) => {
          if (!this.#said.has(text)) bus.emit({ kind: 'warning', text });
          this.#said.add(text);
        },
      },
      optionsOf(flow, config, randomBytes(6).toString('hex')),
    );
    this.#ticker = new WaitTicker({
      desk: this.desk,
      whyHeld: events.whyHeld,
      isClientSlow: () => this.client.full,
      over: this.#over.signal,
    });
    const memory = new Memory(flow, this.desk);
    this.gate = new Gate({
      needsCheck: events.needsCheck,
      check: events.check,
      forward: (read, since) => {
        const message = asMeant(this.desk, read);
        const { envelope } = message;
        if (bus.wants('traffic')) bus.emit(trafficOf('client', undefined, envelope, message.length));
        if (!this.desk.born && envelope.kind === 'request' && opening.has(envelope.method))
          events.introducing(envelope.id, envelope.method);
        fromClient(this.desk, message, since);
        if (envelope.kind !== 'notification') this.watchHold();
      },
      full: (full) => {
        this.#crowded = full;
        this.regulate();
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
          void this.gate.emptied().then(events.ended);
        },
        full: (full) => {
          for (const { channel } of roster) if (full) channel.pause();
          for (const { channel } of roster) if (!full) channel.resume();
        },
        gone: events.ended,
      },
    );
    this.generationEvents = {
      message: ({ number }, message) => {
        if (bus.wants('traffic')) bus.emit(trafficOf('server', number, message.envelope, message.length));
        const owing = this.#unready === number ? this.desk.ledger.owing(number) : 0;
        fromServer(this.desk, number, message);
        if (this.#silent === number) {
          this.#silent = undefined;
          events.spoke(number);
        }
        // One that was asked in vain and is waited for as a candidate is ready when its session is open.
        if (this.#unready === number && this.desk.serving === number && this.desk.ledger.owing(number) < owing) {
          this.#unready = undefined;
          events.answered(number);
        }
        if (this.desk.ending === number) void this.#watchEnding(number);
      },
      noise: flow.noise,
      oversized: (generation) => {
        const limit = flow.config.maxMessage;
        bus.emit({ kind: 'line-too-long', generation: generation.number, limit });
        generation.process.failAndKill({ kind: 'line-too-long', limitBytes: limit });
      },
      full: ({ number }, full) => {
        if (full) this.#stuck.add(number);
        else this.#stuck.delete(number);
        this.regulate();
      },
      halfClosed: ({ process }, pipe) => process.failAndKill({ kind: 'pipe-closed', pipe }),
      exit: (generation, exit) => {
        this.#stuck.delete(generation.number);
        this.regulate();
        events.exit(generation, exit);
      },
    };
  }

  /** A generation that comes up while the client is slow is slowed down like the others. */
  admit(generation: Generation): void {
    this.#roster.add(generation);
    if (this.client.full) generation.channel.pause();
  }

  /** Tells when it says its first word, and when it gives its first answer. */
  awaitWord(generation: number | undefined): void {
    this.#silent = generation;
    this.#unready = generation;
  }

  /** Another configuration is in force. */
  reconfigure(config: Config): void {
    this.desk.options = optionsOf(this.#flow, config, this.desk.options.nonce);
  }

  generation(number: number): Generation | undefined {
    return this.#roster.get(number);
  }

  /** Sees to it that what waits hears why, and is answered if it waits too long. */
  watchHold(): void {
    this.#ticker.watch();
    if (this.#expiring || this.desk.hold.size === 0 || this.desk.options.hold === 0) return;
    this.#expiring = true;
    void this.#expire().catch(() => {});
  }

  close(): void {
    this.#over.abort();
  }

  /** A server that has ended its streams and is there a moment later has not done it because it goes. */
  async #watchEnding(number: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await delay(STAYS, undefined, { signal: this.#over.signal }).catch(() => {});
    this.#ending = false;
    endStreams(this.desk, number);
  }

  async #expire(): Promise<void> {
    try {
      for (let due = expire(this.desk); due !== undefined; due = expire(this.desk)) {
        await delay(Math.max(1, due - performance.now()), undefined, { signal: this.#over.signal });
      }
    } finally {
      // In the same turn as the last look: whatever is held from now on starts a new watch.
      this.#expiring = false;
    }
  }

  /** The client is read as long as the one that serves reads. For whenever that may have changed. */
  regulate(): void {
    const { serving } = this.desk;
    if (this.#crowded || (serving !== undefined && this.#stuck.has(serving))) this.client.pause();
    else this.client.resume();
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

function optionsOf(flow: FlowContext, config: Config, nonce: string): DeskOptions {
  return { ...config, name: flow.name, promise: config.notify !== 'never', nonce };
}
