// Fetches every list that a server declares to its last page, and checks that its items have unique names.
// lists/fetch.ts follows a list and decides when to give up; other checks look into the items.

import { fetchList, type Fetched, type Request } from '../lists/fetch.js';
import { isRecord, LISTS, type List, type ListName } from '../lists/lists.js';
import type { Connection } from './connection.js';
import { paramsFor, resultProblems, whyNot } from './eras.js';
import { counted, failed, resultOf, ok, type CheckResult } from './report.js';
import type { Era } from './ways.js';

/** The lists that were fetched completely. */
export type Listings = ReadonlyMap<ListName, readonly unknown[]>;

const METHOD_NOT_FOUND = -32601;
/** All pages together may take so many times as long as one answer. */
const MAX_ANSWER_TIMES = 5;

export function declared(capabilities: Readonly<Record<string, unknown>>): List[] {
  return LISTS.filter((list) => isRecord(capabilities[list.capability]));
}

/** An optional list that the server does not know counts as empty. */
export async function fetchOne(
  connection: Connection,
  era: Era,
  list: List,
  limit: number,
  signal: AbortSignal,
): Promise<{ fetched: Fetched; pages: number }> {
  let pages = 0;
  let unknown = false;
  const request: Request = async (method, params, until) => {
    const outcome = await connection.request(method, paramsFor(era, params), limit, until);
    pages += 1;
    if (outcome.kind === 'result') {
      const [problem] = resultProblems(era, method, outcome.result);
      return problem === undefined ? { ok: true, result: outcome.result } : { ok: false, error: new Error(problem) };
    }
    unknown = outcome.kind === 'error' && outcome.error.code === METHOD_NOT_FOUND;
    return { ok: false, error: new Error(whyNot(outcome, limit)) };
  };
  const fetched = await fetchList(request, list, signal, limit * MAX_ANSWER_TIMES);
  const optional = list.name === 'resourceTemplates' && unknown;
  return { fetched: optional ? { known: true, items: [] } : fetched, pages };
}

export function listResult(list: List, fetched: Fetched, pages: number): CheckResult {
  if (!fetched.known) return failed(fetched.why);
  const onPages = pages > 1 ? ` on ${counted(pages, 'page')}` : '';
  return ok(`${counted(fetched.items.length, list.noun)}${onPages}`);
}

export function namesResult(listings: Listings): CheckResult {
  const problems = LISTS.flatMap((list) => {
    const names = (listings.get(list.name) ?? []).map((item) => (isRecord(item) ? item[list.itemKey] : undefined));
    const nameless = names.filter((name) => typeof name !== 'string' || name === '').length;
    const twice = new Set(names.filter((name, at) => typeof name === 'string' && names.indexOf(name) !== at));
    return [
      ...(nameless > 0 ? [`${counted(nameless, list.noun)} without a ${list.itemKey}`] : []),
      ...[...twice].map((name) => `more than one ${list.noun} has the ${list.itemKey} ${JSON.stringify(name)}`),
    ];
  });
  const count = [...listings.values()].reduce((sum, items) => sum + items.length, 0);
  return resultOf(problems, `${counted(count, 'name')}, each there once`);
}
