// The servers in the text of a client's file: reads them, puts the proxy in front of one, and takes it away again.
// Pure: a text goes in and a text comes out. Every result is parsed again before it is handed out, so that a text that
// this code does not understand is refused and never damaged (P21, given back). Files are for `client-file.ts`, and
// what to keep for `unwrap` for `undo-records.ts`. The parsers make this large: commands load it with a dynamic import.

import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../config/check.js';
import { json } from './formats/json.js';
import { toml } from './formats/toml.js';
import { yaml } from './formats/yaml.js';
import { sameButFor, type Entry, type Grammar, type Layout } from './layout.js';
import type { Format, Problem, ServerEntry, Shape, Undo } from './shape.js';
import { unwrapEntry, wrapEntry } from './splice.js';
import { wrappedWords } from './wrapped-words.js';

export { wrappedWords };

/**
 * Of a wrapped entry whose own command can't be told: it stands in the configuration file, or somebody left out the
 * `--`.
 */
export const NO_SERVER = 'has no command behind a "--" that could be given back: edit it by hand';

const grammars: Readonly<Record<Format, Grammar>> = { json, jsonc: json, toml, yaml };

/** In the order of the file. Of a JSON key that stands there twice the last one counts. */
export function readServers(text: string, shape: Shape): Result<readonly ServerEntry[], Problem> {
  const layout = parse(withoutMark(text).text, shape);
  return layout.ok ? { ok: true, value: layout.value.entries.map(({ server }) => server) } : layout;
}

/** `prefix` is what is put in front of the server's command: a program, its arguments, and `--`. */
export function wrapServer(
  text: string,
  shape: Shape,
  name: string,
  prefix: readonly string[],
): Result<{ text: string; undo: Undo | undefined }> {
  const { mark, text: plain } = withoutMark(text);
  const found = find(plain, shape, name);
  if (!found.ok) return found;
  const { layout, entry, words } = found.value;
  if (wrappedWords(words) !== undefined) return refuse(name, 'is wrapped already');
  if (wrappedWords([...prefix, ...words])?.proxy.length !== prefix.length) {
    return refuse(name, 'would not be known for wrapped with these words in front');
  }
  const wrapped = wrapEntry(grammars[shape.format], plain, entry, prefix);
  if (wrapped === undefined || !says(wrapped.text, shape, name, [...prefix, ...words], layout)) return unclear(name);
  const back = undo(wrapped.text, shape, name, wrapped.undo);
  if (!back.ok || back.value.text !== plain) return unclear(name);
  return { ok: true, value: { text: mark + wrapped.text, undo: wrapped.undo } };
}

/** `exact`: the entry is byte for byte what it was before it was wrapped; otherwise it means the same. */
export function unwrapServer(
  text: string,
  shape: Shape,
  name: string,
  kept: Undo | undefined,
): Result<{ text: string; exact: boolean }> {
  const { mark, text: plain } = withoutMark(text);
  const result = undo(plain, shape, name, kept);
  return result.ok ? { ok: true, value: { ...result.value, text: mark + result.value.text } } : result;
}

/** Tries what was kept first. It is of no use any more where somebody has written another command since. */
function undo(
  text: string,
  shape: Shape,
  name: string,
  kept: Undo | undefined,
): Result<{ text: string; exact: boolean }> {
  const found = find(text, shape, name);
  if (!found.ok) return found;
  const { layout, entry, words } = found.value;
  const wrapped = wrappedWords(words);
  if (wrapped === undefined) return refuse(name, 'is not wrapped');
  const { proxy, server } = wrapped;
  if (server.length === 0) return refuse(name, NO_SERVER);
  for (const tried of [kept ?? {}, {}]) {
    const result = unwrapEntry(grammars[shape.format], text, entry, proxy.length, tried);
    if (result === undefined || !says(result, shape, name, server, layout)) continue;
    return { ok: true, value: { text: result, exact: isExact(result, shape, name, proxy, text, tried) } };
  }
  return unclear(name);
}

/**
 * Whether wrapping the result would give this very text, and whether no other entry would: that is what was kept for.
 */
function isExact(
  result: string,
  shape: Shape,
  name: string,
  proxy: readonly string[],
  text: string,
  kept: Undo,
): boolean {
  const found = find(result, shape, name);
  const again = found.ok ? wrapEntry(grammars[shape.format], result, found.value.entry, proxy) : undefined;
  return again?.text === text && (again.undo === undefined || isDeepStrictEqual(again.undo, kept));
}

/** Whether a text gives this server these words, and is for the rest what the other layout was. */
function says(text: string, shape: Shape, name: string, words: readonly string[], other: Layout): boolean {
  const found = find(text, shape, name);
  return found.ok && isDeepStrictEqual(found.value.words, words) && sameButFor(name, shape, found.value.layout, other);
}

interface Found {
  readonly layout: Layout;
  readonly entry: Entry;
  readonly words: readonly string[];
}

function find(text: string, shape: Shape, name: string): Result<Found> {
  const parsed = parse(text, shape);
  if (!parsed.ok) {
    const { line, column, message } = parsed.error;
    return { ok: false, error: `line ${line}, column ${column}: ${message}` };
  }
  const layout = parsed.value;
  const [entry, another] = layout.entries.filter(({ server }) => server.name === name);
  if (entry === undefined) return { ok: false, error: `there is no server ${JSON.stringify(name)}` };
  if (another !== undefined) return refuse(name, 'stands there twice');
  const { words, problem } = entry.server;
  if (problem !== undefined) return refuse(name, `can't be edited: ${problem}`);
  if (words === undefined) return refuse(name, 'has no command');
  if (entry.refusal !== undefined) return refuse(name, `can't be edited: ${entry.refusal}`);
  return { ok: true, value: { layout, entry, words } };
}

function parse(text: string, shape: Shape): Result<Layout, Problem> {
  return grammars[shape.format].parse(text, shape);
}

/** A byte order mark stands in front of the text and is no part of it. */
function withoutMark(text: string): { mark: string; text: string } {
  return text.startsWith('\uFEFF') ? { mark: '\uFEFF', text: text.slice(1) } : { mark: '', text };
}

function refuse(name: string, why: string): { ok: false; error: string } {
  return { ok: false, error: `${JSON.stringify(name)} ${why}` };
}

function unclear(name: string): { ok: false; error: string } {
  return refuse(name, "is written in a way that this program can't edit and give back; edit it by hand");
}
