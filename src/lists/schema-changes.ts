/*
 * What differs between two versions of a tool's input schema, as data: names that came, went or changed, what became
 * required, and which keywords allow less or more than before. Pure. It judges no arguments and follows no `$ref`; the
 * words are those of agent/hints.ts. However large or deep the schemas are, it takes little more than reading them
 * once.
 */
import { equalJson } from './compare.js';
import { mostSimilar } from './likeness.js';
import { isRecord } from './lists.js';
import { directionOf, listOf, typesOf } from './strictness.js';

/**
 * `path`: names from the outside in, as in `filter.from`; `[]` stands for the items of an array, `*` for what has no
 * name, and `$defs.Filter` for what others refer to.
 */
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
type Schemas = ReadonlyMap<string, unknown>;
type Keyword = Extract<SchemaChange, { keyword: string }>;

/** Deeper down it is only said that something differs. */
const MAX_DEPTH = 6;
/** Where more names have gone and come than this, it is not tried to tell which of them go on as which. */
const MAX_RENAMES = 50;
const WORDS = new Set(['title', 'description', 'examples', 'default', 'deprecated']);
/** What they say makes no difference to a caller. */
const REMARKS = new Set(['$comment', '$schema', '$id']);
const DEFINITIONS = ['$defs', 'definitions'] as const;
/** Compared name by name or item by item. */
const DESCENDED: ReadonlySet<string> = new Set(['properties', 'required', 'items', ...DEFINITIONS]);
/** Of lists of these it is said what differs inside, if only one of their schemas does. */
const COMBINED = new Set(['anyOf', 'oneOf', 'allOf']);

/** Empty if a client need not know the difference. */
export function schemaChanges(before: unknown, after: unknown): readonly SchemaChange[] {
  return compare(before, after, '', 0);
}

function compare(before: unknown, after: unknown, path: string, depth: number): SchemaChange[] {
  if (equalJson(before, after)) return [];
  if (!isRecord(before) || !isRecord(after) || depth > MAX_DEPTH) return keywordChange('schema', before, after, path);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !DESCENDED.has(name) && !equalJson(own(before, name), own(after, name)));
  return [
    ...propertyChanges(before, after, path, depth),
    ...differing
      .filter((name) => !WORDS.has(name) && !REMARKS.has(name))
      .flatMap((name) => inKeyword(name, own(before, name), own(after, name), path, depth)),
    ...(Object.hasOwn(before, 'items') || Object.hasOwn(after, 'items')
      ? compare(own(before, 'items'), own(after, 'items'), `${path}[]`, depth + 1)
      : []),
    ...DEFINITIONS.flatMap((keyword) => definitionChanges(keyword, before, after, path, depth)),
    ...(differing.some((name) => WORDS.has(name)) ? [{ kind: 'described' as const, path }] : []),
  ];
}

function inKeyword(keyword: string, before: unknown, after: unknown, path: string, depth: number): SchemaChange[] {
  if (keyword === 'additionalProperties' && isRecord(before) && isRecord(after))
    return compare(before, after, within(path, '*'), depth + 1);
  const pair = COMBINED.has(keyword) ? onlyDifference(listOf(before) ?? [], listOf(after) ?? []) : undefined;
  return pair === undefined
    ? keywordChange(keyword, before, after, path)
    : compare(pair.before, pair.after, path, depth + 1);
}

function keywordChange(keyword: string, before: unknown, after: unknown, path: string): Keyword[] {
  const kind = directionOf(keyword, before, after);
  return kind === 'same' ? [] : [{ kind, path, keyword, before, after }];
}

/** Of two lists of the same length, the one place at which they have different schemas. */
function onlyDifference(
  before: readonly unknown[],
  after: readonly unknown[],
): { readonly before: Schema; readonly after: Schema } | undefined {
  if (before.length !== after.length) return undefined;
  const at = before.findIndex((each, i) => !equalJson(each, after[i]));
  const [was, is] = [before[at], after[at]];
  const isOnly = before.every((each, i) => i <= at || equalJson(each, after[i]));
  // One type for another is plainer to say of the list.
  const isObject = isRecord(was) && isRecord(is) && equalJson(own(was, 'type'), own(is, 'type'));
  return isOnly && isObject ? { before: was, after: is } : undefined;
}

/** One that came or went matters where it is referred to, and is seen there. */
function definitionChanges(
  keyword: (typeof DEFINITIONS)[number],
  before: Schema,
  after: Schema,
  path: string,
  depth: number,
): SchemaChange[] {
  const [was, is] = [schemasOf(before, keyword), schemasOf(after, keyword)];
  return [...is].flatMap(([name, schema]) =>
    was.has(name) ? compare(was.get(name), schema, within(within(path, keyword), name), depth + 1) : [],
  );
}

function propertyChanges(before: Schema, after: Schema, path: string, depth: number): SchemaChange[] {
  const [was, is] = [schemasOf(before, 'properties'), schemasOf(after, 'properties')];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const added = [...is.keys()].filter((name) => !was.has(name));
  const renamed = renames(removed, added, was, is);
  const renamedTo = new Set(renamed.values());
  const changes: SchemaChange[] = [];
  for (const name of removed) {
    const to = renamed.get(name);
    if (to === undefined) changes.push({ kind: 'removed', path: within(path, name) });
    else {
      const now = within(path, to);
      changes.push({ kind: 'renamed', path: within(path, name), to: now, required: isRequired.has(to) });
      for (const change of compare(was.get(name), is.get(to), now, depth + 1))
        if (change.kind !== 'described') changes.push(change);
    }
  }
  for (const name of added) {
    if (renamedTo.has(name)) continue;
    const type = typeOf(is.get(name));
    changes.push({ kind: 'added', path: within(path, name), required: isRequired.has(name), type });
  }
  for (const [name, schema] of is) {
    if (!was.has(name)) continue;
    if (isRequired.has(name) !== wasRequired.has(name))
      changes.push({ kind: isRequired.has(name) ? 'required' : 'optional', path: within(path, name) });
    for (const change of compare(was.get(name), schema, within(path, name), depth + 1)) changes.push(change);
  }
  // What is required may be described elsewhere, or nowhere.
  const isNamed = (name: unknown): boolean => typeof name !== 'string' || was.has(name) || is.has(name);
  for (const name of isRequired)
    if (!isNamed(name) && !wasRequired.has(name)) changes.push({ kind: 'required', path: within(path, String(name)) });
  for (const name of wasRequired)
    if (!isNamed(name) && !isRequired.has(name)) changes.push({ kind: 'optional', path: within(path, String(name)) });
  return changes;
}

/**
 * Which of the names that are gone go on under another name. Only what is of the same type can, and there has to be a
 * sign of it: the same description, a similar name, or that one name alone has gone and one has come.
 */
function renames(
  removed: readonly string[],
  added: readonly string[],
  was: Schemas,
  is: Schemas,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (removed.length > MAX_RENAMES || added.length > MAX_RENAMES) return found;
  const taken = new Set<string>();
  for (const name of removed) {
    const type = typeOf(was.get(name));
    const possible = added.filter((other) => !taken.has(other) && typeOf(is.get(other)) === type);
    const described = possible.filter((other) => isDescribedAlike(was.get(name), is.get(other)));
    const [similar] = mostSimilar(name, possible);
    // A switch for one thing is easily followed by a switch for another.
    const only = removed.length === 1 && added.length === 1 && type !== 'boolean' && type !== undefined;
    const to = (described.length === 1 ? described[0] : undefined) ?? similar ?? (only ? possible[0] : undefined);
    if (to === undefined) continue;
    found.set(name, to);
    taken.add(to);
  }
  return found;
}

function isDescribedAlike(before: unknown, after: unknown): boolean {
  const text = isRecord(before) ? own(before, 'description') : undefined;
  return typeof text === 'string' && text !== '' && isRecord(after) && own(after, 'description') === text;
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A keyword may have the name of something that every object has. */
function own(schema: Schema, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/** For people: `string`, `string or null`. Undefined: the schema does not say. */
function typeOf(schema: unknown): string | undefined {
  return isRecord(schema) ? typesOf(own(schema, 'type'))?.join(' or ') : undefined;
}

function schemasOf(schema: Schema, keyword: 'properties' | (typeof DEFINITIONS)[number]): Schemas {
  const schemas = own(schema, keyword);
  return new Map(isRecord(schemas) ? Object.entries(schemas) : []);
}

function requiredOf(schema: Schema): ReadonlySet<unknown> {
  return new Set(listOf(own(schema, 'required')));
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
  const all = [...schemasOf(schema, 'properties')].map(([name, each]) => ({
    name,
    type: typeOf(each),
    required: required.has(name),
  }));
  return all.sort((a, b) => Number(b.required) - Number(a.required));
}
