/**
 * The state that every verdict is made from: who serves, what was agreed, who owes whom, what waits. Its neighbours
 * read and change it: from-client.ts and from-server.ts for one message, handover.ts when generations come and go.
 */
import type { LineFault } from '../agent/line-faults.js';
import { possibleNames, type AgentTool } from '../agent/tools.js';
import type { Failure } from '../agent/words.js';
import { createServed, type Served } from '../lists/served.js';
import type { Key } from '../session/ids.js';
import { Ledger } from '../session/ledger.js';
import { Listens } from '../session/listens.js';
import { Questions } from '../session/questions.js';
import { Session } from '../session/session.js';
import { Tasks } from '../session/tasks.js';
import type { Route } from '../channel/channel.js';
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import type { Held } from './hold.js';
import { Hold } from './hold.js';

/** Where verdicts become input and output. */
export interface Ports {
  client(message: Message, route: Route): void;
  server(generation: number, message: Message, route?: Route): void;
  now(): number;
  /** A generation that is being replaced owes the client nothing any more. */
  drained(generation: number): void;
  /** A server introduced itself. */
  introduced(method: 'initialize' | 'server/discover', answer: Message): void;
  /**
   * The client's session was opened in place of the server. `isGuess`: nothing is known of this command from earlier.
   */
  openedInPlace(method: 'initialize' | 'server/discover', isGuess: boolean, failure: Failure | undefined): void;
  /** A server answered `server/discover` as one of the legacy era does. */
  refusedDiscover(): void;
  /** One of the agent's own tools is called. */
  agent(call: AgentCall): void;
  /** All tools of a generation are needed, not only one page. Undefined if they can't be had. */
  allTools(generation: number, known: (items: readonly unknown[] | undefined) => void): void;
  /**
   * A tool call has met a failure that stands. `waits`: it can wait for an attempt to mend it. True if one is under way
   * now: then messages are held until its end.
   */
  retryFailure(waits: boolean): boolean;
  /** Does something after so many milliseconds, unless the session has ended by then. */
  later(ms: number, work: () => void): void;
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
  /** Those of our tools that the caller has. */
  readonly callersTools: ReadonlySet<AgentTool>;
  /** Aborted when the client takes the call back. */
  readonly signal: AbortSignal;
}

/** A line of the client that was no message, as it was passed on. */
interface Malformed {
  readonly generation: number;
  readonly fault: LineFault;
  readonly length: number;
  readonly at: number;
}

export interface DeskOptions {
  readonly retry: 'safe' | 'never';
  readonly concurrency: number | undefined;
  readonly onFailure: 'report' | 'serve';
  readonly agentTools: boolean | 'auto';
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
  | { readonly kind: 'result'; readonly message: Message }
  | { readonly kind: 'error'; readonly message: Message }
  | { readonly kind: 'gone' };

/** A server was asked by the client itself to open the session, and will answer us. */
export interface Introduction {
  readonly generation: number;
  readonly method: string;
  readonly reply: Promise<Reply>;
}

/** What the client was told that servers can do, and what this generation can. */
export interface CapabilityGaps {
  readonly lacking: ReadonlySet<string>;
  /** The client can't be told of these. */
  readonly gained: readonly string[];
}

export interface OwnRequest {
  readonly generation: number;
  reply(reply: Reply): void;
}

/** The results by their methods; and by the protocol version that a client asked for, which one it got. */
export type Remembered = Partial<Record<'initialize' | 'server/discover', Readonly<Record<string, unknown>>>> & {
  versions?: Readonly<Record<string, string>>;
  /** It answered `server/discover` as a server of the legacy era does. */
  refusesDiscover?: true;
};

export interface Desk {
  readonly ports: Ports;
  options: DeskOptions;
  readonly session: Session;
  readonly ledger: Ledger;
  readonly questions: Questions;
  readonly listens: Listens;
  readonly tasks: Tasks;
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
  /**
   * The generation that ended streams of late: if it goes, they outlive it, and the client never hears of their end.
   */
  ending: number | undefined;
  /**
   * Generations that were told of the session as it was then: what is agreed from then on, they have to be told too.
   */
  readonly introduced: Set<number>;
  /** Generations that were asked something that leaves no doubt about the era. */
  readonly settled: Set<number>;
  holding: boolean;
  failure: Failure | undefined;
  /** What the next tool result has to say besides: of each rule with `note` the last build. */
  notes: ReadonlyMap<string, string> | undefined;
  /** The agent's own tools, by the names they are shown under. */
  agentNames: ReadonlyMap<string, AgentTool>;
  /** Whether those names were chosen with the server's in mind. */
  named: boolean;
  /**
   * Whether the client was listed ours in place of a server that had never come up. It may call them from then on,
   * though they leave the list when the server comes (`withdrawn`): some clients never ask for the list again.
   */
  standInTools: 'unlisted' | 'listed' | 'withdrawn';
  /** Calls of them that are not answered. */
  readonly agentCalls: Map<AbortController, Key>;
  /** Whether any server has answered this client yet. */
  born: boolean;
  /** Capabilities that the client was promised and the serving generation lacks. */
  lacking: ReadonlySet<string>;
  /** What the last server that was asked by us says that it can do. */
  discovered: Readonly<Record<string, unknown>> | undefined;
  /** A server that declares no tools was asked for them, and did not answer. */
  ignoresToolList: boolean;
  readonly capabilityGaps: Map<number, CapabilityGaps>;
  /** What this command said of itself when it ran before. */
  readonly remembered: Remembered;
  /** Tool calls that are with a server, counted only under `--concurrency`. */
  calls: number;
  /** What was wrong with lines of the client, as far as the log has it. */
  readonly faults: Set<LineFault>;
  /** The last line of the client that was no message, and whom it was passed on to. */
  malformed: Malformed | undefined;
  /** Requests that went to a server, over all. */
  requests: number;
}

export function createDesk(ports: Ports, options: DeskOptions): Desk {
  return {
    ports,
    options,
    session: new Session(),
    ledger: new Ledger(() => ports.now()),
    questions: new Questions(),
    listens: new Listens(),
    tasks: new Tasks(),
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
    notes: undefined,
    agentNames: possibleNames(),
    named: false,
    standInTools: 'unlisted',
    agentCalls: new Map(),
    born: false,
    lacking: new Set(),
    discovered: undefined,
    ignoresToolList: false,
    capabilityGaps: new Map(),
    remembered: {},
    calls: 0,
    faults: new Set(),
    malformed: undefined,
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

/** No server has answered the client or could, and it has been told of no failure: it waits for the first one. */
export function awaitsFirst({ born, serving, failure }: Desk): boolean {
  return !born && serving === undefined && failure === undefined;
}
