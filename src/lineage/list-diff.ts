/**
 * What changed in the lists between two generations. The old side has two forms: what the client was last served, for
 * what it is to be told, and what the generation before had, for the log. What is missing of either is asked of the old
 * generation while that is still there; the new side is asked of the candidate. A list that can't be had counts as
 * changed and fails nothing.
 */
import { compareLists, type ListChange } from '../lists/compare.js';
import { fetchList, type Fetched } from '../lists/fetch.js';
import { LISTS, listNamed, type List, type ListName } from '../lists/lists.js';
import type { Desk } from '../exchange/desk.js';
import { learnTools } from '../exchange/from-server.js';
import { discover, request } from './handshake.js';
import type { KnownLists, Lists } from './known-lists.js';

type Capabilities = Readonly<Record<string, unknown>>;

/** What new lists are compared with. */
export interface Baselines {
  /** What the client has: for list_changed. */
  readonly served: Lists;
  /** What the generation before had: for the log. */
  readonly previous: Lists;
}

export interface Difference {
  /** Between the generation before and this one. */
  readonly changes: readonly ListChange[];
  /** The lists to tell the client of: those that differ from what it has. */
  readonly changed: readonly ListName[];
  readonly unknown: readonly string[];
}

/** Every list that the server declares, in one go. */
export async function fetchLists(
  desk: Desk,
  generation: number,
  capabilities: Capabilities,
  signal: AbortSignal,
  lists = LISTS,
): Promise<Lists> {
  const declared = lists.filter((list) => capabilities[list.capability] !== undefined);
  const fetched = await Promise.all(declared.map((list) => fetchFrom(desk, generation, list, signal)));
  const tools = fetched[declared.findIndex((list) => list.name === 'tools')];
  if (tools?.known === true) learnTools(desk, generation, tools.items);
  return new Map(declared.map((list, i) => [list.name, fetched[i] as Fetched]));
}

/** Both baselines, as far as they are known without asking; the rest is asked of the generation that serves. */
export async function baselines(
  desk: Desk,
  generation: number | undefined,
  known: KnownLists,
  signal: AbortSignal,
): Promise<Baselines> {
  const served = servedLists(desk);
  const previous = previousLists(desk, generation, known);
  const missing = LISTS.filter(
    ({ name, capability }) => !(served.has(name) && previous.has(name)) && !desk.lacking.has(capability),
  );
  const asked = missing.length === 0 ? [] : await askFor(desk, generation, missing, signal);
  // What the client has is a better guess than nothing at what a server had that is gone.
  const guessed = [...asked, ...(generation === undefined ? served : [])];
  return { served: new Map([...asked, ...served]), previous: new Map([...guessed, ...previous]) };
}

async function askFor(
  desk: Desk,
  generation: number | undefined,
  missing: readonly List[],
  signal: AbortSignal,
): Promise<Iterable<[ListName, Fetched]>> {
  if (generation === undefined) return nobodyToAsk(desk, missing);
  const capabilities = desk.session.capabilities ?? (await discover(desk, generation, signal));
  return capabilities === 'gone'
    ? nobodyToAsk(desk, missing)
    : fetchLists(desk, generation, capabilities, signal, missing);
}

/** What the generation that serves, or the last one that did, is known to have. */
export function previousLists(desk: Desk, generation: number | undefined, known: KnownLists): Lists {
  const number = generation ?? known.lastServing;
  const lists = new Map<ListName, Fetched>();
  if (number === undefined) return lists;
  for (const [name, list] of known.of(number)) if (list.known) lists.set(name, list);
  // What it has given the client is newer: a server may change its lists while it runs.
  for (const [name, list] of servedLists(desk)) if (desk.served.generation(name) === number) lists.set(name, list);
  return lists;
}

/** All tools of a generation; undefined if they can't be had. */
export async function allTools(
  desk: Desk,
  generation: number,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const found = (await fetchLists(desk, generation, { tools: {} }, signal, [listNamed('tools')])).get('tools');
  return found?.known === true ? found.items : undefined;
}

/** What the client has, and nothing else. */
export function servedLists(desk: Desk): Lists {
  const served = new Map<ListName, Fetched>();
  for (const list of LISTS) {
    const items = desk.served.baseline(list.name);
    if (items !== undefined) served.set(list.name, { known: true, items });
  }
  return served;
}

/** The same, with what the client has been served since: an answer may come after the comparison has begun. */
export function broughtUpToDate(desk: Desk, { served, previous }: Baselines): Baselines {
  return { served: new Map([...served, ...servedLists(desk)]), previous };
}

/** There is nobody left to ask; or never was, and then the client can have nothing. */
function nobodyToAsk(desk: Desk, lists: readonly List[]): [ListName, Fetched][] {
  // A client that never asked what the server can do may have asked for any list.
  const { capabilities } = desk.session;
  const declared = lists.filter((list) => capabilities === undefined || capabilities[list.capability] !== undefined);
  const none: Fetched = desk.born
    ? { known: false, why: 'the server that had it is gone' }
    : { known: true, items: [] };
  return declared.map((list) => [list.name, none]);
}

export function difference({ served, previous }: Baselines, after: Lists): Difference {
  const { changed, unknown } = compareAll(served, after);
  return { changes: compareAll(previous, after).changes, changed, unknown };
}

function compareAll(before: Lists, after: Lists): Difference {
  const changes: ListChange[] = [];
  const changed: ListName[] = [];
  const unknown: string[] = [];
  for (const list of LISTS) {
    const [was, is] = [before.get(list.name), after.get(list.name)];
    const doubts = [was, is].flatMap((side) => (side?.known === false ? [side.why] : []));
    unknown.push(...doubts.map((why) => `the list of ${list.name} is unknown: ${why}`));
    const found = doubts.length > 0 ? [] : compareLists(list, itemsOf(was), itemsOf(is));
    changes.push(...found);
    if (found.length > 0 || doubts.length > 0) changed.push(list.name);
  }
  return { changes, changed, unknown };
}

function itemsOf(side: Fetched | undefined): readonly unknown[] {
  return side?.known === true ? side.items : [];
}

function fetchFrom(desk: Desk, generation: number, list: List, signal: AbortSignal): Promise<Fetched> {
  return fetchList(
    async (method, params, limit) => {
      const reply = await request(desk, generation, method, desk.session.paramsFor(params), limit);
      if (reply.kind === 'gone') return { ok: false, error: 'the server is gone, or was too slow' };
      return reply.kind === 'result'
        ? { ok: true, result: reply.message.read(['result']) }
        : { ok: false, error: reply.message.read(['error']) };
    },
    list,
    signal,
  );
}
