// Finds the strings at a path like `import.*.path` in plain data. Pure; imports.ts reads the data and follows the
// names.

/** The strings, and the strings in lists, wherever the pattern matches. `*` is any key or index. */
export function stringsAt(value: unknown, pattern: string): string[] {
  let found: unknown[] = [value];
  for (const segment of pattern.split('.')) found = found.flatMap((one) => childrenOf(one, segment));
  return found.flat().filter((one) => typeof one === 'string');
}

function childrenOf(value: unknown, segment: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (segment === '*') return Object.values(value);
  return Object.hasOwn(value, segment) ? [(value as Record<string, unknown>)[segment]] : [];
}

/** Whether it is a local path: a URL can't be watched. */
export function isPath(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/^[a-z][a-z\d+.-]+:\/\//i.test(text);
}
