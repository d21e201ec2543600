// Finds the servers in TOML. The same entry can be a table, an inline table, or keys with dots anywhere above it: they
// are all brought to the path of each key. Texts of any kind may stand in an array, so a command always moves as it is
// spelled.

import { getStaticTOMLValue, ParseError, parseTOML, type AST } from 'toml-eslint-parser';
import type { Result } from '../../config/check.js';
import { positionAt } from '../../config/file/jsonc.js';
import { isRecord, serverEntry, type Entry, type Grammar, type Layout, type NewList, type Word } from '../layout.js';
import type { Problem, Shape } from '../shape.js';
import { bracketList, leadOf, lineBreakAt } from '../text-lines.js';

const comment = /^#[^\r\n]*/;

export const toml: Grammar = { parse, spell };

interface Assignment {
  readonly path: readonly string[];
  readonly node: AST.TOMLKeyValue;
  /** In braces, where a comma separates it from the next one. */
  readonly inline: boolean;
}

function parse(text: string, shape: Shape): Result<Layout, Problem> {
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { ok: false, error: { ...positionAt(text, offsetOf(text, error)), message: error.message } };
  }
  const data: unknown = getStaticTOMLValue(program);
  let servers = data;
  for (const key of shape.servers) {
    servers = isRecord(servers) && Object.hasOwn(servers, key) ? servers[key] : undefined;
  }
  if (servers === undefined) return { ok: true, value: { entries: [], data } };
  const assignments = program.body[0].body.flatMap((node) =>
    node.type === 'TOMLTable' ? flatten(node.body, node.resolvedKey.map(String), false) : flatten([node], [], false),
  );
  const starts = startsOf(program, assignments, shape.servers.length + 1);
  const entries = Object.entries(isRecord(servers) ? servers : {}).map(([name, value]) => {
    const path = [...shape.servers, name];
    const { line } = positionAt(text, starts.get(idOf(path)) ?? 0);
    return entry(text, shape, name, line, value, assignments, path);
  });
  return { ok: true, value: { entries, data } };
}

/** A value that is missing is missed in its line, and not at the beginning of the next one. */
function offsetOf(text: string, { index, message }: ParseError): number {
  return message.startsWith('Unspecified value') ? text.slice(0, index).trimEnd().length : index;
}

function flatten(nodes: readonly AST.TOMLKeyValue[], above: readonly string[], inline: boolean): Assignment[] {
  return nodes.flatMap((node) => {
    const path = [...above, ...node.key.keys.map(nameOf)];
    const inside = node.value.type === 'TOMLInlineTable' ? flatten(node.value.body, path, true) : [];
    return [{ path, node, inline }, ...inside];
  });
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === 'TOMLBare' ? key.name : key.value;
}

const idOf = (path: readonly string[]): string => JSON.stringify(path);

/** Where a path of this length, or something below it, is mentioned first. */
function startsOf(
  program: AST.TOMLProgram,
  assignments: readonly Assignment[],
  length: number,
): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  const note = (path: readonly string[], start: number): void => {
    if (path.length < length) return;
    const id = idOf(path.slice(0, length));
    starts.set(id, Math.min(start, starts.get(id) ?? start));
  };
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLTable') note(node.resolvedKey.map(String), node.range[0]);
  }
  for (const { path, node } of assignments) note(path, node.range[0]);
  return starts;
}

function entry(
  text: string,
  shape: Shape,
  name: string,
  line: number,
  value: unknown,
  assignments: readonly Assignment[],
  path: readonly string[],
): Entry {
  const server = serverEntry(name, line, value, shape);
  const at = (key: string): Assignment | undefined => {
    const id = idOf([...path, key]);
    return assignments.find((each) => idOf(each.path) === id);
  };
  const command = at(shape.command);
  if (server.words === undefined || command === undefined) return { server };
  if (shape.args === undefined) return { server, ...listOf(text, command.node.value) };
  const args = at(shape.args);
  return {
    server,
    command: word(command.node.value),
    ...(args !== undefined && listOf(text, args.node.value)),
    newList: newList(text, shape.args, command),
  };
}

function word(node: AST.TOMLContentNode): Word {
  const [start, end] = node.range;
  return { start, end, value: node.type === 'TOMLValue' ? String(node.value) : '' };
}

function listOf(text: string, node: AST.TOMLContentNode): Pick<Entry, 'list'> {
  if (node.type !== 'TOMLArray') return {};
  const items = node.elements.map((element) => ({ ...word(element), from: element.range[0] }));
  const [start, end] = node.range;
  return { list: bracketList(text, { start, end }, items, comment) };
}

/** The new key is spelled like that of the command, up to its last dot. */
function newList(text: string, name: string, { node, inline }: Assignment): NewList {
  const [start, end] = node.key.range;
  const path = text.slice(start, node.key.keys.at(-1)?.range[0] ?? start);
  const equals = text.slice(end, node.value.range[0]);
  const gap = inline ? ', ' : lineBreakAt(text, start) + leadOf(text, start);
  return { before: `${gap}${path}${name}${equals}[`, between: ', ', after: ']', flow: true };
}

/** Escapes of JSON are escapes of TOML, too. U+007F is a control character here and not there. */
function spell(text: string, model: string): string {
  if (model.startsWith("'") && !/['\p{Cc}]/u.test(text)) return `'${text}'`;
  return JSON.stringify(text).replaceAll('\u007F', '\\u007f');
}
