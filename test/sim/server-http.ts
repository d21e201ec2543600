/**
 * How a simulated server speaks HTTP: node:http's own server on simulated connections. Sessions and GET streams for
 * clients of the legacy era, a request a response for the modern one; answers come as JSON or as a stream. It can
 * forget its sessions, and dies with its process. What is said is the server's.
 */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { isOwn, markOf, parse, UIDS, type Mark, type Message } from './facts.js';
import type { Network } from './network.js';
import type { Process } from './processes.js';
import type { Random } from '../support/random.js';
import { uidOf } from './model.js';

const PATH = '/mcp';
const JSON_TYPE = 'application/json';
const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** Of the legacy era. */
export interface HttpSession {
  readonly id: string;
  /** The number of the client that it is for. */
  readonly of: number;
  isInitialized: boolean;
  stream: ServerResponse | undefined;
}

/** A POST that is to be answered. */
interface Exchange {
  readonly response: ServerResponse;
  readonly session: HttpSession | undefined;
  /** Its `initialize` opens one. */
  readonly opens: boolean;
  readonly of: number;
}

export interface FaceEvents {
  /** It has come whole. */
  came(line: string): void;
  /** None of it is executed. */
  refused(messages: readonly Message[]): void;
  /** It is executed now. */
  message(line: string, messages: readonly Message[]): void;
  /** Nobody will see the answers to these requests. */
  lost(messages: readonly Message[]): void;
  fail(promise: string, text: string): void;
}

export class HttpFace {
  readonly #process: Process;
  readonly #chance: Random;
  readonly #events: FaceEvents;
  readonly #network: Network;
  readonly #port: number;
  readonly #server: HttpServer;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #exchanges = new WeakMap<Message, Exchange>();
  #count = 0;

  constructor(
    { process, chance, network, port }: { process: Process; chance: Random; network: Network; port: number },
    events: FaceEvents,
  ) {
    this.#process = process;
    this.#chance = chance;
    this.#network = network;
    this.#port = port;
    this.#events = events;
    this.#server = createServer({}, (request, response) => this.#onRequest(request, response));
    this.#server.on('error', () => process.exit(1, null));
    this.#server.listen({ port, host: '127.0.0.1' }, () => {});
  }

  /** It knows none of them any more. */
  forget(): void {
    for (const { stream } of this.#sessions.values()) stream?.end();
    this.#sessions.clear();
  }

  /** With the process. */
  gone(): void {
    this.#network.unlisten(this.#port);
    this.#server.closeAllConnections();
  }

  /** A session in which something can be said at large. */
  pick(): HttpSession | undefined {
    const all = [...this.#sessions.values()].filter(({ stream }) => stream !== undefined);
    return all.length === 0 ? undefined : this.#chance.pick(all);
  }

  /** The client that asks. */
  ownerOf(about: Message): number | undefined {
    return this.#exchanges.get(about)?.of;
  }

  sessionOf(about: Message): HttpSession | undefined {
    return this.#exchanges.get(about)?.session;
  }

  tell(session: HttpSession, line: string): void {
    session.stream?.write(eventOf(line));
  }

  /** What is said in the course of a request, or answers it. */
  say(about: Message, line: string, isAnswer: boolean): void {
    const exchange = this.#exchanges.get(about);
    if (exchange === undefined || exchange.response.writableEnded || exchange.response.destroyed) return;
    const { response, opens, of } = exchange;
    if (!response.headersSent) {
      const id = opens && line.includes('"protocolVersion"') ? this.#open(of) : undefined;
      const headers = id === undefined ? {} : { 'mcp-session-id': id };
      if (isAnswer && this.#chance.once(2))
        return void response.writeHead(200, { 'content-type': JSON_TYPE, ...headers }).end(line);
      response.writeHead(200, { ...STREAM, ...headers });
    }
    response.write(eventOf(line));
    if (isAnswer) response.end();
  }

  #open(of: number): string {
    const id = `session-${this.#port}-${++this.#count}`;
    this.#sessions.set(id, { id, of, isInitialized: false, stream: undefined });
    return id;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {});
    let body = '';
    request.setEncoding('utf8');
    request.on('error', () => {});
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      body = body.trimEnd();
      if (request.method === 'POST') this.#came(response, body);
      this.#process.later(this.#chance.below(2), () => this.#serve(request, response, body));
    });
  }

  /** Its connection may be gone before anything of it is executed. */
  #came(response: ServerResponse, body: string): void {
    const asked = requestsIn(parse(body) ?? []);
    response.on('close', () => {
      if (asked.length > 0 && !response.writableFinished) this.#events.lost(asked);
    });
    this.#events.came(body);
  }

  #serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (response.destroyed && request.method !== 'POST') return;
    if (request.url !== PATH) return void response.writeHead(404).end('there is nothing here');
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id !== undefined && session === undefined) {
      this.#events.refused(parse(body) ?? []);
      const error = { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null };
      return void response.writeHead(404, { 'content-type': JSON_TYPE }).end(JSON.stringify(error));
    }
    if (request.method === 'DELETE') {
      session?.stream?.end();
      if (session !== undefined) this.#sessions.delete(session.id);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') return this.#listen(session, response);
    this.#post(session, response, body);
  }

  #listen(session: HttpSession | undefined, response: ServerResponse): void {
    if (session === undefined) return void response.writeHead(405).end();
    session.stream?.end();
    session.stream = response;
    response.writeHead(200, STREAM);
    response.flushHeaders();
    response.on('close', () => {
      if (session.stream === response) session.stream = undefined;
    });
  }

  #post(session: HttpSession | undefined, response: ServerResponse, line: string): void {
    const messages = parse(line) ?? [];
    this.#looksAt(session, messages);
    const asked = requestsIn(messages);
    const opens = messages.some(({ method }) => method === 'initialize');
    const of = session?.of ?? Math.floor((uidOf(messages[0] ?? {}) ?? -1) / UIDS);
    for (const message of messages) this.#exchanges.set(message, { response, session, opens, of });
    this.#events.message(line, messages);
    if (asked.length === 0 && !response.destroyed) response.writeHead(202).end();
  }

  /** P3, P17: a session comes before what is asked in it, and is one client's. */
  #looksAt(session: HttpSession | undefined, messages: readonly Message[]): void {
    for (const message of messages) {
      const { method } = message;
      const uid = uidOf(message);
      if (session === undefined) continue;
      if (!isOwn(message.id) && uid !== undefined && uid >= 0 && Math.floor(uid / UIDS) !== session.of)
        this.#events.fail('P17', `request ${uid} comes in the session of client ${session.of}`);
      const answered = (markOf(message) ?? (message.result as { sim?: Mark } | undefined)?.sim)?.of;
      if (answered !== undefined && answered !== session.of)
        this.#events.fail(
          'P17',
          `what client ${answered} was asked is answered in the session of client ${session.of}`,
        );
      if (method === 'notifications/initialized') {
        if (session.isInitialized) this.#events.fail('P10', `session ${session.id} is opened twice`);
        session.isInitialized = true;
      }
    }
  }
}

function requestsIn(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ id, method }) => id !== undefined && method !== undefined);
}

function eventOf(line: string): string {
  return `event: message\ndata: ${line}\n\n`;
}
