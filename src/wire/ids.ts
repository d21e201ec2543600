/**
 * Ids as keys. Two ids are the same if JSON says so, however they are spelt: a peer that parses and writes again turns
 * `1.0` into `1` and `"\u0061"` into `"a"`. Strings and numbers never meet.
 */
import type { Id } from './envelope.js';
import { isNatural } from './tokens.js';

export type Key = string;

export function keyOf(id: Id): Key {
  if (id.length < 16 && isNatural(id)) return id;
  if (id.charCodeAt(0) !== 0x22) return plain.test(id) ? id : numberKey(id);
  return id.includes('\\') ? (parsed(id) ?? id) : id;
}

/** The key of an id inside a parsed message, as in `params.requestId`. */
export function keyOfValue(value: unknown): Key | undefined {
  return typeof value === 'string' || typeof value === 'number' ? keyOf(JSON.stringify(value)) : undefined;
}

const plain = /^(?:0|-?[1-9]\d{0,14})$/;

function numberKey(id: Id): Key {
  return id === 'null' ? id : String(Number(id));
}

function parsed(id: Id): Key | undefined {
  try {
    return JSON.stringify(JSON.parse(id));
  } catch {
    return undefined;
  }
}
