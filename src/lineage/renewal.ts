/**
 * A server that runs on has opened clients' sessions again that it had lost: it may have been restarted by somebody
 * else and be another one by now. Its lists are compared with what clients were served, and each hears of what differs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe } from '../lists/compare.js';
import { LISTS } from '../lists/lists.js';
import { isInitialized, type Upstream } from '../exchange/records.js';
import { announceLate } from './announce.js';
import type { LineageContext } from './lineage-context.js';
import { changedFor, declaredCapabilities, difference, fetchLists, previousLists, recordLists } from './list-diff.js';

/** Sessions are lost together, and opened again one after the other. */
const TOGETHER_MS = 100;

export class Renewals {
  readonly #context: LineageContext;
  readonly #under = new WeakSet<Upstream>();

  constructor(context: LineageContext) {
    this.#context = context;
  }

  async onRenewed(upstream: Upstream): Promise<void> {
    const { flow, messages, closed } = this.#context;
    if (this.#under.has(upstream)) return;
    this.#under.add(upstream);
    await delay(TOGETHER_MS, undefined, { signal: closed, ref: false }).catch(() => {});
    this.#under.delete(upstream);
    const { lineage, session } = messages;
    if (closed.aborted || lineage.serving !== upstream || !isInitialized(lineage)) return;
    const served = LISTS.filter(({ name }) =>
      [...lineage.sessions].some((each) => each.served.baseline(name) !== undefined),
    );
    const before = new Map([...previousLists(session)].filter(([name]) => served.some((list) => list.name === name)));
    const capabilities = await declaredCapabilities(session, upstream, closed);
    if (capabilities === 'gone' || lineage.serving !== upstream) return;
    const now = await fetchLists(lineage, upstream, capabilities, closed, served);
    recordLists(upstream, now);
    const found = difference({ served: before, previous: before }, now);
    const changes = found.changes.map(describe);
    const what = changes.length === 0 ? '' : `: ${changes.join(', ')}`;
    const text = `the server did not know the sessions of its clients any more, and they were opened again${what}`;
    flow.events.emit({ kind: 'warning', text });
    announceLate(flow, session, upstream, { ...found, changed: changedFor(session, upstream, found) }, []);
  }
}
