/**
 * A connected client, whatever the transport: its channel, and the gate that its messages pass first. Types only. The
 * lineage that attaches the client decides what happens to a message.
 */
import type { Channel } from '../channel/channel.js';
import type { Envelope } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';

export interface ClientEvents {
  /** Whether the message must wait for a check of the disk (P4, fresh). */
  needsCheck(envelope: Envelope): boolean;
  /** Undefined if no file was touched. Otherwise resolves when the touched files are hashed and acted upon. */
  check(): Promise<void> | undefined;
  /** Calls back in the next turn of the event loop, one after the other for all clients of a lineage. */
  atNextTurn(run: () => void): void;
  /** The message, read at `since`, has passed the gate. */
  message(message: Message, since: number): void;
  /** Too many bytes wait at the gate (true), or no longer (false). */
  gateIsFull(isFull: boolean): void;
  /** The output buffer of the client is full (true), or has been read (false). */
  full(isFull: boolean): void;
  /** The client has closed its side and its last message has passed the gate, or it can no longer be written to. */
  ended(): void;
  /** The client has vanished, or has no more use for answers: what it had asked for is taken back. */
  gone(): void;
}

export interface ClientConnection {
  readonly channel: Channel;
  /** Puts messages that have passed the gate back, before all that wait there. */
  returnToGate(messages: readonly { readonly message: Message; readonly since: number }[]): void;
  /** Resolves when every message that the client has sent so far has passed the gate. */
  emptied(): Promise<void>;
}

/** Connects a client and reports its events. */
export type Connect = (events: ClientEvents) => ClientConnection;
