/**
 * JSON text as bytes, one token at a time: where a value, a string or white space ends. Nothing is decoded, and what is
 * inside a container is only skipped. Used by the scanner and the editor.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** So far a string is looked at byte by byte. Most end before; a native search pays only for the others. */
const NEAR = 12;

/** The offset after the value that begins at `at`, or -1. Nothing from `limit` on belongs to it. */
export function skipValue(json: Buffer, at: number, limit = json.length): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at, limit);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipContainer(json, at, limit);
  let end = at;
  while (end < limit && isScalarByte(json[end])) end++;
  return end > at ? end : -1;
}

/** The same for one that begins with a bracket. */
export function skipContainer(json: Buffer, at: number, limit: number): number {
  let depth = 0;
  while (at < limit) {
    const byte = json[at++];
    if (byte === QUOTE) {
      // As in skipString. Every byte of a small message comes this way, and a call a string would be a third of the
      // time.
      const near = at + NEAR < limit ? at + NEAR : limit;
      let inside: number | undefined;
      while (at < near) {
        inside = json[at++];
        if (inside === QUOTE || inside === BACKSLASH) break;
      }
      if (inside === QUOTE) continue;
      at = closingQuote(json, inside === BACKSLASH ? at - 1 : at, limit);
      if (at === -1) return -1;
    } else if ((byte as number) >= OPEN_ARRAY) {
      // Both kinds of bracket at once: they differ in this bit.
      const bracket = (byte as number) | 0x20;
      if (bracket === OPEN_OBJECT) depth++;
      else if (bracket === CLOSE_OBJECT && --depth === 0) return at;
    }
  }
  return -1;
}

/** The offset after the string that begins at `at`, or -1. Nothing from `limit` on belongs to it. */
export function skipString(json: Buffer, at: number, limit = json.length): number {
  const near = at + NEAR < limit ? at + NEAR : limit;
  let end = at + 1;
  while (end < near && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end < near ? end + 1 : closingQuote(json, end, limit);
}

/** The offset after the quote that ends the string which `from` lies in. */
function closingQuote(json: Buffer, from: number, limit: number): number {
  for (let end = json.indexOf(QUOTE, from); end !== -1 && end < limit; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = end;
    while (escapes > from && json[escapes - 1] === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end + 1;
  }
  return -1;
}

export function skipSpace(json: Buffer, at: number): number {
  while (isSpace(json[at])) at++;
  return at;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Numbers and literals; which of them are well-formed is not decided here. */
function isScalarByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte >= 0x61) return byte <= 0x7a;
  if (byte >= 0x41) return byte <= 0x5a;
  return isDigit(byte) || byte === 0x2d || byte === 0x2b || byte === 0x2e;
}

/** Whether these bytes stand there. */
export function equals(json: Buffer, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (json[at + i] !== text[i]) return false;
  return true;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether it is a whole number without sign, fraction or exponent: what nearly every id is. */
export function isNatural(token: string): boolean {
  for (let i = 0; i < token.length; i++) {
    const digit = token.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return false;
  }
  return token.length === 1 || (token.length > 1 && token.charCodeAt(0) !== 0x30);
}
