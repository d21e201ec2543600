/**
 * Requests to one server over HTTP: connections that are kept, redirects within the server's own origin, and how a
 * request failed if it did. What is asked, and what a status means, is for others. No proxy is used, whatever the
 * environment says, and nothing of a request is ever logged.
 */
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { isRefusal } from './presence.js';
import type { SentHeaders } from './request-headers.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** On the origin of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
  /** Closes the connection. */
  readonly signal?: AbortSignal;
  /** Who ends it otherwise: many requests are made, and a signal for each costs more than all else. */
  readonly asker?: Asker;
}

export interface Asker {
  /** `request`: what ends the connection if it is destroyed. */
  opened(request: { destroy(): unknown }): void;
  /** From now on bytes of it may reach the server. */
  connected(): void;
}

export type HttpReply =
  | { readonly kind: 'response'; readonly response: IncomingMessage; readonly path: string }
  /** `wasSent`: a byte of it may have reached the server. `isRefused`: nobody listens there. */
  | { readonly kind: 'failed'; readonly problem: string; readonly wasSent: boolean; readonly isRefused: boolean }
  /** The server sends us elsewhere, where we don't go. */
  | { readonly kind: 'elsewhere'; readonly status: number; readonly location: string };

/** A reply that is passed on as it was. */
export interface Said {
  readonly status: number;
  readonly headers: SentHeaders;
  readonly body: Buffer;
}

/**
 * A connection that nobody has used for so long is not used again: servers close theirs after 5 s, as a rule, and a
 * request that meets the closing is lost.
 */
const KEPT_FOR_MS = 3_000;
const MAX_REDIRECTS = 3;
/** Up to this size a body is sent in one piece with its headers. */
const TOGETHER_BYTES = 16 * 1024;
const SAME_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export class HttpClient {
  readonly #origin: URL;
  readonly #agent: Agent;
  readonly #open = new Set<ClientRequest>();
  #whenQuiet: (() => void)[] = [];

  constructor(origin: URL) {
    this.#origin = origin;
    const options = { keepAlive: true, timeout: KEPT_FOR_MS, scheduling: 'lifo' } as const;
    this.#agent = origin.protocol === 'https:' ? new HttpsAgent(options) : new Agent(options);
  }

  async send(asked: HttpRequest): Promise<HttpReply> {
    let { path } = asked;
    for (let redirects = 0; ; redirects++) {
      const reply = await this.#once({ ...asked, path });
      if (reply.kind !== 'response') return reply;
      const { response } = reply;
      const { location } = response.headers;
      const status = response.statusCode ?? 0;
      if (!REDIRECTS.has(status) || location === undefined) return reply;
      const to = urlAt(location, new URL(path, this.#origin));
      const isNear = to?.origin === this.#origin.origin && (asked.method === 'GET' || SAME_METHOD.has(status));
      response.resume();
      if (to === undefined || !isNear || redirects === MAX_REDIRECTS) return { kind: 'elsewhere', status, location };
      path = to.pathname + to.search;
    }
  }

  /** Closes every connection. */
  close(): void {
    for (const request of this.#open) request.destroy();
    this.#agent.destroy();
  }

  /** Resolves when no response is under way. */
  quiet(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenQuiet.push(resolve));
  }

  #once({ method, path, headers, body, signal, asker }: HttpRequest): Promise<HttpReply> {
    const { protocol, hostname, port } = this.#origin;
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    return new Promise((resolve) => {
      let isConnected = false;
      let hasResponse = false;
      const request = send({
        method,
        host,
        port: port === '' ? undefined : port,
        path,
        headers: { ...headers, ...length } as Record<string, string | string[]>,
        agent: this.#agent,
        ...(signal === undefined ? {} : { signal }),
      });
      this.#open.add(request);
      asker?.opened(request);
      request.on('socket', (socket: Socket) => {
        const connected = (): void => {
          isConnected = true;
          asker?.connected();
        };
        if (!socket.connecting) connected();
        else socket.once('connect', connected);
        socket.setNoDelay(true);
      });
      request.on('response', (response) => {
        hasResponse = true;
        resolve({ kind: 'response', response, path });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (hasResponse) return;
        const isRefused = !isConnected && isRefusal(error);
        resolve({ kind: 'failed', problem: problemIn(error), wasSent: isConnected, isRefused });
      });
      request.on('close', () => {
        this.#open.delete(request);
        if (this.#open.size === 0) for (const tell of this.#whenQuiet.splice(0)) tell();
        if (hasResponse) return;
        resolve({ kind: 'failed', problem: 'the connection was closed', wasSent: isConnected, isRefused: false });
      });
      // In Latin 1 each byte is a character, and node:http sends a text together with the headers.
      if (body !== undefined && body.length <= TOGETHER_BYTES) request.end(body.toString('latin1'), 'latin1');
      else request.end(body);
    });
  }
}

const NOT_TRUSTED =
  'its certificate is not trusted here (NODE_EXTRA_CA_CERTS=<file> makes mcp-hotline trust one of your own)';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ENOTFOUND: 'the host was not found',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
};

/** An error for several addresses of one host has no words of its own. */
function problemIn(error: NodeJS.ErrnoException): string {
  return WORDS[error.code ?? ''] ?? (error.message === '' ? (error.code ?? 'the connection failed') : error.message);
}

function urlAt(location: string, base: URL): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}
