/**
 * The media types of requests: what the body is, and which answers a client accepts. Substrings would do for neither:
 * a page may send `text/plain; a=application/json` anywhere without a preflight.
 */
import { type Headers, onlyValueOf, valueOf } from './headers.js';

export const JSON_TYPE = 'application/json';
export const EVENT_STREAM = 'text/event-stream';

/** Two of the header, or a list in it, name no type. */
export function hasJsonBody(headers: Headers): boolean {
  const value = onlyValueOf(headers, 'content-type');
  return value === JSON_TYPE || (value !== undefined && typeOf(value) === JSON_TYPE && !value.includes(','));
}

/** It must be named: the SDKs of the legacy era take a wildcard for nothing. */
export function accepts(headers: Headers, type: string): boolean {
  const value = valueOf(headers, 'accept') ?? '';
  // A client says the same each time.
  if (latest.value !== value) latest = { value, types: value.split(',').map(typeOf) };
  return latest.types.includes(type);
}

let latest: { readonly value: string; readonly types: readonly string[] } = { value: '', types: [''] };

function typeOf(range: string): string {
  return (range.split(';', 1)[0] ?? '').trim().toLowerCase();
}
