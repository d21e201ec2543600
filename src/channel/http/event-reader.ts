/**
 * Reads server-sent events out of the chunks of a response, each as a line that ends with its newline. What is in a
 * line stays as it was sent: only the ends of lines inside of an event become spaces, which is all the same in JSON.
 * What an event means is for its reader's owner.
 */

export interface ServerSentEvent {
  /** `message`, unless the server named another. */
  readonly type: string;
  /** With a newline at its end. */
  readonly line: Buffer;
}

export interface EventReaderEvents {
  event(event: ServerSentEvent): void;
  /** The server names a place in the stream to which a reader can return. */
  id(id: string): void;
  /** Milliseconds after which a lost stream is to be opened again. */
  retry(ms: number): void;
  /** An event is longer than the limit. Nothing more is read. */
  tooLong(): void;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const DATA = Buffer.from('data');
const END = Buffer.from('\n');
const GAP = Buffer.from(' ');
/** Of a field that is no data. */
const MAX_FIELD = 64 * 1024;

export class EventReader {
  readonly #events: EventReaderEvents;
  readonly #limit: number;
  /** The beginning of a line whose end has not come. */
  #pieces: Buffer[] = [];
  #length = 0;
  #data: Buffer[] = [];
  #dataLength = 0;
  #type = '';
  #isAfterReturn = false;
  #isFirst = true;
  #isDone = false;

  constructor(limit: number, events: EventReaderEvents) {
    this.#limit = limit;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let from = 0;
    // JSON has no raw returns, so as a rule one search finds that there is none in the whole chunk.
    let nextReturn = chunk.indexOf(CARRIAGE_RETURN);
    while (from < chunk.length && !this.#isDone) {
      if (this.#isAfterReturn) {
        this.#isAfterReturn = false;
        if (chunk[from] === NEWLINE) {
          from++;
          continue;
        }
      }
      if (nextReturn >= 0 && nextReturn < from) nextReturn = chunk.indexOf(CARRIAGE_RETURN, from);
      const newline = chunk.indexOf(NEWLINE, from);
      const isReturn = nextReturn >= 0 && (newline < 0 || nextReturn < newline);
      const end = isReturn ? nextReturn : newline;
      if (end < 0) return this.#keep(chunk.subarray(from));
      this.#isAfterReturn = isReturn;
      this.#line(chunk, from, end, !isReturn);
      from = end + 1;
    }
  }

  #keep(rest: Buffer): void {
    this.#pieces.push(rest);
    this.#length += rest.length;
    if (this.#dataLength + this.#length > this.#limit + MAX_FIELD) this.#stop();
  }

  #stop(): void {
    this.#isDone = true;
    this.#pieces = [];
    this.#data = [];
    this.#events.tooLong();
  }

  /** `isNewline`: that is what ends the line, so that it can be shown with its end. */
  #line(chunk: Buffer, from: number, end: number, isNewline: boolean): void {
    let line: Buffer;
    // With the newline where it lies behind the line: then a line of data need not be copied.
    if (this.#pieces.length === 0) line = chunk.subarray(from, isNewline ? end + 1 : end);
    else {
      this.#pieces.push(chunk.subarray(from, isNewline ? end + 1 : end));
      line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#length = 0;
    }
    const hasEnd = isNewline;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
        line = line.subarray(BYTE_ORDER_MARK.length);
    }
    const length = hasEnd ? line.length - 1 : line.length;
    if (length === 0) return this.#dispatch();
    this.#field(line, length, hasEnd);
  }

  #field(line: Buffer, length: number, hasEnd: boolean): void {
    const colon = line.indexOf(COLON);
    // A comment: the server shows that it is there.
    if (colon === 0) return;
    const isNamed = colon > 0 && colon < length;
    const nameEnd = isNamed ? colon : length;
    let valueStart = isNamed ? colon + 1 : length;
    if (isNamed && valueStart < length && line[valueStart] === SPACE) valueStart++;
    if (nameEnd === DATA.length && line.subarray(0, nameEnd).equals(DATA)) {
      const part = hasEnd ? line.subarray(valueStart) : Buffer.concat([line.subarray(valueStart, length), END]);
      this.#data.push(part);
      this.#dataLength += part.length;
      if (this.#dataLength > this.#limit) this.#stop();
      return;
    }
    if (length > MAX_FIELD) return;
    const value = line.toString('utf8', valueStart, length);
    switch (line.toString('latin1', 0, nameEnd)) {
      case 'event':
        this.#type = value;
        return;
      case 'id':
        if (!value.includes('\0')) this.#events.id(value);
        return;
      case 'retry':
        if (/^\d{1,9}$/.test(value)) this.#events.retry(Number(value));
    }
  }

  #dispatch(): void {
    const parts = this.#data;
    const type = this.#type === '' ? 'message' : this.#type;
    const isEmpty = this.#dataLength <= parts.length;
    this.#data = [];
    this.#dataLength = 0;
    this.#type = '';
    const [only] = parts;
    if (isEmpty || only === undefined) return;
    const last = parts.length - 1;
    const line =
      last === 0
        ? only
        : Buffer.concat(parts.flatMap((part, at) => (at === last ? [part] : [part.subarray(0, -1), GAP])));
    this.#events.event({ type, line });
  }
}
