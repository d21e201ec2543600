// What is derived from the table of options: the names and types of the values, as they are given and as they are in
// force, the defaults, and the conversion of units. Values have been checked before (check.ts).

import type { ProxyOptionSpec } from './option-spec.js';
import { options, type OptionTable as Table } from './options.js';

type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;
type ValueOf<S> = S extends { type: 'list' }
  ? readonly string[]
  : S extends { type: 'number' }
    ? number | (S extends { bare: number | true } ? boolean : never)
    : S extends { type: 'text' }
      ? string | (S extends { bare: string } ? boolean : never)
      : S extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : S extends { type: 'signal' }
          ? NodeJS.Signals
          : boolean | (S extends { modes: readonly (infer M)[] } ? M | 'on' | 'off' : never);

/**
 * Every option by its name in camel case. `true` is the bare option (`--poll`), `false` the negated one (`--no-build`).
 */
export type Options = { -readonly [N in keyof Table as CamelCase<N>]?: ValueOf<Table[N]> };
type Defaulted = { [N in keyof Table]: Table[N] extends { default: unknown } ? N : never }[keyof Table];
type Defaults = { readonly [N in Defaulted as CamelCase<N>]: ValueOf<Table[N]> };

export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of an option on the command line. */
export function optionName(key: keyof Options): string {
  return options.find(({ name }) => camelCase(name) === key)?.name ?? key;
}

export const defaults = Object.fromEntries(
  options.flatMap((spec) => ('default' in spec ? [[camelCase(spec.name), spec.default]] : [])),
) as Defaults;

type InForce<S> = S extends { type: 'list' }
  ? readonly string[]
  : S extends { type: 'number' }
    ? number | (S extends { default: number } ? never : undefined) | (S extends { bare: true } ? true : never)
    : S extends { type: 'text' }
      ? string | (S extends { default: string } ? never : undefined)
      : S extends { type: 'switch' }
        ? boolean | (S extends { modes: readonly (infer M)[] } ? M : never)
        : ValueOf<S>;
type KeyOf<N extends keyof Table> = Table[N] extends { becomes: infer K }
  ? Exclude<K, 'rules' | 'nothing'>
  : CamelCase<N>;

/** The values in force, by their keys in `Config`. Times are in milliseconds, sizes in bytes. */
export type OptionValues = { -readonly [N in keyof Table as KeyOf<N> & string]: InForce<Table[N]> };

/** The key of `Config` that has the value; undefined if none has it as it is. */
export function configKeyOf({ name, becomes = camelCase(name) }: ProxyOptionSpec): string | undefined {
  return becomes === 'rules' || becomes === 'nothing' ? undefined : becomes;
}

/** Fills in the defaults and converts units. */
export function valuesInForce(given: Options): OptionValues {
  const values = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    options.flatMap((spec) => {
      const key = configKeyOf(spec);
      if (key === undefined) return [];
      const value = values[camelCase(spec.name)] ?? ('default' in spec ? spec.default : undefined);
      return [[key, converted(spec, value)]];
    }),
  ) as OptionValues;
}

function converted(spec: ProxyOptionSpec, value: unknown): unknown {
  switch (spec.type) {
    case 'list':
      return value ?? [];
    case 'number':
      if (typeof value !== 'number') return value === true ? true : undefined;
      return spec.unit === 'MiB' ? value * 1024 * 1024 : value;
    case 'switch':
      return value === 'on' || (value === 'off' ? false : value);
    default:
      return value;
  }
}

/** What stands for a value that must not be shown. */
const MASKED = '****';

/** The same options, for people to read. */
export function withoutSecrets<O extends Options>(given: O): O {
  const secrets = options.filter((spec) => spec.type === 'text' && spec.secret === true).map(({ name }) => name);
  const values = given as Readonly<Record<string, unknown>>;
  const shown = secrets.map(camelCase).filter((key) => values[key] !== undefined && values[key] !== 'auto');
  return { ...given, ...Object.fromEntries(shown.map((key) => [key, MASKED])) };
}
