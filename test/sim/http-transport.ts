/**
 * A simulated client's way to the program over HTTP: node:http's own requests on simulated connections. Every message
 * is a POST; what a modern client asks for is answered there, and so is what a legacy one asks, which has a session and
 * a GET stream besides. Connections break, and the client drops some itself. What is said is the client's.
 */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { keyOf, opensSession, parse, type Message } from './facts.js';
import type { Kernel } from './kernel.js';
import type { Network, Socket } from './network.js';
import type { Event, Setting } from './script.js';
import type { Reader, Transport } from './transport.js';

const PATH = '/mcp';
const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
/** The header that repeats a member of the body, by the method. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const NOT_FOUND = 404;
/** When a stream that was lost is opened again, and by when all that was said meanwhile has come. */
const LISTEN_AGAIN_MS = 300;
const CAUGHT_UP_MS = 1000;

interface Post {
  readonly line: string;
  readonly request: ClientRequest;
  /** What is to be answered, by the ids as JSON. */
  readonly owed: Map<string, number[]>;
  isDropped: boolean;
  hasResponse: boolean;
}

export interface HttpTransportOptions {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly port: number;
  readonly setting: Setting;
  /** It opens a GET stream for what is said at large. */
  readonly listens: boolean;
}

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #reader: Reader;
  readonly #posts = new Set<Post>();
  readonly #responses = new Set<IncomingMessage>();
  #session: string | undefined;
  #get: ClientRequest | undefined;
  #lastEventId: string | undefined;
  #streams = 0;
  #isStalled = false;
  #isClosed = false;

  constructor(options: HttpTransportOptions, reader: Reader) {
    this.#options = options;
    this.#reader = reader;
    // The streams of the modern era are requests like others.
    if (options.setting.era === 'legacy') options.kernel.immediate(() => reader.hears(false));
  }

  send(line: string): void {
    if (this.#isClosed) return;
    const messages = parse(line) ?? [];
    const post: Post = {
      line,
      request: this.#request('POST', headersOf(line, messages)),
      owed: owedBy(messages),
      isDropped: false,
      hasResponse: false,
    };
    this.#posts.add(post);
    const opens = messages[0]?.method === 'initialize';
    post.request.on('response', (response) => this.#respond(post, response, opens));
    // What has come may not have been read yet.
    post.request.on('close', () => post.hasResponse || this.#ended(post));
    post.request.end(line);
    if (messages[0]?.method === 'notifications/initialized') post.request.once('response', () => this.#listen());
  }

  #request(method: string, headers: Readonly<Record<string, string>>): ClientRequest {
    const { network, port, setting } = this.#options;
    const version = setting.era === 'modern' ? '2026-07-28' : '2025-06-18';
    const isOpen = this.#session !== undefined;
    const own = {
      ...(setting.era === 'modern' || isOpen ? { 'mcp-protocol-version': version } : {}),
      ...(isOpen ? { 'mcp-session-id': this.#session! } : {}),
    };
    const made = request({
      method,
      host: '127.0.0.1',
      port,
      path: PATH,
      headers: { ...own, ...headers },
      createConnection: () => network.connect(port, 'client'),
    });
    made.on('error', () => {});
    return made;
  }

  #respond(post: Post, response: IncomingMessage, opens: boolean): void {
    post.hasResponse = true;
    response.on('close', () => this.#ended(post));
    const { statusCode = 0, headers } = response;
    const id = headers['mcp-session-id'];
    if (opens && statusCode === 200 && typeof id === 'string') this.#session = id;
    const by = `post ${++this.#streams}`;
    if (statusCode === 202) this.#reader.accepted(post.line);
    const isLost = statusCode === NOT_FOUND && this.#session !== undefined && this.#options.setting.era === 'legacy';
    this.#follow(response, by, (line) => {
      if (post.isDropped || this.#isClosed) return;
      // A refusal that names no request is of the one that was asked.
      const [owed] = post.owed.keys();
      const isRefusal = statusCode >= 400 && owed !== undefined && line.endsWith('"id":null}');
      const named = isRefusal ? line.replace(/"id":null}$/, `"id":${owed}}`) : line;
      this.#reader.read(named, by, new Set(post.owed.keys()));
      for (const message of parse(named) ?? []) {
        if (message.method !== undefined) continue;
        post.owed.delete(keyOf(message.id));
        if (opens && !opensSession(message)) this.#session = undefined;
      }
    });
    if (isLost) response.once('end', () => this.#sessionGone());
  }

  #sessionGone(): void {
    if (this.#session === undefined) return;
    this.#session = undefined;
    this.#lastEventId = undefined;
    this.#get?.destroy();
    this.#reader.sessionGone();
  }

  /** Each message of a response, be it one or a stream of them. */
  #follow(response: IncomingMessage, by: string, message: (line: string) => void): void {
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
    response.on('error', () => {});
    response.setEncoding('utf8');
    let text = '';
    const isStream = response.headers['content-type'] === STREAM_TYPE;
    response.on('data', (chunk: string) => {
      text += chunk;
      if (!isStream) return;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) this.#event(event, by, message);
    });
    response.on('end', () => {
      if (!isStream && text !== '' && response.headers['content-type'] === JSON_TYPE) message(text);
    });
    if (this.#isStalled) response.pause();
  }

  #event(event: string, by: string, message: (line: string) => void): void {
    for (const line of event.split('\n')) {
      const [, name, value = ''] = /^(\w*): (.*)$/.exec(line) ?? [];
      if (name === 'id' && by === 'get') this.#lastEventId = value;
      if (name === 'data') message(value);
    }
  }

  /** The response is over, or never came. */
  #ended(post: Post): void {
    if (!this.#posts.delete(post) || post.isDropped || this.#isClosed) return;
    const uids = [...post.owed.values()].flat();
    const socket = post.request.socket as unknown as Socket | null;
    this.#reader.unanswered(uids, socket?.isCut === true || socket?.isRefused === true ? 'cut' : 'ended');
  }

  #listen(): void {
    if (!this.#options.listens || this.#isClosed || this.#session === undefined || this.#get !== undefined) return;
    const resume = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
    const get = this.#request('GET', { accept: STREAM_TYPE, ...resume });
    this.#get = get;
    const session = this.#session;
    get.on('response', (response) => {
      if (response.statusCode === NOT_FOUND) return void response.resume().once('end', () => this.#sessionGone());
      this.#options.kernel.timer(CAUGHT_UP_MS, () => this.#get === get && this.#reader.hears(true));
      this.#follow(response, 'get', (line) => {
        if (!this.#isClosed && this.#session === session) this.#reader.read(line, 'get', new Set());
      });
    });
    get.on('close', () => {
      this.#get = undefined;
      this.#reader.hears(false);
      if (this.#lastEventId === undefined) this.#reader.missed();
      if (this.#session === session) this.#options.kernel.timer(LISTEN_AGAIN_MS, () => this.#listen());
    });
    get.end();
  }

  close(): void {
    this.#isClosed = true;
    const session = this.#session;
    // Some say goodbye.
    if (session !== undefined && this.#options.kernel.random.once(2)) {
      const last = this.#request('DELETE', {});
      last.on('response', (response) => response.resume());
      last.end();
    }
    this.#get?.destroy();
    for (const { request: open } of this.#posts) open.destroy();
  }

  stall(on: boolean): void {
    this.#isStalled = on;
    for (const response of this.#responses) {
      if (on) response.pause();
      else response.resume();
    }
  }

  /** A modern request ends with its connection. */
  takeBack(uid: number): boolean {
    const post = [...this.#posts].find(({ owed }) => [...owed.values()].flat().includes(uid));
    if (this.#options.setting.era === 'legacy' || post === undefined) return false;
    this.#drop(post);
    return true;
  }

  #drop(post: Post): void {
    post.isDropped = true;
    post.request.destroy();
    this.#reader.unanswered([...post.owed.values()].flat(), 'taken back');
  }

  act(event: Event): boolean {
    if (event.do === 'stream') {
      this.#get?.destroy();
      return this.#get !== undefined;
    }
    if (event.do !== 'vanish') return false;
    const post = [...this.#posts][event.which % this.#posts.size];
    if (post !== undefined) this.#drop(post);
    return post !== undefined;
  }
}

function headersOf(line: string, messages: readonly Message[]): Record<string, string> {
  const [message] = messages;
  const general = {
    'content-type': JSON_TYPE,
    accept: `${JSON_TYPE}, ${STREAM_TYPE}`,
    'content-length': String(Buffer.byteLength(line)),
  };
  if (line.startsWith('[') || message?.method === undefined) return general;
  const { method, params } = message;
  const name = params?.[NAMES[method] ?? ''];
  return { ...general, 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': name } : {}) };
}

function owedBy(messages: readonly Message[]): Map<string, number[]> {
  const owed = new Map<string, number[]>();
  for (const { id, method, params } of messages) {
    if (id === undefined || method === undefined) continue;
    const key = keyOf(id);
    owed.set(key, [...(owed.get(key) ?? []), Number(params?.['_meta']?.['uid'])]);
  }
  return owed;
}
