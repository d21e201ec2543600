/**
 * What a server is started with, what is told of it while it runs, and what comes of the start. Types only, the same
 * for one that speaks over its pipes (start-server.ts) and one that speaks HTTP (start-http-server.ts).
 */
import type { Renewal } from '../channel/http/peer.js';
import type { ChildSpec, Exit } from '../process/child.js';
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import type { Noise } from './noise.js';
import type { ServerProcessSpec } from './server-process.js';
import type { Upstream } from './upstream.js';

export interface ServerEvents<S> {
  /** `of`: the client in whose session it was said, if the server keeps clients apart. */
  message(upstream: Upstream<S>, message: Message, of?: S): void;
  /** Nobody knows whether it has executed these requests. It lives on. */
  lost?(upstream: Upstream<S>, ids: readonly Id[], problem: string): void;
  /** It may be another one by now, though we have not started one: clients are to hear of what differs. */
  renewed?(upstream: Upstream<S>, why: Renewal): void;
  /** Nobody listens where it did, though it was not we who have ended it. What it is asked waits. */
  away?(upstream: Upstream<S>): void;
  /** For people. */
  warn?(text: string): void;
  /** Lines on stdout that are no messages. */
  noise(upstream: { readonly generation: number }, kind: Noise, lines: Buffer): void;
  /** A line on stdout grew past the limit. */
  oversized(upstream: Upstream<S>): void;
  /** The server has stopped reading its stdin, or reads it again. */
  full(upstream: Upstream<S>, full: boolean): void;
  /** It has closed its stdin or stdout and lives on: what it is asked from now on it can't answer. */
  halfClosed(upstream: Upstream<S>, pipe: 'stdin' | 'stdout'): void;
  /** The process is gone, and all that it wrote has been told. */
  exit(upstream: Upstream<S>, exit: Exit): void;
}

export interface ServerSpec extends ChildSpec, ServerProcessSpec {
  readonly number: number;
  readonly maxLine: number;
  /** It speaks HTTP itself. Undefined: it speaks over its pipes. */
  readonly http?: HttpServerSpec | undefined;
}

export interface HttpServerSpec {
  /** False: somebody else starts it, and ends it. */
  readonly isOurs: boolean;
  /** Whether it is there is to be noticed though nobody asks it anything. */
  readonly isWatched: boolean;
  /** Every start needs a free port. */
  readonly takesFreePort: boolean;
  /** The process, and where it will listen. `port`: the one that was found for it. */
  at(port: number | undefined): { readonly url: string; readonly child: ChildSpec };
  /** How long a request waits for a server that can't be reached, in milliseconds; 0: for ever. */
  patience(): number;
}

export type Started<S> =
  | { readonly ok: true; readonly upstream: Upstream<S> }
  /** `isPortTaken`: it was not started, since somebody else answers where it is to listen. */
  | { readonly ok: false; readonly error: NodeJS.ErrnoException; readonly isPortTaken?: true };
