// A client at line level on two streams: what a test sends leaves as the very bytes it gave, what arrives is kept raw
// and parsed. It is no MCP client: it answers nothing and assumes nothing unless the test says so. What is at the other
// end, a process or a proxy in this one, is the caller's.

import type { Readable, Writable } from 'node:stream';
import { splitLines } from './lines.js';
import { parse } from './message.js';
import type { Json, Message, Received } from './message.js';
import type { Transcript } from './transcript.js';
import { createWaits, deferred } from './waits.js';
import type { Deferred, WaitOptions } from './waits.js';

export interface Conversation {
  /** Everything received so far, in order. */
  readonly messages: readonly Received[];
  /** Responses to an id that had been answered already. */
  readonly duplicates: readonly Received[];
  /**
   * An object becomes a line, a string gets its newline, a buffer is written as it is. Resolves when it has been handed
   * on.
   */
  send(message: object | string | Buffer): Promise<void>;
  /** Sends a request and resolves with its response message, be it a result or an error. */
  request(method: string, params?: object, options?: WaitOptions & { id?: string | number }): Promise<Message>;
  /** The response to a request that the test sent by itself. */
  response(id: string | number | null, options?: WaitOptions): Promise<Message>;
  notify(method: string, params?: object): Promise<void>;
  /** From now on, answers the server's requests of this method. */
  answer(method: string, result: (params: Json) => object): void;
  waitFor(predicate: (message: Message) => boolean, label: string, options?: WaitOptions): Promise<Received>;
  /** The legacy handshake: `initialize`, then `notifications/initialized`. Resolves with the result. */
  initialize(overrides?: object): Promise<Json>;
  /** Ends what the other side reads. */
  end(): void;
  /** The story so far, for a test's own failure messages. */
  transcript(): string;
}

interface Streams {
  /** What the other side reads. */
  readonly stdin: Writable;
  /** What it writes. */
  readonly stdout: Readable;
}

/** `unread`: the test reads stdout itself. */
export function converse(
  { stdin, stdout }: Streams,
  transcript: Transcript,
  { unread = false }: { unread?: boolean } = {},
): Conversation {
  const story = () => transcript.print();
  const messages = createWaits<Received>(story);
  const duplicates: Received[] = [];
  const responses = new Map<string, Message>();
  const pending = new Map<string, Deferred<Message>>();
  const answers = new Map<string, (params: Json) => object>();
  let lastId = 0;
  stdin.on('error', (error) => transcript.add('!', Buffer.from(`stdin: ${error.message}`)));

  const accept = (received: Received, message: Message) => {
    if (message.method !== undefined) {
      const result = message.id === undefined ? undefined : answers.get(message.method)?.(message.params);
      if (result !== undefined) void send({ jsonrpc: '2.0', id: message.id, result });
      return;
    }
    if (message.id === undefined) return;
    const id = JSON.stringify(message.id);
    if (responses.has(id)) duplicates.push(received);
    else responses.set(id, message);
    pending.get(id)?.resolve(message);
    pending.delete(id);
  };
  const lines = splitLines((raw) => {
    transcript.add('←', raw);
    const received = { raw, message: parse(raw), at: performance.now() };
    for (const message of [received.message].flat()) {
      if (typeof message === 'object' && message !== null) accept(received, message);
    }
    messages.offer(received);
  });
  if (!unread) stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  stdout.once('close', () => {
    if (lines.rest().length > 0) transcript.add('←', Buffer.concat([lines.rest(), Buffer.from(' (no newline)')]));
    messages.end('stdout has ended');
    for (const one of pending.values()) one.reject('stdout has ended');
  });

  function send(message: object | string | Buffer): Promise<void> {
    const bytes = Buffer.isBuffer(message)
      ? message
      : Buffer.from(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    transcript.add('→', bytes);
    return new Promise((resolve) => stdin.write(bytes, () => resolve()));
  }

  const response = (id: string | number | null, { deadline }: WaitOptions = {}, what = 'a response') => {
    const key = JSON.stringify(id);
    const wait = deferred<Message>(`waiting for ${what} with id ${key}`, story, deadline);
    const past = responses.get(key);
    if (past !== undefined) wait.resolve(past);
    else if (stdout.closed) wait.reject('stdout has ended');
    else pending.set(key, wait);
    return wait.promise;
  };

  const conversation: Conversation = {
    messages: messages.past,
    duplicates,
    send,
    async request(method, params, { id = `test-${++lastId}`, ...wait } = {}) {
      const done = response(id, wait, `the response to ${method}`);
      await send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
      return done;
    },
    response: (id, wait) => response(id, wait),
    notify: (method, params) => send({ jsonrpc: '2.0', method, ...(params && { params }) }),
    answer: (method, result) => void answers.set(method, result),
    waitFor: (predicate, label, wait) => messages.wait(({ message }) => predicate(message), label, wait),
    async initialize(overrides) {
      const clientInfo = { name: 'test-client', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...overrides };
      const { result, error } = await conversation.request('initialize', params);
      if (error !== undefined) throw new Error(`initialize: ${error.message}\n${story()}`);
      await conversation.notify('notifications/initialized');
      return result;
    },
    end: () => void stdin.end(),
    transcript: story,
  };
  return conversation;
}
