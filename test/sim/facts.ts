/**
 * What the model of the promises knows, in one place: the lives of the servers, the client's requests, and what was
 * reported. The parts that check the promises (requests.ts, order.ts, cross-talk.ts, list-news.ts) share it; none of it
 * comes from the program.
 */
import type { Disk } from './disk.js';
import type { Kernel } from './kernel.js';
import type { Lists } from './lists.js';
import type { Setting } from './script.js';

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** By this a server's message is known again, and the request that it answers. */
export interface Mark {
  /** The client in whose session it was said, if servers keep them apart. */
  readonly of?: number;
  /** The lineage that it is of, by its number: often that of the client that it serves. */
  readonly c: number;
  readonly g: number;
  readonly n: number;
  readonly uid?: number;
}

/** A request of the client. */
export interface Asked {
  readonly uid: number;
  /** As it was written, and as JSON understands it. */
  readonly raw: string;
  readonly key: string;
  readonly method: string;
  readonly params: Message['params'];
  readonly tool: string;
  readonly batch: boolean;
  readonly sentAt: number;
  /** How many states the disk had been in. */
  readonly state: number;
  /** Another request was open under the same id: which answer is whose can't always be told. */
  twin: boolean;
  cancelled: boolean;
  /** The answer to another one, taken back, under the same id may have been taken for its own. */
  excused: boolean;
  /** Nobody waits for the answer: the connection is gone that it was to come by. */
  dropped: boolean;
  answered: boolean;
  /** The generations whose answer is lost, and since when. */
  readonly lost: Map<number, number>;
  /** The generations that it was written to, and those of them that got it while a failure stood. */
  readonly with: number[];
  readonly whileFailing: Set<number>;
}

/** A generation, as its own process sees it. */
export interface Life {
  readonly generation: number;
  code: string | undefined;
  alive: boolean;
  /** It has answered something: until then its lists are nobody's. */
  hasAnswered: boolean;
  endedAt: number;
  /** What it was told of the session. */
  opened: boolean;
  initialized: boolean;
  /** It has answered that a session is open. */
  introduced: boolean;
  lists: Lists | undefined;
  /** The tools that it has told somebody are harmless. */
  readonly harmless: Set<string>;
  /** The lists that it has given somebody. */
  readonly listed: Set<keyof Lists>;
  /** The kinds of lists that it has said have changed. */
  readonly changes: Set<string>;
  /** Its messages, by number, as long as the client has not seen them. */
  readonly said: Map<number, string>;
  /** The ids of the client's requests that it was sent, and of its own questions that are not answered. */
  readonly heard: Set<string>;
  readonly questions: Map<string, number>;
  /** The last of its messages that the client saw, by the stream that it came by. */
  readonly seen: Map<string, number>;
}

export interface Breach {
  readonly promise: string;
  readonly text: string;
}

/** More requests than a client makes. The numbers of no two clients are the same. */
export const UIDS = 1_000_000;

export class Facts {
  readonly kernel: Kernel;
  readonly disk: Disk;
  readonly setting: Setting;
  /** The number of the client, and of its lineage. */
  readonly client: number;
  readonly note: (text: string) => void;
  readonly lives = new Map<number, Life>();
  readonly asked = new Map<number, Asked>();
  /** The client's streams, which are open for good, and end only sometimes. */
  readonly streams = new Map<string, Asked>();
  breach: Breach | undefined;
  /** It comes by HTTP, where every message has a way of its own. */
  isHttp = false;
  /** It has no stream for what is said at large. */
  isOutOfHearing = false;
  /** The number of the lineage that serves it; undefined: not known, or of no importance. */
  lineage: number | undefined;
  /** Those that served it in sessions before: what they said may still be on its way. */
  readonly former = new Set<number>();
  /** For a client whose lineage shows only from what it reads. */
  admitTo: ((lineage: number) => void) | undefined;
  /** The client will not see the answer to a request by this method, though it may have been given. */
  dropped: ((method: string) => void) | undefined;
  /** It leaves its lineage: nobody can come back to a session whose opening was given up. */
  leave: (() => void) | undefined;
  /** The program goes. */
  isEnding = false;
  /** Its servers speak HTTP, and keep their clients apart: messages have ways of their own there, and sessions. */
  isApart = false;
  /** Servers may know its requests by names of the proxy's. */
  mayBeRenamed = false;
  /** Its servers serve others as well: what is theirs is no concern of this model. */
  isShared = false;
  /** A call that is never answered, whosever it is, keeps others waiting for their turn. */
  isBlocked = (): boolean => false;
  /** It may have been listed tools of ours, so that the server's have to be known before a call goes on. */
  knowsOurTools = false;
  /** A failure was reported, and no reload has gone well since. */
  failing = false;
  /** The client does not read, or has not since the last reload. */
  deaf = false;
  /** There is something that a new server has to be told. */
  sessionStands = false;
  reloads = 0;
  crashes = 0;

  constructor(kernel: Kernel, disk: Disk, setting: Setting, client: number, note: (text: string) => void) {
    this.client = client;
    this.kernel = kernel;
    this.disk = disk;
    this.setting = setting;
    this.note = note;
  }

  /** The program has given up on telling edits from outputs, and has said so: for one client it holds for all. */
  get lenient(): boolean {
    return this.disk.isGuessedAt;
  }

  /** The first breach of a promise ends the run. */
  fail(promise: string, text: string): void {
    if (!this.kernel.stopped) this.breach = { promise, text };
    this.note(`BREACH of ${promise}: ${text}`);
    this.kernel.stopped = true;
  }

  life(generation: number): Life {
    let life = this.lives.get(generation);
    if (life === undefined) {
      life = {
        generation,
        code: undefined,
        alive: true,
        hasAnswered: false,
        endedAt: 0,
        opened: false,
        initialized: false,
        introduced: false,
        lists: undefined,
        harmless: new Set(),
        listed: new Set(),
        changes: new Set(),
        said: new Map(),
        heard: new Set(),
        questions: new Map(),
        seen: new Map(),
      };
      this.lives.set(generation, life);
    }
    return life;
  }

  /** P17: whether what carries this mark or this number is this client's own. */
  isOwn(mark: Mark | undefined, uid: number | undefined): boolean {
    if (mark?.of !== undefined && mark.of >= 0 && this.client >= 0 && mark.of !== this.client) return false;
    if (mark !== undefined && this.lineage !== undefined && mark.c !== this.lineage && !this.former.has(mark.c))
      return false;
    return uid === undefined || !(uid >= 0) || Math.floor(uid / UIDS) === this.client;
  }

  isAlive(generation: number): boolean {
    return this.lives.get(generation)?.alive === true;
  }

  /** The request of the client that a message repeats. */
  askedIn({ params }: Message): Asked | undefined {
    return this.asked.get(Number(params?.['_meta']?.['uid']));
  }
}

/** A line as messages; undefined if it is none. */
export function parse(line: string): readonly Message[] | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    if (Array.isArray(value)) return value as Message[];
    return typeof value === 'object' && value !== null ? [value] : undefined;
  } catch {
    return undefined;
  }
}

export function markOf({ params, result, error }: Message): Mark | undefined {
  const within = (value: unknown): { _meta?: { sim?: Mark }; data?: { sim?: Mark } } => value ?? {};
  return within(params)['_meta']?.sim ?? within(result)['_meta']?.sim ?? within(error).data?.sim;
}

/** Two ids are the same if JSON says so. */
export function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? 'none';
}

/** A request of the proxy's own. */
export function isOwn(id: unknown): boolean {
  return typeof id === 'string' && /^(?:mcp-hotline|hotline-open):/.test(id);
}

/** The answer to `initialize` or `server/discover`. */
export function opensSession({ result }: Pick<Message, 'result'>): boolean {
  const members = membersOf(result);
  return 'protocolVersion' in members || 'supportedVersions' in members;
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Readonly<Record<string, unknown>>;
}

/** The member of a message's `_meta` that names the stream which it belongs to. */
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
