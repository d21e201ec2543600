/*
 * JSON of a value that may nest deeper than the stack: a message may, and what is made of its parts must not end the
 * proxy. Parsing needs no such care.
 */

/** What JSON.stringify gives, of values that came from JSON. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return withoutStack(value);
  }
}

/** What is still to be written: a text as it is, or a value. */
type Rest = { readonly text: string } | { readonly value: unknown };

function withoutStack(whole: unknown): string {
  const parts: string[] = [];
  const rest: Rest[] = [{ value: whole }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ('text' in next) parts.push(next.text);
    else if (typeof next.value !== 'object' || next.value === null) parts.push(JSON.stringify(next.value) ?? 'null');
    else for (const each of piecesOf(next.value).toReversed()) rest.push(each);
  }
  return parts.join('');
}

function piecesOf(value: object): Rest[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((each: unknown, at): Rest[] => [{ text: at === 0 ? '' : ',' }, { value: each }]);
    return [{ text: '[' }, ...items, { text: ']' }];
  }
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .flatMap(([name, each], at): Rest[] => [
      { text: `${at === 0 ? '' : ','}${JSON.stringify(name)}:` },
      { value: each as unknown },
    ]);
  return [{ text: '{' }, ...members, { text: '}' }];
}
