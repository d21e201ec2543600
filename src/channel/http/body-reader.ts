/**
 * Reads the messages of a response: one JSON text, or server-sent events. Each is passed on as a line of its own, in
 * the bytes that were sent. Whether the response is one to be read, and whom a message is for, is decided by its owner.
 */
import type { IncomingMessage } from 'node:http';
import { Message } from '../../wire/message.js';
import { EventReader, type ServerSentEvent } from './event-reader.js';

export interface BodyEvents {
  message(message: Message): void;
  /** An event that is no message. */
  event?(event: ServerSentEvent): void;
  id?(id: string): void;
  retry?(ms: number): void;
  /** What came is no message of MCP. */
  noise(text: string): void;
  /** A message is longer than the limit. */
  tooLong(): void;
  /** Nothing more comes. `isBroken`: the connection was lost before the end of the response. */
  end(isBroken: boolean): void;
}

/** How much of a body that is no message is kept for people. */
const SHOWN = 2048;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

export function isEventStream({ headers }: IncomingMessage): boolean {
  return mediaTypeOf(headers['content-type']) === 'text/event-stream';
}

export function isJson({ headers }: IncomingMessage): boolean {
  const type = mediaTypeOf(headers['content-type']);
  return type === 'application/json' || type.endsWith('+json');
}

function mediaTypeOf(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Reads the events of a response, one message each. */
export function readEvents(response: IncomingMessage, limit: number, events: BodyEvents): void {
  const ended = once((isBroken: boolean) => events.end(isBroken));
  const reader = new EventReader(limit, {
    event: (event) => {
      if (event.type !== 'message') return events.event?.(event);
      const message = Message.of(event.line);
      if (message.envelope.kind === 'invalid') events.noise(shown(event.line));
      else events.message(message);
    },
    id: (id) => events.id?.(id),
    retry: (ms) => events.retry?.(ms),
    tooLong: () => {
      events.tooLong();
      response.destroy();
    },
  });
  response.on('data', (chunk: Buffer) => reader.push(chunk));
  response.on('error', () => ended(true));
  response.on('end', () => ended(false));
  response.on('close', () => ended(!response.complete));
}

/** The whole body. Undefined: it is longer than the limit, or the connection was lost; what of it has come is lost. */
export function readWhole(response: IncomingMessage, limit: number): Promise<Buffer | 'too-long' | 'broken'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        resolve('too-long');
        response.destroy();
      } else chunks.push(chunk);
    });
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', () => resolve('broken'));
    response.on('close', () => resolve('broken'));
  });
}

/** As one line: a text that is laid out over several lines has spaces for their ends, as JSON allows. */
export function lineOf(body: Buffer): Buffer {
  let end = body.length;
  while (end > 0 && isSpace(body[end - 1])) end--;
  let start = 0;
  while (start < end && isSpace(body[start])) start++;
  const line = Buffer.allocUnsafe(end - start + 1);
  body.copy(line, 0, start, end);
  line[line.length - 1] = NEWLINE;
  for (const kind of [NEWLINE, CARRIAGE_RETURN]) {
    for (let at = line.indexOf(kind); at >= 0 && at < line.length - 1; at = line.indexOf(kind, at + 1))
      line[at] = SPACE;
  }
  return line;
}

/** The first lines of what is no message, for people. */
export function shown(body: Buffer): string {
  return body.toString('utf8', 0, SHOWN).trim();
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === 0x09;
}

function once<T>(act: (value: T) => void): (value: T) => void {
  let done = false;
  return (value) => {
    if (done) return;
    done = true;
    act(value);
  };
}
