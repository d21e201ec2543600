/*
 * Which tools of a list that a client was served are other ones by now, or gone, and what the server has that comes
 * nearest to one that is gone. Only what a call depends on counts: the name and the input schema. Pure.
 */
import { equalJson } from './compare.js';
import { mostSimilar } from './likeness.js';
import { isRecord } from './lists.js';
import { schemaChanges, type SchemaChange } from './schema-changes.js';

/** `after`: undefined if the tool is gone. */
export type OutdatedTool =
  /** `changes`: found when it is first asked for them. */
  | {
      readonly kind: 'changed';
      readonly before: unknown;
      readonly after: unknown;
      readonly changes: () => readonly SchemaChange[];
    }
  | {
      readonly kind: 'gone';
      readonly before: unknown;
      readonly after: undefined;
      readonly replacements: () => Replacements;
    };

/** What there is in place of a tool that is gone. */
export interface Replacements {
  /** The likeliest first. */
  readonly near: readonly NearTool[];
  /** What the client's list lacks. */
  readonly added: readonly string[];
}

export interface NearTool {
  readonly name: string;
  readonly schema: unknown;
  /** The client's list does not have it. */
  readonly isNew: boolean;
}

export type Tools = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const MAX_NEAR = 3;

/** By name. Of tools with the same name the last counts, as with a client that keeps them by name. */
export function toolsByName(items: readonly unknown[]): Tools {
  const tools = new Map<string, Readonly<Record<string, unknown>>>();
  for (const item of items) if (isRecord(item) && typeof item['name'] === 'string') tools.set(item['name'], item);
  return tools;
}

/** By name: those of the client's tools that a call may go wrong with, because the server has others now. */
export function outdatedTools(served: Tools, now: Tools): ReadonlyMap<string, OutdatedTool> {
  const outdated = new Map<string, OutdatedTool>();
  for (const [name, { inputSchema: before }] of served) {
    const tool = now.get(name);
    const after = tool?.['inputSchema'];
    if (tool === undefined) {
      const replacements = once(() => ({ near: nearestTools(name, served, now), added: namesAdded(served, now) }));
      outdated.set(name, { kind: 'gone', before, after: undefined, replacements });
    } else if (!equalJson(before, after)) {
      outdated.set(name, { kind: 'changed', before, after, changes: once(() => schemaChanges(before, after)) });
    }
  }
  return outdated;
}

/** Whether both have the same tools, as far as calls depend on them. */
export function areSameTools(one: readonly unknown[], other: readonly unknown[]): boolean {
  const [a, b] = [toolsByName(one), toolsByName(other)];
  return a.size === b.size && outdatedTools(a, b).size === 0;
}

function once<T>(find: () => T): () => T {
  let found: { readonly it: T } | undefined;
  return () => (found ??= { it: find() }).it;
}

function namesAdded(served: Tools, now: Tools): readonly string[] {
  return [...now.keys()].filter((name) => !served.has(name));
}

/**
 * What a tool that is gone may be called now, the likeliest first: new tools that take the same or say the same of
 * themselves, then similar names.
 */
export function nearestTools(gone: string, served: Tools, now: Tools): readonly NearTool[] {
  const was = served.get(gone);
  const isNew = (name: string): boolean => !served.has(name);
  const added = [...now].filter(([name]) => isNew(name));
  const alike = added.filter(([, tool]) => isSuccessor(was, tool)).map(([name]) => name);
  const similar = mostSimilar(gone, [...now.keys()]);
  const others = added.length === 1 ? added.map(([name]) => name) : [];
  const names = [...new Set([...mostSimilar(gone, alike), ...alike, ...similar, ...others])];
  return names.slice(0, MAX_NEAR).map((name) => ({ name, schema: now.get(name)?.['inputSchema'], isNew: isNew(name) }));
}

function isSuccessor(
  was: Readonly<Record<string, unknown>> | undefined,
  tool: Readonly<Record<string, unknown>>,
): boolean {
  if (was === undefined) return false;
  const { description, inputSchema } = was;
  if (typeof description === 'string' && description !== '' && tool['description'] === description) return true;
  return takesSomething(inputSchema) && equalJson(inputSchema, tool['inputSchema']);
}

/** Many tools take nothing, and are not the same for that. */
function takesSomething(schema: unknown): boolean {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) && Object.keys(properties).length > 0;
}
