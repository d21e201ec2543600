/**
 * The words of the reload's state machine: its states, the events that move it and the effects that follow. Types only;
 * what leads where is in state.ts. Data lives only in the state that owns it.
 */
import type { Failure } from '../agent/words.js';
import type { Exit } from '../process/child.js';

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
  /** How many generations and attempts there have been. */
  readonly generations: number;
  readonly attempts: number;
}

type Phase =
  /** At rest. With a failure: what is on the disk can't serve, and the generation before it does. */
  | { readonly at: 'serving'; readonly serving: number; readonly failure: Failure | undefined }
  | { readonly at: 'building'; readonly serving: number | undefined; readonly attempt: Attempt }
  /** The serving generation is told to read its files again, or does so by itself. */
  | { readonly at: 'refreshing'; readonly serving: number; readonly attempt: Attempt }
  /** `replace`: the old generation finishes and stops before the new one starts. */
  | { readonly at: 'retiring'; readonly serving: number; readonly attempt: Attempt; readonly again: boolean }
  | {
      readonly at: 'starting';
      readonly serving: number | undefined;
      readonly candidate: number;
      readonly attempt: Attempt;
      /**
       * The last build failed, and the server that served all the same has died: its successor runs the same old code.
       */
      readonly standing: Failure | undefined;
    }
  /** No server: it crashed or did not start, and is started again after a while. */
  | { readonly at: 'waiting'; readonly failure: Failure }
  /** No server, because the very first build failed: only a change, a tool call or a request to restart can help. */
  | { readonly at: 'broken'; readonly failure: Failure }
  /** The server has left, of its own accord, and none follows; those it has replaced may still finish. */
  | { readonly at: 'leaving' }
  | { readonly at: 'closing' };

export type State = Common & Phase;
export type At = State['at'];

export type Event =
  | { readonly on: 'change' }
  /** The disk is back to what serves. */
  | { readonly on: 'restored' }
  | { readonly on: 'force'; readonly rebuild: boolean }
  /** A tool call has met the failure that stands. `background`: nobody waits for how this ends. */
  | { readonly on: 'retry'; readonly forced: boolean; readonly background: boolean }
  | { readonly on: 'built'; readonly attempt: number; readonly next: Next }
  | { readonly on: 'refreshed'; readonly attempt: number }
  /** `delay`: as with `exit`. */
  | { readonly on: 'build-failed'; readonly attempt: number; readonly failure: Failure; readonly delay: number }
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
      readonly unborn: boolean;
      /** It was the very first start, and the client has heard of no failure: one more is tried before it does. */
      readonly isFirst: boolean;
    }
  /** The process ended by itself. `delay`: how long to wait before the next start. */
  | {
      readonly on: 'exit';
      readonly generation: number;
      readonly clean: boolean;
      readonly delay: number;
      /** The client has no session yet. */
      readonly unborn: boolean;
      readonly exit: Exit;
      readonly failure: Failure;
    }
  /**
   * The very first server has not answered the client for too long, and somebody else did. With a failure: it is not
   * waited for any more, but may still come.
   */
  | { readonly on: 'overdue'; readonly generation: number; readonly failure: Failure | undefined }
  | { readonly on: 'timer' }
  | { readonly on: 'close' };

export type Effect =
  | { readonly do: 'hold' }
  | { readonly do: 'release'; readonly failure: Failure | undefined }
  /** Answers what waits with a failure, while the attempt goes on. */
  | { readonly do: 'tell'; readonly failure: Failure }
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

export type Step = readonly [State, readonly Effect[]];
