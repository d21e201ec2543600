/**
 * What the decisions about a POST need to know of its body, read once from the message: its kind, and the few members
 * that headers repeat or that tell the era. What follows from them is decided in modern-request.ts and
 * legacy-request.ts.
 */
import type { Id } from '../../wire/envelope.js';
import type { Message } from '../../wire/message.js';

export interface BatchElement {
  readonly method: string | undefined;
  readonly hasClaim: boolean;
  /** A request whose answer could not be told from others. */
  readonly hasNullId: boolean;
}

export type BodyFacts =
  | {
      readonly kind: 'request' | 'notification';
      readonly method: string;
      /** `params._meta`. */
      readonly meta: unknown;
      /** What the header `Mcp-Name` repeats, if the method has it. */
      readonly name: unknown;
    }
  | { readonly kind: 'response' }
  | { readonly kind: 'batch'; readonly elements: readonly BatchElement[] }
  /** `isJson`: it is JSON, but no message. */
  | { readonly kind: 'invalid'; readonly isJson: boolean };

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The member of `params` that `Mcp-Name` repeats, by method. */
export const NAME_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** `parsed`: the whole of it, if somebody has parsed it already. */
export function bodyFacts(message: Message, parsed?: { readonly value: unknown }): BodyFacts {
  const { envelope } = message;
  switch (envelope.kind) {
    case 'request':
    case 'notification': {
      const { kind, method } = envelope;
      // A response over HTTP waits for the answer to its own request, and an answer to null is anybody's.
      if (kind === 'request' && envelope.id === NULL_ID) return { kind: 'invalid', isJson: true };
      const member = NAME_MEMBERS.get(method);
      const params = parsed === undefined ? undefined : paramsIn(parsed.value);
      const read = (key: string): unknown => (params === undefined ? message.read(['params', key]) : params[key]);
      return { kind, method, meta: read('_meta'), name: member === undefined ? undefined : read(member) };
    }
    case 'response':
      return { kind: 'response' };
    case 'batch':
    case 'invalid':
      return batchFacts(parsed === undefined ? parse(message) : parsed.value, envelope.kind);
  }
}

/** Some serialisers give a notification the id null: it is meant as one all the same. */
export function asMeant(message: Message): Message {
  const { envelope } = message;
  if (envelope.kind !== 'request' || envelope.id !== NULL_ID || !envelope.method.startsWith('notifications/'))
    return message;
  return message.meaning({ kind: 'notification', method: envelope.method });
}

/** The id to answer with, spelt as the client did. Only a request is answered; a broken one may still tell its id. */
export function idToAnswer(message: Message): Id | undefined {
  const { envelope } = message;
  if (envelope.kind === 'request') return envelope.id;
  if (envelope.kind !== 'invalid') return undefined;
  const id = message.read(['id']);
  return typeof id === 'string' || typeof id === 'number' ? message.raw(['id']) : undefined;
}

/** A modern message says so in its `_meta`, whatever the version there. */
export function hasClaim(meta: unknown): meta is Readonly<Record<string, unknown>> {
  return isObject(meta) && Object.hasOwn(meta, VERSION_KEY);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The wire takes `[]` for no message; over HTTP it is a batch of none. */
function batchFacts(body: unknown, kind: 'batch' | 'invalid'): BodyFacts {
  const isBatch = Array.isArray(body) && (kind === 'batch' || body.length === 0);
  return isBatch ? { kind: 'batch', elements: body.map(elementOf) } : { kind: 'invalid', isJson: body !== undefined };
}

function elementOf(value: unknown): BatchElement {
  if (!isObject(value)) return { method: undefined, hasClaim: false, hasNullId: false };
  const { method, params, id } = value;
  return {
    hasNullId: id === null && typeof method === 'string',
    method: typeof method === 'string' ? method : undefined,
    hasClaim: isObject(params) && hasClaim(params['_meta']),
  };
}

const NO_PARAMS = {};
const NULL_ID = 'null';

function paramsIn(value: unknown): Readonly<Record<string, unknown>> {
  const params = isObject(value) ? value['params'] : undefined;
  return isObject(params) ? params : NO_PARAMS;
}

function parse(message: Message): unknown {
  try {
    return JSON.parse(message.toString());
  } catch {
    return undefined;
  }
}
