/**
 * What JSON.parse says of a line, in the words of the code under test: its envelope and its members. The order and the
 * duplicates of members, which JSON.parse keeps to itself, are read from the text by a tokenizer that takes for granted
 * that the text is JSON.
 */
import type { Envelope } from '#src/wire/scan.js';

/** Up to so many bytes a message is judged by all of its members; beyond, one of several of a name may count. */
const EXACT = 2048;

type Json = Record<string, unknown>;

interface Part {
  /** Of a member of an object. */
  readonly key?: string;
  readonly text: string;
}

type Parsed = { readonly value: unknown } | undefined;
let last: { readonly text: string; readonly parsed: Parsed } = { text: '', parsed: undefined };

/** The checks of one line all ask this first: it is kept until another is asked for. */
export function attempt(text: string): Parsed {
  if (text !== last.text) last = { text, parsed: parse(text) };
  return last.parsed;
}

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const string = /"(?:[^"\\]|\\.)*"/y;
const scalar = /[^\s,:[\]{}"]+/y;

/** The members or elements of a text that JSON.parse takes for an object or an array. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = skip(text, 0) + 1;
  for (;;) {
    at = skip(text, at);
    if (text[at] === '}' || text[at] === ']') return parts;
    if (text[at] === ',') at = skip(text, at + 1);
    const first = at;
    at = endOf(text, at);
    const colon = skip(text, at);
    if (text[colon] !== ':') {
      parts.push({ text: text.slice(first, at) });
      continue;
    }
    const key = JSON.parse(text.slice(first, at)) as string;
    const value = skip(text, colon + 1);
    at = endOf(text, value);
    parts.push({ key, text: text.slice(value, at) });
  }
}

function endOf(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const token = text[at] === '"' ? string : scalar;
    token.lastIndex = at;
    if (text[at] === '{' || text[at] === '[') depth++;
    else if (text[at] === '}' || text[at] === ']') depth--;
    at = token.test(text) ? token.lastIndex : at + 1;
  } while (depth > 0);
  return at;
}

function skip(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++;
  return at;
}

export interface Reading {
  /** What a scanner that reads all of it must say. */
  readonly envelope: Envelope;
  /** Too long to be read to its end, and its members contradict each other: what of it counts is not laid down. */
  readonly open: boolean;
  /** All that stands under these names. */
  readonly ids: readonly string[];
  readonly methods: readonly unknown[];
}

/** `text` is what JSON.parse takes for `value`. */
export function readingOf(value: unknown, text: string): Reading {
  if (Array.isArray(value)) {
    const inner = partsOf(text).map((part, i) =>
      isObject(value[i]) ? readingOf(value[i], part.text) : { envelope: invalid, open: false },
    );
    const good = inner.length > 0 && inner.every(({ envelope }) => envelope.kind !== 'invalid');
    return {
      envelope: good ? { kind: 'batch' } : invalid,
      open: inner.some((reading) => reading.open),
      ids: [],
      methods: [],
    };
  }
  if (!isObject(value)) return { envelope: invalid, open: false, ids: [], methods: [] };
  const parts = partsOf(text);
  const named = (...names: string[]): Part[] => parts.filter(({ key }) => key !== undefined && names.includes(key));
  const count = [named('id'), named('jsonrpc'), named('method', 'result', 'error')].map((each) => each.length);
  return {
    envelope: envelopeOf(value, named('result', 'error').at(-1)?.key, named('id').at(-1)?.text),
    open: Buffer.byteLength(text.trim()) > EXACT && count.some((times) => times > 1),
    ids: named('id').map((part) => part.text),
    methods: named('method').map((part) => JSON.parse(part.text) as unknown),
  };
}

const invalid: Envelope = { kind: 'invalid' };

/** JSON-RPC 2.0, read generously: a message with a method is a request or a notification, whatever else it carries. */
function envelopeOf(message: Json, payload: string | undefined, token: string | undefined): Envelope {
  if (message['jsonrpc'] !== '2.0') return invalid;
  const { id, method } = message;
  const known = id === null || typeof id === 'string' || typeof id === 'number';
  if (token !== undefined && !known) return invalid;
  if (typeof method === 'string') {
    return token === undefined ? { kind: 'notification', method } : { kind: 'request', id: token, method };
  }
  if (payload === 'error') return { kind: 'response', id: token ?? 'null', error: true };
  return payload === 'result' && token !== undefined ? { kind: 'response', id: token, error: false } : invalid;
}

/** The value at `path`, if objects lead there. */
export function follow(from: unknown, path: readonly string[]): { readonly value: unknown } | undefined {
  let at = from;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return { value: at };
}

/** What `from` becomes when `path` is set; undefined where something that is no object bars the way. */
export function withSet(from: unknown, path: readonly string[], to: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return to;
  if (!isObject(from)) return undefined;
  const changed = withSet(Object.hasOwn(from, name) ? from[name] : {}, rest, to);
  if (changed === undefined) return undefined;
  const copy = { ...from };
  Object.defineProperty(copy, name, { value: changed, enumerable: true, writable: true, configurable: true });
  return copy;
}
