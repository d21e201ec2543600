/*
 * Fetches the whole of one list from a server, page by page, within bounds of its own. What can't be had is a value
 * with the reason, never an exception: no reload fails for it. How a request reaches the server is left to the caller.
 */
import { setTimeout } from 'node:timers/promises';
import type { List } from './lists.js';
import { isRecord, MAX_PAGES, pageOf } from './lists.js';
import { toJson } from '../wire/to-json.js';

export type Answer = { ok: true; result: unknown } | { ok: false; error: unknown };
export type Request = (method: string, params: object | undefined, signal: AbortSignal) => Promise<Answer>;
export type Fetched = { known: true; items: readonly unknown[] } | { known: false; why: string };

/** How long a server may take for one list, or to say which it has. */
export const TIME_LIMIT_MS = 5000;
/** JSON-RPC's code for a method that the server does not have. */
const METHOD_NOT_FOUND = -32601;

/** `why` completes the sentence "the list of … is unknown: …". */
export async function fetchList(
  request: Request,
  list: List,
  signal: AbortSignal,
  timeLimit: number = TIME_LIMIT_MS,
): Promise<Fetched> {
  if (signal.aborted) return unknown(`${list.method} was given up`);
  const over = new AbortController();
  const bounds = AbortSignal.any([signal, over.signal]);
  const limit = setTimeout(timeLimit, `${list.method} took more than ${timeLimit} ms`, { signal: bounds }).then(
    unknown,
    () => unknown(`${list.method} was given up`),
  );
  try {
    return await Promise.race([followPages(request, list, bounds), limit]);
  } finally {
    over.abort();
  }
}

async function followPages(request: Request, list: List, signal: AbortSignal): Promise<Fetched> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(request, list.method, cursor, signal);
    // Servers with resources often have no templates, and no method to list them: that is an empty list, and not an
    // unknown one.
    if (!answer.ok && page === 0 && isMethodMissing(answer.error)) return { known: true, items: [] };
    if (!answer.ok) return unknown(`${list.method} failed: ${reason(answer.error)}`);
    const read = pageOf(list, answer.result);
    if (read === undefined) return unknown(`${list.method} gave no list of ${list.resultKey}`);
    for (const item of read.items) items.push(item);
    cursor = read.next;
    if (cursor === undefined) return { known: true, items };
    if (cursors.has(cursor)) return unknown(`${list.method} gave the cursor ${JSON.stringify(cursor)} twice`);
    cursors.add(cursor);
  }
  return unknown(`${list.method} has more than ${MAX_PAGES} pages`);
}

async function ask(request: Request, method: string, cursor: string | undefined, signal: AbortSignal): Promise<Answer> {
  try {
    return await request(method, cursor === undefined ? undefined : { cursor }, signal);
  } catch (error) {
    return { ok: false, error };
  }
}

function isMethodMissing(error: unknown): boolean {
  return isRecord(error) && error['code'] === METHOD_NOT_FOUND;
}

function unknown(why: string): Fetched {
  return { known: false, why };
}

function reason(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (isRecord(error) && typeof error['message'] === 'string') return error['message'];
  return error === undefined ? 'no reason given' : toJson(error);
}
