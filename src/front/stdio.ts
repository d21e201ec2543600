/** Connects a client on two streams: usually the stdin and stdout of this process. Knows no session and no server. */
import type { Readable, Writable } from 'node:stream';
import { answerTo, SESSION } from '../channel/channel.js';
import { StdioChannel } from '../channel/stdio.js';
import { error, PARSE_ERROR } from '../wire/json-rpc.js';
import type { Message } from '../wire/message.js';
import type { ClientConnection, ClientEvents, Connect } from './connection.js';
import { Gate } from './gate.js';

type Era = 'legacy' | 'modern';

export interface ClientStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface ClientLimits {
  /** In force: an edit of the configuration file may change it. `maxMessage`: in bytes. */
  readonly config: { readonly maxMessage: number };
  /** The error text for a client that has sent a longer message. */
  readonly tooLong: string;
}

/**
 * For a client that shares a server with others of its era: it is attached when its first message has told which era
 * that is. Resolves when its session is closed; with nothing if it never said a word.
 */
export function connectWhenSpoken<R>(
  streams: ClientStreams,
  limits: ClientLimits,
  attach: (era: Era, connect: Connect) => Promise<R>,
): Promise<R | undefined> {
  return new Promise((resolve) => {
    const early: Message[] = [];
    let events: ClientEvents | undefined;
    const connected: ClientConnection = connectStdio(
      streams,
      limits,
    )({
      needsCheck: (envelope) => events?.needsCheck(envelope) ?? false,
      check: () => events?.check(),
      atNextTurn: (run) => (events === undefined ? void setImmediate(run) : events.atNextTurn(run)),
      message: (message, since) => {
        if (events !== undefined) return events.message(message, since);
        early.push(message);
        if (early.length > 1) return;
        const connect: Connect = (given) => {
          queueMicrotask(() => {
            events = given;
            connected.returnToGate(early.map((one) => ({ message: one, since })));
          });
          return connected;
        };
        void attach(eraOf(message), connect).then(resolve);
      },
      gateIsFull: (isFull) => events?.gateIsFull(isFull),
      full: (isFull) => events?.full(isFull),
      ended: () => (events === undefined ? resolve(undefined) : events.ended()),
      gone: () => events?.gone(),
    });
  });
}

/** A client of both eras asks for the modern one first. */
function eraOf(message: Message): Era {
  const { envelope } = message;
  const discovers = envelope.kind === 'request' && envelope.method === 'server/discover';
  return discovers || message.has(['params', '_meta', 'io.modelcontextprotocol/protocolVersion']) ? 'modern' : 'legacy';
}

export function connectStdio({ input, output }: ClientStreams, limits: ClientLimits): Connect {
  return (events) => {
    const gate = new Gate({
      needsCheck: (envelope) => events.needsCheck(envelope),
      check: () => events.check(),
      atNextTurn: (run) => events.atNextTurn(run),
      forward: (message, since) => events.message(message, since),
      full: (isFull) => events.gateIsFull(isFull),
    });
    const lines = {
      get limit() {
        return limits.config.maxMessage;
      },
    };
    const channel = new StdioChannel(input, output, lines, {
      message: (message) => gate.push(message),
      oversized: (id = 'null') =>
        channel.send(error(id, PARSE_ERROR, limits.tooLong), id === 'null' ? SESSION : answerTo(id)),
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
