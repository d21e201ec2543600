// Where the parts of a server's entry stand in the text of a file: what the parsers of `formats/` find out and
// `splice.ts` works with. Offsets count UTF-16 units and are valid for that one text.

import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../config/check.js';
import type { Problem, ServerEntry, Shape } from './shape.js';

/** One text value as it is spelled, quotes included. */
export interface Word {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export interface Item extends Word {
  /** Where the item begins: at its dash or its anchor, else at its text. */
  readonly from: number;
}

export interface List {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Item[];
  /** How words are added in front: what stands before each, and what between two of them. */
  readonly insertAt: number;
  readonly before: string;
  readonly between: string;
  /** In brackets. Other lists are YAML's, with a dash before each item. */
  readonly flow: boolean;
  /** What to replace to leave no item, and with which text. */
  readonly emptied: { readonly start: number; readonly end: number; readonly text: string };
}

/** What is written right behind the command to give an entry the arguments that it does not have. */
export interface NewList {
  readonly before: string;
  readonly between: string;
  readonly after: string;
  readonly flow: boolean;
}

export interface Entry {
  readonly server: ServerEntry;
  /** Why the entry can't be edited, though it can be read. */
  readonly refusal?: string;
  readonly command?: Word;
  /** The arguments, or the list that is command and arguments in one. */
  readonly list?: List;
  readonly newList?: NewList;
}

export interface Layout {
  readonly entries: readonly Entry[];
  /** The whole file as data. */
  readonly data: unknown;
}

export interface Grammar {
  parse(text: string, shape: Shape): Result<Layout, Problem>;
  /** Spells a word, in the manner of `model` where that is possible. */
  spell(word: string, model: string): string;
  /**
   * Whether `raw` means `value` as an item too, in a list in brackets or one with dashes. Absent where every spelling
   * fits everywhere.
   */
  readonly fits?: (raw: string, value: string, flow: boolean) => boolean;
}

/** The entry as data, judged: the same for all formats. */
export function serverEntry(name: string, line: number, data: unknown, shape: Shape): ServerEntry {
  const none = {
    name,
    words: undefined,
    url: undefined,
    cwd: undefined,
    envNames: [],
    keys: [],
    disabled: false,
    line,
  };
  if (!isRecord(data)) return { ...none, problem: 'the entry is not a map of keys' };
  const text = (key: string): string | undefined => (typeof data[key] === 'string' ? data[key] : undefined);
  const env = data[shape.env];
  const problem = problemOf(data, shape);
  return {
    ...none,
    words: problem === undefined ? wordsOf(data, shape) : undefined,
    url: text('url') ?? text('httpUrl') ?? text('serverUrl') ?? text('uri'),
    cwd: text('cwd'),
    envNames: isRecord(env) ? Object.keys(env) : [],
    keys: Object.keys(data),
    disabled: data['disabled'] === true || data['enabled'] === false,
    ...(problem !== undefined && { problem }),
  };
}

function problemOf(data: Record<string, unknown>, { command: key, args: argsKey }: Shape): string | undefined {
  const command = data[key];
  if (command === undefined || command === null) return undefined;
  if (argsKey === undefined) {
    return isTexts(command) && command.length > 0
      ? undefined
      : `"${key}" is not a list of texts that begins with a command`;
  }
  if (typeof command !== 'string' || command === '') return `"${key}" is not the text of a command`;
  const args = data[argsKey];
  return args === undefined || isTexts(args) ? undefined : `"${argsKey}" is not a list of texts`;
}

function wordsOf(data: Record<string, unknown>, { command: key, args }: Shape): readonly string[] | undefined {
  const command = data[key];
  if (command === undefined || command === null) return undefined;
  if (args === undefined) return command as string[];
  return [command as string, ...((data[args] as string[] | undefined) ?? [])];
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two texts say the same but for the command and the arguments of one entry. */
export function sameButFor(name: string, shape: Shape, one: Layout, two: Layout): boolean {
  return isDeepStrictEqual(withoutWords(name, shape, one.data), withoutWords(name, shape, two.data));
}

function withoutWords(name: string, shape: Shape, data: unknown): unknown {
  const { command, args, nameKey } = shape;
  const copy: unknown = structuredClone(data);
  let servers = copy;
  for (const key of shape.servers) servers = isRecord(servers) ? servers[key] : undefined;
  const named =
    nameKey === undefined
      ? [isRecord(servers) ? servers[name] : undefined]
      : (Array.isArray(servers) ? servers : []).filter((each: unknown) => isRecord(each) && each[nameKey] === name);
  for (const entry of named) {
    if (!isRecord(entry)) continue;
    delete entry[command];
    if (args !== undefined) delete entry[args];
  }
  return copy;
}
