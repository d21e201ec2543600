// One proxy process with the server behind it, and a strict client at its pipes: each line is checked, and each answer
// must belong to a request that was not answered yet. It knows requests and answers; the checks decide what to ask, and
// what an answer must say.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launch, type Child, type Exit } from '../process/child.js';
import { OutputTail } from '../server/output-tail.js';
import { LineSplitter } from '../wire/lines.js';
import { excerpt, readMessage, type Id, type Message, type RpcError } from './message.js';

export interface Target {
  /** Options for the proxy. */
  readonly options: readonly string[];
  /** The server's command line; empty if the proxy knows it from elsewhere. */
  readonly server: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where the proxy's log goes. */
  readonly log: string;
}

export type Outcome =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'late' }
  /** The proxy has ended, and the server with it. */
  | { readonly kind: 'ended'; readonly exit: Exit };

export interface Ending extends Exit {
  readonly ms: number;
  /** It exited before its stdin was closed. */
  readonly early: boolean;
  /** It did not exit, and was killed. */
  readonly killed: boolean;
}

const bin = fileURLToPath(new URL('../../bin/mcp-hotline.js', import.meta.url));
const LONGEST_LINE = 256 * 1024 * 1024;
/** The proxy kills a server 3 s after the client has left: a proxy that takes much longer is broken. */
const PATIENCE_MS = 10_000;
/** How long the pipes are read after the process has exited. */
const READ_AFTER_EXIT_MS = 1000;
const METHOD_NOT_FOUND = -32601;

/** Throws only if the proxy itself, which is this very program, can't be run. */
export async function connect(target: Target): Promise<Connection> {
  const { options, server, cwd, env, log } = target;
  const own = ['--log-level', 'info', '--log-format', 'json', '--log-file', log];
  const command = server.length === 0 ? [] : ['--', ...server];
  const args = [bin, ...options, ...own, ...command];
  const launched = await launch({ command: process.execPath, args, cwd, env, stdin: 'pipe' });
  if (!launched.ok) throw launched.error;
  return new Connection(launched.child, log);
}

export class Connection {
  readonly log: string;
  /** Problems with lines of stdout. */
  readonly faults: string[] = [];
  /** Answers without a request, and ids that were used twice. */
  readonly unexpectedAnswers: string[] = [];
  /** The methods of the server's requests to the client. */
  readonly serverRequests: string[] = [];
  readonly stderr = new OutputTail();
  readonly #child: Child;
  readonly #waiting = new Map<Id, (outcome: Outcome) => void>();
  readonly #methods: string[] = [];
  readonly #answered = new Set<Id>();
  readonly #asked = new Set<Id>();
  readonly #read: Promise<unknown>;
  readonly #ended = new AbortController();
  #exit: Exit | undefined;

  constructor(child: Child, log: string) {
    this.log = log;
    this.#child = child;
    const lines = new LineSplitter(
      { limit: LONGEST_LINE },
      {
        message: (message) => this.#take(readMessage(message.bytes())),
        oversized: () => this.faults.push(`a line is longer than ${LONGEST_LINE} bytes`),
      },
    );
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    this.#read = Promise.all(
      [child.stdout, child.stderr].map((stream) => new Promise((end) => stream.once('close', end))),
    );
    void child.exited.then(async (exit) => {
      await Promise.race([this.#read, delay(READ_AFTER_EXIT_MS, undefined, { ref: false })]);
      this.#exit = exit;
      for (const settle of this.#waiting.values()) settle({ kind: 'ended', exit });
      this.#waiting.clear();
      this.#ended.abort();
    });
  }

  /** How the proxy ended, if it has. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Aborted when the proxy has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async request(method: string, params: object | undefined, limit: number, signal: AbortSignal): Promise<Outcome> {
    if (this.#exit !== undefined) return { kind: 'ended', exit: this.#exit };
    const id = this.#methods.push(method) - 1;
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const answer = new Promise<Outcome>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, ...(params && { params }) });
    const late: Promise<Outcome> = delay(limit, undefined, { signal: stop }).then(
      () => ({ kind: 'late' }),
      () => ({ kind: 'late' }),
    );
    const outcome = await Promise.race([answer, late]);
    over.abort();
    return outcome;
  }

  notify(method: string): void {
    this.#send({ method });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signalProcess(name);
  }

  /** Another process serves from now on, and may use the ids of its requests again. */
  forgetServerRequests(): void {
    this.#asked.clear();
  }

  /** Ends the session as clients do, by closing the proxy's stdin. */
  async close(): Promise<Ending> {
    const begin = performance.now();
    const early = this.#exit !== undefined;
    this.#child.stdin?.end();
    const over = new AbortController();
    const patience = delay(PATIENCE_MS, 'kill', { signal: over.signal }).catch(() => undefined);
    const killed = (await Promise.race([this.#child.exited, patience])) === 'kill';
    over.abort();
    if (killed) this.#child.signal('SIGKILL');
    const exit = await this.#child.exited;
    const ms = performance.now() - begin;
    await Promise.race([this.#read, delay(READ_AFTER_EXIT_MS, undefined, { ref: false })]);
    return { ...exit, ms, early, killed };
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(message: Message): void {
    switch (message.kind) {
      case 'fault':
        this.faults.push(message.fault);
        return;
      case 'notification':
        return;
      case 'request':
        return this.#answer(message.id, message.method);
      case 'result':
        return this.#settle(message.id, { kind: 'result', result: message.result });
      case 'error':
        return this.#settle(message.id, { kind: 'error', error: message.error });
    }
  }

  #settle(id: Id, outcome: Outcome): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    const method = typeof id === 'number' ? this.#methods[id] : undefined;
    const shown = excerpt(JSON.stringify(id));
    if (method === undefined) this.unexpectedAnswers.push(`an answer has the id ${shown}, which no request had`);
    else if (this.#answered.has(id)) this.unexpectedAnswers.push(`${method} was answered twice, under the id ${shown}`);
    this.#answered.add(id);
    settle?.(outcome);
  }

  /** Answers a request of the server, as a client without any capability. */
  #answer(id: Id, method: string): void {
    this.serverRequests.push(method);
    if (this.#asked.has(id))
      this.unexpectedAnswers.push(`the server asked two questions with the id ${JSON.stringify(id)}`);
    this.#asked.add(id);
    if (method === 'ping') this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `this client does not offer ${method}` } });
  }
}
