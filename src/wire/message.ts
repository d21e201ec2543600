/**
 * One message as it was read or made: a line that ends with its newline. It hides how the line lies in memory: between
 * two offsets of a chunk that it shares with other lines, in the pieces that a long line came in, or by itself. Nothing
 * is copied and nothing is parsed before somebody asks for it. It knows JSON-RPC's envelope, and no method's meaning.
 */
import { appendAt, locate, readAt, setAt, splice } from './edit.js';
import type { Envelope } from './envelope.js';
import { lastIdAt } from './fast-scan.js';
import { isScannedWhole, scan, scanPieces } from './scan.js';

/** Takes the bytes of a message, as they lie. `isLast`: the chunk that they were read in has no more lines. */
export interface ByteSink {
  push(bytes: Buffer, from: number, to: number, isLast: boolean): void;
}

type Path = readonly string[];

/** What came with a message over HTTP, beside its line. Nothing in it is ever logged. */
export interface Beside {
  /** Of a client's request: headers that a server over HTTP gets too. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A server's reply that a client over HTTP gets as it was. */
  readonly reply?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body: Buffer;
  };
}

/** JSON knows no value that is undefined. */
function memberAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const BYTE_ORDER_MARK = 0xef;
const MARK_LENGTH = 3;

export class Message {
  /** In bytes, with the newline. */
  readonly length: number;
  /** No other line that was read together with this one comes behind it. */
  readonly isLast: boolean;
  /** Undefined: it came by a pipe, or is of our own making. */
  beside: Beside | undefined;
  #chunk: Buffer;
  #from: number;
  #to: number;
  #pieces: readonly Buffer[] | undefined;
  #envelope: Envelope | undefined;
  /** Where its id begins, if that is known: less than 0 otherwise. */
  #idAt = -1;
  /** The whole of it, where somebody has parsed it already. */
  #parsed: { readonly value: unknown } | undefined;
  /** It was cut out of a chunk, and is not of our own making. */
  readonly #isRead: boolean;

  private constructor(
    chunk: Buffer,
    from: number,
    to: number,
    isRead: boolean,
    pieces?: readonly Buffer[],
    envelope?: Envelope,
  ) {
    this.length = to - from;
    this.isLast = !isRead || to === chunk.length;
    this.#chunk = chunk;
    this.#from = from;
    this.#to = to;
    this.#pieces = pieces;
    this.#envelope = envelope;
    this.#isRead = isRead;
    this.beside = undefined;
  }

  /** A line that lies by itself. `parsed`: what JSON.parse makes of it; it is kept for as long as the message is. */
  static of(line: Buffer, parsed?: { readonly value: unknown }): Message {
    const message = new Message(line, 0, line.length, false);
    message.#parsed = parsed;
    return message;
  }

  static fromJson(json: string): Message {
    return Message.of(Buffer.from(`${json}\n`));
  }

  /** For wire/ alone: a line of a chunk. */
  static inChunk(chunk: Buffer, from: number, to: number): Message {
    return new Message(chunk, from, to, true);
  }

  /** For wire/ alone: a line of so many bytes that came in several chunks. */
  static inPieces(pieces: readonly Buffer[], length: number): Message {
    return new Message(NOTHING, 0, length, false, pieces);
  }

  get envelope(): Envelope {
    return (this.#envelope ??= this.#scanned());
  }

  #scanned(): Envelope {
    const brief = this.#pieces === undefined ? undefined : scanPieces(this.#pieces, this.length);
    if (brief !== undefined) return brief;
    if (this.#pieces !== undefined) this.bytes();
    const envelope = scan(this.#chunk, this.#from, this.#to);
    if (isScannedWhole(this.length)) this.#idAt = lastIdAt;
    return envelope;
  }

  /** The whole line in one piece, with its newline. */
  bytes(): Buffer {
    if (this.#pieces !== undefined) {
      this.#place(Buffer.concat(this.#pieces, this.length));
      this.#pieces = undefined;
    } else if (this.length !== this.#chunk.length) {
      this.#place(this.#chunk.subarray(this.#from, this.#to));
    }
    return this.#chunk;
  }

  #place(line: Buffer): void {
    this.#chunk = line;
    this.#from = 0;
    this.#to = line.length;
  }

  toString(): string {
    return this.bytes().toString('utf8');
  }

  /** Whether this text stands anywhere in it, be it in a string. */
  includes(text: string): boolean {
    // The line stays where it lies: with those beside it, it is written in one piece.
    const line = this.#pieces === undefined ? this.#chunk.subarray(this.#from, this.#to) : this.bytes();
    return line.includes(text);
  }

  /** The value at `path`, names of members from the outside in; parsed alone. */
  read(path: Path): unknown {
    return this.#parsed === undefined ? readAt(this.bytes(), path) : memberAt(this.#parsed.value, path);
  }

  /** The value at `path` as JSON, in the spelling that it has here. */
  raw(path: Path): string | undefined {
    const span = locate(this.bytes(), path);
    return span === undefined ? undefined : this.#chunk.toString('utf8', span.start, span.end);
  }

  has(path: Path): boolean {
    if (this.#parsed !== undefined) return memberAt(this.#parsed.value, path) !== undefined;
    return locate(this.bytes(), path) !== undefined;
  }

  /** Differs in the member at `path` alone (P2, same bytes). Undefined: there is no place for it. */
  with(path: Path, json: string): Message | undefined {
    const changed = this.#withId(path, json) ?? setAt(this.bytes(), path, json);
    return changed && this.#beside(Message.of(changed));
  }

  #withId(path: Path, json: string): Buffer | undefined {
    const envelope = this.#envelope;
    if (this.#idAt < 0 || path.length !== 1 || path[0] !== 'id' || envelope === undefined || !('id' in envelope))
      return undefined;
    return splice(this.bytes(), { start: this.#idAt, end: this.#idAt + envelope.id.length }, json);
  }

  /** Has these elements behind those of the array at `path`. Undefined: there is no array. */
  append(path: Path, elementsJson: readonly string[]): Message | undefined {
    const changed = appendAt(this.bytes(), path, elementsJson);
    return changed && this.#beside(Message.of(changed));
  }

  /** What came with this message belongs to that one too, which was made of it. */
  #beside(other: Message): Message {
    other.beside = this.beside;
    return other;
  }

  /** The same bytes, taken for something else than their envelope says. */
  meaning(envelope: Envelope): Message {
    return this.#beside(new Message(this.bytes(), 0, this.length, false, undefined, envelope));
  }

  /** A byte order mark before a message is no part of it. */
  withoutByteOrderMark(): Message {
    if (this.#pieces !== undefined || this.#chunk[this.#from] !== BYTE_ORDER_MARK) return this;
    const { envelope } = this;
    return new Message(this.#chunk, this.#from + MARK_LENGTH, this.#to, this.#isRead, undefined, envelope);
  }

  /** In memory of its own: a line keeps the whole chunk that it was read in. */
  copy(): Message {
    return this.#beside(Message.of(Buffer.from(this.bytes())));
  }

  writeTo(sink: ByteSink): void {
    if (this.#pieces === undefined) sink.push(this.#chunk, this.#from, this.#to, this.#isRead && this.isLast);
    else for (const piece of this.#pieces) sink.push(piece, 0, piece.length, false);
  }
}

const NOTHING = Buffer.alloc(0);

/** The bytes of messages that were read side by side, joined without a copy where that is possible. */
export function joinedBytes(messages: readonly Message[]): Buffer {
  const [first] = messages;
  if (first === undefined) return NOTHING;
  if (messages.length === 1) return first.bytes();
  const lines = messages.map((message) => message.bytes());
  const [start] = lines as [Buffer];
  let end = start.byteOffset;
  for (const line of lines) {
    if (line.buffer !== start.buffer || line.byteOffset !== end) return Buffer.concat(lines);
    end += line.length;
  }
  return Buffer.from(start.buffer, start.byteOffset, end - start.byteOffset);
}
