/**
 * The headers of a request, whichever way node:http gives them: `headers` (one value a name) or `headersDistinct` (all
 * of them). Only the second shows a doubled `Host` or `Authorization`. What a header means is for those who ask.
 */

/** Names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Without the white space around it. Several of one name are one list, as HTTP has it. */
export function valueOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : stripped(typeof value === 'string' ? value : value.join(', '));
}

/** Of a header that there must be exactly one of. */
export function onlyValueOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined || typeof value === 'string') return value;
  return value.length === 1 ? value[0] : undefined;
}

/** Only space and tab are white space in a header; trim() would take more. */
function stripped(value: string): string {
  return value.replace(/^[\t ]+|[\t ]+$/g, '');
}
