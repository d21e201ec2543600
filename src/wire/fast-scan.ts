/**
 * The envelope of a line as nearly all are: without a space between tokens, each member once and spelt plainly, the
 * id a natural number or a short string. Read in one pass, and half as costly as scan.ts, which is asked about all
 * others. Never guesses: what it says is what scan.ts would say.
 */
import type { Envelope } from './envelope.js';
import { BACKSLASH, CLOSE_OBJECT, COMMA, equals, isDigit, OPEN_OBJECT, QUOTE, skipContainer } from './tokens.js';

const NEWLINE = 0x0a;
const ZERO = 0x30;
/** Ids of more digits, and longer strings, are read by others. */
const DIGITS = 9;
const CHARACTERS = 64;

/**
 * Where the id begins in the line that was read last, if it was read here, and to its end: whoever puts another one
 * in its place need not look for it again. Less than 0: nobody knows.
 */
export let lastIdAt = -1;

/** The members that were met, as bits. */
const VERSION = 1;
const ID = 2;
const METHOD = 4;
const PARAMS = 8;
const RESULT = 16;
const REQUEST = VERSION | ID | METHOD;

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));
const version = bytes('"jsonrpc":"2.0"');
const idKey = bytes('"id":');
const methodKey = bytes('"method":"');
const paramsKey = bytes('"params":');
const resultKey = bytes('"result":');

/** Of a line that lies between `from` and `to`, read to its end. Undefined: ask scan.ts. */
export function quickScan(line: Buffer, from: number, to: number): Envelope | undefined {
  lastIdAt = -1;
  const end = line[to - 1] === NEWLINE ? to - 2 : to - 1;
  return line[end] === CLOSE_OBJECT ? members(line, from, end, false) : undefined;
}

/**
 * Of a line that is too long for that, or in pieces, and ends as an object does: its head is read until all is known.
 */
export function quickHead(line: Buffer, from: number, to: number): Envelope | undefined {
  return members(line, from, to, true);
}

function members(line: Buffer, from: number, end: number, brief: boolean): Envelope | undefined {
  if (line[from] !== OPEN_OBJECT) return undefined;
  let met = 0;
  let id = 0;
  let text: string | undefined;
  let place = -1;
  let method = '';
  let at = from + 1;
  for (;;) {
    let member: number;
    switch (line[at + 1]) {
      case 0x6a:
        if (!equals(line, at, version)) return undefined;
        member = VERSION;
        at += version.length;
        break;
      case 0x69: {
        if (!equals(line, at, idKey)) return undefined;
        member = ID;
        at += idKey.length;
        const start = (place = at);
        if (line[at] === QUOTE) {
          for (at++; at < end && at - start <= CHARACTERS && isPlain(line[at] as number);) at++;
          if (line[at] !== QUOTE) return undefined;
          text = line.toString('latin1', start, ++at);
          break;
        }
        for (id = 0; isDigit(line[at]); at++) id = id * 10 + (line[at] as number) - ZERO;
        if (at === start || at - start > DIGITS || (line[start] === ZERO && at - start > 1)) return undefined;
        break;
      }
      case 0x6d:
        if (!equals(line, at, methodKey)) return undefined;
        member = METHOD;
        at += methodKey.length;
        if (!equals(line, at, lastMethod.bytes) && !learnMethod(line, at, end)) return undefined;
        method = lastMethod.name;
        at += lastMethod.bytes.length;
        break;
      case 0x70:
        if (brief || !equals(line, at, paramsKey) || line[at + paramsKey.length] !== OPEN_OBJECT) return undefined;
        member = PARAMS;
        at = skipContainer(line, at + paramsKey.length, end);
        break;
      case 0x72:
        if (!equals(line, at, resultKey)) return undefined;
        if (brief)
          return met === (VERSION | ID) ? { kind: 'response', id: text ?? tokenOf(id), error: false } : undefined;
        if (line[at + resultKey.length] !== OPEN_OBJECT) return undefined;
        member = RESULT;
        at = skipContainer(line, at + resultKey.length, end);
        break;
      default:
        return undefined;
    }
    if (at < 0 || (met & member) !== 0) return undefined;
    met |= member;
    if (line[at] !== COMMA) break;
    at++;
    if (brief && (met & REQUEST) === REQUEST) return { kind: 'request', id: text ?? tokenOf(id), method };
  }
  if (brief || at !== end) return undefined;
  if (place >= 0) lastIdAt = place - from;
  if ((met & ~PARAMS) === REQUEST) return { kind: 'request', id: text ?? tokenOf(id), method };
  if (met === (VERSION | ID | RESULT)) return { kind: 'response', id: text ?? tokenOf(id), error: false };
  if ((met & ~PARAMS) === (VERSION | METHOD)) return { kind: 'notification', method };
  return undefined;
}

/** The name that was read last, with the quote that ends it: mostly it comes again. */
let lastMethod: { readonly bytes: Uint8Array; readonly name: string } = {
  bytes: bytes('tools/call"'),
  name: 'tools/call',
};

function learnMethod(line: Buffer, start: number, end: number): boolean {
  let at = start;
  // Only plain ASCII: anything else may be spelt in more than one way.
  while (at < end && isPlain(line[at] as number)) at++;
  if (line[at] !== QUOTE) return false;
  lastMethod = { bytes: Uint8Array.from(line.subarray(start, at + 1)), name: line.toString('latin1', start, at) };
  return true;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH;
}

/** An answer's id is the string that its request had, and need not be made or compared again. */
const SLOTS = 1024;
const numbers = new Int32Array(SLOTS).fill(-1);
const tokens: string[] = Array.from({ length: SLOTS }, () => '');

function tokenOf(number: number): string {
  const slot = number % SLOTS;
  if (numbers[slot] !== number) {
    numbers[slot] = number;
    tokens[slot] = String(number);
  }
  return tokens[slot] as string;
}
