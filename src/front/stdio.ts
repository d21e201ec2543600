/** Connects a client on two streams: usually the stdin and stdout of this process. Knows no session and no server. */
import type { Readable, Writable } from 'node:stream';
import { answerTo, SESSION } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import { error, PARSE_ERROR } from '../wire/json-rpc.js';
import type { Connect } from './connection.js';
import { Gate } from './gate.js';

export interface ClientStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface ClientLimits {
  /** In bytes. Read for each chunk, because an edit of the configuration file may change it. */
  maxMessage(): number;
  /** The error text for a client that has sent a longer message. */
  tooLong(): string;
}

export function connectStdio({ input, output }: ClientStreams, { maxMessage, tooLong }: ClientLimits): Connect {
  return (events) => {
    const gate = new Gate({
      needsCheck: (envelope) => events.needsCheck(envelope),
      check: () => events.check(),
      forward: (message, since) => events.message(message, since),
      full: (isFull) => events.gateIsFull(isFull),
    });
    const limits = {
      get limit() {
        return maxMessage();
      },
    };
    const channel = new StdioChannel(input, output, limits, {
      message: (message) => gate.push(message),
      oversized: (id = 'null') =>
        channel.send(error(id, PARSE_ERROR, tooLong()), id === 'null' ? SESSION : answerTo(id)),
      end: (unfinished) => {
        if (unfinished !== undefined) gate.push(unfinished);
        void gate.emptied().then(() => events.ended());
      },
      full: (isFull) => events.full(isFull),
      gone: () => events.ended(),
    });
    return {
      channel,
      returnToGate: (messages) => gate.unshift(messages),
      emptied: () => gate.emptied(),
    };
  };
}
