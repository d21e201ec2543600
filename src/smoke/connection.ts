// One proxy process with the server behind it, and a strict client: each message is checked, and each answer must
// belong to a request that was not answered yet. It knows requests and answers. How messages travel is link.ts's,
// http-link.ts's and sse-link.ts's; the checks decide what to ask, and what an answer must say.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launch, type Child, type Exit } from '../process/child.js';
import { OutputTail } from '../server/output-tail.js';
import { endpointIn } from './endpoint.js';
import { httpLink } from './http-link.js';
import { readLines, stdioLink, type Link, type LinkEvents, type Outgoing } from './link.js';
import { excerpt, type Id, type Message, type RpcError } from './message.js';
import { logged } from './proxy-log.js';
import { sseLink } from './sse-link.js';
import type { Way } from './ways.js';

export interface Target {
  readonly way: Pick<Way, 'era' | 'by'>;
  /** What the proxy is told to ask clients for over HTTP. */
  readonly token: string | undefined;
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
  /**
   * What `ms` was: from the end of stdin, or of the session over HTTP, until the server was gone; or, where clients
   * can't end their server, from the signal to the proxy.
   */
  readonly after: 'stdin' | 'session' | 'signal';
  /** It exited before that. */
  readonly early: boolean;
  /** It did not exit, and was killed. */
  readonly killed: boolean;
}

const bin = fileURLToPath(new URL('../../bin/mcp-hotline.js', import.meta.url));
/** The proxy kills a server 3 s after the client has left: a proxy that takes much longer is broken. */
const PATIENCE_MS = 10_000;
/** How long the pipes are read after the process has exited. */
const READ_AFTER_EXIT_MS = 1000;
const METHOD_NOT_FOUND = -32601;

/** Throws only if the proxy itself, which is this very program, can't be run. */
export async function connect(target: Target): Promise<Connection> {
  const { way, options, server, cwd, env, log } = target;
  // The end of one session is a matter for people who look for details.
  const own = ['--log-level', way.by === 'stdio' ? 'info' : 'debug', '--log-format', 'json', '--log-file', log];
  const command = server.length === 0 ? [] : ['--', ...server];
  const serve = way.by === 'stdio' ? [] : ['serve', '--port=0'];
  const args = [bin, ...serve, ...options, ...own, ...command];
  const launched = await launch({ command: process.execPath, args, cwd, env, stdin: 'pipe' });
  if (!launched.ok) throw launched.error;
  return new Connection(launched.child, target);
}

function linkOf(child: Child, { way, log, token }: Target, ended: AbortSignal, events: LinkEvents): Link {
  if (way.by === 'stdio') return stdioLink(child, events);
  readLines(child, events, (line) => events.fault(`a line on stdout: ${excerpt(String(line).trimEnd())}`));
  const endpoint = endpointIn(log, token, ended);
  if (way.by === 'sse') return sseLink(endpoint, events);
  const closed = (): Promise<unknown> =>
    logged(
      log,
      ({ event, session }) => event === 'closed' && session !== undefined,
      AbortSignal.any([ended, AbortSignal.timeout(PATIENCE_MS)]),
    );
  return httpLink(way.era, endpoint, events, closed);
}

export class Connection {
  readonly log: string;
  /** What came that is no message. */
  readonly faults: string[] = [];
  /** Answers without a request, and ids that were used twice. */
  readonly unexpectedAnswers: string[] = [];
  /** The methods of the server's requests to the client. */
  readonly serverRequests: string[] = [];
  readonly stderr = new OutputTail();
  readonly #child: Child;
  readonly #link: Link;
  readonly #by: Way['by'];
  readonly #waiting = new Map<Id, (outcome: Outcome) => void>();
  readonly #methods: string[] = [];
  readonly #answered = new Set<Id>();
  readonly #asked = new Set<Id>();
  readonly #read: Promise<unknown>;
  readonly #ended = new AbortController();
  #exit: Exit | undefined;

  constructor(child: Child, target: Target) {
    this.log = target.log;
    this.#child = child;
    this.#by = target.way.by;
    this.#link = linkOf(child, target, this.ended, {
      message: (message) => this.#take(message),
      fault: (text) => this.faults.push(text),
    });
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

  /** Resolves when it has been delivered. */
  notify(method: string): Promise<void> {
    return this.#link.send({ method });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signalProcess(name);
  }

  /** Another process serves from now on, and may use the ids of its requests again. */
  forgetServerRequests(): void {
    this.#asked.clear();
  }

  /** Ends the session as clients do; over HTTP, where the proxy lives on, that too. */
  async close(): Promise<Ending> {
    const begin = performance.now();
    const early = this.#exit !== undefined;
    const untilGone = await this.#link.leave();
    if (this.#by !== 'stdio') this.#child.signalProcess('SIGTERM');
    const over = new AbortController();
    const patience = delay(PATIENCE_MS, 'kill', { signal: over.signal }).catch(() => undefined);
    const killed = (await Promise.race([this.#child.exited, patience])) === 'kill';
    over.abort();
    if (killed) this.#child.signal('SIGKILL');
    const exit = await this.#child.exited;
    const ms = untilGone ?? performance.now() - begin;
    await Promise.race([this.#read, delay(READ_AFTER_EXIT_MS, undefined, { ref: false })]);
    const after = this.#by === 'stdio' ? 'stdin' : untilGone === undefined ? 'signal' : 'session';
    return { ...exit, ms, after, early, killed };
  }

  #send(message: Outgoing): void {
    void this.#link.send(message);
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
