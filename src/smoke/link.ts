// How the messages of a connection travel: what connection.ts needs of a transport, and the transport that is a pipe.
// Which message answers which is connection.ts's to know.
import { LineSplitter } from '../wire/lines.js';
import type { Child } from '../process/child.js';
import { readMessage, type Id, type Message } from './message.js';

export interface Outgoing {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: object;
  readonly [member: string]: unknown;
}

export interface LinkEvents {
  message(message: Message): void;
  /** Something has come that is no message, or not as the transport wants it. */
  fault(text: string): void;
}

export interface Link {
  /** Resolves when it has been delivered. */
  send(message: Outgoing): Promise<void>;
  /**
   * Leaves as clients do. Resolves with the milliseconds that the server took to go after that, if the transport lets a
   * client end its server; else with undefined.
   */
  leave(): Promise<number | undefined>;
}

const LONGEST_LINE = 256 * 1024 * 1024;

export function stdioLink(child: Child, events: LinkEvents): Link {
  readLines(child, events, (line) => events.message(readMessage(line)));
  return {
    send: async (message) => void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    leave: async () => void child.stdin?.end(),
  };
}

export function readLines(child: Child, events: LinkEvents, take: (line: Buffer) => void): void {
  const lines = new LineSplitter(
    { limit: LONGEST_LINE },
    {
      message: (message) => take(message.bytes()),
      oversized: () => events.fault(`a line is longer than ${LONGEST_LINE} bytes`),
    },
  );
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
}
