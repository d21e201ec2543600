/** Tells the client, and who listens, what a reload has changed: after the new generation serves, never before. */
import type { FlowContext } from '../flow/flow.js';
import { describe } from '../lists/compare.js';
import { LISTS } from '../lists/lists.js';
import type { Desk } from '../exchange/desk.js';
import { notifyLists } from '../exchange/handover.js';
import type { Generation } from '../server/generation.js';
import type { Run } from './attempt-record.js';
import type { Restart } from './history.js';
import type { Difference } from './list-diff.js';

/** `restart`: how the last restart came about. */
export function announce(
  flow: FlowContext,
  desk: Desk,
  run: Run,
  generation: Generation | undefined,
  restart: Restart | undefined,
): void {
  const { events } = flow;
  const ms = Math.round(performance.now() - run.began);
  const facts = { generation: generation?.number, pid: generation?.process.pid, ms };
  if (!desk.session.stands) {
    // Nobody has asked it anything yet: whether it works will be known when it has answered.
    events.emit({ kind: 'starting', as: 'unproven', ...facts });
    return;
  }
  if (run.first) return announceReady(flow, desk, generation, run.began);
  if (desk.failure !== undefined) {
    events.emit({ kind: 'starting', as: 'old-build', ...facts });
    return announceLists(flow, desk, run.difference ?? nothing);
  }
  const found = run.difference;
  for (const text of found?.unknown ?? []) events.emit({ kind: 'warning', text });
  const changes = found?.changes.map(describe) ?? [];
  const method = run.attempt.restart ? (restart?.method ?? 'change') : undefined;
  const { files, phases } = run;
  events.emit({ kind: 'reloaded', ...facts, files, phases, changes, method, reason: restart?.reason });

  // What the new generation said of its lists after it was asked for them, and before it served, is true by now.
  const late = LISTS.filter((list) => desk.unheard.has(list.notification)).map((list) => list.name);
  desk.unheard.clear();
  announceLists(flow, desk, { ...(found ?? nothing), changed: [...(found?.changed ?? []), ...late] });
}

/** The server has given its first answer. `since`: when its start began, on the monotonic clock. */
export function announceReady(
  { events }: FlowContext,
  desk: Desk,
  generation: Generation | undefined,
  since: number,
): void {
  const { number, process } = generation ?? {};
  const pid = process?.pid;
  const ms = Math.round(performance.now() - since);
  // Nobody may have asked it anything before an edit failed: that it answers now does not mend the edit.
  events.emit({ kind: 'ready', generation: number, pid, ms, failing: desk.failure !== undefined });
}

const nothing: Difference = { changes: [], changed: [], unknown: [] };

/** The agent's own tools have come or gone, which no server knows of. */
export function announceAgentTools(flow: FlowContext, desk: Desk): void {
  announceLists(flow, desk, { ...nothing, changed: ['tools'] });
}

/** Tells the client of the lists that differ, if it wants to know. */
export function announceLists(flow: FlowContext, desk: Desk, found: Difference): void {
  const { config, events } = flow;
  if (!desk.session.complete) return;
  // Our tools, listed in place of a server that had never come up, leave the list with its coming.
  const withdrawn = desk.born && desk.standInTools === 'listed';
  if (withdrawn) desk.standInTools = 'withdrawn';
  // A client that was never told of a capability would not know what to do with news of it.
  const { capabilities } = desk.session;
  const known = LISTS.filter((list) => capabilities === undefined || capabilities[list.capability] !== undefined);
  const changed = known
    .map((list) => list.name)
    .filter((name) => config.notify === 'always' || found.changed.includes(name) || (name === 'tools' && withdrawn));
  const told = notifyLists(desk, config.notify === 'never' ? [] : changed);
  if (told.length > 0) events.emit({ kind: 'list-changed', lists: told });
}
