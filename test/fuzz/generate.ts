/**
 * Lines out of a grammar: JSON-RPC envelopes as they should be and as they should not, all of it JSON until mutate.ts
 * gets hold of it. Spelling is random wherever JSON leaves a choice: escapes, white space, the order of members,
 * numbers.
 */
import type { Random } from '../support/random.js';
import { HUGE, METHODS, NAMES, NUMBERS, PIECES, SPACES } from './vocabulary.js';

export function generateLine(random: Random): Buffer {
  const body = random.once(9) ? batch(random) : random.once(30) ? value(random, 3) : envelope(random);
  const before = random.once(20) ? random.pick(['\ufeff', ' ', '\ufeff ', '\t', '\ufeff\ufeff', '\u00a0']) : '';
  const after = random.pick(['\n', '\n', '\n', '\r\n', '', ' \n', '\n\n']);
  return Buffer.from(before + body + after);
}

function envelope(random: Random): string {
  const members: [name: string, value: string][] = [];
  const add = (name: string, json: string): void => void members.push([name, json]);
  if (!random.once(12)) add('jsonrpc', version(random));
  const sort = random.below(8);
  if (sort < 5) add('id', id(random));
  if (sort < 3 || sort > 5) add('method', random.once(12) ? value(random, 1) : string(random, random.pick(METHODS)));
  if ((sort > 2 && sort < 6) || random.once(30)) add(random.once(4) ? 'error' : 'result', payload(random));
  if (random.once(2)) add('params', payload(random));
  while (random.once(5)) add(random.pick(NAMES), random.once(3) ? id(random) : value(random, 2));
  while (random.once(12)) add(random.pick(['id', 'jsonrpc', 'method']), random.once(2) ? id(random) : version(random));
  // Beyond 2 KiB the scanner reads no more than it must.
  if (random.once(25)) add(random.pick(['params', 'result', 'x', '_meta']), long(random));
  if (random.once(2)) shuffle(members, random);
  return object(random, members);
}

function version(random: Random): string {
  return random.once(8)
    ? random.pick(['"1.0"', '12.03', '[2.0]', '2.0', '"2.0 "', 'null', '"2\\u002e0"', '{}'])
    : '"2.0"';
}

function id(random: Random): string {
  switch (random.below(10)) {
    case 0:
      return value(random, 1);
    case 1:
      return random.pick(['null', 'true', 'false', '[]', '{}', '{"id":1}', '[1]', '""', '"null"', '"1"']);
    case 2:
      return random.pick(HUGE);
    case 3:
      return number(random);
    case 4:
    case 5:
      return string(random);
    default:
      return String(random.below(random.pick([10, 1000, 1e9])));
  }
}

/** What the proxy edits is more likely here. */
function payload(random: Random): string {
  if (random.once(100)) return deep(random);
  if (!random.once(4)) return value(random, 4);
  const lists = ['tools', 'prompts', 'resources', 'x'].filter(() => random.once(2));
  const capabilities = object(
    random,
    lists.map((name) => [
      name,
      random.once(5)
        ? value(random, 1)
        : object(
            random,
            random.once(2) ? [['listChanged', random.pick(['true', 'false', '1', '"true"', 'null'])]] : [],
          ),
    ]),
  );
  const members: [string, string][] = [['capabilities', capabilities]];
  if (random.once(2)) members.push(['ttlMs', number(random)]);
  if (random.once(2)) members.push(['content', array(random, 2)]);
  if (random.once(3)) members.push([random.pick(NAMES), value(random, 2)]);
  shuffle(members, random);
  return object(random, members);
}

function value(random: Random, depth: number): string {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return random.pick(['true', 'false', 'null']);
    case 1:
    case 2:
      return number(random);
    case 3:
    case 4:
    case 5:
      return string(random);
    case 6:
      return array(random, depth - 1);
    default: {
      const members: [string, string][] = [];
      while (members.length < 5 && !random.once(3)) members.push([random.pick(NAMES), value(random, depth - 1)]);
      return object(random, members);
    }
  }
}

function number(random: Random): string {
  if (random.once(6)) return random.pick(HUGE);
  return random.once(2) ? random.pick(NUMBERS) : String(random.below(4e9) - 2e9);
}

function array(random: Random, depth: number): string {
  const elements: string[] = [];
  while (elements.length < 4 && !random.once(3)) elements.push(space(random) + value(random, depth) + space(random));
  return `[${elements.length === 0 ? space(random) : elements.join(',')}]`;
}

function batch(random: Random): string {
  const elements: string[] = [];
  while (elements.length < 5 && !random.once(4))
    elements.push(space(random) + (random.once(15) ? value(random, 2) : envelope(random)) + space(random));
  return `[${elements.length === 0 ? space(random) : elements.join(',')}]`;
}

function object(random: Random, members: readonly (readonly [name: string, value: string])[]): string {
  if (members.length === 0) return `{${space(random)}}`;
  const texts = members.map(([name, json]) => {
    if (!random.once(6)) return `${string(random, name)}:${json}`;
    return `${space(random)}${string(random, name)}${space(random)}:${space(random)}${json}${space(random)}`;
  });
  return `{${texts.join(',')}}`;
}

/** `text` in one of its spellings, or any string. */
function string(random: Random, text?: string): string {
  if (text !== undefined) {
    if (!random.once(12)) return JSON.stringify(text);
    const all = random.once(2);
    return `"${text.replace(/[\s\S]/g, (unit) => (all || random.once(2) ? escaped(unit, random) : JSON.stringify(unit).slice(1, -1)))}"`;
  }
  const pieces: string[] = [];
  while (pieces.length < 8 && !random.once(3)) pieces.push(random.pick(PIECES));
  if (random.once(25)) pieces.push(random.pick(['\\\\', '\\"', 'x', '\\u005c']).repeat(random.below(80)));
  return `"${pieces.join('')}"`;
}

function escaped(unit: string, random: Random): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${random.once(2) ? hex.toUpperCase() : hex}`;
}

/** A value that makes its line a long one; now and then a very long one. */
function long(random: Random): string {
  const length = random.once(500) ? 100_000 + random.below(400_000) : 1500 + random.below(2000);
  if (random.once(3)) {
    const element = value(random, 3);
    return `[${`${element},`.repeat(Math.ceil(length / (element.length + 1)))}${element}]`;
  }
  const filling = random.pick(['x', 'é', '\\"', '\\\\', ' ', '{', '\\",\\"id\\":3}', '}', '\\u0000']);
  const end = random.pick(['', ',\\"jsonrpc\\":\\"2.0\\",\\"id\\":5}', '}', '\\\\']);
  return `"${filling.repeat(Math.ceil(length / filling.length))}${end}"`;
}

function deep(random: Random): string {
  const levels = random.once(20) ? 1000 : random.below(100);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"id":', '}]'],
  ] as const);
  return `${open.repeat(levels)}${value(random, 0)}${close.repeat(levels)}`;
}

function space(random: Random): string {
  return random.once(4) ? random.pick(SPACES) : '';
}

function shuffle(list: unknown[], random: Random): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
}
