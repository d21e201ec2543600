/**
 * The envelope of one line: is it a JSON-RPC request, notification, response or batch, and what are its `id` and `method`?
 * Finds them without building the message. Small lines are walked to their end, so that duplicate members count as
 * JSON.parse counts them (the last wins); of larger ones no more is read than needed: the head until all is known, else
 * the tail, where many servers put `id`. The inside of `params` and `result` is never judged: that is the receiver's.
 */
import type { Envelope, Id } from './envelope.js';
import { quickHead, quickScan } from './quick.js';
import type { Pieces } from './run.js';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  equals,
  isNatural,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './tokens.js';

export type { Envelope, Id };

/** Up to here a line is walked to its end. */
const EXACT = 2048;
/** How much of a long line's end is searched for trailing members. */
const TAIL = 512;

const INVALID: Envelope = { kind: 'invalid' };
const BATCH: Envelope = { kind: 'batch' };

/** The line lies between `from` and `to`; what stands around it is not looked at. */
export function scan(line: Buffer, from = 0, to = line.length): Envelope {
  if (to - from <= EXACT) return quickScan(line, from, to) ?? scanAny(line, from, to);
  const end = contentEnd(line, from, to);
  return (line[end - 1] === CLOSE_OBJECT ? quickHead(line, from, end) : undefined) ?? scanAny(line, from, to);
}

/** The same of a line in pieces, by the first and the last of them. Undefined: it has to be put together. */
export function scanPieces(pieces: Pieces, length: number): Envelope | undefined {
  const head = pieces[0] as Buffer;
  if (length <= EXACT || head[0] !== OPEN_OBJECT) return undefined;
  const tail = lastOf(pieces);
  const end = contentEnd(tail, 0, tail.length);
  if (tail[end - 1] !== CLOSE_OBJECT) return undefined;
  const quick = quickHead(head, 0, head.length);
  if (quick !== undefined) return quick;
  const found = scratch.clear();
  const walked = walk(head, skipSpace(head, 1), head.length, found, { bytes: tail, from: 0, to: end });
  return walked === 'enough' ? envelopeOf(found) : undefined;
}

/** As much of the end as may tell something. */
function lastOf(pieces: Pieces): Buffer {
  const last = pieces.at(-1) as Buffer;
  if (last.length >= TAIL) return last;
  // Together with the piece before: that is a whole chunk, but for the head.
  return Buffer.concat([(pieces.at(-2) as Buffer).subarray(-TAIL), last]);
}

/** The same, in whatever form it is. */
export function scanAny(line: Buffer, from: number, to: number): Envelope {
  const end = contentEnd(line, from, to);
  if (end === from) return INVALID;
  const at = contentStart(line, from);
  const first = line[at];
  if (first === OPEN_ARRAY) return line[end - 1] === CLOSE_ARRAY && isBatch(line, at, end) ? BATCH : INVALID;
  if (first !== OPEN_OBJECT || line[end - 1] !== CLOSE_OBJECT) return INVALID;
  return members(line, skipSpace(line, at + 1), end) ?? INVALID;
}

/** What can be told from the beginning of a line that never ended: enough to answer a request that is too long. */
export function scanHead(head: Buffer): { readonly id?: Id; readonly method?: string } {
  const found = new Found();
  const at = contentStart(head, 0);
  if (head[at] === OPEN_OBJECT) walk(head, skipSpace(head, at + 1), head.length, found);
  return {
    ...(found.id !== undefined && isId(found.id) ? { id: found.id } : {}),
    ...(found.method === undefined ? {} : { method: found.method }),
  };
}

/** Log lines like brackets too. Batches are rare, so each of their messages is looked at. */
function isBatch(line: Buffer, at: number, end: number): boolean {
  at = skipSpace(line, at + 1);
  while (line[at] === OPEN_OBJECT) {
    const close = skipValue(line, at, end);
    if (close < 0 || scan(line, at, close).kind === 'invalid') return false;
    at = skipSpace(line, close);
    if (line[at] === CLOSE_ARRAY) return at === end - 1;
    if (line[at] !== COMMA) return false;
    at = skipSpace(line, at + 1);
  }
  return false;
}

class Found {
  id: string | undefined;
  method: string | undefined;
  payload: 'result' | 'error' | undefined;
  version = false;

  clear(): this {
    this.id = this.method = this.payload = undefined;
    this.version = false;
    return this;
  }
}

/** One for all lines: each is done with it before the next is looked at. */
const scratch = new Found();

function members(line: Buffer, from: number, end: number): Envelope | undefined {
  const found = scratch.clear();
  const tail = end - from > EXACT ? { bytes: line, from, to: end } : undefined;
  return walk(line, from, end, found, tail) === undefined ? undefined : envelopeOf(found);
}

function envelopeOf({ id, method, payload, version }: Found): Envelope | undefined {
  if (!version) return undefined;
  if (id !== undefined && !isId(id)) return undefined;
  if (method !== undefined)
    return id === undefined ? { kind: 'notification', method } : { kind: 'request', id, method };
  if (payload === 'error') return { kind: 'response', id: id ?? 'null', error: true };
  return payload !== undefined && id !== undefined ? { kind: 'response', id, error: false } : undefined;
}

/** Where a long line ends: there it is looked for what its head does not tell. */
interface Tail {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Walks the top-level members from `at`, to the object's end or, with a `tail`, until it knows all it needs. */
function walk(line: Buffer, at: number, end: number, found: Found, tail?: Tail): 'all' | 'enough' | undefined {
  while (at < end) {
    if (line[at] !== QUOTE) return undefined;
    let key = keyAt(line, at);
    const keyEnd = key === '' ? skipString(line, at, end) : at + key.length + 2;
    if (keyEnd < 0) return undefined;
    if (key === '') key = spelt(line, at, keyEnd);
    at = skipSpace(line, keyEnd);
    if (line[at] !== COLON) return undefined;
    const value = skipSpace(line, at + 1);

    if (key === 'result' || key === 'error') found.payload = key;
    const large = key === 'result' || key === 'error' || key === 'params';
    if (tail !== undefined && large && isKnown(found, tail)) return 'enough';

    at = skipValue(line, value, end);
    // What goes up to the end may be the beginning of a longer value.
    if (at < 0 || at >= end) return undefined;
    if (key === 'id') found.id = line.toString('utf8', value, at);
    else if (key === 'method') found.method = line[value] === QUOTE ? stringAt(line, value, at) : undefined;
    else if (key === 'jsonrpc') found.version = isVersion(line, value, at);
    if (tail !== undefined && found.version && found.id !== undefined && found.method !== undefined) return 'enough';

    at = skipSpace(line, at);
    if (line[at] === COMMA) at = skipSpace(line, at + 1);
    else return line[at] === CLOSE_OBJECT && at === end - 1 ? 'all' : undefined;
  }
  return undefined;
}

/** Before a value that may be large is walked: does the tail tell what is still missing? */
function isKnown(found: Found, { bytes, from, to }: Tail): boolean {
  if (!found.version || found.id === undefined) {
    const told = trailing.exec(bytes.toString('utf8', Math.max(from, to - TAIL), to));
    for (let i = 1; told !== null && i < told.length; i += 2) {
      if (told[i] === 'id') found.id = told[i + 1];
      else if (told[i] === 'jsonrpc') found.version = told[i + 1] === '"2.0"';
    }
  }
  return found.version && found.id !== undefined && (found.method !== undefined || found.payload !== undefined);
}

/**
 * Up to two scalar members before the last brace. Well-formed JSON can't have this text inside a string (its quotes would
 * be escaped) or inside a nested object (one more brace would follow), so a match is the outermost object's own end.
 */
const trailing =
  /[,{]\s*"(id|jsonrpc)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+)\s*(?:,\s*"(id|jsonrpc)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+)\s*)?\}$/;

/** Answers repeat an id as it was read: one that is no JSON would make them unreadable. */
function isId(token: string): boolean {
  if (isNatural(token) || plainId.test(token)) return true;
  if (token.charCodeAt(0) !== QUOTE) return false;
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

const plainId = /^(?:null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"[^"\\\p{Cc}]*")$/u;

function contentStart(line: Buffer, from: number): number {
  // A byte order mark is no part of a message, but some writers begin with one.
  const marked = line[from] === 0xef && line[from + 1] === 0xbb && line[from + 2] === 0xbf;
  return skipSpace(line, marked ? from + 3 : from);
}

function contentEnd(line: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(line[end - 1])) end--;
  return end;
}

type Key = '' | 'id' | 'jsonrpc' | 'method' | 'params' | 'result' | 'error';

/** The members that an envelope is made of, as they are nearly always spelt; else nothing. */
function keyAt(line: Buffer, at: number): Key {
  switch (line[at + 1]) {
    case 0x69:
      return equals(line, at, ID) ? 'id' : '';
    case 0x6a:
      return equals(line, at, JSONRPC) ? 'jsonrpc' : '';
    case 0x6d:
      return equals(line, at, METHOD) ? 'method' : '';
    case 0x70:
      return equals(line, at, PARAMS) ? 'params' : '';
    case 0x72:
      return equals(line, at, RESULT) ? 'result' : '';
    case 0x65:
      return equals(line, at, ERROR) ? 'error' : '';
    default:
      return '';
  }
}

const [ID, JSONRPC, METHOD, PARAMS, RESULT, ERROR] = ['id', 'jsonrpc', 'method', 'params', 'result', 'error'].map(
  (key) => Buffer.from(`"${key}"`),
) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/** Any other key may still be one of them, spelt with escapes. */
function spelt(line: Buffer, start: number, end: number): Key {
  let i = start;
  while (i < end && line[i] !== BACKSLASH) i++;
  return i === end ? '' : keyAt(Buffer.from(JSON.stringify(stringAt(line, start, end))), 0);
}

function isVersion(line: Buffer, start: number, end: number): boolean {
  if (line[start] !== QUOTE) return false;
  if (end - start === 5 && line[start + 1] === 0x32 && line[start + 2] === 0x2e && line[start + 3] === 0x30)
    return true;
  return stringAt(line, start, end) === '2.0';
}

/** The string between the quotes at `start` and before `end`; not a string, or a bad escape: the raw text. */
function stringAt(line: Buffer, start: number, end: number): string {
  const raw = line.toString('utf8', start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(line.toString('utf8', start, end)) as string;
  } catch {
    return raw;
  }
}
