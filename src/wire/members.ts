/**
 * The top-level members of an object that make it a message: walked one after the other, the last of a name counting,
 * as it does for JSON.parse. Of a long line no more is walked than needed: its tail tells the rest. What follows from
 * them, and what else there is to a line, is scan.ts's.
 */
import type { Envelope } from './envelope.js';
import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  equals,
  isNatural,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './tokens.js';

/** How much of a long line's end is searched for trailing members. */
export const TAIL = 512;

export class Found {
  id: string | undefined;
  method: string | undefined;
  payload: 'result' | 'error' | undefined;
  version = false;
}

export function envelopeOf({ id, method, payload, version }: Found): Envelope | undefined {
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
export function walk(line: Buffer, at: number, end: number, found: Found, tail?: Tail): 'all' | 'enough' | undefined {
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
    if (tail !== undefined && large && completeFromTail(found, tail)) return 'enough';

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

/**
 * Before a value that may be large is walked: reads what is still missing from the tail. Returns whether that is all.
 */
function completeFromTail(found: Found, { bytes, from, to }: Tail): boolean {
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
 * Up to two scalar members before the last brace. Well-formed JSON can't have this text inside a string (its quotes
 * would be escaped) or inside a nested object (one more brace would follow), so a match is the outermost object's own
 * end.
 */
const trailing =
  /[,{]\s*"(id|jsonrpc)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+)\s*(?:,\s*"(id|jsonrpc)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",:{}[\]]+)\s*)?\}$/;

/** Answers repeat an id as it was read: one that is no JSON would make them unreadable. */
export function isId(token: string): boolean {
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
