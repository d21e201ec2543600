/**
 * The types of the reload's state machine: states, events and effects. `state.ts` has the transitions. Data exists only
 * in the state that owns it.
 */
import type { Failure } from '../agent/words.js';
import type { Exit } from '../process/child.js';

export type Strategy = 'overlap' | 'replace';

/** One try to get the disk's code to serve. */
export interface Attempt {
  readonly number: number;
  /** Restart even if nothing changed. */
  readonly forced: boolean;
  /** Build even if the record says that the result exists already. */
  readonly rebuild: boolean;
  /**
   * The server has exited, and the same code is started again without a build. After a failure the back-off goes on.
   */
  readonly respawn: boolean;
  /**
   * A tool call has met a failure, so what has failed is attempted again: a file may be the cause that is not watched.
   */
  readonly repeat: boolean;
}

/**
 * What changes ask of the server once everything is built. `restart`: a new process. `refresh`: the running process
 * reads its files again. `nothing`: the server runs that code already, or need not know of the change.
 */
export type Next = 'restart' | 'refresh' | 'nothing';

/**
 * What the exit of a server that nobody stopped means. `leaves`: on purpose, and none follows. `restarts`: on purpose,
 * and another one is to follow. `start`: it has never answered. `exit`: code 0, but probably by mistake.
 */
export type ExitMeaning = 'leaves' | 'restarts' | 'start' | 'exit' | 'crash';

/** A server exits with this code to be restarted. */
export const RESTART_EXIT_CODE = 42;

export interface Common {
  readonly strategy: Strategy;
  /** `--while-reloading serve`: the serving generation answers requests until the next one takes over. */
  readonly servesMeanwhile: boolean;
  /** How many generations and attempts there have been; also the number of the last one. */
  readonly generations: number;
  readonly attempts: number;
  /** Requests of clients are held. */
  readonly held: boolean;
  /**
   * The failure that requests are answered with while they are not held. It stays during later attempts, until one
   * succeeds or fails for another reason.
   */
  readonly standing: Failure | undefined;
}

type Phase =
  /** At rest. While a failure stands, the sources on the disk can't serve, and an older generation does. */
  | { readonly at: 'serving'; readonly serving: number }
  | { readonly at: 'building'; readonly serving: number | undefined; readonly attempt: Attempt }
  /** The serving generation reads its files again, because of a signal or by itself. */
  | { readonly at: 'refreshing'; readonly serving: number; readonly attempt: Attempt }
  /**
   * `replace`: the old generation (`retiring`) finishes and exits before the new one starts. It serves until it begins
   * to drain. `again`: a change came meanwhile, so a build follows.
   */
  | {
      readonly at: 'retiring';
      readonly serving: number | undefined;
      readonly retiring: number;
      readonly attempt: Attempt;
      readonly again: boolean;
    }
  | {
      readonly at: 'starting';
      readonly serving: number | undefined;
      readonly candidate: number;
      readonly attempt: Attempt;
      /**
       * The last build failed, and the older server that served has crashed. The candidate runs the same old code, so
       * this failure stands even if the start succeeds.
       */
      readonly outlasting: Failure | undefined;
    }
  /** No server runs: it crashed or did not start. The next start follows after the back-off. */
  | { readonly at: 'waiting'; readonly failure: Failure }
  /** No server runs, because the very first build failed. A change, a tool call or a restart request leads on. */
  | { readonly at: 'broken'; readonly failure: Failure }
  /** The server has exited on purpose and none follows. Generations that drain may still finish. */
  | { readonly at: 'leaving' }
  | { readonly at: 'closing'; readonly serving: number | undefined };

export type State = Common & Phase;
export type At = State['at'];

export type Event =
  | { readonly on: 'change' }
  /** The edit was undone: the disk is equal to the sources that serve. */
  | { readonly on: 'restored' }
  | { readonly on: 'force'; readonly rebuild: boolean }
  /**
   * A tool call has met the standing failure: what has failed is to be attempted again. `background`: the call does not
   * wait for it, because the old code executes it.
   */
  | { readonly on: 'repeat'; readonly forced: boolean; readonly background: boolean }
  | { readonly on: 'built'; readonly attempt: number; readonly next: Next }
  | { readonly on: 'refreshed'; readonly attempt: number }
  /** `delay`: as with `exit`. */
  | { readonly on: 'build-failed'; readonly attempt: number; readonly failure: Failure; readonly delay: number }
  /** `replace`: `drains`: the old generation gets no more requests. `retired`: it has exited. */
  | { readonly on: 'drains'; readonly generation: number }
  | { readonly on: 'retired'; readonly generation: number }
  | { readonly on: 'ready'; readonly generation: number }
  /** `busy`: it could not run beside the old one. `skipped`: its build had been skipped. `delay`: as with `exit`. */
  | {
      readonly on: 'start-failed';
      readonly generation: number;
      readonly failure: Failure;
      readonly busy: boolean;
      readonly skipped: boolean;
      readonly delay: number;
      readonly beforeFirstAnswer: boolean;
      /** It was the very first start: another one is tried before the client is told of the failure. */
      readonly isFirst: boolean;
    }
  /** The serving generation has exited by itself. `delay`: how long to wait before the next start, in milliseconds. */
  | {
      readonly on: 'exit';
      readonly generation: number;
      readonly meaning: ExitMeaning;
      readonly delay: number;
      /** A build of the attempt that started it was skipped. */
      readonly skippedBuild: boolean;
      /** The server was asked something that it may answer by exiting. */
      readonly isExpected: boolean;
      readonly exit: Exit;
      readonly failure: Failure;
    }
  /**
   * The very first server has not answered the handshake in time, and the proxy has. With a failure: requests are
   * answered with it, but the server may still come up.
   */
  | { readonly on: 'overdue'; readonly generation: number; readonly failure: Failure | undefined }
  /** Another configuration is in force. `strategy`: undefined if that has not changed. */
  | { readonly on: 'configured'; readonly strategy: Strategy | undefined; readonly servesMeanwhile: boolean }
  | { readonly on: 'timer' }
  | { readonly on: 'close' };

export type Effect =
  /**
   * The attempt has ended, in success or with the failure, so its snapshot of the disk becomes that of what serves or
   * of what failed. The hold ends with it: held messages are forwarded, or answered with the failure.
   */
  | { readonly do: 'end-attempt'; readonly failure: Failure | undefined }
  /** Only the hold ends: held messages are answered with the failure, and the attempt goes on. */
  | { readonly do: 'end-hold'; readonly failure: Failure }
  /**
   * The serving generation has exited. Its pending requests are sent again or answered. `failure`: the cause that those
   * answers name. `isLast`: no server follows it.
   */
  | {
      readonly do: 'drop';
      readonly generation: number;
      readonly failure: Failure | undefined;
      readonly isLast: boolean;
    }
  | { readonly do: 'build'; readonly attempt: Attempt }
  | { readonly do: 'abort-build' }
  | { readonly do: 'refresh'; readonly generation: number }
  | { readonly do: 'retire'; readonly generation: number }
  | { readonly do: 'start'; readonly generation: number; readonly attempt: Attempt }
  | { readonly do: 'adopt'; readonly generation: number; readonly attempt: Attempt }
  | { readonly do: 'abandon'; readonly generation: number }
  | { readonly do: 'swap'; readonly from: number | undefined; readonly to: number }
  /** Emits the reload, and tells clients of the lists that differ. */
  | { readonly do: 'announce'; readonly generation: number }
  | { readonly do: 'wait'; readonly delay: number }
  | { readonly do: 'stop-waiting' }
  | { readonly do: 'became-replace' }
  /** Answers held requests, lets draining generations finish, and then ends. */
  | { readonly do: 'let-finish' }
  | { readonly do: 'end' };

export type Transition = readonly [State, readonly Effect[]];
