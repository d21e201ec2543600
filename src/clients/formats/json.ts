// Finds the servers in JSON, with or without comments. Of a key that stands there twice the last one counts, as in the
// parsers of the clients; the other is never touched.

import type { Result } from '../../config/check.js';
import { membersOf, parseJsonc, positionAt, valueOf, type Node } from '../../config/file/jsonc.js';
import { serverEntry, type Entry, type Grammar, type Layout, type NewList, type Word } from '../layout.js';
import type { Problem, Shape } from '../shape.js';
import { beginsLine, bracketList, leadOf, lineBreakAt } from '../text-lines.js';

const comment = /^(?:\/\/[^\r\n]*|\/\*[^]*?\*\/)/;

export const json: Grammar = { parse, spell: (text) => JSON.stringify(text) };

type Member = ReturnType<typeof membersOf>[number];

function parse(text: string, shape: Shape): Result<Layout, Problem> {
  const fail = (offset: number, message: string): Result<never, Problem> => ({
    ok: false,
    error: { ...positionAt(text, offset), message },
  });
  const tree = parseJsonc(text, { strict: shape.format === 'json' });
  if (!tree.ok) {
    const { offset, text: message } = tree.problems[0] ?? { offset: 0, text: 'this is no JSON' };
    return fail(offset, message);
  }
  let servers: Node | undefined = tree.root;
  const data = valueOf(tree.root);
  const empty: Result<Layout, Problem> = { ok: true, value: { entries: [], data } };
  for (const [index, key] of shape.servers.entries()) {
    if (servers.type !== 'object') return fail(servers.offset, notA('map', shape.servers.slice(0, index)));
    servers = member(servers, key)?.value;
    if (servers === undefined || servers.type === 'null') return empty;
  }
  const wanted = shape.nameKey === undefined ? 'object' : 'array';
  if (servers.type !== wanted) return fail(servers.offset, notA(wanted === 'object' ? 'map' : 'list', shape.servers));
  const named = shape.nameKey === undefined ? lastOfEach(servers) : listed(servers, shape.nameKey);
  return {
    ok: true,
    value: { entries: named.map(({ name, key, value }) => entry(text, shape, name, key, value)), data },
  };
}

function notA(kind: 'map' | 'list', path: readonly string[]): string {
  return path.length === 0 ? `the file is not a ${kind}` : `${path.join('.')} is not a ${kind}`;
}

function member(node: Node, name: string): Member | undefined {
  return node.type === 'object' ? membersOf(node).findLast((each) => each.name === name) : undefined;
}

function lastOfEach(servers: Node): Member[] {
  const all = membersOf(servers);
  const last = new Map(all.map((each) => [each.name, each]));
  return all.filter((each) => last.get(each.name) === each);
}

function listed(servers: Node, nameKey: string): Member[] {
  return (servers.children ?? []).flatMap((value) => {
    const name: unknown = member(value, nameKey)?.value.value;
    return typeof name === 'string' ? [{ name, key: value, value }] : [];
  });
}

function entry(text: string, shape: Shape, name: string, key: Node, value: Node): Entry {
  const server = serverEntry(name, positionAt(text, key.offset).line, valueOf(value), shape);
  const command = member(value, shape.command);
  if (server.words === undefined || command === undefined) return { server };
  if (shape.args === undefined) return { server, list: list(text, command.value) };
  const args = member(value, shape.args)?.value;
  return {
    server,
    command: word(command.value),
    ...(args !== undefined && { list: list(text, args) }),
    newList: newList(text, shape.args, command),
  };
}

function word(node: Node): Word {
  return { start: node.offset, end: node.offset + node.length, value: node.value as string };
}

function list(text: string, node: Node): NonNullable<Entry['list']> {
  const items = (node.children ?? []).map((child) => ({ ...word(child), from: child.offset }));
  return bracketList(text, { start: node.offset, end: node.offset + node.length }, items, comment);
}

function newList(text: string, name: string, { key, value }: Member): NewList {
  const colon = /^[ \t]*:[ \t]*$/.exec(text.slice(key.offset + key.length, value.offset))?.[0] ?? ': ';
  const space = colon === ':' ? '' : ' ';
  const gap = beginsLine(text, key.offset) ? lineBreakAt(text, key.offset) + leadOf(text, key.offset) : space;
  return { before: `,${gap}${JSON.stringify(name)}${colon}[`, between: `,${space}`, after: ']', flow: true };
}
