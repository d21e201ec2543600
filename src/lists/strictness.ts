/*
 * Whether a keyword of a schema allows less or more than it did, as far as that can be told from its two values. Pure.
 * Which keywords differ, and where, is found by schema-changes.ts.
 */
import { equalJson } from './compare.js';

/** `same`: it says the same in another way. */
export type Direction = 'tightened' | 'loosened' | 'changed' | 'same';

/** The greater, the stricter. */
const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
/** Each alternative allows more; their order means nothing. */
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
  'schema',
]);
/** More alternatives than this, if they are no plain values, are not compared one by one. */
const MAX_COMPARED = 100;

/** Undefined: the keyword is not there. */
export function directionOf(keyword: string, before: unknown, after: unknown): Direction {
  if (keyword === 'type') return ofSets(typesOf(before), typesOf(after), isTypeIn);
  if (keyword === 'additionalProperties') return ofOpenness(before, after);
  if (ALTERNATIVES.has(keyword)) return ofSets(listOf(before), listOf(after), isIn);
  if (LOWER_BOUNDS.has(keyword)) return ofNumbers(before, after, -Infinity);
  if (UPPER_BOUNDS.has(keyword)) return opposite(ofNumbers(before, after, Infinity));
  if (!RESTRICTIONS.has(keyword)) return 'changed';
  if (before === undefined || before === false) return 'tightened';
  return after === undefined || after === false ? 'loosened' : 'changed';
}

/** The types that a schema allows; undefined if it does not say. */
export function typesOf(type: unknown): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : undefined;
}

export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Undefined: everything is allowed. */
function ofSets<T>(
  before: readonly T[] | undefined,
  after: readonly T[] | undefined,
  among: (all: readonly T[]) => (part: T) => boolean,
): Direction {
  const contains = (all: readonly T[] | undefined, part: readonly T[] | undefined): boolean =>
    all === undefined || (part?.every(among(all)) ?? false);
  const [less, more] = [contains(before, after), contains(after, before)];
  if (less && more) return 'same';
  if (less === more) return 'changed';
  return less ? 'tightened' : 'loosened';
}

function isTypeIn(all: readonly string[]): (type: string) => boolean {
  return (type) => all.includes(type) || (type === 'integer' && all.includes('number'));
}

function isIn(all: readonly unknown[]): (one: unknown) => boolean {
  const plain = new Set(all.filter((each) => !isNested(each)));
  const nested = all.filter(isNested).slice(0, MAX_COMPARED);
  return (one) => (isNested(one) ? nested.some((other) => equalJson(one, other)) : plain.has(one));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** What may stand beside the named properties. */
function ofOpenness(before: unknown, after: unknown): Direction {
  const [was, is] = [before ?? true, after ?? true];
  if (equalJson(was, is)) return 'same';
  if (was === true || is === false) return 'tightened';
  return is === true || was === false ? 'loosened' : 'changed';
}

function ofNumbers(before: unknown, after: unknown, none: number): Direction {
  const [was, is] = [before ?? none, after ?? none];
  if (typeof was !== 'number' || typeof is !== 'number') return 'changed';
  return is > was ? 'tightened' : 'loosened';
}

function opposite(direction: Direction): Direction {
  if (direction === 'tightened') return 'loosened';
  return direction === 'loosened' ? 'tightened' : direction;
}
