// A client at line level around one real process: what a test sends leaves as the very bytes it gave, what arrives is
// kept raw and parsed. It is no MCP client: it answers nothing and assumes nothing unless the test says so.
// Starting the proxy or a server with it is harness.ts's part.

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { splitLines } from './lines.js';
import { parse } from './message.js';
import type { Json, Message, Received } from './message.js';
import { createTranscript } from './transcript.js';
import { createWaits, deferred } from './waits.js';
import type { Deferred, WaitOptions } from './waits.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface PeerOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Leaves stdout unread: the test reads `child.stdout` itself. */
  unread?: boolean;
}

export interface Peer {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
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
  /** Resolves with the first line on stderr that matches. */
  waitForLog(pattern: RegExp | string, options?: WaitOptions): Promise<string>;
  /** The legacy handshake: `initialize`, then `notifications/initialized`. Resolves with the result. */
  initialize(overrides?: object): Promise<Json>;
  /** Ends stdin. */
  end(): void;
  kill(signal: NodeJS.Signals): void;
  /** On exit, whatever its pipes do. Has no deadline of its own: for races. */
  readonly exited: Promise<Exit>;
  /** The same, within the deadline. */
  exit(options?: WaitOptions): Promise<Exit>;
  /** On exit and with both pipes read to their end, within the deadline. */
  finished(options?: WaitOptions): Promise<Exit>;
  stderr(): string;
  stderrBytes(): Buffer;
  /** The story so far, for a test's own failure messages. */
  transcript(): string;
}

export function openPeer(argv: readonly string[], options: PeerOptions): Peer {
  const transcript = createTranscript(`transcript of ${argv.join(' ')}`);
  const story = () => transcript.print();
  const messages = createWaits<Received>(story);
  const log = createWaits<string>(story);
  const duplicates: Received[] = [];
  const responses = new Map<string, Message>();
  const pending = new Map<string, Deferred<Message>>();
  const answers = new Map<string, (params: Json) => object>();
  const stderr: Buffer[] = [];
  let lastId = 0;

  const child = spawn(argv[0]!, argv.slice(1), { cwd: options.cwd, env: options.env, stdio: 'pipe', detached: true });
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      transcript.add('!', Buffer.from(`exit: code ${code}, signal ${signal}`));
      resolve({ code, signal });
    });
  });
  exited.catch(() => {});
  child.stdin.on('error', (error) => transcript.add('!', Buffer.from(`stdin: ${error.message}`)));

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
  const logLines = splitLines((raw) => {
    transcript.add('!', raw);
    log.offer(raw.toString());
  });
  if (options.unread !== true) child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  child.stdout.once('close', () => {
    if (lines.rest().length > 0) transcript.add('←', Buffer.concat([lines.rest(), Buffer.from(' (no newline)')]));
    messages.end('stdout has ended');
    for (const one of pending.values()) one.reject('stdout has ended');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    logLines.push(chunk);
  });
  child.stderr.once('close', () => {
    if (logLines.rest().length > 0) log.offer(logLines.rest().toString());
    log.end('stderr has ended');
  });
  const closed = Promise.all([exited, once(child.stdout, 'close'), once(child.stderr, 'close')]);
  closed.catch(() => {});

  function send(message: object | string | Buffer): Promise<void> {
    const bytes = Buffer.isBuffer(message)
      ? message
      : Buffer.from(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    transcript.add('→', bytes);
    return new Promise((resolve) => child.stdin.write(bytes, () => resolve()));
  }

  const response = (id: string | number | null, { deadline }: WaitOptions = {}, what = 'a response') => {
    const key = JSON.stringify(id);
    const wait = deferred<Message>(`waiting for ${what} with id ${key}`, story, deadline);
    const past = responses.get(key);
    if (past !== undefined) wait.resolve(past);
    else if (child.stdout.closed) wait.reject('stdout has ended');
    else pending.set(key, wait);
    return wait.promise;
  };

  const within = (outcome: Promise<Exit>, what: string, { deadline }: WaitOptions = {}) => {
    const done = deferred<Exit>(`waiting for ${what}`, story, deadline);
    outcome.then(done.resolve, (error: unknown) => done.reject(String(error)));
    return done.promise;
  };

  const peer: Peer = {
    pid: child.pid ?? -1,
    child,
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
    waitForLog: (pattern, wait) =>
      log.wait(
        (line) => (typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line)),
        `${pattern} on stderr`,
        wait,
      ),
    async initialize(overrides) {
      const clientInfo = { name: 'test-client', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...overrides };
      const { result, error } = await peer.request('initialize', params);
      if (error !== undefined) throw new Error(`initialize: ${error.message}\n${story()}`);
      await peer.notify('notifications/initialized');
      return result;
    },
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exited,
    exit: (wait) => within(exited, 'the end of the process', wait),
    finished: (wait) =>
      within(
        closed.then(([exit]) => exit),
        'the end of the process and its pipes',
        wait,
      ),
    stderr: () => Buffer.concat(stderr).toString(),
    stderrBytes: () => Buffer.concat(stderr),
    transcript: story,
  };
  return peer;
}
