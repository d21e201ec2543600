// Checks the value of one option, which is text (command line, environment) or data (programmatic entry). A bad value
// results in a message that says what is wrong and what is allowed; the caller adds the name by which the user knows
// the option.

import { constants } from 'node:os';
import { inspect } from 'node:util';
import { nearest } from './nearest.js';
import { switchWords, type OptionSpec } from './option-spec.js';
import { camelCase, type Options } from './option-values.js';
import { options } from './options.js';

export type Result<T, E = string> = { ok: true; value: T } | { ok: false; error: E };
type Value = string | number | boolean | readonly string[];

const yes = new Set(['true', '1', 'on', 'yes']);
const no = new Set(['false', '0', 'off', 'no']);

/** Understands `true`, `on`, `no`, `0` and so on, in any case; undefined for any other word. */
export function toBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return yes.has(word) ? true : no.has(word) ? false : undefined;
}

/** Checks the texts that were given for one option. The last one counts, unless the option is a list. */
export function checkTexts(spec: OptionSpec, texts: readonly string[]): Result<Value> {
  if (spec.type === 'list') return checkValue(spec, texts);
  const text = texts.at(-1) ?? '';
  if (spec.type === 'number' && /^\d+$/.test(text)) return checkValue(spec, Number(text));
  if (spec.type === 'switch') return checkValue(spec, toBoolean(text) ?? text);
  return checkValue(spec, text);
}

export function checkValue(spec: OptionSpec, value: unknown): Result<Value> {
  if ('bare' in spec && typeof value === 'boolean') return { ok: true, value: value ? spec.bare : false };
  switch (spec.type) {
    case 'list':
      return checkList(spec, value);
    case 'number':
      if (!Number.isInteger(value) || (value as number) < spec.min || (value as number) > spec.max) break;
      return { ok: true, value: value as number };
    case 'text':
      if (!isText(value) || !hasForm(spec, value)) break;
      return { ok: true, value };
    case 'choice':
      if (!spec.choices.includes(value as string)) break;
      return { ok: true, value: value as string };
    case 'switch':
      if (spec.modes?.includes(value as string) === true) return { ok: true, value: value as string };
      if (spec.modes !== undefined && (value === 'on' || value === 'off')) return { ok: true, value: value === 'on' };
      if (typeof value !== 'boolean') break;
      return { ok: true, value };
    case 'signal':
      if (typeof value !== 'string' || !Object.hasOwn(constants.signals, value)) break;
      return { ok: true, value };
  }
  return bad(spec, value);
}

/**
 * Checks data with the options' names in camel case, as the programmatic entry takes it. The error has a line for each
 * bad option.
 */
export function checkOptions(
  given: object,
): { ok: true; value: Options } | { ok: false; error: string; usable: Options } {
  const checked: Record<string, Value> = {};
  const problems: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const spec = options.find(({ name }) => camelCase(name) === key);
    const result = spec === undefined ? { ok: false as const, error: unknownOption(key) } : checkValue(spec, value);
    if (result.ok) checked[key] = result.value;
    else problems.push(spec === undefined ? result.error : `${key}: ${result.error}`);
  }
  if (problems.length === 0) return { ok: true, value: checked };
  return { ok: false, error: problems.join('\n'), usable: checked };
}

function unknownOption(key: string): string {
  const names = options.map(({ name }) => camelCase(name));
  const meant = nearest(key, names);
  return `${key} is not an option${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** Describes the allowed values; completes the word "expected". */
export function allowed(spec: OptionSpec): string {
  switch (spec.type) {
    case 'list':
      if (spec.endings) return 'file endings, as in ts,tsx';
      return spec.form?.expected ?? `${spec.placeholder ?? '<text>'}, repeatable`;
    case 'number': {
      const unit = spec.unit === undefined ? '' : ` of ${spec.unit}`;
      return `a whole number${unit} from ${spec.min} to ${spec.max}`;
    }
    case 'text':
      return spec.form?.expected ?? spec.placeholder ?? '<text>';
    case 'choice':
      return oneOf(spec.choices);
    case 'switch':
      return spec.modes === undefined ? 'true or false' : oneOf(switchWords(spec));
    default:
      return "the name of one of this system's signals, as in SIGTERM, SIGINT or SIGHUP";
  }
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function checkList(spec: OptionSpec & { type: 'list' }, value: unknown): Result<readonly string[]> {
  if (!Array.isArray(value)) return bad(spec, value);
  const texts: string[] = [];
  for (const item of value as unknown[]) {
    if (!isText(item) || !hasForm(spec, item)) return bad(spec, item);
    texts.push(item);
  }
  if (!spec.endings) return { ok: true, value: texts };
  const endings = texts.flatMap((text) => text.split(',')).map((ending) => ending.trim().replace(/^\*?\.+/, ''));
  const wrong = endings.find((ending) => !/^[^\s/\\*?]+$/.test(ending));
  return wrong === undefined ? { ok: true, value: endings } : bad(spec, texts.join(','));
}

// A zero byte can't be part of a path or an argument on any system, and would make a spawn throw.
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function hasForm({ form }: OptionSpec & { type: 'text' | 'list' }, text: string): boolean {
  return form === undefined || new RegExp(form.pattern, 'u').test(text);
}

/** What an error says in place of a value that must not be shown. Undefined if it may be. */
export function maskedValue(spec: OptionSpec, value: unknown): string | undefined {
  if (spec.type !== 'text' || spec.secret !== true) return undefined;
  return typeof value === 'string' ? `a value of ${value.length} characters` : 'a value that is no text';
}

function bad(spec: OptionSpec, value: unknown): { ok: false; error: string } {
  // Not String(): an object may have a toString that is no function, and `[object Object]` says nothing.
  const readable =
    typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 1, breakLength: Infinity });
  const shown = maskedValue(spec, value) ?? readable;
  return { ok: false, error: `${shown} is not allowed, expected ${allowed(spec)}` };
}
