/**
 * What verdicts are made from: one record for each client (`Session`), and one for what all sessions of a lineage share
 * (`LineageRecord`). Their neighbours read and change them: from-client.ts and from-server.ts for one message,
 * handover.ts when generations come and go. Who serves, which failure stands and whether messages are held is shown
 * here by lineage/, and nobody else writes it.
 */
import type { ChangeCause } from '../agent/hints.js';
import type { LineFault } from '../agent/line-faults.js';
import { possibleNames, type AgentTool } from '../agent/tools.js';
import type { Failure } from '../agent/words.js';
import type { Channel } from '../channel/channel.js';
import { createClientTools, type ClientTools } from '../lists/client-tools.js';
import { createServed, type Served } from '../lists/served.js';
import { CallClock } from '../server/call-times.js';
import type { PendingRequest as ServerPendingRequest } from '../server/pending-requests.js';
import { ShortLivedSet } from '../wire/short-lived.js';
import type { Upstream as ServerUpstream } from '../server/upstream.js';
import { Agreement } from '../session/agreement.js';
import { GoneTasks } from '../session/gone-tasks.js';
import { ListenStreams } from '../session/listen-streams.js';
import { ServerRequests } from '../session/server-requests.js';
import type { Id } from '../wire/envelope.js';
import type { Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import type { OpeningMethod } from './methods.js';
import { Hold, type Arrival as ArrivalOf } from './hold.js';

export type Upstream = ServerUpstream<Session>;
export type Arrival = ArrivalOf<Session>;
export type PendingRequest = ServerPendingRequest<Session>;

/** What verdicts ask of the lineage. */
export interface Ports {
  /** On the monotonic clock. */
  now(): number;
  /** A server introduced itself. */
  onIntroduced(method: OpeningMethod, answer: Message): void;
  /**
   * The client's session was opened in place of the server. `isGuess`: nothing is known of this command from earlier.
   */
  onOpenedInPlace(method: OpeningMethod, isGuess: boolean, failure: Failure | undefined): void;
  /** A server answered `server/discover` as one of the legacy era does. */
  onDiscoverRefused(): void;
  /** One of the agent's own tools is called. */
  runAgentTool(call: AgentCall): void;
  /** All tools of a generation are needed, not only one page. Undefined if they can't be had. */
  fetchAllTools(upstream: Upstream, known: (items: readonly unknown[] | undefined) => void): void;
  /**
   * A tool call has met a failure that stands. True if an attempt to mend it is under way now. `waits`: the call waits
   * for its end, and all that comes after it.
   */
  repeatAttempt(waits: boolean): boolean;
  /** Does something after so many milliseconds, unless the lineage has ended by then. */
  later(ms: number, work: () => void): void;
  warn(text: string): void;
  /** Not again if it was said before. */
  warnOnce(text: string): void;
}

/** A call of one of the agent's own tools. */
export interface AgentCall {
  readonly session: Session;
  readonly id: Id;
  readonly tool: AgentTool;
  readonly arguments: unknown;
  readonly arrival: Arrival;
  /** Those of our tools that the caller has. */
  readonly callersTools: ReadonlySet<AgentTool>;
  /** Aborted when the client takes the call back. */
  readonly signal: AbortSignal;
}

/** A line of the client that was no message, as it was passed on. */
interface Malformed {
  readonly upstream: Upstream;
  readonly fault: LineFault;
  readonly length: number;
  readonly at: number;
}

export interface ExchangeOptions {
  readonly retry: 'safe' | 'never';
  readonly concurrency: number | undefined;
  readonly onFailure: 'report' | 'serve';
  readonly agentTools: boolean | 'auto';
  readonly hints: 'changes' | 'stderr' | 'off';
  /** What the server is called until it says so itself. */
  readonly name: string;
  /** Milliseconds; 0: no limit. */
  readonly hold: number;
  /**
   * The server keeps its clients apart: each has a session of its own with it, opened by itself or in its words. Else
   * those that share a server are one to it.
   */
  readonly isApart?: boolean;
  /** Off: nothing is ever reloaded, so a client may keep what a server says for as long as that says. */
  readonly reloads: boolean;
  /** Whether clients are promised that they will be told of changed lists. */
  readonly promise: boolean;
}

/** The results by their methods; and by the protocol version that a client asked for, which one it got. */
export type CachedHandshake = Partial<Record<OpeningMethod, Readonly<Record<string, unknown>>>> & {
  versions?: Readonly<Record<string, string>>;
  /** It answered `server/discover` as a server of the legacy era does. */
  refusesDiscover?: true;
};

/** What all sessions of a lineage share. */
export interface LineageRecord {
  readonly ports: Ports;
  options: ExchangeOptions;
  /** In the order in which they came. */
  readonly sessions: ShortLivedSet<Session>;
  /** Of the clients without a session. */
  readonly sessionless: ClientMemory;
  /** There is more than one session, or was, so that what is said to a server and by it has to be told apart. */
  isShared: boolean;
  /** What a new process is opened with: that of the first client that opened its session. */
  agreement: Agreement;
  /** The generations whose process is there. */
  readonly upstreams: Iterable<Upstream>;
  serving: Upstream | undefined;
  candidate: Upstream | undefined;
  /** The generation that serves, or the last one that did. */
  lastServing: Upstream | undefined;
  /** Requests wait for a reload to end. */
  isHolding: boolean;
  /** Why what is on the disk can't serve. */
  failure: Failure | undefined;
  readonly hold: Hold<Session>;
  /** Tool calls that wait for their turn under `--concurrency`, and how many are with a server. */
  readonly queuedCalls: Arrival[];
  /** Clients' `initialize` requests that wait until the server has answered that of another client. */
  readonly waitingOpenings: Arrival[];
  runningCalls: number;
  readonly callClock: CallClock;
  /** Requests that went to a server, over all. */
  requestCount: number;
  /** What this command said of itself when it ran before. */
  readonly cachedHandshake: CachedHandshake;
  /** What the last server that the proxy asked says that it can do. */
  discoveredCapabilities: Readonly<Record<string, unknown>> | undefined;
  /** A server has answered a client that has left since. */
  hasAnsweredBefore: boolean;
  /** Those of the modern era, whose tasks are no client's own. */
  readonly goneTasks: GoneTasks;
  /** Some server has said that it runs tasks: before that nobody looks for them. */
  runsTasks: boolean;
  /** By the name of the tool: what has changed it last. */
  readonly toolCauses: Map<string, ChangeCause>;
  /** Of clients that have no session, by what they call themselves, as JSON: what they were served of the tools. */
  readonly sessionlessTools: Map<string, ClientTools>;
  /** Clients were seen to have different lists of tools by one and the same generation. */
  areToolsPersonal: boolean;
}

/**
 * `probe`: nobody but us, who ask a server which era it speaks. `request`: one request of a client that has no session,
 * as the modern era has it over HTTP: its next one comes as another.
 */
export type Role = 'client' | 'probe' | 'request';

/** What is remembered of a client from one of its requests to the next. */
export interface ClientMemory {
  /**
   * Whether the client was listed ours in place of a server that had never come up. It may call them from then on,
   * though they leave the list when the server comes (`withdrawn`): some clients never ask for the list again.
   */
  standInTools: 'unlisted' | 'listed' | 'withdrawn';
  /** What the next tool result has to say besides: of each rule with `note` the last build. */
  notes: ReadonlyMap<string, string> | undefined;
}

/** What is one client's. */
export interface Session {
  readonly lineage: LineageRecord;
  readonly role: Role;
  readonly client: Pick<Channel, 'send' | 'full'>;
  readonly agreement: Agreement;
  /** The lists, as the client was last served them. */
  readonly served: Served;
  /** What follows from that for its calls. Of a client without a session, see `LineageRecord.sessionlessTools`. */
  readonly tools: ClientTools;
  readonly streams: ListenStreams;
  /** What servers have asked the client. */
  readonly serverRequests: ServerRequests<Upstream>;
  readonly goneTasks: GoneTasks;
  /** The last value that was forwarded, and when, by progress token. */
  readonly progress: Map<Key, { readonly value: number; readonly at: number }>;
  /** Of requests that were sent again, by token: values at or below this are dropped, because progress must grow. */
  readonly minimumProgress: Map<Key, number>;
  /** Whether any server has answered this client yet. */
  hasServerAnswered: boolean;
  /** Capabilities that the client was promised and the serving generation lacks. */
  promisedButMissing: ReadonlySet<string>;
  /** A server that declares no tools was asked for them, and did not answer. */
  ignoresToolList: boolean;
  /** The agent's own tools, by the names they are shown under. */
  agentToolNames: ReadonlyMap<string, AgentTool>;
  /** Whether those names were chosen with the server's in mind. */
  areToolNamesKnown: boolean;
  /** Calls of them that are not answered. */
  readonly agentCalls: Map<AbortController, Key>;
  /** Clients without a session can't be told apart, so all of them have one. */
  readonly memory: ClientMemory;
  /** What was wrong with lines of the client, as far as the log has it. */
  readonly reportedFaults: Set<LineFault>;
  /** The last line of the client that was no message, and whom it was passed on to. */
  lastMalformed: Malformed | undefined;
}

export function createLineageRecord(
  ports: Ports,
  options: ExchangeOptions,
  upstreams: Iterable<Upstream>,
): LineageRecord {
  return {
    ports,
    options,
    sessions: new ShortLivedSet(),
    sessionless: emptyMemory(),
    isShared: false,
    agreement: new Agreement(),
    upstreams,
    serving: undefined,
    candidate: undefined,
    lastServing: undefined,
    isHolding: true,
    failure: undefined,
    hold: new Hold(),
    queuedCalls: [],
    waitingOpenings: [],
    runningCalls: 0,
    callClock: new CallClock(() => ports.now()),
    requestCount: 0,
    cachedHandshake: {},
    discoveredCapabilities: undefined,
    hasAnsweredBefore: false,
    goneTasks: new GoneTasks(),
    runsTasks: false,
    toolCauses: new Map(),
    sessionlessTools: new Map(),
    areToolsPersonal: false,
  };
}

function emptyMemory(): ClientMemory {
  return { standInTools: 'unlisted', notes: undefined };
}

/** Of all clients, each once. */
export function memoriesOf({ sessions, sessionless }: LineageRecord): ReadonlySet<ClientMemory> {
  return new Set([...[...sessions].map(({ memory }) => memory), sessionless]);
}

/** The record of a client. It is put among the lineage's by attach.ts. */
export function createSession(
  lineage: LineageRecord,
  client: Session['client'],
  agreement: Agreement,
  role: Role = 'client',
): Session {
  const served = createServed();
  return {
    lineage,
    role,
    client,
    agreement,
    served,
    tools: createClientTools(served),
    streams: new ListenStreams(),
    serverRequests: new ServerRequests(),
    goneTasks: new GoneTasks(),
    progress: new Map(),
    minimumProgress: new Map(),
    hasServerAnswered: role === 'request' && hasServerAnswered(lineage),
    promisedButMissing: new Set(),
    ignoresToolList: false,
    agentToolNames: possibleNames(),
    areToolNamesKnown: false,
    agentCalls: new Map(),
    memory: role === 'request' ? lineage.sessionless : emptyMemory(),
    reportedFaults: new Set(),
    lastMalformed: undefined,
  };
}

export function isAlive({ serving, candidate }: LineageRecord, upstream: Upstream): boolean {
  return upstream === serving || upstream === candidate || upstream.isDraining;
}

/** The client has said which era it is: the first that does is the one that new processes are opened for. */
export function noteOpener({ lineage, agreement }: Session): void {
  if (lineage.agreement === agreement || agreement.era === undefined) return;
  // A server that keeps clients apart is opened for one that is there.
  const isOrphaned = lineage.options.isApart === true && openerOf(lineage) === undefined;
  if (lineage.agreement.era === undefined || isOrphaned) lineage.agreement = agreement;
}

/** The client's session is open. That of the one before, which was to be first, may never be. */
export function noteOpened({ lineage, agreement }: Session): void {
  if (!lineage.agreement.isOpen && agreement.isOpen) lineage.agreement = agreement;
}

/** To the servers of this lineage all clients are one, and there are several. */
export function areOne({ isShared, options }: LineageRecord): boolean {
  return isShared && options.isApart !== true;
}

/**
 * Whether a server may be asked for its lists. One to which all clients are one is told that its session stands by
 * whichever of them says so first.
 */
export function isInitialized(lineage: LineageRecord): boolean {
  const { agreement, sessions } = lineage;
  if (agreement.isInitialized || !agreement.isOpen || !areOne(lineage)) return agreement.isInitialized;
  return [...sessions].some((session) => session.agreement.isInitialized);
}

/** The client in whose words new processes are opened; undefined: it has left. */
export function openerOf({ sessions, agreement }: LineageRecord): Session | undefined {
  for (const session of sessions) if (session.agreement === agreement) return session;
  return undefined;
}

/** The only client that there is; undefined if there are several, or none. */
export function onlySession({ sessions }: LineageRecord): Session | undefined {
  const [only] = sessions;
  return sessions.size === 1 ? only : undefined;
}

/** The newer generations that the session was replayed to already. */
export function replayedAfter(session: Session, upstream: Upstream | undefined): Upstream[] {
  const { generation } = upstream ?? { generation: 0 };
  const newer = [...session.lineage.upstreams].filter((other) => other.generation > generation);
  return newer.filter((other) => other.sessionsReplayedTo.has(session));
}

/** Whether any server of the lineage has answered any client. */
export function hasServerAnswered({ sessions, hasAnsweredBefore }: LineageRecord): boolean {
  if (hasAnsweredBefore) return true;
  for (const session of sessions) if (session.hasServerAnswered) return true;
  return false;
}

/** No server has answered a client or could, and none was told of a failure: clients wait for the first server. */
export function awaitsFirst(lineage: LineageRecord): boolean {
  return lineage.serving === undefined && lineage.failure === undefined && !hasServerAnswered(lineage);
}
