/**
 * The headers of a request, whichever way node:http gives them: `headers` (one value a name) or `headersDistinct` (all
 * of them). Only the second shows a doubled `Host` or `Authorization`. What a header means is for those who ask.
 */

/** Names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Without the white space around it. Several of one name are one list, as HTTP has it. */
export function valueOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  return stripped(typeof value === 'string' ? value : value.length === 1 ? (value[0] ?? '') : value.join(', '));
}

/** Of a header that there must be exactly one of. */
export function onlyValueOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined || typeof value === 'string') return value;
  return value.length === 1 ? value[0] : undefined;
}

/** Only space and tab are white space in a header; trim() would take more, and a pattern too long. */
function stripped(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isSpace(value[start])) start++;
  while (end > start && isSpace(value[end - 1])) end--;
  return end - start === value.length ? value : value.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
