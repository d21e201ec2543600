/**
 * What the rules of changed files ask of the server together, and the refresh: the step of an attempt that needs no new
 * process. The server is signalled, or notices the change by itself, and the lists are compared a moment later.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Rule } from '../config/config.js';
import type { Session, Upstream } from '../exchange/records.js';
import type { Change } from '../watch/watch.js';
import {
  declaredCapabilities,
  difference,
  fetchLists,
  recordLists,
  unknownLists,
  withLatestServed,
  type Baselines,
  type Difference,
} from './list-diff.js';
import type { RequestedAction } from './attempt-record.js';
import type { Next } from './states.js';

/** A server handles a signal with a delay: a request right after it is often answered with the old lists. */
const SIGNAL_NOTICED_AFTER_MS = 50;
/** The pauses between further comparisons, as long as none shows a difference. */
const RECHECK_PAUSES_MS = [250, 750, 2000];

/** What these changes ask for, together with what an aborted attempt has left over. */
export function requestedAction(
  rules: readonly Rule[],
  changes: readonly Change[],
  before: RequestedAction,
): RequestedAction {
  const next = [nextOf(rules, changes), before.next];
  return {
    next: next.find((each) => each === 'restart') ?? next.find((each) => each === 'refresh') ?? 'nothing',
    signals: [...new Set([...before.signals, ...signalsOf(rules, changes)])],
  };
}

/** The strongest action that a rule of these changes asks for. */
function nextOf(rules: readonly Rule[], changes: readonly Change[]): Next {
  const actions = new Set(changes.flatMap((change) => change.rules).map((name) => thenOf(rules, name)));
  if (actions.has('restart')) return 'restart';
  actions.delete('continue');
  return actions.size > 0 ? 'refresh' : 'nothing';
}

/** The signals to send, each once, in the order of the rules. */
function signalsOf(rules: readonly Rule[], changes: readonly Change[]): NodeJS.Signals[] {
  const names = new Set(changes.flatMap((change) => change.rules));
  const actions = rules.filter((rule) => names.has(rule.name)).map((rule) => rule.then);
  return [...new Set(actions)].filter((then) => then !== 'restart' && then !== 'continue' && then !== 'notify');
}

function thenOf(rules: readonly Rule[], name: string): Rule['then'] {
  // A change without a rule is one of the configuration, and `attempts.ts` decides about its restart.
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

/** Resolves with the first difference that shows within the next seconds. */
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
  const capabilities = await declaredCapabilities(session, upstream, signal);
  if (upstream.process.isGone || signal.aborted) return { changes: [], changed: [], unknown: [] };
  const isSilent = capabilities === 'gone';
  const now = isSilent ? unknownLists() : await fetchLists(session.lineage, upstream, capabilities, signal);
  if (!isSilent) recordLists(upstream, now);
  return difference(withLatestServed(session, before), now);
}
