/*
 * The four lists that a server can declare, as a table, and how one page of any of them reads. Comparing, fetching and
 * remembering them is left to the files beside it.
 */

export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export interface List {
  name: ListName;
  /** What a person calls one item. */
  noun: string;
  method: string;
  /** The member of the result that holds the items. */
  resultKey: string;
  /** The member that names an item. */
  itemKey: string;
  capability: 'tools' | 'prompts' | 'resources';
  notification: string;
  /** The member of a `subscriptions/listen` filter that asks for that notification. */
  streamFilter: string;
}

export interface Page {
  items: readonly unknown[];
  next: string | undefined;
}

/** More pages than this, and a list counts as unknown. */
export const MAX_PAGES = 100;

export const LISTS: readonly List[] = [
  {
    name: 'tools',
    noun: 'tool',
    method: 'tools/list',
    resultKey: 'tools',
    itemKey: 'name',
    capability: 'tools',
    notification: 'notifications/tools/list_changed',
    streamFilter: 'toolsListChanged',
  },
  {
    name: 'prompts',
    noun: 'prompt',
    method: 'prompts/list',
    resultKey: 'prompts',
    itemKey: 'name',
    capability: 'prompts',
    notification: 'notifications/prompts/list_changed',
    streamFilter: 'promptsListChanged',
  },
  {
    name: 'resources',
    noun: 'resource',
    method: 'resources/list',
    resultKey: 'resources',
    itemKey: 'uri',
    capability: 'resources',
    notification: 'notifications/resources/list_changed',
    streamFilter: 'resourcesListChanged',
  },
  {
    name: 'resourceTemplates',
    noun: 'template',
    method: 'resources/templates/list',
    resultKey: 'resourceTemplates',
    itemKey: 'uriTemplate',
    capability: 'resources',
    notification: 'notifications/resources/list_changed',
    streamFilter: 'resourcesListChanged',
  },
];

export function listNamed(name: ListName): List {
  const list = LISTS.find((candidate) => candidate.name === name);
  if (list === undefined) throw new Error(`no list is called ${name}`);
  return list;
}

export function listByMethod(method: string): List | undefined {
  return LISTS.find((list) => list.method === method);
}

/** Reads the result of one list request; undefined if it is none. */
export function pageOf(list: List, result: unknown): Page | undefined {
  if (!isRecord(result)) return undefined;
  const items: unknown = result[list.resultKey];
  if (!Array.isArray(items)) return undefined;
  const cursor = result['nextCursor'];
  // Servers without optional members send null or an empty string on the last page.
  if (cursor === undefined || cursor === null || cursor === '') return { items, next: undefined };
  return typeof cursor === 'string' ? { items, next: cursor } : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
