// Parses JSON with comments and trailing commas into a tree whose nodes have positions. The parser is loaded with the
// first text, because most sessions have no configuration file. The caller knows what the text should say.

import { createRequire } from 'node:module';
import type * as jsonc from 'jsonc-parser';

/** A part of the text with its position. */
export interface Node {
  readonly type: jsonc.NodeType;
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  readonly children?: readonly Node[];
}

export interface Problem {
  readonly offset: number;
  readonly text: string;
}

export type Tree = { ok: true; root: Node } | { ok: false; root: Node | undefined; problems: readonly Problem[] };

const require = createRequire(import.meta.url);

/** `strict`: plain JSON, in which a comment or a trailing comma is a mistake. */
export function parseJsonc(text: string, { strict = false } = {}): Tree {
  const { parseTree, printParseErrorCode } = require('jsonc-parser') as typeof jsonc;
  const errors: jsonc.ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: !strict, disallowComments: strict });
  if (errors.length === 0 && root !== undefined) return { ok: true, root };
  // One mistake causes several errors: only the first error of a line is reported, and none about a missing value after
  // an invalid word.
  const lines = new Set<number>();
  const codes = errors.map(({ error }) => printParseErrorCode(error));
  const problems = errors.flatMap(({ offset }, index) => {
    const { line } = positionAt(text, offset);
    const code = codes[index] ?? '';
    if (lines.has(line) || (code === 'ValueExpected' && codes[index - 1] === 'InvalidSymbol')) return [];
    lines.add(line);
    const isComment = code === 'InvalidCommentToken';
    return [
      { offset, text: isComment ? 'a comment is not allowed in this file' : (words[code] ?? 'this is not JSON') },
    ];
  });
  return { ok: false, root, problems };
}

/** The data of a node, without positions. */
export function valueOf(node: Node): unknown {
  switch (node.type) {
    case 'object':
      return Object.fromEntries(membersOf(node).map(({ name, value }) => [name, valueOf(value)]));
    case 'array':
      return (node.children ?? []).map(valueOf);
    default:
      return node.value;
  }
}

/** The members of an object that are whole. */
export function membersOf(node: Node): { name: string; key: Node; value: Node }[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ name: key.value as string, key, value }],
  );
}

/** Lines and columns count from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const words: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a value; text needs double quotes',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is missing here',
  CommaExpected: 'a comma is missing here',
  CloseBraceExpected: 'a } is missing here',
  CloseBracketExpected: 'a ] is missing here',
  EndOfFileExpected: 'the end of the file is expected here',
  UnexpectedEndOfComment: 'this comment is never closed',
  UnexpectedEndOfString: 'this text is never closed',
  UnexpectedEndOfNumber: 'this number is cut off',
  InvalidUnicode: 'this is not a Unicode escape',
  InvalidEscapeCharacter: 'this is not an escape sequence',
  InvalidCharacter: 'this character is not allowed in a text',
};
