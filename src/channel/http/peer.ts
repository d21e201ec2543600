/**
 * What the server is to one client: a session of its own with it, opened in the client's words whenever that is needed.
 * Types only; streamable-peer.ts and sse-peer.ts are the transports.
 */
import type { Id } from '../../wire/envelope.js';
import type { Beside, Message } from '../../wire/message.js';
import type { Link } from './link.js';
import type { Opening } from '../opening.js';

/**
 * Why a server may be another one by now. `forgotten`: it did not know the session of a client any more, and has opened
 * it again. `restarted`: it could not be reached for a while, or has closed a stream.
 */
export type Renewal = 'forgotten' | 'restarted';

export interface PeerContext {
  readonly link: Link;
  /** Where the server was said to be. */
  readonly url: URL;
  /** What the client has agreed with servers before. Undefined: nothing yet. */
  opening(): Opening | undefined;
  /** What came with the client's last message. */
  beside(): Beside | undefined;
  message(message: Message): void;
  /** Nobody knows whether these requests were executed. */
  lost(ids: readonly Id[], problem: string): void;
  /** The server may be another one by now. */
  renewed(why: Renewal): void;
}

export interface Peer {
  send(message: Message): void;
  /** Opens the session, if there is one to be opened and that has not been done. */
  open(): void;
  /** Nobody listens where the server did: streams that it may wait for are closed, and opened again when it is back. */
  serverGone(): void;
  /** Ends the session. Resolves when the server has been told. */
  close(): Promise<void>;
}
