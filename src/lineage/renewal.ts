/**
 * A server that runs on has opened clients' sessions again that it had lost: it may have been restarted by somebody
 * else and be another one by now. Its lists are compared with what clients were served, and each hears of what differs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Renewal } from '../channel/http/peer.js';
import { describe } from '../lists/compare.js';
import { LISTS } from '../lists/lists.js';
import { isInitialized, type Upstream } from '../exchange/records.js';
import { announceLate } from './announce.js';
import type { LineageContext } from './lineage-context.js';
import {
  changedFor,
  declaredCapabilities,
  difference,
  fetchLists,
  previousLists,
  recordLists,
  type Lists,
} from './list-diff.js';

/** Sessions are lost together, and opened again one after the other. */
const TOGETHER_MS = 100;

const happened: Readonly<Record<Renewal, string>> = {
  forgotten: 'the server did not know the sessions of its clients any more, and they were opened again',
  restarted: 'the server was away and is back, and serves its clients again',
};

export class Renewals {
  readonly #context: LineageContext;
  /** Those that are being compared, and whether they may have been restarted meanwhile. */
  readonly #under = new Map<Upstream, boolean>();

  constructor(context: LineageContext) {
    this.#context = context;
  }

  async onRenewed(upstream: Upstream, why: Renewal): Promise<void> {
    const isUnder = this.#under.get(upstream);
    // A session that is opened again because we ask for the lists is no further news.
    if (isUnder !== undefined) return void this.#under.set(upstream, isUnder || why === 'restarted');
    this.#under.set(upstream, false);
    await delay(TOGETHER_MS, undefined, { signal: this.#context.closed, ref: false }).catch(() => {});
    this.#under.set(upstream, false);
    await this.#compare(upstream, why);
    const isOver = this.#under.get(upstream) !== true;
    this.#under.delete(upstream);
    if (!isOver) await this.onRenewed(upstream, 'restarted');
  }

  async #compare(upstream: Upstream, why: Renewal): Promise<void> {
    const { flow, messages, closed } = this.#context;
    const { lineage, session } = messages;
    if (closed.aborted || lineage.serving !== upstream || !isInitialized(lineage)) return;
    // A client of the modern era over HTTP was served its lists before it began to listen, as another client.
    const listens = [...lineage.sessions].some(({ streams }) => streams.size > 0);
    const wanted = LISTS.filter(
      ({ name }) => listens || [...lineage.sessions].some((each) => each.served.baseline(name) !== undefined),
    );
    const before = previousLists(session);
    const capabilities = await declaredCapabilities(session, upstream, closed);
    if (capabilities === 'gone' || lineage.serving !== upstream) return;
    // Of another server, what the one before has declared says nothing.
    upstream.retrySafeTools = new Set();
    const now = await fetchLists(lineage, upstream, capabilities, closed, wanted);
    recordLists(upstream, now);
    const known = wanted.filter(({ name }) => before.has(name) || !now.has(name));
    const of = (lists: Lists): Lists =>
      new Map([...lists].filter(([name]) => known.some((list) => list.name === name)));
    const found = difference({ served: of(before), previous: of(before) }, of(now));
    // What it was before is not known: it counts as changed.
    const unknown = wanted.filter((list) => !known.includes(list)).map(({ name }) => name);
    const changes = found.changes.map(describe);
    const what = changes.length === 0 ? '' : `: ${changes.join(', ')}`;
    const isExpected = why === 'restarted' || upstream.process.pid === undefined;
    flow.events.emit({ kind: 'warning', text: `${happened[why]}${what}`, ...(isExpected && { level: 'info' }) });
    announceLate(flow, session, upstream, { ...found, changed: changedFor(session, upstream, found) }, [], unknown);
  }
}
