// Reads the flags in front of a program's own words, as far as needed to find where they end. The caller knows which
// flags take the next word.

export interface Flags {
  /** What follows the flags. */
  readonly rest: readonly string[];
  /** The last value given by one of these names. */
  value(...names: readonly string[]): string | undefined;
  values(...names: readonly string[]): readonly string[];
}

/**
 * `taking`: the flags that take the next word, separated by blanks. With `everywhere` flags may also come later, up to
 * `--`.
 */
export function readFlags(args: readonly string[], taking: string, everywhere = false): Flags {
  const withValue = new Set(taking.split(' '));
  const given: [name: string, value: string][] = [];
  const rest: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      if (!everywhere) break;
      rest.push(word);
      continue;
    }
    const cut = word.indexOf('=');
    if (cut > 0) given.push([word.slice(0, cut), word.slice(cut + 1)]);
    else if (withValue.has(word)) given.push([word, args[++at] ?? '']);
    else given.push([word, '']);
  }
  const values = (...names: readonly string[]): string[] =>
    given.filter(([name]) => names.includes(name)).map(([, value]) => value);
  return { rest: [...rest, ...args.slice(at)], values, value: (...names) => values(...names).at(-1) };
}

/**
 * The name of a program without its directory, its version and the endings of Windows: `/usr/bin/python3.11` is
 * `python`.
 */
export function programName(word: string): string {
  const name = /[^\\/]*$/
    .exec(word)![0]
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com|ps1)$/, '');
  return /^(python|node|pypy|ruby|php|perl|lua)[\d.]+[a-z]?$/.test(name) ? name.replace(/[\d.]+[a-z]?$/, '') : name;
}
