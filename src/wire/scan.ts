/**
 * The envelope of one line: is it a JSON-RPC request, notification, response or batch, and what are its `id` and
 * `method`? Finds them without building the message. Small lines are walked to their end, so that duplicate members
 * count as JSON.parse counts them (the last wins); of larger ones no more is read than needed: the head until all is
 * known, else the tail, where many servers put `id`. The inside of `params` and `result` is never judged: that is the
 * receiver's.
 */
import type { Envelope, Id } from './envelope.js';
import { envelopeOf, Found, isId, TAIL, walk } from './members.js';
import { quickHead, quickScan } from './fast-scan.js';
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, isSpace, OPEN_ARRAY, OPEN_OBJECT, skipSpace, skipValue } from './tokens.js';

export type { Envelope, Id };

/** Up to here a line is walked to its end. */
const EXACT = 2048;

const INVALID: Envelope = { kind: 'invalid' };
const BATCH: Envelope = { kind: 'batch' };

/** Whether a line of this length is walked to its end. */
export function isScannedWhole(length: number): boolean {
  return length <= EXACT;
}

/** The line lies between `from` and `to`; what stands around it is not looked at. */
export function scan(line: Buffer, from = 0, to = line.length): Envelope {
  if (to - from <= EXACT) return quickScan(line, from, to) ?? fullScan(line, from, to);
  const end = contentEnd(line, from, to);
  const isHead = end - from > EXACT && line[end - 1] === CLOSE_OBJECT;
  return (isHead ? quickHead(line, from, end) : undefined) ?? fullScan(line, from, to);
}

/** The same of a line in pieces, by the first and the last of its bytes. Undefined: it has to be put together. */
export function scanPieces(pieces: readonly Buffer[], length: number): Envelope | undefined {
  const head = pieces[0] as Buffer;
  if (length <= EXACT || head[0] !== OPEN_OBJECT) return undefined;
  const tail = lastOf(pieces);
  const end = contentEnd(tail, 0, tail.length);
  if (end < TAIL || tail[end - 1] !== CLOSE_OBJECT || length - (tail.length - end) <= EXACT) return undefined;
  const quick = quickHead(head, 0, head.length);
  if (quick !== undefined) return quick;
  const found = new Found();
  const walked = walk(head, skipSpace(head, 1), head.length, found, { bytes: tail, from: 0, to: end });
  return walked === 'enough' ? envelopeOf(found) : undefined;
}

/** As much of the end as may tell something, if there is little white space behind it. */
function lastOf(pieces: readonly Buffer[]): Buffer {
  let at = pieces.length - 1;
  let length = (pieces[at] as Buffer).length;
  while (length < 2 * TAIL && at > 0) length += (pieces[--at] as Buffer).length;
  return at === pieces.length - 1 ? (pieces[at] as Buffer) : Buffer.concat(pieces.slice(at));
}

/** The envelope of a line in whatever form it is. */
export function fullScan(line: Buffer, from: number, to: number): Envelope {
  const end = contentEnd(line, from, to);
  if (end === from) return INVALID;
  const at = contentStart(line, from);
  const first = line[at];
  if (first === OPEN_ARRAY) return line[end - 1] === CLOSE_ARRAY && isBatch(line, at, end) ? BATCH : INVALID;
  if (first !== OPEN_OBJECT || line[end - 1] !== CLOSE_OBJECT) return INVALID;
  const found = new Found();
  const tail = end - from > EXACT ? { bytes: line, from: at, to: end } : undefined;
  const walked = walk(line, skipSpace(line, at + 1), end, found, tail);
  return (walked === undefined ? undefined : envelopeOf(found)) ?? INVALID;
}

/** The id, if the beginning of a line tells it that never ended: enough to answer a request that is too long. */
export function idInHead(head: Buffer): Id | undefined {
  const found = new Found();
  const at = contentStart(head, 0);
  if (head[at] === OPEN_OBJECT) walk(head, skipSpace(head, at + 1), head.length, found);
  return found.id !== undefined && isId(found.id) ? found.id : undefined;
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
