/**
 * The GET stream by which a server says what belongs to no request. It is opened again whenever it ends, where it ended
 * if the server has said how, until the session is closed. A server that offers none is left alone.
 */
import type { IncomingMessage } from 'node:http';
import type { Message } from '../../wire/message.js';
import { isEventStream, readEvents } from './body-reader.js';
import type { Link } from './link.js';
import type { SentHeaders } from './request-headers.js';

export interface ListeningStreamOptions {
  readonly link: Link;
  readonly path: string;
  headers(): SentHeaders;
  /** The session has an id, so that the server may have forgotten it. */
  readonly hasSession: boolean;
  message(message: Message): void;
  /** The server does not know the session any more. */
  sessionGone(): void;
}

/** Unless the server says how long. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** The server has not noticed that the stream before is closed. */
const CONFLICT = 409;

export class ListeningStream {
  readonly #options: ListeningStreamOptions;
  readonly #closed = new AbortController();
  #connection = new AbortController();
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  constructor(options: ListeningStreamOptions) {
    this.#options = options;
    void this.#run();
  }

  /** Closes it, to open it again. */
  reopen(): void {
    this.#connection.abort();
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    const { link, path, hasSession } = this.#options;
    const { signal } = this.#closed;
    for (let failures = 0; ;) {
      const resume = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
      const headers = { ...this.#options.headers(), accept: 'text/event-stream', ...resume };
      this.#connection = new AbortController();
      const connected = AbortSignal.any([signal, this.#connection.signal]);
      const reply = await link.client.send({ method: 'GET', path, headers, signal: connected });
      link.met(reply);
      if (signal.aborted || link.ended.aborted) {
        if (reply.kind === 'response') reply.response.destroy();
        return;
      }
      if (reply.kind === 'elsewhere') return;
      if (reply.kind === 'response') {
        const { response } = reply;
        const status = response.statusCode ?? 0;
        if (status === 200 && isEventStream(response)) {
          failures = 0;
          await this.#read(response);
        } else {
          response.resume();
          if (hasSession && (status === 404 || status === 400)) return this.#options.sessionGone();
          if (status < 500 && status !== CONFLICT) return;
          failures++;
        }
      } else failures++;
      const pause = Math.min(MAX_RETRY_MS, (this.#retryMs ?? RETRY_MS) * 2 ** Math.min(failures, 5));
      if (!(await link.pauseUntilBack(pause, signal))) return;
    }
  }

  #read(response: IncomingMessage): Promise<void> {
    const { link } = this.#options;
    return new Promise((resolve) => {
      readEvents(response, link.maxMessage, {
        message: (message) => {
          if (!this.#closed.signal.aborted) this.#options.message(message);
        },
        id: (id) => (this.#lastEventId = id),
        retry: (ms) => (this.#retryMs = ms),
        noise: (text) => link.warn(`the server has sent an event that is no message: ${text.slice(0, 200)}`),
        tooLong: () => link.tooLong(),
        end: () => resolve(),
      });
      link.reads(response);
    });
  }
}
