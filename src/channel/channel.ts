/**
 * A two-way stream of messages with backpressure: what stands between us and one peer, be it a client or a server.
 * Types only; stdio.ts is one, HTTP has others. What a message means, and whose turn it is, is decided by those who use
 * it.
 */
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';

/** What a message belongs to. Stdio has one stream for everything and ignores it. */
export type Route =
  /** The answer to the peer's request with this id. */
  | { readonly kind: 'answer'; readonly to: Id }
  /** About a request of the peer that is still open: its progress, or a question that came up in its course. */
  | { readonly kind: 'about'; readonly request: Id }
  /** The session at large. */
  | { readonly kind: 'session' };

export interface ChannelEvents {
  message(message: Message): void;
  /** A message was longer than the limit and is discarded. Its id, if its beginning tells it. */
  oversized(id: Id | undefined): void;
  /** The peer has stopped reading (true) or reads again (false): pause or resume whoever writes to it. */
  full(full: boolean): void;
  /** Nothing more will come. `unfinished`: what stood after the last newline, if anything. */
  end(unfinished: Message | undefined): void;
  /** The peer will never read again. */
  gone(): void;
}

export interface Channel {
  /**
   * Without a route: the session at large. `of`: whose message it is, for a peer that keeps those apart who speak by
   * one channel; undefined: nobody's in particular.
   */
  send(message: Message, route?: Route, of?: object): void;
  /** The peer reads slower than it is written to. */
  readonly full: boolean;
  /** Stops reading from the peer. */
  pause(): void;
  resume(): void;
  /** Writes what is left; nothing follows. The peer may still write. */
  end(): void;
  /** Resolves once the peer has taken everything that was sent so far, or never will. */
  drained(): Promise<void>;
}

export const SESSION: Route = { kind: 'session' };

export function answerTo(id: Id): Route {
  return { kind: 'answer', to: id };
}
