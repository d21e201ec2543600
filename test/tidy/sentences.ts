// Finds every text in the sources that a person or an agent may get to read: the string and template literals that have
// words in them. It reads the syntax tree, so that nobody has to list them by hand and none is forgotten. What is done
// with them is up to the test.
import { parseSync } from 'oxc-parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** What stands in these is for programs. */
const NOT_PRINTED = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TSLiteralType']);

/**
 * In the order of the file. What is filled in is shown in braces: by its name, or as {…} where it is more than a name.
 */
export function sentencesOf(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: string[] = [];
  visit(program as unknown as Node, source, (text) => {
    if (isSentence(text)) found.push(text.replaceAll('\n', '\\n'));
  });
  return found;
}

function visit(node: Node, source: string, found: (text: string) => void): void {
  if (NOT_PRINTED.has(node.type) || isSplit(node)) return;
  if (node.type === 'Literal' && typeof node['value'] === 'string') found(node['value']);
  if (node.type === 'TemplateLiteral') found(templateText(node, source));
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue;
    for (const child of [value].flat()) if (isNode(child)) visit(child, source, found);
  }
}

/** `'a b c'.split(' ')` is a list. */
function isSplit({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false;
  const { object, property } = callee as unknown as { object: Node; property: { name?: string } };
  return property.name === 'split' && (object.type === 'Literal' || object.type === 'TemplateLiteral');
}

function templateText(node: Node, source: string): string {
  const quasis = node['quasis'] as readonly { value: { cooked: string } }[];
  const expressions = node['expressions'] as readonly Node[];
  return quasis
    .map(({ value }, index) => {
      const expression = expressions[index];
      if (expression === undefined) return value.cooked;
      const name = source.slice(expression.start, expression.end);
      return `${value.cooked}{${/^[\w.#]+$/.test(name) ? name : '…'}}`;
    })
    .join('');
}

/** At least a word, and a space: names of files, options, methods and events are none. */
function isSentence(text: string): boolean {
  return / /.test(text.trim()) && /[a-z]{2}/i.test(text.replaceAll(/\{[^}]*\}/g, ''));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
