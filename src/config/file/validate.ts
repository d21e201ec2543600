// Validates the tree of a configuration file against its shape, and returns its content as data with all problems. The
// caller knows which file it was and what the values mean.

import { constants } from 'node:os';
import { checkValue, maskedValue } from '../check.js';
import { nearest } from '../nearest.js';
import type { OptionSpec } from '../option-spec.js';
import { membersOf, valueOf, type Node, type Problem } from './jsonc.js';
import { actions, reloadSignals, type ObjectShape, type Shape } from './shape.js';

export interface Validated {
  /** The valid part of the content. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

interface Context {
  readonly platform: NodeJS.Platform;
  readonly problems: Problem[];
}

export function validate(shape: ObjectShape, root: Node, platform: NodeJS.Platform = process.platform): Validated {
  const context: Context = { platform, problems: [] };
  const value = validateObject(shape, root, '', context) ?? {};
  return { value, problems: context.problems };
}

function validatePart(shape: Shape, node: Node, name: string, context: Context): unknown {
  switch (shape.kind) {
    case 'object':
      return validateObject(shape, node, name, context);
    case 'record':
      return validateRecord(shape, node, name, context);
    case 'list':
      return validateList(shape, node, name, context);
    case 'option':
      return validateOption(shape, node, name, context);
    case 'then':
      return validateThen(node, name, context);
    case 'switch':
      return node.type === 'boolean' ? node.value : bad(node, name, 'true or false', context);
    case 'text':
      if (node.type === 'string' && new RegExp(shape.pattern, 'u').test(node.value as string)) return node.value;
      return bad(node, name, shape.expected, context);
  }
}

function validateObject(
  shape: ObjectShape,
  node: Node,
  name: string,
  context: Context,
): Record<string, unknown> | undefined {
  const known = Object.keys(shape.keys);
  if (node.type !== 'object') return bad(node, name, `an object with some of ${known.join(', ')}`, context);
  const members = new Map<string, Node>();
  const value: Record<string, unknown> = {};
  for (const { name: key, key: at, value: given } of membersOf(node)) {
    const full = name === '' ? key : `${name}.${key}`;
    const part = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
    if (part === undefined) {
      const meant = nearest(key, known);
      const hint = meant === undefined ? '' : ` did you mean ${meant}?`;
      complain(at, `${shown(full)} is not a known key;${hint} allowed are ${known.join(', ')}`, context);
    } else if (members.has(key)) {
      complain(at, `${full} is given twice`, context);
    } else {
      members.set(key, at);
      value[key] = validatePart(part.shape, given, full, context);
    }
  }
  const prefix = name === '' ? '' : `${name}: `;
  for (const key of shape.required) {
    if (!members.has(key)) complain(node, `${prefix}${key} is missing`, context);
  }
  for (const [key, other] of shape.needs) {
    const at = members.get(key);
    if (at && !members.has(other)) complain(at, `${prefix}${key} has no meaning without ${other}`, context);
  }
  for (const [key, other] of shape.apart) {
    const at = members.get(key);
    if (at && members.has(other)) {
      complain(at, `${prefix}${key} and ${other} exclude each other; move ${key} into one of the ${other}`, context);
    }
  }
  return value;
}

function validateRecord(shape: Shape & { kind: 'record' }, node: Node, name: string, context: Context): unknown {
  if (node.type !== 'object') return bad(node, name, shape.expected, context);
  const names = new RegExp(shape.names, 'u');
  const entries = new Map<string, unknown>();
  for (const { name: own, key, value } of membersOf(node)) {
    const full = `${name}.${own}`;
    if (!names.test(own)) complain(key, `${shown(full)} is not a name that can be set here`, context);
    else if (entries.has(own)) complain(key, `${shown(full)} is given twice`, context);
    else entries.set(own, validatePart(shape.of, value, shown(full), context));
  }
  return Object.fromEntries(entries);
}

function validateList(shape: Shape & { kind: 'list' }, node: Node, name: string, context: Context): unknown {
  const items = node.children ?? [];
  if (node.type !== 'array' || items.length < shape.least) return bad(node, name, shape.expected, context);
  return items.map((item, index) => validatePart(shape.of, item, `${name}[${index}]`, context));
}

function validateOption({ spec }: Shape & { kind: 'option' }, node: Node, name: string, context: Context): unknown {
  const result = checkValue(spec, valueOf(node));
  if (result.ok) return result.value;
  if (spec.type !== 'list' || node.type !== 'array') {
    return bad(node, name, expected(spec), context, wordsOf(spec), maskedValue(spec, valueOf(node)));
  }
  for (const [index, item] of (node.children ?? []).entries()) {
    if (checkValue(spec, [valueOf(item)]).ok) continue;
    bad(item, `${name}[${index}]`, expectedItem(spec), context);
  }
  return undefined;
}

function validateThen(node: Node, name: string, context: Context): unknown {
  const { value } = node;
  if (actions.some((action) => action === value)) return value;
  const isSignal = reloadSignals.some((signal) => signal === value);
  const words = actions.join(', ');
  if (context.platform === 'win32') {
    return bad(node, name, isSignal ? `${words} (Windows has no signals)` : words, context, actions);
  }
  if (isSignal) return value;
  const signals = reloadSignals.join(', ');
  return bad(node, name, `${words} or a signal: ${signals}`, context, [...actions, ...reloadSignals]);
}

/** The allowed words, if there is a fixed list of them. */
function wordsOf(spec: OptionSpec): readonly string[] {
  if (spec.type === 'choice') return spec.choices;
  return spec.type === 'signal' ? Object.keys(constants.signals) : [];
}

function expectedItem({ endings, form }: OptionSpec & { type: 'list' }): string {
  return endings === true ? 'file endings, as in "ts"' : (form?.expected ?? 'a string that is not empty');
}

/** Describes the allowed values; completes the word "expected". */
function expected(spec: OptionSpec): string {
  const bare = 'bare' in spec ? ', true or false' : '';
  switch (spec.type) {
    case 'list':
      return spec.endings ? 'a list of file endings, as in ["ts", "tsx"]' : 'a list of strings';
    case 'number':
      return `a whole number${spec.unit === undefined ? '' : ` of ${spec.unit}`} from ${spec.min} to ${spec.max}${bare}`;
    case 'text':
      return `${spec.form?.expected ?? 'a string that is not empty'}${bare}`;
    case 'choice':
      return spec.choices.join(', ');
    case 'switch':
      return 'true or false';
    default:
      return "the name of one of this system's signals, as in SIGTERM, SIGINT or SIGHUP";
  }
}

/** `words`: the words that a mistyped word may have been meant to be. `masked`: what is shown instead of the value. */
function bad(
  node: Node,
  name: string,
  wanted: string,
  context: Context,
  words: readonly string[] = [],
  masked?: string,
): undefined {
  const value = valueOf(node);
  const meant = typeof value === 'string' ? nearest(value, words) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  const prefix = name === '' ? '' : `${name}: `;
  complain(node, `${prefix}${masked ?? excerpt(value)} is not allowed, expected ${wanted}${hint}`, context);
  return undefined;
}

function complain(node: Node, text: string, { problems }: Context): void {
  problems.push({ offset: node.offset, text });
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

/** A key may contain any character, and a message is one line. */
function shown(name: string): string {
  return /^[\w$.[\]-]+$/.test(name) ? name : JSON.stringify(name);
}
