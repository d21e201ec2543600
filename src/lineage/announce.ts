/** Tells the client, and who listens, what a reload has changed: after the new generation serves, never before. */
import type { FlowContext } from '../flow/flow.js';
import { describe } from '../lists/compare.js';
import { LISTS, type ListName } from '../lists/lists.js';
import { notifyLists } from '../exchange/handover.js';
import { hasServerAnswered, type LineageRecord, type Session, type Upstream } from '../exchange/records.js';
import { noteToolCauses } from '../exchange/known-tools.js';
import type { AttemptRecord } from './attempt-record.js';
import type { Restart } from './history.js';
import { changedFor, type Difference } from './list-diff.js';

/** `restart`: how the last restart came about. */
export function announce(
  flow: FlowContext,
  session: Session,
  record: AttemptRecord,
  upstream: Upstream | undefined,
  restart: Restart | undefined,
): void {
  const { events } = flow;
  const ms = Math.round(performance.now() - record.began);
  const facts = { generation: upstream?.generation, pid: upstream?.process.pid, ms };
  const { failure } = session.lineage;
  if (!session.lineage.agreement.isOpen) {
    // Nobody has asked it anything yet: whether it works will be known when it has answered.
    events.emit({ kind: 'starting', as: 'unproven', ...facts });
    return;
  }
  if (record.isFirstStart) return announceReady(flow, session, upstream, record.began);
  const found = record.difference;
  recordCauses(session.lineage, found, record.files);
  for (const text of found?.unknown ?? []) events.emit({ kind: 'warning', text });
  if (failure !== undefined) {
    events.emit({ kind: 'starting', as: 'old-build', ...facts });
    return announceToAll(flow, session, upstream, found, lateChanges(upstream));
  }
  const changes = found?.changes.map(describe) ?? [];
  const method = record.attempt.respawn ? (restart?.method ?? 'change') : undefined;
  const { files, phases } = record;
  events.emit({ kind: 'reloaded', ...facts, files, phases, changes, method, reason: restart?.reason });
  announceToAll(flow, session, upstream, found, lateChanges(upstream));
}

/** For those who have older lists: when which tool has changed, and because of what. */
function recordCauses(lineage: LineageRecord, found: Difference | undefined, files: readonly string[]): void {
  noteToolCauses(lineage, found?.changes ?? [], { at: new Date().toISOString(), files });
}

/** What the new generation said of its lists after it was asked for them, and before it served, is true by now. */
function lateChanges(upstream: Upstream | undefined): readonly ListName[] {
  const suppressed = upstream?.suppressedListChanges;
  const late = LISTS.filter((list) => suppressed?.has(list.notification)).map((list) => list.name);
  suppressed?.clear();
  return late;
}

/** Tells each client of the lists that differ from its own. `found`: for one of them; `late`: for all. */
function announceToAll(
  flow: FlowContext,
  first: Session,
  upstream: Upstream | undefined,
  found: Difference = nothing,
  late: readonly ListName[] = [],
): void {
  for (const session of first.lineage.sessions) {
    const changed = session === (found.of ?? first) ? found.changed : changedFor(session, upstream, found);
    announceLists(flow, session, { ...found, changed: [...changed, ...late] });
  }
  withdrawStandIns(first.lineage);
}

/** Whoever was listed our tools in place of a server that had never come up has been told of its coming. */
function withdrawStandIns(lineage: LineageRecord): void {
  const answered = [...lineage.sessions].filter((session) => session.hasServerAnswered);
  const memories = answered.map(({ memory }) => memory);
  for (const memory of hasServerAnswered(lineage) ? [...memories, lineage.sessionless] : memories)
    if (memory.standInTools === 'listed') memory.standInTools = 'withdrawn';
}

/** The same for what a server shows some time after its files have changed. `others`: lists that differ for all. */
export function announceLate(
  flow: FlowContext,
  first: Session,
  upstream: Upstream,
  found: Difference,
  files: readonly string[],
  others: readonly ListName[] = [],
): void {
  recordCauses(first.lineage, found, files);
  announceToAll(flow, first, upstream, found, others);
}

/** The server has given its first answer. `since`: when its start began, on the monotonic clock. */
export function announceReady(
  { events }: FlowContext,
  { lineage }: Session,
  upstream: Upstream | undefined,
  since: number,
): void {
  const { failure } = lineage;
  const { generation, process } = upstream ?? {};
  const pid = process?.pid;
  const ms = Math.round(performance.now() - since);
  // Nobody may have asked it anything before an edit failed: that it answers now does not mend the edit.
  events.emit({ kind: 'ready', generation, pid, ms, failing: failure !== undefined });
}

const nothing: Difference = { changes: [], changed: [], unknown: [] };

/** The agent's own tools have come or gone, which no server knows of. */
export function announceAgentTools(flow: FlowContext, session: Session): void {
  announceLists(flow, session, { ...nothing, changed: ['tools'] });
  withdrawStandIns(session.lineage);
}

/** Tells the client of the lists that differ, if it wants to know. */
function announceLists(flow: FlowContext, session: Session, found: Difference): void {
  const { config, events } = flow;
  if (!session.agreement.isInitialized) return;
  // Our tools, listed in place of a server that had never come up, leave the list with its coming.
  const withdrawn = session.hasServerAnswered && session.memory.standInTools === 'listed';
  // A client that was never told of a capability would not know what to do with news of it.
  const { capabilities } = session.agreement;
  const known = LISTS.filter((list) => capabilities === undefined || capabilities[list.capability] !== undefined);
  const changed = known
    .map((list) => list.name)
    .filter((name) => config.notify === 'always' || found.changed.includes(name) || (name === 'tools' && withdrawn));
  const told = notifyLists(session, config.notify === 'never' ? [] : changed);
  if (told.length > 0) events.emit({ kind: 'list-changed', lists: told });
}
