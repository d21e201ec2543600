/*
 * Reads and changes single members of a JSON object as bytes, so that a message the proxy must touch differs in that
 * member alone: numbers, key order, escapes and white space elsewhere stay as they were. It walks only the objects on
 * the way and skips the rest unvalidated; whether a whole line is a message is for scan.ts to say.
 */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './tokens.js';

export interface Span {
  start: number;
  end: number;
}

interface Walk {
  /** The value of the member asked for; of duplicates the last, as JSON.parse has it. */
  value: Span | undefined;
  /** Where another member can be inserted. */
  tail: number;
  empty: boolean;
  end: number;
}

interface Descent {
  /** The innermost object of the path that exists, and how many names led into it. */
  object: Walk;
  depth: number;
}

/** The span of the value at `path`, names of members from the outside in. */
export function locate(json: Buffer, path: readonly string[]): Span | undefined {
  if (path.length === 0) return wholeObject(json);
  const descent = descend(json, path);
  return descent?.depth === path.length - 1 ? descent.object.value : undefined;
}

/** The value at `path`, parsed alone. */
export function readAt(json: Buffer, path: readonly string[]): unknown {
  const span = locate(json, path);
  if (span === undefined) return undefined;
  try {
    return JSON.parse(json.toString('utf8', span.start, span.end));
  } catch {
    return undefined;
  }
}

/** Replaces the value at `path`, or inserts the member with the objects that are missing on the way. */
export function setAt(json: Buffer, path: readonly string[], valueJson: string): Buffer | undefined {
  if (path.length === 0) {
    const whole = wholeObject(json);
    return whole && splice(json, whole, valueJson);
  }
  const descent = descend(json, path);
  if (descent === undefined) return undefined;
  const { object, depth } = descent;
  if (object.value !== undefined) {
    return depth === path.length - 1 ? splice(json, object.value, valueJson) : undefined;
  }
  const missing = path.slice(depth).map((name) => JSON.stringify(name));
  const member = `${missing.join(':{')}:${valueJson}${'}'.repeat(missing.length - 1)}`;
  return splice(json, { start: object.tail, end: object.tail }, object.empty ? member : `,${member}`);
}

/** Appends elements to the array at `path`. */
export function appendAt(json: Buffer, path: readonly string[], elementsJson: readonly string[]): Buffer | undefined {
  const span = locate(json, path);
  if (span === undefined || json[span.start] !== OPEN_ARRAY || json[span.end - 1] !== CLOSE_ARRAY) return undefined;
  if (elementsJson.length === 0) return json;
  let tail = span.end - 1;
  while (isSpace(json[tail - 1])) tail--;
  const elements = elementsJson.join(',');
  return splice(json, { start: tail, end: tail }, tail === span.start + 1 ? elements : `,${elements}`);
}

/** The text in the place of what lies there. */
export function splice(json: Buffer, { start, end }: Span, text: string): Buffer {
  return Buffer.concat([json.subarray(0, start), Buffer.from(text), json.subarray(end)]);
}

function wholeObject(json: Buffer): Span | undefined {
  const start = skipSpace(json, 0);
  const end = json[start] === OPEN_OBJECT ? walkObject(json, start, undefined)?.end : undefined;
  return end !== undefined && skipSpace(json, end) === json.length ? { start, end } : undefined;
}

/** Follows `path` as far as there are objects; undefined if the text is malformed on the way. */
function descend(json: Buffer, path: readonly string[]): Descent | undefined {
  const start = skipSpace(json, 0);
  if (json[start] !== OPEN_OBJECT) return undefined;
  let object = walkObject(json, start, path[0]);
  if (object === undefined || skipSpace(json, object.end) !== json.length) return undefined;
  let depth = 0;
  while (depth < path.length - 1 && object.value !== undefined && json[object.value.start] === OPEN_OBJECT) {
    const inner = walkObject(json, object.value.start, path[depth + 1]);
    // Skipping counts brackets of either kind; where a walk ends elsewhere, the text is malformed.
    if (inner?.end !== object.value.end) return undefined;
    object = inner;
    depth++;
  }
  return { object, depth };
}

function walkObject(json: Buffer, open: number, name: string | undefined): Walk | undefined {
  let value: Span | undefined;
  let at = skipSpace(json, open + 1);
  if (json[at] === CLOSE_OBJECT) return { value, tail: open + 1, empty: true, end: at + 1 };
  for (;;) {
    if (json[at] !== QUOTE) return undefined;
    const keyEnd = skipString(json, at);
    if (keyEnd === -1) return undefined;
    const colon = skipSpace(json, keyEnd);
    if (json[colon] !== COLON) return undefined;
    const start = skipSpace(json, colon + 1);
    const end = skipValue(json, start);
    if (end === -1) return undefined;
    if (name !== undefined && isKey(json, at, keyEnd, name)) value = { start, end };
    const next = skipSpace(json, end);
    if (json[next] === CLOSE_OBJECT) return { value, tail: end, empty: false, end: next + 1 };
    if (json[next] !== COMMA) return undefined;
    at = skipSpace(json, next + 1);
  }
}

function isKey(json: Buffer, start: number, end: number, name: string): boolean {
  // One UTF-16 unit takes one to six bytes (\u0069): anything else can't be it, however long.
  const bytes = end - start - 2;
  if (bytes < name.length || bytes > name.length * 6) return false;
  const raw = json.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw.length === name.length + 2 && raw.startsWith(name, 1);
  try {
    return JSON.parse(raw) === name;
  } catch {
    return false;
  }
}
