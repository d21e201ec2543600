/**
 * Which lineage serves a client: one of its own, or one that it shares. Starts lineages and ends those that nobody
 * uses. A client of the legacy era has servers of its own unless `--share` says otherwise; requests of the modern era
 * share theirs, because that era knows no sessions. The servers of one lineage are opened for one era, unless they keep
 * their clients apart: then one lineage serves all.
 */
import { availableParallelism } from 'node:os';
import type { Said } from './channel/http/http-client.js';
import type { SentHeaders } from './channel/http/request-headers.js';
import type { EventEmitter } from './events/bus.js';
import type { Transport } from './channel/transport.js';
import type { FlowContext } from './flow/flow.js';
import type { ShutdownReason } from './flow/shutdown.js';
import type { Connect } from './front/connection.js';
import { Lineage } from './lineage/lineage.js';
import { StartSlots } from './lineage/start-slots.js';
import { eraProbe, type EraAnswer } from './lineage/era-probe.js';
import type { Project } from './project/project.js';
import type { Role } from './exchange/records.js';
import { clientIn, type Era } from './session/agreement.js';
import type { Message } from './wire/message.js';

export interface LineagesContext {
  readonly project: Project;
  readonly events: EventEmitter;
  /** What a lineage is given. `name`: of the lineage, for people; undefined: it is the first. */
  contextOf(name: string | undefined, transport: Transport): FlowContext;
  /** All clients of one era are served by one lineage. */
  readonly isShared: boolean;
  /** All clients, whatever their era, are served by one lineage: its server keeps them apart. */
  readonly isApart: boolean;
  /** Nothing is reloaded, and no server follows one that has exited. */
  readonly isPlain: boolean;
  /** In milliseconds; 0: never. How long a shared lineage outlives its last client. */
  readonly idleTimeout: number;
}

/** Who may use a lineage: nobody has it yet, one client has it, or all clients of an era. */
type Use = 'untaken' | 'own' | Era;

/** A server that was started to be asked for its era waits so long for a client of the era that it speaks. */
const UNTAKEN_FOR_MS = 60_000;

interface Entry {
  readonly lineage: Lineage;
  /** Started before anybody came. */
  readonly isFirst: boolean;
  use: Use;
  clients: number;
  idle: NodeJS.Timeout | undefined;
}

export class Lineages {
  readonly #context: LineagesContext;
  readonly #entries = new Set<Entry>();
  readonly #starts = new StartSlots(availableParallelism());
  #count = 0;
  /** How many clients have shared a lineage with others. */
  #sharing = 0;
  #isClosing = false;
  /** What was found out about the server, and of which version of its files. */
  #modern: { readonly speaks: boolean; readonly version: number } | undefined;
  #probing: Promise<boolean> | undefined;

  constructor(context: LineagesContext) {
    this.#context = context;
  }

  /** Starts the first lineage, for whoever comes first. Resolves with the reason when it has ended. */
  begin(transport: Transport): Promise<ShutdownReason> {
    // The client on stdio needs no name: its session is that of the proxy.
    const entry = transport === 'stdio' ? this.#start('untaken', undefined, transport) : this.#create('untaken');
    return entry.lineage.closed;
  }

  /** A client on a connection of its own, whose era is not known before it speaks. */
  attachFirst(connect: Connect): Promise<ShutdownReason> {
    return this.#attach(this.#findUntaken() ?? this.#create('own'), connect, 'own');
  }

  attachLegacy(connect: Connect, transport: Transport, initialize: Message): Promise<ShutdownReason> {
    const { isShared, isApart } = this.#context;
    if (isShared || isApart) return this.#reportSession(this.attachShared('legacy', connect), transport, initialize);
    return this.#attach(this.#findUntaken() ?? this.#create('own', transport), connect, 'own');
  }

  /** A client with a server of its own is known by that; of those that share one, each is told of. */
  #reportSession(left: Promise<ShutdownReason>, transport: Transport, initialize: Message): Promise<ShutdownReason> {
    const { events } = this.#context;
    const of = { session: `c${++this.#sharing}`, transport };
    const client = clientIn(initialize.read(['params', 'clientInfo']));
    events.emit({ kind: 'session-opened', ...of, client });
    void left.then(() => events.emit({ kind: 'session-closed', ...of }));
    return left;
  }

  attachModern(connect: Connect): Promise<ShutdownReason> {
    return this.attachShared('modern', connect, 'request');
  }

  attachShared(era: Era, connect: Connect, role?: Role): Promise<ShutdownReason> {
    return this.#attach(this.#sharedBy(era), connect, era, role);
  }

  /** Whether the server speaks the modern era. `request` is a modern one, in whose words the server is asked. */
  speaksModern(request: Message): boolean | Promise<boolean> {
    const { disk } = this.#context.project;
    const known = this.#modern;
    if (known?.speaks === true && this.#find('modern') !== undefined) return true;
    if (known?.speaks === false && disk.isOpen && !disk.isDirty && known.version === disk.version) return false;
    this.#probing ??= this.#probe(request).finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  /** How the servers are, in general: as those are that serve, if any do. */
  get health(): { readonly state: string; readonly generation: number | undefined; readonly isDown: boolean } {
    const all = [...this.#entries].map(({ lineage }) => lineage.health);
    const best = all.find(({ generation }) => generation !== undefined) ?? all[0];
    if (best === undefined) return { state: 'idle', generation: undefined, isDown: this.#isClosing };
    return { ...best, isDown: best.generation === undefined && best.state === 'failing' };
  }

  /** What the server that serves says at a path of its own, beside MCP. */
  async askServer(path: string, headers: SentHeaders): Promise<Said | undefined> {
    for (const { lineage } of this.#entries) if (!lineage.isEnding) return lineage.askServer(path, headers);
    return undefined;
  }

  reload(): void {
    for (const { lineage } of this.#entries) lineage.reload();
  }

  /** Resolves when every server has exited. */
  async close(reason: ShutdownReason): Promise<void> {
    this.#isClosing = true;
    const all = [...this.#entries].map(({ lineage }) => lineage);
    for (const lineage of all) lineage.close(reason);
    await Promise.all(all.map((lineage) => lineage.closed));
  }

  async #probe(request: Message): Promise<boolean> {
    const { disk } = this.#context.project;
    if (disk.isOpen) await disk.fresh();
    const version = disk.version;
    const known = this.#find('modern');
    const entry = known ?? this.#findUntaken() ?? this.#create('untaken');
    // To a server that keeps its clients apart, what one of them has opened with says nothing of the server.
    const isProven = entry.lineage.era === 'modern' && !this.#context.isApart;
    const answer: EraAnswer = isProven ? 'modern' : await eraProbe(entry.lineage, request);
    // Whoever is served next finds out.
    if (answer === 'unknown') return true;
    const speaks = answer === 'modern';
    this.#modern = { speaks, version };
    // A server that was asked nothing but this is for the next client, whatever its era. The first one waits for it.
    if (known === undefined && !entry.isFirst) this.#endIfUnused(entry, UNTAKEN_FOR_MS);
    return speaks;
  }

  #attach(entry: Entry, connect: Connect, use: Use, role?: Role): Promise<ShutdownReason> {
    entry.use = use;
    entry.clients++;
    clearTimeout(entry.idle);
    const left = entry.lineage.attach(connect, role);
    void left.then(() => this.#onLeft(entry));
    return left;
  }

  #onLeft(entry: Entry): void {
    entry.clients--;
    const { idleTimeout } = this.#context;
    if (idleTimeout > 0) this.#endIfUnused(entry, idleTimeout);
  }

  #endIfUnused(entry: Entry, after: number): void {
    if (entry.clients > 0 || entry.use === 'own' || !this.#entries.has(entry)) return;
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => entry.lineage.close({ by: 'client' }), after).unref();
  }

  /** The lineage of an era. */
  #sharedBy(era: Era): Entry {
    return this.#find(era) ?? this.#findUntaken() ?? this.#create(era);
  }

  #find(era: Era): Entry | undefined {
    for (const entry of this.#entries) {
      if (entry.lineage.isEnding || entry.use === 'own' || entry.use === 'untaken') continue;
      if (this.#context.isApart) return entry;
      // A client that asks for both eras may have decided for the other one than was thought.
      if ((entry.lineage.era ?? entry.use) === era) return entry;
    }
    return undefined;
  }

  #findUntaken(): Entry | undefined {
    for (const entry of this.#entries) if (entry.use === 'untaken' && !entry.lineage.isEnding) return entry;
    return undefined;
  }

  #create(use: Use, transport: Transport = 'http'): Entry {
    return this.#start(use, `s${++this.#count}`, transport);
  }

  #start(use: Use, name: string | undefined, transport: Transport): Entry {
    const { project, isPlain, contextOf } = this.#context;
    const options = { outlivesClients: () => entry.use !== 'own', endsWithServer: isPlain, starts: this.#starts };
    const lineage = new Lineage(contextOf(name, transport), project, options);
    const entry: Entry = {
      lineage,
      isFirst: this.#entries.size === 0 && this.#count <= 1,
      use,
      clients: 0,
      idle: undefined,
    };
    this.#entries.add(entry);
    void lineage.closed.then(() => {
      clearTimeout(entry.idle);
      this.#entries.delete(entry);
    });
    lineage.begin();
    if (this.#isClosing) lineage.close({ by: 'client' });
    return entry;
  }
}
