// Clients of every kind that say what they are told to and hand on every byte that they get: on streams (stdio), over
// Streamable HTTP, over HTTP+SSE, and over HTTP in the modern era. They know how a message travels and nothing of what
// it means; who says what is play.ts's.

import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { bodyOf, eventsOf, isEventStream, newAgent, send, type Headers } from '../../support/raw-http.js';
import { splitLines } from '../../support/lines.js';

export type Kind = 'stdio' | 'stdio modern' | 'streamable' | 'sse' | 'modern';

/** What a talker is given: every message, as it came. */
export type Listener = (raw: string) => void;

export interface Talker {
  readonly kind: Kind;
  /** Sends a message, or several as one batch, which the modern era does not have. */
  say(message: Message | readonly Message[]): void;
  /** Takes a request back, in the way of its era. */
  takeBack(id: string | number): void;
  /** Leaves without waiting for anything. Resolves when it is gone. */
  leave(): Promise<void>;
}

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
}

export interface StdioStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

export const isModern = (kind: Kind): boolean => kind.endsWith('modern');

const VERSION = '2025-11-25';
const MODERN_VERSION = '2026-07-28';
const ACCEPT = 'application/json, text/event-stream';
const PREFIX = 'io.modelcontextprotocol/';

/** `name`: of the client, as it introduces itself. Resolves when its session is open. */
export async function openTalker(
  kind: Kind,
  at: { readonly url: string; readonly stdio?: StdioStreams | undefined },
  name: string,
  listener: Listener,
): Promise<Talker> {
  switch (kind) {
    case 'stdio':
    case 'stdio modern':
      return stdio(kind, at.stdio!, name, listener);
    case 'streamable':
      return streamable(at.url, name, listener);
    case 'sse':
      return sse(at.url, name, listener);
    case 'modern':
      return modern(at.url, name, listener);
  }
}

function textOf(said: Message | readonly Message[]): string {
  const full = (message: Message): object => ({ jsonrpc: '2.0', ...message });
  return JSON.stringify(isBatch(said) ? said.map(full) : full(said));
}

function isBatch(said: Message | readonly Message[]): said is readonly Message[] {
  return Array.isArray(said);
}

function initialize(name: string): Message {
  const params = {
    protocolVersion: VERSION,
    capabilities: { roots: {}, sampling: {}, elicitation: {} },
    clientInfo: { name, version: '1' },
  };
  return { id: 0, method: 'initialize', params };
}

/** The members that a modern request has on top. */
function withMeta(name: string, message: Message | readonly Message[]): Message {
  if (isBatch(message)) throw new Error('there are no batches in the modern era');
  const meta = {
    ...(message.params?.['_meta'] as object | undefined),
    [`${PREFIX}protocolVersion`]: MODERN_VERSION,
    [`${PREFIX}clientCapabilities`]: {},
    [`${PREFIX}clientInfo`]: { name, version: '1' },
  };
  return message.id === undefined ? message : { ...message, params: { ...message.params, _meta: meta } };
}

/** Resolves when the answer with this id has come, and hands everything on. */
function answered(
  id: string | number,
  listener: Listener,
): { readonly listener: Listener; readonly done: Promise<void> } {
  let resolve: () => void = () => {};
  const done = new Promise<void>((settle) => (resolve = settle));
  return {
    done,
    listener: (raw) => {
      const message = JSON.parse(raw) as { id?: unknown; method?: unknown };
      if (message.id === id && message.method === undefined) resolve();
      listener(raw);
    },
  };
}

async function stdio(kind: Kind, { stdin, stdout }: StdioStreams, name: string, given: Listener): Promise<Talker> {
  const { listener, done } = answered(0, given);
  const lines = splitLines((raw) => listener(raw.toString()));
  stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  const isOfModernEra = isModern(kind);
  const say: Talker['say'] = (message) => {
    stdin.write(`${textOf(isOfModernEra ? withMeta(name, message) : message)}\n`);
  };
  if (isOfModernEra) say({ id: 0, method: 'tools/list' });
  else say(initialize(name));
  await done;
  if (!isOfModernEra) say({ method: 'notifications/initialized' });
  return {
    kind,
    say,
    takeBack: (requestId) => say({ method: 'notifications/cancelled', params: { requestId } }),
    leave: async () => {
      stdin.end();
      if (!stdout.closed && !stdout.readableEnded) await once(stdout, 'end');
    },
  };
}

async function accepted({ response }: ReturnType<typeof send>): Promise<IncomingMessage> {
  const answer = await response;
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${String(await bodyOf(answer))}`);
  return answer;
}

/** Reads one response to its end, however it comes. */
async function read(posted: ReturnType<typeof send>, listener: Listener): Promise<void> {
  try {
    const response = await posted.response;
    if (isEventStream(response)) for await (const { data } of eventsOf(response)) listener(data);
    else {
      const body = await bodyOf(response);
      if (body.length > 0) listener(body.toString());
    }
  } catch {
    // It was taken back, or its client has left.
  }
}

async function streamable(url: string, name: string, given: Listener): Promise<Talker> {
  const agent = newAgent();
  const open = new Set<ClientRequest>();
  const { listener, done } = answered(0, given);
  let headers: Headers = { accept: ACCEPT };
  const post: Talker['say'] = (message) => {
    const posted = send(url, { headers, agent, body: textOf(message) });
    track(open, posted.request);
    void read(posted, listener);
  };
  const first = send(url, { headers, agent, body: textOf(initialize(name)) });
  void read(first, listener);
  const session = String((await accepted(first)).headers['mcp-session-id']);
  headers = { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': VERSION };
  await done;
  post({ method: 'notifications/initialized' });
  const stream = send(url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, agent });
  track(open, stream.request);
  await accepted(stream);
  void read(stream, (raw) => raw !== '' && listener(raw));
  return {
    kind: 'streamable',
    say: post,
    takeBack: (requestId) => post({ method: 'notifications/cancelled', params: { requestId } }),
    leave: async () => {
      const deleted = send(url, { method: 'DELETE', headers, agent });
      await bodyOf(await deleted.response);
      for (const request of open) request.destroy();
      agent.destroy();
    },
  };
}

async function sse(url: string, name: string, given: Listener): Promise<Talker> {
  const agent = newAgent();
  const { listener, done } = answered(0, given);
  const stream = send(new URL('/sse', url).href, { method: 'GET', headers: { accept: 'text/event-stream' }, agent });
  const events = eventsOf(await accepted(stream));
  const endpoint = String((await events.next()).value?.data);
  void (async () => {
    for await (const { data } of events) listener(data);
  })().catch(() => {});
  // Messages of one client come in order, whichever connection carries them.
  let tail = Promise.resolve();
  const say: Talker['say'] = (message) => {
    tail = tail.then(async () => {
      const posted = send(new URL(endpoint, url).href, { agent, body: textOf(message) });
      await posted.response.then(bodyOf).catch(() => {});
    });
  };
  say(initialize(name));
  await done;
  say({ method: 'notifications/initialized' });
  return {
    kind: 'sse',
    say,
    takeBack: (requestId) => say({ method: 'notifications/cancelled', params: { requestId } }),
    leave: async () => {
      await tail;
      stream.request.destroy();
      agent.destroy();
    },
  };
}

function modern(url: string, name: string, listener: Listener): Promise<Talker> {
  const agent = newAgent();
  const open = new Map<string | number, ClientRequest>();
  return Promise.resolve<Talker>({
    kind: 'modern',
    say(said) {
      const message = withMeta(name, said);
      // What a client tells, beside taking a request back, has no place in this era over HTTP.
      const { id, method = '', params } = message;
      if (id === undefined) return;
      const named = params?.['name'] ?? params?.['uri'];
      const headers = {
        accept: ACCEPT,
        'mcp-protocol-version': MODERN_VERSION,
        'mcp-method': method,
        ...(typeof named === 'string' && { 'mcp-name': named }),
      };
      const posted = send(url, { headers, agent, body: textOf(message) });
      open.set(id, posted.request);
      posted.request.once('close', () => {
        if (open.get(id) === posted.request) open.delete(id);
      });
      void read(posted, listener);
    },
    takeBack: (id) => void open.get(id)?.destroy(),
    leave: () => {
      for (const request of open.values()) request.destroy();
      agent.destroy();
      return Promise.resolve();
    },
  });
}

function track(open: Set<ClientRequest>, request: ClientRequest): void {
  open.add(request);
  request.once('close', () => open.delete(request));
}
