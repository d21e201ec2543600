/**
 * What changed in the lists between two generations. The old side has two forms: what the client was last served, for
 * what it is to be told, and what the generation before had, for the log. What is missing of either is asked of the old
 * generation while that is still there; the new side is asked of the candidate. A list that can't be had counts as
 * changed and fails nothing.
 */
import { compareLists, type ListChange } from '../lists/compare.js';
import { fetchList, TIME_LIMIT_MS, type Fetched } from '../lists/fetch.js';
import { LISTS, listNamed, type List, type ListName } from '../lists/lists.js';
import { learnTools } from '../exchange/results.js';
import { hasServerAnswered, type LineageRecord, type Session, type Upstream } from '../exchange/records.js';
import { discover } from './handshake.js';

export type Lists = ReadonlyMap<ListName, Fetched>;

const GONE_OR_SLOW = 'the server is gone, or was too slow';

type Capabilities = Readonly<Record<string, unknown>>;

/** What new lists are compared with. */
export interface Baselines {
  /** The client meant; undefined: whoever is first. */
  readonly of?: Session;
  /** What the client has: for list_changed. */
  readonly served: Lists;
  /** What the generation before had: for the log. */
  readonly previous: Lists;
}

export interface Difference {
  /** The client whose `changed` this is: it may have left since. Undefined: the first. */
  readonly of?: Session;
  /** Between the generation before and this one. */
  readonly changes: readonly ListChange[];
  /** The lists to tell the client of: those that differ from what it has. */
  readonly changed: readonly ListName[];
  readonly unknown: readonly string[];
}

/** Every list that the server declares, in one go. */
export async function fetchLists(
  lineage: LineageRecord,
  upstream: Upstream,
  capabilities: Capabilities,
  signal: AbortSignal,
  lists = LISTS,
): Promise<Lists> {
  const declared = lists.filter((list) => capabilities[list.capability] !== undefined);
  const fetched = await Promise.all(declared.map((list) => fetchFrom(lineage, upstream, list, signal)));
  const tools = fetched[declared.findIndex((list) => list.name === 'tools')];
  if (tools?.known === true) learnTools(upstream, tools.items);
  return new Map(declared.map((list, i) => [list.name, fetched[i] as Fetched]));
}

/** Both baselines, as far as they are known without asking; the rest is asked of the generation that serves. */
export async function baselines(session: Session, signal: AbortSignal): Promise<Baselines> {
  const { serving } = session.lineage;
  const served = servedLists(session);
  const previous = previousLists(session);
  const missing = LISTS.filter(
    ({ name, capability }) => !(served.has(name) && previous.has(name)) && !session.promisedButMissing.has(capability),
  );
  const asked = missing.length === 0 ? [] : await askFor(session, serving, missing, signal);
  // What the client has is a better guess than nothing at what a server had that is gone.
  const guessed = [...asked, ...(serving === undefined ? served : [])];
  return { of: session, served: new Map([...asked, ...served]), previous: new Map([...guessed, ...previous]) };
}

/**
 * The same without asking anybody: of the lists that some client has. Those that this client was never served it has as
 * the server before had them; what stood in for a server says nothing of that, unless there was none.
 */
export function knownBaselines(session: Session): Baselines {
  const { lineage } = session;
  const isFirst = !hasServerAnswered(lineage);
  const ofAll = [...lineage.sessions].flatMap((each) =>
    [...servedLists(each)].filter(([name]) => isFirst || each.served.generation(name) !== undefined),
  );
  const held = heldLists(lineage);
  const known = [...previousLists(session)].filter(([name]) => held.has(name));
  const previous = new Map([...ofAll, ...known]);
  return { of: session, served: new Map([...previous, ...servedLists(session)]), previous };
}

/** The lists that any client has. */
export function heldLists({ sessions }: LineageRecord): ReadonlySet<ListName> {
  return new Set([...sessions].flatMap((each) => [...servedLists(each).keys()]));
}

/** Of a server that is gone, with no change since: what nobody knows of its lists is as it is now. */
export function unlessAsNow({ served, previous, ...rest }: Baselines, now: Lists): Baselines {
  return { ...rest, served: new Map([...now, ...served]), previous: new Map([...now, ...previous]) };
}

async function askFor(
  session: Session,
  upstream: Upstream | undefined,
  missing: readonly List[],
  signal: AbortSignal,
): Promise<Iterable<[ListName, Fetched]>> {
  if (upstream === undefined) return unavailableLists(session, missing, 'the server that had it is gone');
  const capabilities = await declaredCapabilities(session, upstream, signal);
  return capabilities === 'gone'
    ? unavailableLists(session, missing, GONE_OR_SLOW)
    : fetchLists(session.lineage, upstream, capabilities, signal, missing);
}

/** A server that serves may never answer `server/discover`, so it is waited for no longer than for a list. */
export function declaredCapabilities(
  { agreement, lineage }: Session,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<Capabilities | 'gone'> {
  if (agreement.capabilities !== undefined) return Promise.resolve(agreement.capabilities);
  return discover(lineage, upstream, AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]));
}

/** What the generation that serves, or the last one that did, is known to have. */
export function previousLists(session: Session): Lists {
  const { serving, lastServing } = session.lineage;
  const before = serving ?? lastServing;
  const lists = new Map<ListName, Fetched>();
  if (before === undefined) return lists;
  for (const [name, list] of before.knownLists) if (list.known) lists.set(name, list);
  // What it has given a client is newer: a server may change its lists while it runs.
  for (const each of [...session.lineage.sessions, session]) {
    for (const [name, list] of servedLists(each))
      if (each.served.generation(name) === before.generation) lists.set(name, list);
  }
  return lists;
}

/** All tools of a generation; undefined if they can't be had. */
export async function allTools(
  lineage: LineageRecord,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const found = (await fetchLists(lineage, upstream, { tools: {} }, signal, [listNamed('tools')])).get('tools');
  return found?.known === true ? found.items : undefined;
}

/** What a generation has answered just now. `capabilities`: as it declares them itself, if that is known. */
export function recordLists(upstream: Upstream, lists: Lists, capabilities?: Capabilities): void {
  for (const [name, list] of lists) upstream.knownLists.set(name, list);
  const tools = lists.get('tools');
  if (tools !== undefined) {
    upstream.tools = tools.known ? tools.items : undefined;
    upstream.toolsSeenBy = undefined;
  }
  if (capabilities === undefined) return;
  // A list that it does not declare is as good as empty: what a client still has of it is not what this server had.
  for (const { name, capability } of LISTS)
    if (capabilities[capability] === undefined) upstream.knownLists.set(name, { known: true, items: [] });
  upstream.declaresNoTools = capabilities['tools'] === undefined;
  if (upstream.declaresNoTools) upstream.tools = [];
}

/** What the client has, and nothing else. */
export function servedLists({ served: lists }: Session): Lists {
  const served = new Map<ListName, Fetched>();
  for (const list of LISTS) {
    const items = lists.baseline(list.name);
    if (items !== undefined) served.set(list.name, { known: true, items });
  }
  return served;
}

/** The same, with what the client has been served since: an answer may come after the comparison has begun. */
export function withLatestServed(session: Session, { of, served, previous }: Baselines): Baselines {
  const client = of ?? session;
  return { of: client, served: new Map([...served, ...servedLists(client)]), previous };
}

/** Of a server that does not say which it has. */
export function unknownLists(): Lists {
  return new Map(LISTS.map(({ name }) => [name, { known: false, why: GONE_OR_SLOW }]));
}

/** Nobody is left who answers; or nobody ever was, and then the client can have nothing. */
function unavailableLists({ agreement, lineage }: Session, lists: readonly List[], why: string): [ListName, Fetched][] {
  // A client that never asked what the server can do may have asked for any list.
  const { capabilities } = agreement;
  const declared = lists.filter((list) => capabilities === undefined || capabilities[list.capability] !== undefined);
  const none: Fetched = hasServerAnswered(lineage) ? { known: false, why } : { known: true, items: [] };
  return declared.map((list) => [list.name, none]);
}

export function difference({ served, previous, ...rest }: Baselines, after: Lists): Difference {
  const { changed, unknown } = compareAll(served, after);
  return { ...rest, changes: compareAll(previous, after).changes, changed, unknown };
}

/**
 * The lists to tell a further client of: those that differ from what this one has. Of a list that it was never served
 * it has what the server before had. `found`: for the first client.
 */
export function changedFor(session: Session, upstream: Upstream | undefined, found: Difference): readonly ListName[] {
  const served = servedLists(session);
  return LISTS.filter((list) => {
    const [was, is] = [served.get(list.name), upstream?.knownLists.get(list.name)];
    if (is?.known === false) return true;
    if (was === undefined) return found.changes.some((change) => change.list === list.name);
    return compareLists(list, itemsOf(was), itemsOf(is)).length > 0;
  }).map((list) => list.name);
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

function fetchFrom(
  { agreement }: LineageRecord,
  upstream: Upstream,
  list: List,
  signal: AbortSignal,
): Promise<Fetched> {
  return fetchList(
    async (method, params, limit) => {
      const reply = await upstream.request(method, agreement.paramsFor(params), limit);
      if (reply.kind === 'gone') return { ok: false, error: GONE_OR_SLOW };
      return reply.kind === 'result'
        ? { ok: true, result: reply.message.read(['result']) }
        : { ok: false, error: reply.message.read(['error']) };
    },
    list,
    signal,
  );
}
