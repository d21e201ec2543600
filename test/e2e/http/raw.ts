// Clients over HTTP at the level of requests and events, by node:http alone: what a test sends leaves as it is,
// headers included, and what comes back is kept raw and parsed. Sessions of both legacy transports, and requests of
// the modern era, with the headers that real clients send. What must come of it is the tests'.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { parse } from '../../support/message.js';
import type { Message } from '../../support/message.js';
import { createWaits, deferred } from '../../support/waits.js';
import type { Waits } from '../../support/waits.js';
import { meta } from '../modern/modern.js';

export interface Sent {
  method?: string;
  /** On top of the usual ones; undefined removes one. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** An object becomes JSON. */
  body?: object | string | Buffer;
  /** Instead of the path of the URL. */
  target?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, or the messages of a stream's events. */
  readonly messages: readonly Message[];
}

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
  readonly message: Message;
}

export interface Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: Waits<StreamEvent>;
  /** Resolves with the first message of this method, or to this id, that comes from now on or has come. */
  message(wanted: string | { id: string | number }, nth?: number): Promise<Message>;
  /** The methods of the messages so far. */
  methods(): (string | undefined)[];
  readonly isOpen: boolean;
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

const both = 'application/json, text/event-stream';
/** Every request has a connection of its own, so that nothing of one test reaches another. */
const agent = new Agent({ keepAlive: false });

function begin(url: string, { method = 'POST', headers = {}, body, target }: Sent): ClientRequest {
  const { hostname, port, pathname, search } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const usual = { ...(method === 'POST' && { 'content-type': 'application/json' }), accept: both };
  const all = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined);
  const own = Object.fromEntries(all) as Record<string, string | string[]>;
  const asked = request({ host, port, path: target ?? `${pathname}${search}`, method, headers: own, agent });
  asked.on('error', () => {});
  asked.end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
  return asked;
}

/** Sends a request and reads its response to the end. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const asked = begin(url, sent);
  const response = await responseTo(asked, `${sent.method ?? 'POST'} ${url}`);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
  const events: StreamEvent[] = [];
  if (isStream) eventsOf((event) => events.push(event))(text);
  const messages = isStream ? events.map(({ message }) => message) : [parse(Buffer.from(text))];
  return { status: response.statusCode!, headers: response.headers, text, messages };
}

/** Sends a request and resolves with its response as soon as that begins. */
export async function open(t: TestContext, url: string, sent: Sent = {}): Promise<Stream> {
  return streamOf(t, begin(url, sent), `${sent.method ?? 'POST'} ${url}`);
}

/** The same, where the test may close it before it is answered. */
export function ask(t: TestContext, url: string, sent: Sent = {}): { stream: Promise<Stream>; close(): void } {
  const asked = begin(url, sent);
  const stream = streamOf(t, asked, url);
  stream.catch(() => {});
  return { stream, close: () => void asked.destroy() };
}

async function streamOf(t: TestContext, asked: ClientRequest, what: string): Promise<Stream> {
  cleanup(t, () => void asked.destroy());
  const response = await responseTo(asked, what);
  const events: Waits<StreamEvent> = createWaits<StreamEvent>(
    () => `${what}: ${JSON.stringify(events.past.map(({ data }) => data))}`,
  );
  const feed = eventsOf((event) => events.offer(event));
  let isOpen = true;
  let closed = (): void => {};
  const ended = new Promise<void>((resolve) => (closed = resolve));
  response.setEncoding('utf8').on('data', feed);
  response.on('error', () => {});
  response.once('close', () => {
    isOpen = false;
    events.end('the stream has ended');
    closed();
  });
  return {
    status: response.statusCode!,
    headers: response.headers,
    events,
    async message(wanted, nth = 1) {
      let seen = 0;
      const is = ({ message }: StreamEvent) =>
        message !== undefined &&
        (typeof wanted === 'string' ? message.method === wanted : message.id === wanted.id && !message.method) &&
        ++seen === nth;
      return (await events.wait(is, `message no. ${nth}: ${JSON.stringify(wanted)}`)).message;
    },
    methods: () => events.past.filter(({ message }) => message !== undefined).map(({ message }) => message.method),
    get isOpen() {
      return isOpen;
    },
    ended,
    close: () => void asked.destroy(),
  };
}

function responseTo(asked: ClientRequest, what: string): Promise<IncomingMessage> {
  const response = deferred<IncomingMessage>(`waiting for the response to ${what}`, () => '', 60_000);
  asked.once('response', response.resolve);
  asked.once('error', (error) => response.reject(String(error)));
  asked.once('close', () => response.reject('the connection was closed'));
  return response.promise;
}

function eventsOf(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const fields = new Map<string, string>();
      for (const line of part.split('\n').filter((each) => !each.startsWith(':'))) {
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line)!;
        fields.set(name, value);
      }
      if (fields.size === 0) continue;
      const data = fields.get('data') ?? '';
      onEvent({ id: fields.get('id'), event: fields.get('event'), data, message: parse(Buffer.from(data)) });
    }
  };
}

export const initialize = (version = '2025-11-25', name = 'raw') => ({
  jsonrpc: '2.0' as const,
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name, version: '1' } },
});

/** A client of the legacy era over Streamable HTTP. */
export interface LegacySession {
  readonly id: string;
  readonly headers: Record<string, string>;
  /** Resolves with the response message. */
  request(method: string, params?: object, id?: string | number): Promise<Message>;
  /** The text that a tool answers with. */
  call(name: string, given?: object): Promise<string>;
  post(message: object): Promise<Answer>;
  /** Begins a call that is answered later. */
  begin(t: TestContext, name: string, given?: object, id?: string | number): { stream: Promise<Stream>; close(): void };
  listen(t: TestContext, lastEventId?: string): Promise<Stream>;
  end(): Promise<Answer>;
}

export async function legacySession(
  url: string,
  {
    version = '2025-11-25',
    name = 'raw',
    headers: more = {},
  }: { version?: string; name?: string; headers?: object } = {},
): Promise<LegacySession> {
  const opened = await send(url, { headers: { ...more }, body: initialize(version, name) });
  assert.equal(opened.status, 200, opened.text);
  const id = String(opened.headers['mcp-session-id']);
  const headers = { ...more, 'mcp-session-id': id, 'mcp-protocol-version': version } as Record<string, string>;
  let asked = 0;
  const post = (body: object): Promise<Answer> => send(url, { headers, body });
  const callOf = (tool: string, given: object, callId: string | number) => ({
    jsonrpc: '2.0',
    id: callId,
    method: 'tools/call',
    params: { name: tool, arguments: given },
  });
  const session: LegacySession = {
    id,
    headers,
    post,
    async request(method, params, requestId = ++asked) {
      const { messages, text } = await post({ jsonrpc: '2.0', id: requestId, method, ...(params && { params }) });
      const answer = messages.find((message) => message.id === requestId && message.method === undefined);
      assert.ok(answer, text);
      return answer;
    },
    async call(tool, given = {}) {
      const { result, error } = await session.request('tools/call', { name: tool, arguments: given });
      assert.equal(error, undefined, JSON.stringify(error));
      return result.content[0].text as string;
    },
    begin: (t, tool, given = {}, callId = ++asked) => ask(t, url, { headers, body: callOf(tool, given, callId) }),
    listen: (t, lastEventId) =>
      open(t, url, { method: 'GET', headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) } }),
    end: () => send(url, { method: 'DELETE', headers }),
  };
  const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(told.status, 202, told.text);
  return session;
}

/** A request of the modern era with the headers that it needs. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, id: string | number = 1): Sent {
  const named = params['name'] ?? params['uri'];
  const { _meta: more, ...rest } = params;
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': typeof named === 'string' ? named : undefined,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...rest, _meta: { ...meta, ...(more as object | undefined) } } },
  };
}

/** Resolves with the response message. */
export async function modern(url: string, method: string, params?: Record<string, unknown>): Promise<Message> {
  const { messages, text } = await send(url, modernRequest(method, params));
  const answer = messages.find((message) => message.method === undefined);
  assert.ok(answer, text);
  return answer;
}

/** The text that a tool answers with. */
export async function modernCall(url: string, name: string, given: object = {}): Promise<string> {
  const { result, error } = await modern(url, 'tools/call', { name, arguments: given });
  assert.equal(error, undefined, JSON.stringify(error));
  return result.content[0].text as string;
}

export function listen(t: TestContext, url: string, notifications: object, id = 'listen:0'): Promise<Stream> {
  return open(t, url, modernRequest('subscriptions/listen', { notifications }, id));
}

/** A client of HTTP+SSE (2024-11-05). */
export interface SseClient {
  readonly stream: Stream;
  /** Where its messages go. */
  readonly endpoint: string;
  post(message: object): Promise<Answer>;
  request(method: string, params?: object, id?: string | number): Promise<Message>;
  call(name: string, given?: object): Promise<string>;
}

/** Opens the stream; with `isNew` also the session. */
export async function sseClient(t: TestContext, url: string, { isNew = true } = {}): Promise<SseClient> {
  const stream = await open(t, url, { method: 'GET', headers: { accept: 'text/event-stream' } });
  assert.equal(stream.status, 200);
  const { data } = await stream.events.wait(({ event }) => event === 'endpoint', 'the endpoint');
  const endpoint = new URL(data, url).href;
  let asked = 0;
  const post = (body: object): Promise<Answer> => send(endpoint, { body });
  const client: SseClient = {
    stream,
    endpoint,
    post,
    async request(method, params, id = `sse-${++asked}`) {
      const { status, text } = await post({ jsonrpc: '2.0', id, method, ...(params && { params }) });
      assert.deepEqual([status, text], [202, 'Accepted']);
      return stream.message({ id });
    },
    async call(name, given = {}) {
      const { result, error } = await client.request('tools/call', { name, arguments: given });
      assert.equal(error, undefined, JSON.stringify(error));
      return result.content[0].text as string;
    },
  };
  if (isNew) {
    await client.request('initialize', initialize('2024-11-05').params, 'initialize');
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  return client;
}
