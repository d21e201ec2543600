/**
 * The words of the reload's state machine: its states, the events that move it and the effects that follow. Types only;
 * what leads where is in state.ts. Data lives only in the state that owns it.
 */
import type { Failure } from '../agent/words.js';
import type { Exit } from '../process/child.js';
import type { ExitMeaning } from './exits.js';

export type Strategy = 'overlap' | 'replace';

/** One try to get the disk's code to serve. */
export interface Attempt {
  readonly number: number;
  /** Restart even if nothing changed. */
  readonly forced: boolean;
  /** Build even what counts as built. */
  readonly rebuild: boolean;
  /** The same code again after a crash: if it fails, time may mend it. */
  readonly restart: boolean;
  /** What failed once more, because a tool call has met the failure: its cause may lie where nobody watches. */
  readonly retry: boolean;
}

/**
 * What a change asks for, once everything is built: a new process; that the one there is looks at its files again; or
 * nothing, because what is on the disk serves already or needs no server to know of it.
 */
export type Next = 'restart' | 'refresh' | 'nothing';

export interface Common {
  readonly strategy: Strategy;
  /** `--while-reloading serve`: the serving generation answers requests until the next one takes over. */
  readonly servesMeanwhile: boolean;
  /** How many generations and attempts there have been. */
  readonly generations: number;
  readonly attempts: number;
  /** The client's messages wait. */
  readonly held: boolean;
  /**
   * The failure that requests are answered with while they are not held. It stays during the next attempts, until one
   * ends well or fails otherwise.
   */
  readonly standing: Failure | undefined;
}

type Phase =
  /** At rest. While a failure stands, the code on the disk can't serve, and the generation before it does. */
  | { readonly at: 'serving'; readonly serving: number }
  | { readonly at: 'building'; readonly serving: number | undefined; readonly attempt: Attempt }
  /** The serving generation is told to read its files again, or does so by itself. */
  | { readonly at: 'refreshing'; readonly serving: number; readonly attempt: Attempt }
  /**
   * `replace`: the old generation (`retiring`) finishes and stops before the new one starts. It serves until it begins
   * to drain.
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
       * The last build failed, and the server that served all the same has died. Its successor runs the same old code,
       * so this failure stands after a good start too.
       */
      readonly outlasting: Failure | undefined;
    }
  /** No server: it crashed or did not start, and is started again after a while. */
  | { readonly at: 'waiting'; readonly failure: Failure }
  /** No server, because the very first build failed: only a change, a tool call or a request to restart can help. */
  | { readonly at: 'broken'; readonly failure: Failure }
  /** The server has left, of its own accord, and none follows; those that it has replaced may still finish. */
  | { readonly at: 'leaving' }
  | { readonly at: 'closing'; readonly serving: number | undefined };

export type State = Common & Phase;
export type At = State['at'];

export type Event =
  | { readonly on: 'change' }
  /** The disk is back to what serves. */
  | { readonly on: 'restored' }
  | { readonly on: 'force'; readonly rebuild: boolean }
  /**
   * A tool call has met the failure that stands, and waits for an attempt to mend it; `background`: it is executed by
   * the old code meanwhile.
   */
  | { readonly on: 'retry'; readonly forced: boolean; readonly background: boolean }
  | { readonly on: 'built'; readonly attempt: number; readonly next: Next }
  | { readonly on: 'refreshed'; readonly attempt: number }
  /** `delay`: as with `exit`. */
  | { readonly on: 'build-failed'; readonly attempt: number; readonly failure: Failure; readonly delay: number }
  /** `replace`: the old generation gets no more requests from now on; then: it is gone. */
  | { readonly on: 'drains'; readonly generation: number }
  | { readonly on: 'retired'; readonly generation: number }
  | { readonly on: 'ready'; readonly generation: number }
  /** `busy`: it could not run beside the other one. `skipped`: its build had been left out. `delay`: as with `exit`. */
  | {
      readonly on: 'start-failed';
      readonly generation: number;
      readonly failure: Failure;
      readonly busy: boolean;
      readonly skipped: boolean;
      readonly delay: number;
      readonly beforeFirstAnswer: boolean;
      /** It was the very first start, and the client has heard of no failure: one more is tried before it does. */
      readonly isFirst: boolean;
    }
  /**
   * The serving generation's process has ended by itself. `meaning`: what that means for a server with such a life.
   * `delay`: how long to wait before the next start.
   */
  | {
      readonly on: 'exit';
      readonly generation: number;
      readonly meaning: ExitMeaning;
      readonly delay: number;
      /** A build of the attempt that started it was left out, because the record said that it was done. */
      readonly skippedBuild: boolean;
      readonly exit: Exit;
      readonly failure: Failure;
    }
  /**
   * The very first server has not answered the client for too long, and somebody else did. With a failure: it is not
   * waited for any more, but may still come.
   */
  | { readonly on: 'overdue'; readonly generation: number; readonly failure: Failure | undefined }
  /** Another configuration is in force. `strategy`: if it is that which has changed. */
  | { readonly on: 'configured'; readonly strategy: Strategy | undefined; readonly servesMeanwhile: boolean }
  | { readonly on: 'timer' }
  | { readonly on: 'close' };

export type Effect =
  /** The end of an attempt or of a wait: the messages that were held go on, or are answered with the failure. */
  | { readonly do: 'release'; readonly failure: Failure | undefined }
  /** The held messages are answered with a failure, while the attempt goes on. */
  | { readonly do: 'tell'; readonly failure: Failure }
  /**
   * The serving generation is gone. What it owed is sent again or answered; `failure`: the cause that the answers name.
   * `isLast`: no server follows it.
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
  /** Tells the client what is new. */
  | { readonly do: 'announce'; readonly generation: number }
  | { readonly do: 'wait'; readonly delay: number }
  | { readonly do: 'stop-waiting' }
  | { readonly do: 'became-replace' }
  /** Answers what waits, lets those finish that still owe something, and then ends. */
  | { readonly do: 'let-finish' }
  | { readonly do: 'end' };

export type Transition = readonly [State, readonly Effect[]];
