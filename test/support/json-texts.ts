/**
 * JSON objects as text, as odd as JSON can be: random white space, escapes, duplicate keys, numbers that no double
 * holds, names that every object has. What is done with them is for the tests.
 */
import { fc } from './property.js';

type Node = { text: string } | { array: Node[] } | { object: (readonly [string, Node])[] };

const NAMES = [
  'id',
  'result',
  'params',
  '_meta',
  'tools',
  '',
  '__proto__',
  'ü',
  '\u{1f525}',
  'a"b',
  'a\\',
  '\n',
  '\ud800',
];
/** A name that is likely to be among the members. */
export const memberName = fc.constantFrom(...NAMES);
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** A JSON string with some of its characters as \u escapes. */
export function spell(value: string, escape: boolean): string {
  if (!escape) return JSON.stringify(value);
  return `"${value.replace(/[\s\S]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}

const scalar = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '12345678901234567890', '1E+400', '-1.5e-7', 'true', 'false', 'null'),
  fc.tuple(fc.string({ unit: 'binary', maxLength: 50 }), fc.boolean()).map(([s, e]) => spell(s, e)),
  fc.constantFrom(
    '"{\\"id\\":1}"',
    '"]}"',
    `"${'\\\\'.repeat(40)}"`,
    `"${'x'.repeat(70)}\\""`,
    `"${'\\"'.repeat(30)}"`,
  ),
);

const { root } = fc.letrec<{ node: Node; root: Node }>((tie) => {
  const object = fc
    .array(fc.tuple(memberName, tie('node')), { maxLength: 5 })
    .map((members): Node => ({ object: members }));
  return {
    root: object,
    node: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      scalar.map((text): Node => ({ text })),
      fc.array(tie('node'), { maxLength: 4 }).map((array): Node => ({ array })),
      object,
      object,
    ),
  };
});

/** Writes a tree down with white space and escapes taken from `draws` in turn. */
function write(tree: Node, draws: readonly { space: string; escape: boolean }[]): Buffer {
  let next = 0;
  const draw = () => draws[next++ % draws.length] ?? { space: '', escape: false };
  const s = (text: string) => draw().space + text + draw().space;
  const text = (node: Node): string => {
    if ('text' in node) return s(node.text);
    if ('array' in node)
      return s(node.array.length === 0 ? `[${draw().space}]` : `[${node.array.map(text).join(',')}]`);
    const members = node.object.map(([key, value]) => `${s(spell(key, draw().escape))}:${text(value)}`);
    return s(members.length === 0 ? `{${draw().space}}` : `{${members.join(',')}}`);
  };
  return Buffer.from(text(tree));
}

export const jsonObject = fc
  .tuple(root, fc.array(fc.record({ space, escape: fc.boolean() }), { minLength: 1, maxLength: 40 }))
  .map(([tree, draws]) => write(tree, draws));
