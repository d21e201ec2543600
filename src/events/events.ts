/**
 * Everything that happens in a proxy and that somebody may want to know, as one union: the life of servers, builds and
 * failures; the envelopes of messages; the lines of a server's stderr. Types only. Whoever notices something emits it;
 * what is said about it, and where it is written, is for the subscribers in sinks/.
 */
import type { Crash, Mended, Outlook } from '../agent/failure-log.js';
import type { Failure } from '../agent/failure.js';
import type { Transport } from '../channel/transport.js';

/** Where it happened, as far as that is one place. */
export interface Origin {
  /** The directory of the project. */
  readonly project?: string;
  /**
   * The client's session, or undefined for what concerns all sessions of the project. A name of our own: the id by
   * which a client over HTTP is known would let whoever reads a log speak for it.
   */
  readonly session?: string;
  /** How the client of that session is connected. */
  readonly transport?: Transport;
}

/** A server's process. */
export interface ServerProcess {
  /** Undefined if it has gone meanwhile. */
  readonly generation: number | undefined;
  readonly pid: number | undefined;
}

export interface ReloadFacts extends ServerProcess {
  readonly ms: number;
  /** The changed files that caused it. */
  readonly files: readonly string[];
  /** Milliseconds by phase. */
  readonly phases: Readonly<Record<string, number>>;
  /** What changed in the lists, like `+ tool add`. */
  readonly changes: readonly string[];
}

/** A call that its server has left without an answer or progress for long. */
export interface SilentCall {
  readonly tool: string;
  readonly generation: number;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * How a restart came about: by an edit, a request, a crash, the server's own wish, or after a start that had failed.
 */
export type RestartMethod = 'change' | 'request' | 'crash' | 'server' | 'start';

/** How the server is, for people. `reloading` with a failure: what failed is being tried again. */
export type Health =
  | { readonly state: 'starting' | 'serving' | 'reloading' | 'restarting' | 'closing' }
  | {
      readonly state: 'failing' | 'reloading';
      /** Since when requests have been answered with a failure. */
      readonly since: string;
      readonly failure: Failure;
      /** When the next start is due, if one is. */
      readonly nextTry?: string;
    };

/** A process that a server has left behind. */
export interface LeftBehind {
  readonly pid: number;
  readonly program: string;
}

export type NoiseKind = 'text' | 'json' | 'cut' | 'banner';
export type EnvelopeKind = 'request' | 'notification' | 'response' | 'batch' | 'invalid';

/** Of sessions over HTTP: that of the client on stdio begins and ends with the proxy. */
type Connecting =
  /** Clients are served over HTTP from now on. `tokenFile`: the file that holds the token, if it was made here. */
  | {
      readonly kind: 'listening';
      /** Of the endpoint, as a client on this machine reaches it. */
      readonly url: string;
      readonly port: number;
      readonly host: string;
      readonly tokenFile?: string;
    }
  /** `client`: name and version, as the client gives them. */
  | { readonly kind: 'session-opened'; readonly client: string | undefined }
  | { readonly kind: 'session-closed' };

type Starting =
  /** What discovery has found to watch and build. */
  | { readonly kind: 'discovered'; readonly level: 'debug' | 'info' | 'warn'; readonly text: string }
  /** One server, without reloading. */
  | { readonly kind: 'piping'; readonly name: string; readonly generation: number; readonly pid: number | undefined }
  | {
      readonly kind: 'watching';
      readonly files: number;
      readonly directories: number;
      readonly mode: 'events' | 'poll';
      readonly ms: number;
    }
  | { readonly kind: 'hashed'; readonly ms: number }
  /** `unproven`: nobody has asked it anything. `old-build`: it runs what was built before a build failed. */
  | ({ readonly kind: 'starting'; readonly as: 'unproven' | 'old-build'; readonly ms: number } & ServerProcess)
  /** The client's session was opened in place of a server that has not answered. */
  | {
      readonly kind: 'opened-in-place';
      readonly name: string;
      readonly method: string;
      readonly inPlace: 'guess' | 'remembered';
      /** The server counts as one that does not start. */
      readonly failing: boolean;
    }
  /** The first answer of a server. `failing`: that mends no failure, since an edit failed before. */
  | ({ readonly kind: 'ready'; readonly ms: number; readonly failing: boolean } & ServerProcess);

type Changing =
  | { readonly kind: 'change'; readonly files: readonly string[] }
  /** These were saved while a build or a server was reading them. */
  | { readonly kind: 'saved-meanwhile'; readonly files: readonly string[] }
  /** `options`: those whose values are others now. */
  | { readonly kind: 'configuration-changed'; readonly options: readonly string[] }
  | {
      readonly kind: 'unchanged';
      readonly files: readonly string[];
      readonly why: 'same-content' | 'written-by-server';
    }
  /** A build of the project by another proxy is waited for. */
  | { readonly kind: 'build-waiting'; readonly rule: string }
  | { readonly kind: 'building'; readonly rule: string; readonly command: string }
  /** A helper process finishes the build, since the client has gone. */
  | { readonly kind: 'build-handed-over'; readonly rule: string; readonly pid: number }
  | { readonly kind: 'built'; readonly rule: string; readonly ms: number }
  /** The disk holds what the build would make. */
  | { readonly kind: 'build-skipped'; readonly rule: string }
  /** `method`: set if no edit caused it. `reason`: of the restart, in words. */
  | ({
      readonly kind: 'reloaded';
      readonly method: RestartMethod | undefined;
      readonly reason: string | undefined;
    } & ReloadFacts)
  /** The client was told that these lists have changed. */
  | { readonly kind: 'list-changed'; readonly lists: readonly string[] }
  | { readonly kind: 'restart-requested'; readonly reason: string }
  /** `begun`: the old server is about to be stopped, and no new one has come up yet. */
  | {
      readonly kind: 'restart';
      readonly at: string;
      readonly reason: string;
      readonly generation: number;
      readonly exitCode: number | null;
      readonly method: RestartMethod;
      readonly begun: boolean;
    };

type Failing =
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly outlook: Outlook;
      /** Of the server that did not start. */
      readonly generation: number | undefined;
      /** `--on-failure serve`: the old code executes tools too. */
      readonly servesTools: boolean;
    }
  /** The very first process could not be started. */
  | { readonly kind: 'not-started'; readonly command: string; readonly isMissing: boolean; readonly problem: string }
  /** The server wrote a line of more than `limit` bytes. `generation`: undefined where there is only one. */
  | { readonly kind: 'line-too-long'; readonly generation: number | undefined; readonly limit: number }
  | {
      readonly kind: 'mended';
      readonly how: Mended;
      readonly generation: number;
      readonly pid: number | undefined;
      readonly failure: Failure;
      readonly since: string;
    }
  | ({
      readonly kind: 'crashed';
      readonly generation: number;
      readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
    } & Crash)
  | { readonly kind: 'health'; readonly health: Health; readonly client: string | undefined };

type Ending =
  /** A generation that was replaced has gone. */
  | { readonly kind: 'drained'; readonly generation: number }
  /** The time for draining was over before a replaced generation had answered these requests. */
  | {
      readonly kind: 'cut-off';
      readonly generation: number;
      readonly answered: readonly string[];
      readonly sentAgain: readonly string[];
      readonly limitMs: number;
    }
  | {
      readonly kind: 'left-behind';
      readonly generation: number | undefined;
      readonly processes: readonly LeftBehind[];
      readonly reaped: boolean;
    }
  | { readonly kind: 'closing'; readonly by: 'client' | 'signal' | 'server' | 'not-started' | 'port-taken' }
  | { readonly kind: 'closed' }
  /** The proxy has ended. `code`: the exit code that its process should have. */
  | { readonly kind: 'exit'; readonly code: number };

type Remark =
  /** These calls are silent now, and no others. */
  | { readonly kind: 'silent-calls'; readonly calls: readonly SilentCall[] }
  /** What a server printed on stdout and is no message. `runner`: whose banner it was. */
  | {
      readonly kind: 'noise';
      readonly generation: number;
      readonly noise: NoiseKind;
      readonly runner: string | undefined;
    }
  /** In the words of whoever warns. `code`: what kind of warning, where others need to tell. */
  | {
      readonly kind: 'warning';
      readonly text: string;
      readonly code?: string;
      readonly files?: readonly string[];
      readonly level?: 'debug' | 'info';
    };

type Traffic =
  /** A message has arrived: its envelope and its length in bytes, never its content. */
  | {
      readonly kind: 'traffic';
      readonly from: 'client' | 'server';
      readonly generation: number | undefined;
      readonly message: EnvelopeKind;
      readonly method: string | undefined;
      /** As JSON. */
      readonly id: string | undefined;
      readonly length: number;
    }
  /** A line that a server wrote to its stderr, without its end. */
  | { readonly kind: 'stderr'; readonly generation: number; readonly line: string };

export type HotlineEvent = Origin & (Connecting | Starting | Changing | Failing | Ending | Remark | Traffic);
export type EventKind = HotlineEvent['kind'];
export type EventOf<K extends EventKind> = Extract<HotlineEvent, { kind: K }>;
