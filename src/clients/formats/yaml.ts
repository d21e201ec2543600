// Finds the servers in YAML, in block and in flow style. A part of the file that an alias refers to, or that is one,
// can be read but not edited: an edit would change both places.

import { isAlias, isMap, isScalar, isSeq, parse as parseYaml, parseAllDocuments, visit } from 'yaml';
import type { Alias, CST, Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Result } from '../../config/check.js';
import { positionAt } from '../../config/file/jsonc.js';
import { isRecord, serverEntry } from '../layout.js';
import type { Entry, Grammar, Layout, List, NewList, Word } from '../layout.js';
import type { Problem, Shape } from '../shape.js';
import { bracketList, indentOf, lineBreakAt } from '../text-lines.js';

const comment = /^#[^\r\n]*/;

export const yaml: Grammar = { parse, spell, fits };

/** A node on the way down from the root, and why it can't be edited. */
interface Place {
  readonly node: Node | undefined;
  readonly refusal: string | undefined;
}

interface Source {
  readonly text: string;
  readonly shape: Shape;
  readonly document: Document;
  /** The anchors that an alias refers to. */
  readonly anchors: ReadonlySet<string>;
}

function parse(text: string, shape: Shape): Result<Layout, Problem> {
  const fail = (offset: number, message: string): Result<never, Problem> => ({
    ok: false,
    error: { ...positionAt(text, offset), message: message.replace(/\s+/g, ' ') },
  });
  const options = { keepSourceTokens: true, merge: true, prettyErrors: false, logLevel: 'silent' } as const;
  const parsed = parseAllDocuments(text, options);
  const documents = 'empty' in parsed ? [] : parsed;
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error !== undefined) return fail(error.pos[0], error.message);
  const [document, second] = documents;
  if (document === undefined) return { ok: true, value: { entries: [], data: undefined } };
  if (second !== undefined) return fail(second.range[0], 'a second document begins here');
  const anchors = new Set<string>();
  const lost: Alias[] = [];
  visit(document, {
    Alias: (_, alias) => {
      anchors.add(alias.source);
      if (alias.resolve(document) === undefined) lost.push(alias);
    },
  });
  if (lost[0] !== undefined) return fail(rangeOf(lost[0])[0], `*${lost[0].source} refers to no anchor before it`);
  const source: Source = { text, shape, document, anchors };
  try {
    const data: unknown = document.toJS({ maxAliasCount: 10_000 });
    return { ok: true, value: { entries: entriesOf(source), data } };
  } catch (cause) {
    // Aliases that multiply without end.
    return fail(0, (cause as Error).message);
  }
}

function entriesOf(source: Source): Entry[] {
  const { shape, document } = source;
  let servers = step(source, undefined, document.contents);
  for (const key of shape.servers) servers = below(source, servers, key);
  const { node } = servers;
  if (isMap(node)) {
    return node.items.map((pair) =>
      entry(source, String(valueOf(pair.key)), pair.key, step(source, servers, pair.value)),
    );
  }
  const { nameKey } = shape;
  if (!isSeq(node) || nameKey === undefined) return [];
  return node.items.flatMap((item) => {
    const place = step(source, servers, item);
    const name = valueOf(below(source, place, nameKey).node);
    return typeof name === 'string' ? [entry(source, name, item, place)] : [];
  });
}

function step({ document, anchors }: Source, above: Place | undefined, node: unknown): Place {
  if (isAlias(node)) return { node: node.resolve(document), refusal: `a part of it is an alias, *${node.source}` };
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return { node: undefined, refusal: above?.refusal };
  const shared = node.anchor !== undefined && anchors.has(node.anchor);
  return { node, refusal: above?.refusal ?? (shared ? `an alias refers to a part of it, &${node.anchor}` : undefined) };
}

function below(source: Source, place: Place, key: string): Place {
  return step(source, place, isMap(place.node) ? pairOf(place.node, key)?.value : undefined);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => valueOf(pair.key) === key);
}

function valueOf(node: unknown): unknown {
  return isScalar(node) ? node.value : undefined;
}

function entry(source: Source, name: string, key: unknown, place: Place): Entry {
  const { text, shape, document } = source;
  const start = (key as Node | null)?.range?.[0] ?? 0;
  const data: unknown = place.node?.toJS(document);
  const server = serverEntry(name, positionAt(text, start).line, data, shape);
  if (server.words === undefined || !isMap(place.node) || !isRecord(data)) return { server };
  const command = below(source, place, shape.command);
  const args = shape.args === undefined ? undefined : below(source, place, shape.args);
  const elsewhere =
    command.node === undefined || (shape.args !== undefined && shape.args in data && args?.node === undefined)
      ? 'a part of it comes from another place, by <<'
      : undefined;
  const refusal = command.refusal ?? args?.refusal ?? elsewhere;
  if (refusal !== undefined) return { server, refusal };
  const pair = pairOf(place.node, shape.command);
  if (shape.args === undefined) return { server, ...listOf(text, pair) };
  return {
    server,
    ...(isScalar(command.node) && { command: word(text, command.node) }),
    ...listOf(text, pairOf(place.node, shape.args)),
    ...newListOf(text, shape.args, place.node, pair?.key),
  };
}

/** The last line break of a block scalar separates it from what follows. */
function word(text: string, node: Scalar): Word {
  const [start, end] = node.range ?? [0, 0];
  const inLine = text.slice(start, end).replace(/(?:\r\n|\n|\r)$/, '');
  return { start, end: start + inLine.length, value: String(node.value) };
}

function listOf(text: string, pair: Pair | undefined): Pick<Entry, 'list'> {
  const node = pair?.value;
  const token = isSeq(node) ? node.srcToken : undefined;
  if (!isSeq(node) || (token?.type !== 'block-seq' && token?.type !== 'flow-collection')) return {};
  const items = node.items.map((item, index) => {
    const place = isScalar(item) ? word(text, item) : { start: rangeOf(item)[0], end: rangeOf(item)[1], value: '' };
    const starts = token.items[index]?.start ?? [];
    const first = starts.find(({ type }) => (token.type === 'block-seq' ? type === 'seq-item-ind' : !gaps.has(type)));
    return { ...place, from: first?.offset ?? place.start };
  });
  const [start, end] = rangeOf(node);
  if (token.type === 'flow-collection') return { list: bracketList(text, { start, end }, items, comment) };
  return blockList(text, node, items, pair);
}

const gaps: ReadonlySet<CST.SourceToken['type']> = new Set(['space', 'newline', 'comment', 'comma']);

function rangeOf(node: unknown): readonly [number, number] {
  const [start = 0, end = 0] = (node as Node | null)?.range ?? [];
  return [start, end];
}

function blockList(text: string, node: YAMLSeq, items: List['items'], pair: Pair | undefined): Pick<Entry, 'list'> {
  const [first] = items;
  const last = items.at(-1);
  if (first === undefined || last === undefined) return {};
  const colon = pair?.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset;
  const before = /^- +$/.exec(text.slice(first.from, first.start))?.[0] ?? '- ';
  return {
    list: {
      start: rangeOf(node)[0],
      end: last.end,
      items,
      insertAt: first.from,
      before,
      between: lineBreakAt(text, first.from) + indentOf(text, first.from),
      flow: false,
      emptied: { start: colon === undefined ? first.from : colon + 1, end: last.end, text: ' []' },
    },
  };
}

function newListOf(text: string, name: string, map: YAMLMap, key: unknown): Pick<Entry, 'newList'> {
  const [start, end] = rangeOf(key);
  const quote = /^["']/.exec(text.slice(start, end))?.[0] ?? '';
  const spelled = quote + name + quote;
  if (map.srcToken?.type === 'flow-collection') {
    const newList: NewList = { before: `, ${spelled}: [`, between: ', ', after: ']', flow: true };
    return { newList };
  }
  const line = lineBreakAt(text, start) + indentOf(text, start);
  const between = `${line}  - `;
  return { newList: { before: `${line}${spelled}:${between}`, between, after: '', flow: false } };
}

/** YAML 1.1, which some parsers still follow, reads these as true and false. */
const notPlain = /^(?:y|n|yes|no|on|off)$/i;

function spell(text: string, model: string): string {
  const plain = /^[A-Za-z/.][\w/.@+-]*$/.test(text) && !notPlain.test(text);
  if (/^[^"']/.test(model) && plain && fits(text, text, true)) return text;
  if (model.startsWith("'") && /^\P{Cc}*$/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text);
}

function fits(raw: string, value: string, flow: boolean): boolean {
  if (/[\r\n]/.test(raw)) return false;
  try {
    const data: unknown = parseYaml(flow ? `[${raw}]` : `- ${raw}`, { logLevel: 'error' });
    return Array.isArray(data) && data.length === 1 && data[0] === value;
  } catch {
    return false;
  }
}
