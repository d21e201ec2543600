/**
 * A response that goes on: server-sent events, each of them one message, until somebody ends it. Tells its owner when
 * the client reads too slowly and when it has gone. Which messages come here is decided by the owner.
 */
import type { ServerResponse } from 'node:http';
import type { Message } from '../../wire/message.js';

export interface EventStreamEvents {
  /** More waits than the client has read of late (true), or it has caught up (false). */
  full(isFull: boolean): void;
  /** Nothing can be sent any more, whoever has closed it. */
  closed(): void;
}

/** More than this is too much, as with a pipe. */
const FULL_BYTES = 256 * 1024;
/** Up to this size a message is copied into one write; a longer one is written in three pieces. */
const COPIED_BYTES = 16 * 1024;
const KEEP_ALIVE_EVERY_MS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const EVENT = Buffer.from('event: message\ndata: ');
const END = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);
const COMMENT = ': still here\n\n';
/** The same as a chunk of the body, ready for the wire. */
const COMMENT_CHUNK = `${COMMENT.length.toString(16)}\r\n${COMMENT}\r\n`;

/** All streams that are open: one timer sends a comment to each, so that nothing in between takes them for dead. */
const open = new Set<EventStream>();
let keepAlive: NodeJS.Timeout | undefined;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #events: EventStreamEvents;
  #isFull = false;
  #isClosed = false;
  #written = 0;
  /** Length of the message that was written last: it alone is no reason to cut the stream. */
  #lastLength = 0;

  /** Sends the headers at once. `headers`: on top of those of a stream. */
  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, events: EventStreamEvents) {
    this.#response = response;
    this.#events = events;
    response.writeHead(200, { ...HEADERS, ...headers });
    response.flushHeaders();
    response.on('drain', () => this.#onDrain());
    response.on('close', () => this.#onClose());
    response.on('error', () => {});
    open.add(this);
    keepAlive ??= setInterval(() => {
      for (const stream of open) stream.#comment();
    }, KEEP_ALIVE_EVERY_MS).unref();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that the client has not taken, beside the message that was written last. */
  get backlog(): number {
    return Math.max(0, this.#response.writableLength - this.#lastLength);
  }

  /** Grows while the client reads. */
  get bytesTaken(): number {
    return this.#written - this.#response.writableLength;
  }

  /** `id`: of the event, for a client that resumes. */
  send(message: Message, id?: string): void {
    this.#write(id === undefined ? EVENT : Buffer.from(`id: ${id}\nevent: message\ndata: `), dataOf(message));
  }

  /** An event of another name, or, without data, one that only has an id. */
  sendEvent(fields: Readonly<Record<string, string>>): void {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    this.#write(Buffer.from(lines.join('')), NOTHING);
  }

  /** What was sent is delivered; nothing follows. */
  end(): void {
    open.delete(this);
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** The client is not worth waiting for. */
  cut(): void {
    this.#response.destroy();
  }

  #write(head: Buffer, data: Buffer): void {
    const response = this.#response;
    // A response that is ended and not yet read would throw.
    if (this.#isClosed || response.writableEnded) return;
    this.#lastLength = head.length + data.length + END.length;
    const tail = data.length === 0 ? END.subarray(1) : END;
    this.#written += this.#lastLength;
    if (data.length <= COPIED_BYTES) response.write(Buffer.concat([head, data, tail]));
    else {
      response.cork();
      response.write(head);
      response.write(data);
      response.write(tail);
      response.uncork();
    }
    if (!this.#isFull && response.writableLength > FULL_BYTES) this.#events.full((this.#isFull = true));
  }

  #comment(): void {
    const response = this.#response;
    if (response.writableEnded || response.destroyed || response.writableLength > 0) return;
    // Nothing waits, so the socket can be written to directly: there may be hundreds of streams, and most are idle.
    if (response.chunkedEncoding) response.socket?.write(COMMENT_CHUNK, 'latin1');
    else response.write(COMMENT);
  }

  #onDrain(): void {
    if (this.#isFull) this.#events.full((this.#isFull = false));
  }

  #onClose(): void {
    open.delete(this);
    this.#isClosed = true;
    if (open.size === 0) {
      clearInterval(keepAlive);
      keepAlive = undefined;
    }
    if (this.#isFull) this.#events.full((this.#isFull = false));
    this.#events.closed();
  }
}

/** The line without its end. A carriage return would end the event's line too; in JSON it is white space. */
export function dataOf(message: Message): Buffer {
  const line = message.bytes();
  const end = line[line.length - 1] === NEWLINE ? line.length - 1 : line.length;
  const data = line.subarray(0, end);
  if (!data.includes(CARRIAGE_RETURN)) return data;
  const clean = Buffer.from(data);
  for (let at = clean.indexOf(CARRIAGE_RETURN); at >= 0; at = clean.indexOf(CARRIAGE_RETURN, at + 1)) clean[at] = SPACE;
  return clean;
}
