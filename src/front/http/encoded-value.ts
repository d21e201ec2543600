/**
 * Values that a client repeats in a header. What does not fit in one as plain ASCII comes as `=?base64?…?=`, the Base64
 * of its UTF-8. Which headers may carry such a value, and what it must be equal to, is for those who ask.
 */

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\t -~]*$/;

/** Undefined: characters that no header may have, or Base64 that is none. */
export function decodedValue(value: string): string | undefined {
  if (!PLAIN.test(value)) return undefined;
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}
