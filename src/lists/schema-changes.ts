/*
 * What differs between two versions of a tool's input schema, as data: names that came, went or changed, what became
 * required, and which keywords allow less or more than before. Pure. It judges no arguments and follows no `$ref`; the
 * words are those of agent/hints.ts.
 */
import { equalJson } from './compare.js';
import { isRecord } from './lists.js';

/** `path`: names from the outside in, as in `filter.from`; `[]` stands for the items of an array. */
export type SchemaChange =
  | { readonly kind: 'renamed'; readonly path: string; readonly to: string; readonly required: boolean }
  | { readonly kind: 'added'; readonly path: string; readonly required: boolean; readonly type: string | undefined }
  | { readonly kind: 'removed' | 'required' | 'optional'; readonly path: string }
  /** Only words about it: a title, a description, an example. */
  | { readonly kind: 'described'; readonly path: string }
  | {
      readonly kind: 'tightened' | 'loosened' | 'changed';
      /** Empty: the arguments as a whole. */
      readonly path: string;
      readonly keyword: string;
      /** Undefined: there was none. */
      readonly before: unknown;
      readonly after: unknown;
    };

type Schema = Readonly<Record<string, unknown>>;
type Direction = 'tightened' | 'loosened' | 'changed';

/** Deeper down it is only said that something differs. */
const MAX_DEPTH = 6;
const WORDS = new Set(['title', 'description', 'examples', 'default', 'deprecated', '$comment', '$schema', '$id']);
/** Compared name by name or item by item. */
const DESCENDED = new Set(['properties', 'required', 'items']);
/** The greater, the stricter. */
const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
/** Each alternative allows more. */
const ALTERNATIVES = new Set(['enum', 'anyOf', 'oneOf']);
/** Without it, anything is allowed; what it says can't be compared. */
const RESTRICTIONS = new Set([
  'const',
  'pattern',
  'format',
  'multipleOf',
  'uniqueItems',
  'contains',
  'not',
  'allOf',
  'propertyNames',
  'dependentRequired',
]);

/** Empty if a client need not know the difference. */
export function schemaChanges(before: unknown, after: unknown): readonly SchemaChange[] {
  return compare(before, after, '', 0);
}

function compare(before: unknown, after: unknown, path: string, depth: number): SchemaChange[] {
  if (equalJson(before, after)) return [];
  if (!isRecord(before) || !isRecord(after) || depth > MAX_DEPTH)
    return [{ kind: directionOf('schema', before, after), path, keyword: 'schema', before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !DESCENDED.has(name) && !equalJson(before[name], after[name]));
  const words = differing.filter((name) => WORDS.has(name) && !name.startsWith('$'));
  return [
    ...propertyChanges(before, after, path, depth),
    ...differing
      .filter((name) => !WORDS.has(name))
      .map((name) => {
        const [was, is] = [before[name], after[name]];
        return { kind: directionOf(name, was, is), path, keyword: name, before: was, after: is };
      }),
    ...('items' in before || 'items' in after ? compare(before['items'], after['items'], `${path}[]`, depth + 1) : []),
    ...(words.length > 0 ? [{ kind: 'described' as const, path }] : []),
  ];
}

function propertyChanges(before: Schema, after: Schema, path: string, depth: number): SchemaChange[] {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const added = [...is.keys()].filter((name) => !was.has(name));
  const renamed = renames(removed, added, was, is);
  const renamedTo = new Set(renamed.values());
  const changes: SchemaChange[] = [];
  for (const name of removed) {
    const to = renamed.get(name);
    if (to === undefined) changes.push({ kind: 'removed', path: at(name) });
    else {
      changes.push({ kind: 'renamed', path: at(name), to: at(to), required: isRequired.has(to) });
      changes.push(...compare(was.get(name), is.get(to), at(to), depth + 1).filter(({ kind }) => kind !== 'described'));
    }
  }
  for (const name of added) {
    if (renamedTo.has(name)) continue;
    changes.push({ kind: 'added', path: at(name), required: isRequired.has(name), type: typeOf(is.get(name)) });
  }
  for (const [name, schema] of is) {
    if (!was.has(name)) continue;
    if (isRequired.has(name) !== wasRequired.has(name))
      changes.push({ kind: isRequired.has(name) ? 'required' : 'optional', path: at(name) });
    changes.push(...compare(was.get(name), schema, at(name), depth + 1));
  }
  return changes;
}

/**
 * Which of the names that are gone go on under another name. Only what is of the same type can, and there has to be a
 * sign of it: the same description, a similar name, or that one name alone has gone and one has come.
 */
function renames(
  removed: readonly string[],
  added: readonly string[],
  was: ReadonlyMap<string, unknown>,
  is: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isFree = (name: string): boolean => ![...found.values()].includes(name);
  for (const name of removed) {
    const type = typeOf(was.get(name));
    const possible = added.filter((other) => isFree(other) && typeOf(is.get(other)) === type);
    const described = possible.filter((other) => isDescribedAlike(was.get(name), is.get(other)));
    const [similar] = mostSimilar(name, possible);
    // A switch for one thing is easily followed by a switch for another.
    const only = removed.length === 1 && added.length === 1 && type !== 'boolean' && type !== undefined;
    const to = (described.length === 1 ? described[0] : undefined) ?? similar ?? (only ? possible[0] : undefined);
    if (to !== undefined) found.set(name, to);
  }
  return found;
}

function isDescribedAlike(before: unknown, after: unknown): boolean {
  const text = isRecord(before) ? before['description'] : undefined;
  return typeof text === 'string' && text !== '' && isRecord(after) && after['description'] === text;
}

const SIMILAR = 0.5;

/** Those of the names that share much of their spelling with this one, the most similar first. */
export function mostSimilar(name: string, names: readonly string[]): string[] {
  return names
    .map((other) => ({ other, likeness: likeness(name, other) }))
    .filter(({ likeness: much }) => much >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness)
    .map(({ other }) => other);
}

/** From 0 to 1: how many pairs of neighbouring letters two names share (Dice), without case and separators. */
function likeness(one: string, other: string): number {
  const [a, b] = [pairsOf(one), pairsOf(other)];
  const left = [...b];
  let shared = 0;
  for (const pair of a) {
    const at = left.indexOf(pair);
    if (at < 0) continue;
    left.splice(at, 1);
    shared++;
  }
  return a.length + b.length === 0 ? 0 : (2 * shared) / (a.length + b.length);
}

function pairsOf(name: string): string[] {
  const letters = name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}

function directionOf(keyword: string, before: unknown, after: unknown): Direction {
  if (keyword === 'type') return ofSets(typesOf(before), typesOf(after), isTypeWithin);
  if (keyword === 'additionalProperties') return ofSets(openness(before), openness(after), (a, b) => a === b);
  if (ALTERNATIVES.has(keyword)) return ofSets(listOf(before), listOf(after), equalJson);
  if (LOWER_BOUNDS.has(keyword)) return ofNumbers(before, after, -Infinity);
  if (UPPER_BOUNDS.has(keyword)) return opposite(ofNumbers(before, after, Infinity));
  if (!RESTRICTIONS.has(keyword) && keyword !== 'schema') return 'changed';
  if (before === undefined || before === false) return 'tightened';
  return after === undefined || after === false ? 'loosened' : 'changed';
}

/** Undefined: everything is allowed. */
function ofSets(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
  isSame: (one: unknown, other: unknown) => boolean,
): Direction {
  const contains = (all: readonly unknown[] | undefined, part: readonly unknown[] | undefined): boolean =>
    all === undefined || (part !== undefined && part.every((one) => all.some((other) => isSame(one, other))));
  const [less, more] = [contains(before, after), contains(after, before)];
  if (less === more) return 'changed';
  return less ? 'tightened' : 'loosened';
}

function ofNumbers(before: unknown, after: unknown, none: number): Direction {
  const [was, is] = [before ?? none, after ?? none];
  if (typeof was !== 'number' || typeof is !== 'number') return 'changed';
  return is > was ? 'tightened' : 'loosened';
}

function opposite(direction: Direction): Direction {
  if (direction === 'changed') return direction;
  return direction === 'tightened' ? 'loosened' : 'tightened';
}

/** What may stand beside the named properties. */
function openness(value: unknown): readonly unknown[] | undefined {
  if (value === false) return [];
  return value === undefined || value === true ? undefined : [JSON.stringify(value)];
}

function typesOf(type: unknown): readonly unknown[] | undefined {
  return type === undefined ? undefined : [type].flat();
}

function isTypeWithin(type: unknown, other: unknown): boolean {
  return type === other || (type === 'integer' && other === 'number');
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** For people: `string`, `string or null`. Undefined: the schema does not say. */
function typeOf(schema: unknown): string | undefined {
  const types = isRecord(schema) ? typesOf(schema['type']) : undefined;
  return types?.map(String).join(' or ');
}

function propertiesOf(schema: Schema): ReadonlyMap<string, unknown> {
  const { properties } = schema;
  return new Map(isRecord(properties) ? Object.entries(properties) : []);
}

function requiredOf(schema: Schema): ReadonlySet<unknown> {
  return new Set(listOf(schema['required']));
}

/** One property of the arguments. */
export interface Property {
  readonly name: string;
  readonly type: string | undefined;
  readonly required: boolean;
}

/** The properties of the arguments, the required ones first. */
export function propertyList(schema: unknown): readonly Property[] {
  if (!isRecord(schema)) return [];
  const required = requiredOf(schema);
  const all = [...propertiesOf(schema)].map(([name, own]) => ({
    name,
    type: typeOf(own),
    required: required.has(name),
  }));
  return all.sort((a, b) => Number(b.required) - Number(a.required));
}
