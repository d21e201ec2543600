// Files of clients as people and programs write them: the same servers in every style that a format has, with comments,
// blanks and escapes wherever they are allowed. What is generated is valid; what is wrong is tested by examples.
import { fc } from '../support/property.js';

export type Draw = fc.GeneratorValue;

export interface Server {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** Stands in one value of each file, for edits in between. */
export const MARK = 'edit-me';

const odd = [
  '--',
  '-y',
  'true',
  'null',
  '1',
  '- a',
  '# b',
  'a: b',
  "it's",
  '"',
  'C:\\x\\y',
  '',
  ' ',
  'a, b',
  '[c]',
  '{d}',
  '*e',
  '&f',
  '\t',
  'é😀',
];
const text = fc.oneof(
  fc.constantFrom('node', 'npx', 'a.js', '/usr/bin/x', '@x/y'),
  fc.constantFrom(...odd),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const name = fc.oneof(
  fc.constantFrom('x', 'my server', 'a.b', 'é', '"', '1'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 5 }),
);
const server = fc.record({
  name,
  command: text.filter((command) => command !== ''),
  args: fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }),
  env: fc.option(fc.dictionary(fc.constantFrom('A', 'B_C'), fc.constantFrom('', MARK, 'secret')), { nil: undefined }),
});

export const servers = fc
  .uniqueArray(server, { minLength: 1, maxLength: 3, selector: ({ name: each }) => each })
  .map((all): readonly Server[] => all.filter((each) => each.name !== '__proto__' && each.name !== '<<'))
  .filter((all) => all.length > 0);

/** One of these. */
export function pick<T>(draw: Draw, ...choices: readonly T[]): T {
  return choices[draw(fc.nat, { max: choices.length - 1 })] as T;
}

/** The members of an entry in any order, with others among them. */
export function membersOf(draw: Draw, { command, args, env }: Server): [string, unknown][] {
  const members: [string, unknown][] = [
    ['command', command],
    ['type', 'stdio'],
  ];
  if (args !== undefined) members.push(['args', args]);
  if (env !== undefined) members.push(['env', env]);
  return draw(fc.shuffledSubarray<[string, unknown]>, members, {
    minLength: members.length,
    maxLength: members.length,
  });
}

export function jsonText(draw: Draw, all: readonly Server[], comments: boolean): string {
  const gap = (): string => {
    const plain = ['', '', ' ', '\n  ', '\r\n\t'] as const;
    return comments ? pick(draw, ...plain, '/* "args": [ */', ' // c\n', '\n// ]\r\n  ') : pick(draw, ...plain);
  };
  const string = (value: string): string =>
    [
      ...JSON.stringify(value)
        .slice(1, -1)
        .matchAll(/\\u....|\\.|[^]/g),
    ].reduce(
      (done, [each]) =>
        done + (each.length === 1 && each !== '/' && draw(fc.nat, { max: 15 }) === 0 ? escaped(each) : each),
      '"',
    ) + '"';
  const join = (parts: readonly string[]): string => {
    const trailing = comments && parts.length > 0 && pick(draw, true, false, false) ? `,${gap()}` : '';
    return parts.map((part) => gap() + part + gap()).join(',') + trailing;
  };
  const render = (value: unknown): string => {
    if (typeof value === 'string') return string(value);
    if (Array.isArray(value)) return `[${value.length === 0 ? gap() : join(value.map(render))}]`;
    return object(Object.entries(value as object));
  };
  const object = (members: readonly (readonly [string, unknown])[]): string =>
    `{${members.length === 0 ? gap() : join(members.map(([key, value]) => `${string(key)}${gap()}:${gap()}${typeof value === 'function' ? (value as () => string)() : render(value)}`))}}`;
  const entry = (each: Server) => (): string => {
    const twice: [string, unknown][] = pick(draw, true, false, false)
      ? [
          ['command', 'other'],
          ['args', ['old']],
        ]
      : [];
    // The keys that do not count stand in front, and only where those that count come after them.
    return object([...twice.filter(([key]) => key === 'command' || each.args !== undefined), ...membersOf(draw, each)]);
  };
  const map = (): string => object(all.map((each) => [each.name, entry(each)]));
  const others: [string, unknown][] = [['other', { deep: [MARK, {}] }]];
  return gap() + object([...others, ['mcpServers', map], ['more', []]]) + gap();
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function tomlText(draw: Draw, all: readonly Server[]): string {
  const eol = pick(draw, '\n', '\r\n');
  const string = (value: string): string => {
    const basic = JSON.stringify(value).replaceAll('\u007F', '\\u007f');
    const kinds = [basic];
    if (/^[^'\p{Cc}]*$/u.test(value)) kinds.push(`'${value}'`, `'''${eol}${value}'''`);
    if (!value.startsWith('"')) kinds.push(`"""${eol}${basic.slice(1, -1)}"""`);
    return pick(draw, ...kinds);
  };
  const gap = (): string => pick(draw, '', ' ', `${eol}  `, ` # "c"${eol}\t`);
  const array = (values: readonly string[]): string => {
    const trailing = values.length > 0 && pick(draw, true, false) ? `,${gap()}` : '';
    return `[${values.length === 0 ? gap() : values.map((each) => gap() + string(each) + gap()).join(',') + trailing}]`;
  };
  const key = (value: string): string =>
    /^[\w-]+$/.test(value) && pick(draw, true, false) ? value : JSON.stringify(value);
  const equals = (): string => pick(draw, ' = ', '=', '  =\t');
  const inline = (value: unknown): string => {
    if (typeof value === 'string') return string(value);
    if (Array.isArray(value)) return array(value as string[]);
    return `{ ${Object.entries(value as object)
      .map(([each, inner]) => `${key(each)}${equals()}${inline(inner)}`)
      .join(', ')} }`;
  };
  const end = (): string => pick(draw, eol, ` # c${eol}`, `${eol}${eol}`);
  const dotted: string[] = [];
  const tables: string[] = [];
  for (const each of all) {
    const members = membersOf(draw, each);
    const style = pick(draw, 'table', 'dotted', 'inline');
    const indent = pick(draw, '', '  ', '\t');
    const path = `mcp_servers${pick(draw, '.', ' . ')}${key(each.name)}`;
    if (style === 'table') {
      const lines = members.map(([name_, value]) => `${indent}${key(name_)}${equals()}${inline(value)}${end()}`);
      tables.push(`${indent}[${path}]${end()}${lines.join('')}`);
    } else if (style === 'dotted') {
      dotted.push(
        ...members.map(([name_, value]) => `${indent}${path}.${key(name_)}${equals()}${inline(value)}${end()}`),
      );
    } else {
      dotted.push(`${indent}${path}${equals()}${inline(Object.fromEntries(members))}${end()}`);
    }
  }
  return `model = "${MARK}"${eol}${dotted.join('')}# between${eol}${tables.join('')}[other]${eol}list = [1, 2.0]`;
}
