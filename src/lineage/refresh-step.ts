/**
 * The part of an attempt for rules that need no new process: the server is signalled, or has noticed the change itself,
 * and the lists are compared a moment later. What the rules of a change ask for together is decided here too.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Rule } from '../config/config.js';
import type { Session, Upstream } from '../exchange/records.js';
import type { Change } from '../watch/watch.js';
import { difference, fetchLists, recordLists, type Baselines, withLatestServed, type Difference } from './list-diff.js';
import { discover } from './handshake.js';
import type { Wants } from './attempt-record.js';
import type { Next } from './states.js';

/** A signal is not noticed at once: a line sent right after it is often answered from before. */
const SIGNAL_NOTICED_AFTER_MS = 50;
/** When to look again, after each other, if nothing has changed by then. */
const RECHECK_PAUSES_MS = [250, 750, 2000];

/** What these changes ask for, and what was asked for before and not done yet. */
export function wantsOf(rules: readonly Rule[], changes: readonly Change[], before: Wants): Wants {
  const next = [nextOf(rules, changes), before.next];
  return {
    next: next.find((each) => each === 'restart') ?? next.find((each) => each === 'refresh') ?? 'nothing',
    signals: [...new Set([...before.signals, ...signalsOf(rules, changes)])],
  };
}

/** The most that any rule of these changes asks for. */
function nextOf(rules: readonly Rule[], changes: readonly Change[]): Next {
  const actions = new Set(changes.flatMap((change) => change.rules).map((name) => thenOf(rules, name)));
  if (actions.has('restart')) return 'restart';
  actions.delete('continue');
  return actions.size > 0 ? 'refresh' : 'nothing';
}

/** The signals that are due, each once, in the order of the rules. */
function signalsOf(rules: readonly Rule[], changes: readonly Change[]): NodeJS.Signals[] {
  const names = new Set(changes.flatMap((change) => change.rules));
  const actions = rules.filter((rule) => names.has(rule.name)).map((rule) => rule.then);
  return [...new Set(actions)].filter((then) => then !== 'restart' && then !== 'continue' && then !== 'notify');
}

function thenOf(rules: readonly Rule[], name: string): Rule['then'] {
  // What is no rule's is the configuration's: a restart is due if that says so.
  return rules.find((rule) => rule.name === name)?.then ?? 'continue';
}

export interface Refresh {
  readonly session: Session;
  readonly upstream: Upstream;
  readonly signals: readonly NodeJS.Signals[];
  readonly before: Baselines | undefined;
}

export async function refreshStep(refresh: Refresh, signal: AbortSignal): Promise<Difference | undefined> {
  const { upstream, signals, before } = refresh;
  for (const name of signals) upstream.process.signalProcess(name);
  await delay(SIGNAL_NOTICED_AFTER_MS, undefined, { signal }).catch(() => {});
  return before === undefined || signal.aborted ? undefined : compare(refresh, before, signal);
}

/** The first difference that shows within the next seconds. */
export async function lateDifference(
  refresh: Refresh,
  before: Baselines,
  signal: AbortSignal,
): Promise<Difference | undefined> {
  for (const pause of RECHECK_PAUSES_MS) {
    const isAborted = await delay(pause, false, { signal, ref: false }).catch(() => true);
    if (isAborted || refresh.session.lineage.serving !== refresh.upstream) return undefined;
    const found = await compare(refresh, before, signal);
    if (found.changed.length > 0) return found;
  }
  return undefined;
}

async function compare(refresh: Refresh, before: Baselines, signal: AbortSignal): Promise<Difference> {
  const { session, upstream } = refresh;
  const { lineage, agreement } = session;
  const capabilities = agreement.capabilities ?? (await discover(lineage, upstream, signal));
  if (capabilities === 'gone') return { changes: [], changed: [], unknown: [] };
  const now = await fetchLists(lineage, upstream, capabilities, signal);
  recordLists(upstream, now);
  return difference(withLatestServed(session, before), now);
}
