/**
 * A client that has come in, whatever it came in by: its channel, and the gate that its messages pass before anybody
 * sees them. Types only. What becomes of a message is decided by those who are given it.
 */
import type { Channel } from '../channel/channel.js';
import type { Envelope } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';

export interface ClientEvents {
  /** Whether messages must pass a check of the disk now (P4, fresh). */
  needsCheck(envelope: Envelope): boolean;
  /** Undefined if no file was touched; else it resolves when those that were are hashed and acted upon. */
  check(): Promise<void> | undefined;
  /** The message, read at `since`, has passed the gate. */
  message(message: Message, since: number): void;
  /** Too much waits at the gate (true), or no longer (false). */
  gateIsFull(isFull: boolean): void;
  /** The client reads slower than it is written to (true), or reads again (false). */
  full(isFull: boolean): void;
  /** The client has closed its side, and all that it had sent has passed the gate; or it will never read again. */
  ended(): void;
}

export interface ClientConnection {
  readonly channel: Channel;
  /** These have passed before everything that waits at the gate, and have to pass once more. */
  returnToGate(messages: readonly { readonly message: Message; readonly since: number }[]): void;
  /** Resolves when everything that the client has sent so far has passed the gate. */
  emptied(): Promise<void>;
}

/** Connects a client: the events tell what it does. */
export type Connect = (events: ClientEvents) => ClientConnection;
