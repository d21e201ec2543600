/**
 * The state that every verdict is made from: who serves, what was agreed, who owes whom, what waits. Its neighbours read and
 * change it: from-client.ts and from-server.ts for one message, handover.ts when generations come and go.
 */
import { possibleNames, type AgentTool } from '../agent/tools.js';
import type { Failure } from '../agent/words.js';
import { createServed, type Served } from '../lists/served.js';
import type { Key } from '../session/ids.js';
import { Ledger } from '../session/ledger.js';
import { Listens } from '../session/listens.js';
import { Questions } from '../session/questions.js';
import { Session } from '../session/session.js';
import type { Run } from '../wire/run.js';
import type { Id } from '../wire/scan.js';
import type { Held } from './hold.js';
import { Hold } from './hold.js';

/** Where verdicts become input and output. */
export interface Ports {
  /** A line, or what lies between `from` and `to`. */
  client(line: Run, from?: number, to?: number): void;
  server(generation: number, line: Run, from?: number, to?: number): void;
  now(): number;
  /** A generation that is being replaced owes the client nothing any more. */
  drained(generation: number): void;
  /** A server introduced itself. */
  introduced(method: 'initialize' | 'server/discover', line: Buffer): void;
  /** One of the agent's own tools is called. */
  agent(call: AgentCall): void;
  /** All tools of a generation are needed, not only one page. Undefined if they can't be had. */
  allTools(generation: number, known: (items: readonly unknown[] | undefined) => void): void;
  warn(text: string): void;
  /** Not again if it was said before. */
  warnOnce(text: string): void;
}

/** A call of one of the agent's own tools. */
export interface AgentCall {
  readonly id: Id;
  readonly tool: AgentTool;
  readonly arguments: unknown;
  readonly held: Held;
  /** Aborted when the client takes the call back. */
  readonly signal: AbortSignal;
}

export interface DeskOptions {
  readonly retry: 'safe' | 'never';
  readonly concurrency: number | undefined;
  readonly onFailure: 'report' | 'serve';
  readonly agentTools: boolean;
  /** What the server is called until it says so itself. */
  readonly name: string;
  /** Milliseconds; 0: no limit. */
  readonly hold: number;
  /** Whether clients are promised that they will be told of changed lists. */
  readonly promise: boolean;
  /** Makes the ids of the proxy's own requests ones that no client uses. */
  readonly nonce: string;
}

/** What came of a request of the proxy's own. */
export type Reply =
  | { readonly kind: 'result'; readonly line: Buffer }
  | { readonly kind: 'error'; readonly line: Buffer }
  | { readonly kind: 'gone' };

/** A server was asked by the client itself to open the session, and will answer us. */
export interface Introduction {
  readonly generation: number;
  readonly method: string;
  readonly reply: Promise<Reply>;
}

export interface OwnRequest {
  readonly generation: number;
  reply(reply: Reply): void;
}

export interface Desk {
  readonly ports: Ports;
  options: DeskOptions;
  readonly session: Session;
  readonly ledger: Ledger;
  readonly questions: Questions;
  readonly listens: Listens;
  readonly hold: Hold;
  readonly served: Served;
  /** Tool calls that wait for their turn under `--concurrency`. */
  readonly waiting: Held[];
  /** The proxy's own requests, by their ids. */
  readonly own: Map<Key, OwnRequest>;
  ownCount: number;
  /** Of each generation, the tools it declared harmless to call twice. */
  readonly harmless: Map<number, ReadonlySet<string>>;
  /** The last progress that the client saw, by token; and where it may not fall behind, for requests sent again. */
  readonly progress: Map<Key, number>;
  readonly floors: Map<Key, number>;
  serving: number | undefined;
  candidate: number | undefined;
  /** The candidate's own notifications of changed lists, since it was last asked for them: true once it serves. */
  readonly unheard: Set<string>;
  readonly draining: Set<number>;
  /** The generation that ended streams of late: if it goes, they outlive it, and the client never hears of their end. */
  ending: number | undefined;
  /** Generations that were told of the session as it was then: what is agreed from then on, they have to be told too. */
  readonly introduced: Set<number>;
  /** Generations that were asked something that leaves no doubt about the era. */
  readonly settled: Set<number>;
  holding: boolean;
  failure: Failure | undefined;
  /** The agent's own tools, by the names they are shown under. */
  agentNames: ReadonlyMap<string, AgentTool>;
  /** Whether those names were chosen with the server's in mind. */
  named: boolean;
  /** Calls of them that are not answered. */
  readonly agentCalls: Map<AbortController, Key>;
  /** Whether any server has answered this client yet. */
  born: boolean;
  /** What was promised in place of a server that then turned out to lack it. */
  lacking: ReadonlySet<string>;
  /** What this command said of itself when it ran before. */
  readonly remembered: Partial<Record<'initialize' | 'server/discover', Readonly<Record<string, unknown>>>>;
  /** Tool calls that are with a server, counted only under `--concurrency`. */
  calls: number;
  /** Requests that went to a server, over all. */
  requests: number;
}

export function createDesk(ports: Ports, options: DeskOptions): Desk {
  return {
    ports,
    options,
    session: new Session(),
    ledger: new Ledger(),
    questions: new Questions(),
    listens: new Listens(),
    hold: new Hold(),
    served: createServed(),
    waiting: [],
    own: new Map(),
    ownCount: 0,
    harmless: new Map(),
    progress: new Map(),
    floors: new Map(),
    serving: undefined,
    candidate: undefined,
    unheard: new Set(),
    draining: new Set(),
    ending: undefined,
    introduced: new Set(),
    settled: new Set(),
    holding: true,
    failure: undefined,
    agentNames: possibleNames(),
    named: false,
    agentCalls: new Map(),
    born: false,
    lacking: new Set(),
    remembered: {},
    calls: 0,
    requests: 0,
  };
}

export function isAlive(desk: Desk, generation: number): boolean {
  return generation === desk.serving || generation === desk.candidate || desk.draining.has(generation);
}

/** The newer generations that have been introduced to the session already. */
export function introducedAfter(desk: Desk, generation: number | undefined): number[] {
  return [...desk.introduced].filter((newer) => newer > (generation ?? 0));
}
