/**
 * Clients over HTTP: admits a request, finds its endpoint and its era, and hands it to the session or the exchange that
 * it belongs to. Whether a request is right is decided in guard.ts, modern-request.ts and legacy-request.ts; who serves
 * it, behind `HttpHome`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { passedOn, type SentHeaders } from '../../channel/http/request-headers.js';
import type { Id } from '../../wire/envelope.js';
import { error, INTERNAL_ERROR } from '../../wire/json-rpc.js';
import type { Message } from '../../wire/message.js';
import { readBody, type Parsed } from './body.js';
import { asMeant, bodyFacts, idToAnswer, type BodyFacts } from './body-facts.js';
import { admit, type RequestFacts } from './guard.js';
import { valueOf, type Headers } from './headers.js';
import type { HttpHome } from './home.js';
import { legacyFault, opensSession, sseFault, sseMessageFault, type NamedSession } from './legacy-request.js';
import { listen, type Listening } from './listen.js';
import { hasJsonBody } from './media-type.js';
import { ModernExchange } from './modern-exchange.js';
import { eraOfRequest, modernFault } from './modern-request.js';
import * as replies from './replies.js';
import { routeOf, sessionIdOf } from './route.js';
import { isSameToken } from './same-token.js';
import { SlowReaders } from './slow-readers.js';
import { SseSessions } from './sse-sessions.js';
import { ToolHeaders } from './tool-headers.js';
import { StreamableSessions, type StreamableEntry } from './streamable-sessions.js';

export interface FrontOptions {
  /** Undefined: the usual one, or the next that is free. 0: any. */
  readonly port: number | undefined;
  readonly host: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxSessions: number;
  /** In milliseconds; 0: never. */
  readonly sessionTimeout: number;
}

/** At once: of one session, and of all modern clients together. */
const MAX_POSTS_OF_SESSION = 256;
const MAX_MODERN_POSTS = 4096;
const LOOK_FOR_IDLE_EVERY_MS = 1_000;
/** How long clients may take to read what was sent at the end. */
const LAST_READ_MS = 300;

const NO_ANSWER = 'The server has ended before it answered this request, which may have been executed.';
const RESUMES_SINCE = '2025-11-25';

export class HttpFront {
  readonly #home: HttpHome;
  readonly #options: FrontOptions;
  readonly #streamable: StreamableSessions;
  readonly #sse: SseSessions;
  readonly #slowReaders: SlowReaders;
  readonly #toolHeaders = new ToolHeaders();
  #listening: Extract<Listening, { ok: true }> | undefined;
  #modernPosts = 0;
  #isClosing = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(home: HttpHome, options: FrontOptions) {
    this.#home = home;
    this.#options = options;
    this.#slowReaders = new SlowReaders((backlog) => home.warn(cutText(backlog)));
    const noAnswer = (id: Id): Message => error(id, INTERNAL_ERROR, NO_ANSWER);
    this.#sse = new SseSessions(home, this.#slowReaders, noAnswer);
    this.#streamable = new StreamableSessions(home, options, {
      slowReaders: this.#slowReaders,
      droppedAnswer: () => home.remark('an answer was dropped: the client had closed the request that asked for it'),
      droppedMessages: (count) =>
        home.remark(`messages were dropped (${count}): no stream of the client came for them`),
      noAnswer,
    });
  }

  async listen(): Promise<Listening> {
    const listening = await listen(this.#options, (request, response) => this.#onRequest(request, response));
    if (!listening.ok) return listening;
    this.#listening = listening;
    this.#idleTimer = setInterval(() => this.#streamable.endIdle(), LOOK_FOR_IDLE_EVERY_MS).unref();
    return listening;
  }

  /** No new request is served. Those that are under way are answered by whoever serves them. */
  stop(): void {
    this.#isClosing = true;
    for (const server of this.#listening?.servers ?? []) server.close();
  }

  /** Resolves when nobody is connected any more. Everything that is owed was sent before. */
  async close(): Promise<void> {
    this.stop();
    clearInterval(this.#idleTimer);
    this.#slowReaders.close();
    const servers = this.#listening?.servers ?? [];
    for (const server of servers) server.closeIdleConnections();
    await Promise.all(
      servers.map(async (server) => {
        const timer = setTimeout(() => server.closeAllConnections(), LAST_READ_MS);
        await new Promise((resolve) => (server.listening ? server.close(resolve) : server.once('close', resolve)));
        clearTimeout(timer);
      }),
    );
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    void this.#serve(request, response).catch((problem: unknown) => {
      // A bug of ours must not take the others' sessions with it, nor stay unseen.
      this.#home.warn(`a request over HTTP could not be served: ${String(problem)}`);
      response.destroy();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const headers: Headers = request.headersDistinct;
    const facts: RequestFacts = { method, route: routeOf(url), headers };
    const admission = admit(facts, this.#options, isSameToken);
    switch (admission.kind) {
      case 'preflight':
        return void response.writeHead(204, admission.headers).end();
      case 'refused': {
        const { status, text } = admission;
        return this.#refuse(
          request,
          response,
          { status, code: replies.TRANSPORT_ERROR, message: text },
          admission.headers,
        );
      }
      case 'admitted':
    }
    const call: Call = { request, response, method, headers, cors: admission.headers };
    if (this.#isClosing) return this.#reject(call, replies.ending);
    switch (facts.route) {
      case 'health':
        return this.#health(call);
      case 'mcp':
        return method === 'POST' ? this.#post(call) : this.#getOrDelete(call);
      case 'sse':
        return this.#openSse(call);
      case 'message':
        return this.#sseMessage(call, sessionIdOf(url));
      case 'well-known':
        return this.#wellKnown(call, url);
      case 'unknown':
        return this.#reject(call, replies.nothingHere);
    }
  }

  #health(call: Call): void {
    if (call.method !== 'GET' && call.method !== 'HEAD') return this.#reject(call, replies.methodNotAllowed('GET'));
    const { state, generation, isDown } = this.#home.health;
    const body = JSON.stringify({ state, generation: generation ?? null });
    const headers = { ...call.cors, 'content-type': 'application/json', 'cache-control': 'no-store' };
    call.response.writeHead(isDown ? 503 : 200, headers).end(body);
  }

  /** How to be let in is said by the server, if it is one that says such things. */
  async #wellKnown(call: Call, path: string): Promise<void> {
    const { method, request, response, cors } = call;
    const home = this.#home;
    if (home.isHttp !== true || home.askServer === undefined) return this.#reject(call, replies.nothingHere);
    if (method !== 'GET') return this.#reject(call, replies.methodNotAllowed('GET'));
    request.resume();
    const said = await home.askServer(path, this.#passedOn(call.headers));
    if (said === undefined) return this.#reject(call, replies.nobodyThere);
    const length = { 'content-length': String(said.body.length) };
    response.writeHead(said.status, { ...said.headers, ...cors, ...length } as Record<string, string>).end(said.body);
  }

  async #post(call: Call): Promise<void> {
    const body = await this.#read(call);
    if (body === undefined) return;
    const { message, facts } = body;
    const fault = modernFault(call.headers, facts);
    if (fault !== undefined) return this.#reject(call, fault, message);
    if (eraOfRequest(call.headers, facts) === 'modern') return this.#modern(call, message);
    return this.#legacy(call, message, facts);
  }

  /** Undefined: it has been answered. */
  async #read(call: Call): Promise<Read | undefined> {
    const { request, headers } = call;
    if (!hasJsonBody(headers)) return this.#reject(call, replies.notJson);
    const { maxMessage } = this.#home;
    const body = await readBody(request, maxMessage);
    switch (body.kind) {
      case 'gone':
        return undefined;
      case 'too-long':
        return this.#reject(call, replies.bodyTooLarge(maxMessage));
      case 'not-json':
        return this.#reject(call, replies.parseError);
      case 'message':
        return this.#understood(asMeant(body.message), body.parsed, headers);
    }
  }

  #understood(message: Message, parsed: Parsed | undefined, headers: Headers): Read {
    if (this.#home.isHttp === true) message.beside = { headers: this.#passedOn(headers) };
    return { message, facts: bodyFacts(message, parsed) };
  }

  /** A token that is meant for us is nobody else's. */
  #passedOn(headers: Headers): SentHeaders {
    const { authorization, ...others } = passedOn(headers);
    return authorization === undefined || this.#options.token !== undefined ? others : { ...others, authorization };
  }

  async #modern(call: Call, message: Message): Promise<void> {
    const { envelope } = message;
    if (envelope.kind === 'notification') {
      // It belongs to no session; what takes a request back is the end of its connection.
      return void call.response.writeHead(202, call.cors).end();
    }
    if (envelope.kind !== 'request') return;
    if (this.#modernPosts >= MAX_MODERN_POSTS)
      return this.#reject(call, replies.tooManyRequests(MAX_MODERN_POSTS), message);
    const fault = envelope.method === 'tools/call' ? this.#toolHeaders.faultOf(message, call.headers) : undefined;
    if (fault !== undefined) return this.#reject(call, fault, message);
    const speaks = this.#home.speaksModern(message);
    if (!(typeof speaks === 'boolean' ? speaks : await speaks)) return this.#reject(call, replies.legacyServerOnly);
    const { response, cors: headers } = call;
    if (response.destroyed) return;
    const exchange = new ModernExchange({
      id: envelope.id,
      request: message,
      response,
      headers,
      slowReaders: this.#slowReaders,
      noAnswer: NO_ANSWER,
      ...(envelope.method === 'tools/list'
        ? { onAnswer: (answer) => this.#toolHeaders.onListed(message, answer) }
        : {}),
    });
    this.#modernPosts++;
    await this.#home.attachModern(exchange.connect);
    this.#modernPosts--;
    exchange.onLineageEnd();
  }

  async #legacy(call: Call, message: Message, body: BodyFacts): Promise<void> {
    const { headers, cors, response } = call;
    const entry = this.#named(headers);
    const fault = legacyFault({ method: 'POST', headers, session: factsOf(entry), body });
    if (fault !== undefined) return this.#reject(call, fault, message);
    if (opensSession(body)) {
      const { maxSessions } = this.#options;
      if (!this.#hasRoom()) return this.#reject(call, replies.tooManySessions(maxSessions), message);
      const { id, session } = this.#streamable.open(message);
      return session.post(message, response, { ...cors, 'mcp-session-id': id });
    }
    if (typeof entry === 'string') return;
    const { session } = entry;
    if (session.openPosts >= MAX_POSTS_OF_SESSION)
      return this.#reject(call, replies.tooManyRequests(MAX_POSTS_OF_SESSION), message);
    return session.post(message, response, { ...cors, 'mcp-session-id': entry.id });
  }

  #getOrDelete(call: Call): void {
    const { method, headers, cors, request, response } = call;
    const entry = this.#named(headers);
    const fault = legacyFault({ method, headers, session: factsOf(entry) });
    if (fault !== undefined) return this.#reject(call, fault);
    request.resume();
    if (typeof entry === 'string') return;
    if (method === 'DELETE') {
      this.#streamable.end(entry);
      return void response.writeHead(200, cors).end();
    }
    const lastEventId = valueOf(headers, 'last-event-id');
    const isPrimed = (entry.version ?? '') >= RESUMES_SINCE;
    entry.session.listen(response, { ...cors, 'mcp-session-id': entry.id }, { lastEventId, isPrimed });
  }

  #openSse(call: Call): void {
    const fault = sseFault(call);
    if (fault !== undefined) return this.#reject(call, fault);
    const { maxSessions } = this.#options;
    if (!this.#hasRoom()) return this.#reject(call, replies.tooManySessions(maxSessions));
    call.request.resume();
    this.#sse.open(call.response, call.cors);
  }

  async #sseMessage(call: Call, id: string | undefined): Promise<void> {
    const connection = id === undefined ? undefined : this.#sse.find(id);
    const session: NamedSession =
      id === undefined ? 'none' : connection === undefined ? 'unknown' : { version: undefined, hasStream: true };
    const { method } = call;
    const early = method === 'POST' && typeof session === 'object' ? undefined : sseMessageFault({ method, session });
    if (early !== undefined) return this.#reject(call, early);
    const body = await this.#read(call);
    if (body === undefined || connection === undefined) return;
    const fault = sseMessageFault({ method, session, body: body.facts });
    if (fault !== undefined) return this.#reject(call, fault, body.message);
    if (connection.waiting >= MAX_POSTS_OF_SESSION)
      return this.#reject(call, replies.tooManyRequests(MAX_POSTS_OF_SESSION), body.message);
    const taken = this.#sse.post(connection, body.message);
    if (taken === undefined) return this.#reject(call, replies.sessionLost, body.message);
    await taken;
    call.response.writeHead(202, call.cors).end('Accepted');
  }

  /** Whether one more session may be opened. One whose client is away makes room for one whose client is there. */
  #hasRoom(): boolean {
    const { maxSessions } = this.#options;
    return this.#streamable.size + this.#sse.size < maxSessions || this.#sse.giveUpLongestLost();
  }

  #named(headers: Headers): Named {
    const id = valueOf(headers, 'mcp-session-id');
    return id === undefined ? 'none' : (this.#streamable.find(id) ?? 'unknown');
  }

  #reject({ request, response, cors }: Call, fault: replies.Fault, message?: Message): undefined {
    this.#refuse(request, response, fault, cors, message);
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    fault: replies.Fault,
    headers: Readonly<Record<string, string>>,
    message?: Message,
  ): void {
    const reply = replies.replyTo(fault, message === undefined ? undefined : idToAnswer(message));
    // A body that nobody reads would keep the connection from being used again.
    if (!request.complete) request.resume();
    response.writeHead(reply.status, { ...reply.headers, ...headers }).end(reply.body);
  }
}

interface Read {
  readonly message: Message;
  readonly facts: BodyFacts;
}

/** The session that a request names. */
type Named = StreamableEntry | 'none' | 'unknown';

/** A request that was admitted. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly headers: Headers;
  readonly cors: Readonly<Record<string, string>>;
}

function factsOf(entry: Named): NamedSession {
  if (typeof entry === 'string') return entry;
  return { version: entry.version, hasStream: entry.session.hasGetStream };
}

function cutText(backlog: number): string {
  const mebibytes = Math.round(backlog / 1024 / 1024);
  return `a client over HTTP was disconnected from a stream: it has read nothing for 30 s, and ${mebibytes} MiB wait for it`;
}
