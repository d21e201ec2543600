// Finds, in plain data, the strings at a place like `import.*.path`. Pure; reading the data and following the paths is
// imports.ts's.

/** Strings, and the strings of lists, at every place that the pattern fits. `*` is any key or index. */
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

/** What is fetched from elsewhere can't be watched. */
export function isPath(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/^[a-z][a-z\d+.-]+:\/\//i.test(text);
}
