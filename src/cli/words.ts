// Writes options as the words of a command line, to pass them on to another process of this program. The inverse of
// command-line.ts.

import { camelCase, type Options } from '../config/option-values.js';
import { options } from '../config/options.js';

export function toWords(given: Options): string[] {
  const values = given as Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  return options.flatMap(({ name }) => {
    const value = values[camelCase(name)];
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    if (value === false) return [`--no-${name}`];
    // With =, because a value may begin with a dash.
    return [value].flat().map((one) => `--${name}=${one}`);
  });
}
