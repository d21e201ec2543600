// A thin HTTP front for stdio servers, so that the conformance suite, which speaks HTTP only, can drive them: every
// session of the streamable HTTP transport gets a server of its own, its messages pass as they are. Which server, and
// what happens to it on the way, is conformance.ts's.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Message } from '../support/message.js';

/** One stdio server. */
export interface Link {
  /** Resolves when the message has been taken. */
  send(line: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the server of the session with this number; what it says goes to `receive`. Undefined: the session is refused.
 */
export type OpenLink = (session: number, receive: (line: string) => void) => Link | undefined;

export interface Bridge {
  readonly url: string;
  close(): Promise<void>;
}

/** One stream of events, which outlives the connection that it was opened on: a client may come back for the rest. */
class Events {
  readonly key: string;
  readonly #events: string[] = [];
  #response: ServerResponse | undefined;
  #sent = 0;
  #isDone = false;

  constructor(key: string) {
    this.key = key;
  }

  push(line: string): void {
    this.#events.push(`id: ${this.key}.${this.#events.length + 1}\ndata: ${line}\n\n`);
    this.#flush();
  }

  end(): void {
    this.#isDone = true;
    this.#flush();
  }

  attach(response: ServerResponse, session: string, after: number): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session });
    // An event without data tells the client where it is and when to come back.
    response.write(`id: ${this.key}.${after}\nretry: 10\ndata: \n\n`);
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
    this.#response = response;
    this.#sent = after;
    this.#flush();
  }

  /** The connection ends, the stream does not. */
  detach(): void {
    this.#response?.end();
    this.#response = undefined;
  }

  #flush(): void {
    if (this.#response === undefined) return;
    while (this.#sent < this.#events.length) this.#response.write(this.#events[this.#sent++]!);
    if (this.#isDone) this.detach();
  }
}

interface Session {
  readonly id: string;
  readonly link: Link;
  readonly alone: Events;
  /** By the id of the request that each is the answer to. */
  readonly open: Map<unknown, Events>;
  readonly streams: Map<string, Events>;
}

export async function startBridge(openLink: OpenLink): Promise<Bridge> {
  const sessions = new Map<string, Session>();
  const closing: Promise<void>[] = [];
  let asked = 0;

  /** The suite has one session at a time and does not say when it is over: the next one says so. */
  function openSession(): Session | undefined {
    for (const { id, link } of sessions.values()) {
      sessions.delete(id);
      closing.push(link.close());
    }
    const alone = new Events('alone');
    const open = new Map<unknown, Events>();
    const link = openLink(asked++, (line) => {
      const message = JSON.parse(line) as Message;
      const answered = message.method === undefined ? open.get(message.id) : undefined;
      if (message.method === undefined) open.delete(message.id);
      // What the server says of its own goes where the client listens: to the oldest open request, else to nobody's.
      const [oldest = alone] = open.values();
      (answered ?? oldest).push(line);
      answered?.end();
    });
    if (link === undefined) return undefined;
    const session = { id: randomUUID(), link, alone, open, streams: new Map([[alone.key, alone]]) };
    sessions.set(session.id, session);
    return session;
  }

  async function post(request: IncomingMessage, response: ServerResponse, known: Session | undefined): Promise<void> {
    const line = await text(request);
    const message = JSON.parse(line) as Message;
    const session = known ?? (message.method === 'initialize' ? openSession() : undefined);
    if (session === undefined) return refuse(response, message.method === 'initialize' ? 503 : 404);
    if (message.id === undefined || message.method === undefined) {
      await session.link.send(line);
      response.writeHead(202).end();
      return;
    }
    const events = new Events(String(session.streams.size));
    session.streams.set(events.key, events);
    session.open.set(message.id, events);
    // A call may be asked back while it runs; any other stream is not open before the server has the message.
    const isCall = message.method === 'tools/call';
    if (isCall) events.attach(response, session.id, 0);
    // A stdio server can't end a connection: what this tool is for has to be done here.
    if (message.params?.name === 'test_reconnection') events.detach();
    await session.link.send(line);
    if (!isCall) events.attach(response, session.id, 0);
  }

  function listen(request: IncomingMessage, response: ServerResponse, session: Session): void {
    const [key = session.alone.key, after = '0'] = String(request.headers['last-event-id'] ?? '').split('.');
    (session.streams.get(key) ?? session.alone).attach(response, session.id, Number(after));
  }

  const server = createServer((request, response) => {
    const session = sessions.get(String(request.headers['mcp-session-id']));
    if (!isLocal(request.headers.host) || !isLocal(request.headers.origin ?? 'localhost')) refuse(response, 403);
    else if (request.method === 'POST') post(request, response, session).catch(() => response.destroy());
    else if (session === undefined) refuse(response, 404);
    else if (request.method === 'GET') listen(request, response, session);
    else refuse(response, 405);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all([...closing, ...[...sessions.values()].map(({ link }) => link.close())]);
    },
  };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: `refused: ${status}` } }));
}

const isLocal = (host: string | undefined): boolean => /^(http:\/\/)?(localhost|127\.0\.0\.1)(:\d+)?$/.test(host ?? '');
