/**
 * What the server is to one client: a session of its own with it, opened in the client's words whenever that is needed.
 * Types only; streamable-peer.ts and sse-peer.ts are the transports.
 */
import type { Id } from '../../wire/envelope.js';
import type { Beside, Message } from '../../wire/message.js';
import type { Link } from './link.js';
import type { Opening } from '../opening.js';

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
  /** The server had lost the session, and has opened it again. */
  renewed(): void;
}

export interface Peer {
  send(message: Message): void;
  /** Opens the session, if there is one to be opened and that has not been done. */
  open(): void;
  /** Ends the session. Resolves when the server has been told. */
  close(): Promise<void>;
}
