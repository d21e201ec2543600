/**
 * How generations go: one that was replaced finishes first, even if no other is left; one that nobody waits for does
 * not. And what is still answered before the proxy goes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FlowContext } from '../flow/flow.js';
import { dropGeneration, endHold, type Dropped } from '../exchange/handover.js';
import type { PendingRequest, Session, Upstream } from '../exchange/records.js';
import type { LiveGenerations } from './live-generations.js';
import type { MessageFlow } from './message-flow.js';

export interface Stopping {
  readonly flow: FlowContext;
  readonly traffic: MessageFlow;
  readonly roster: LiveGenerations;
  /** Aborted when the proxy ends. */
  readonly over: AbortSignal;
}

/** Under `replace`, how long a server has to go by itself if the one before it did not: nobody is served meanwhile. */
const KNOWN_TO_STAY_MS = 300;
/** `--stop-timeout 0`: the signal comes after this time, and no SIGKILL follows. */
const DEFAULT_STOP_MS = 2000;
const TASK_AFTERMATH_MS = 500;
/** How long a client that has closed its side may wait for what it asked before. */
const LAST_ANSWERS = 1000;

/**
 * Lets a replaced generation finish what it owes, then stops it as a client would: its stdin ends, a signal follows
 * after
 * `--stop-timeout`, SIGKILL after as long again. `isReplacing`: no other server runs meanwhile, so that calls wait for its end.
 */
export async function drain(stopping: Stopping, upstream: Upstream, isReplacing: boolean): Promise<void> {
  const { flow, traffic, roster, over } = stopping;
  const { drain: limit, signal, stopTimeout } = flow.config;
  if (upstream.owesAnything) await roster.untilDrained(upstream, limit, over);
  // A client that has just been told how a task ended may ask for more of it.
  if (!isReplacing && upstream.tasks.size > 0)
    await delay(TASK_AFTERMATH_MS, undefined, { signal: over }).catch(() => {});
  if (over.aborted) return;
  reportCutOff(stopping, upstream, dropGeneration(traffic.lineage, upstream));
  traffic.watchHold();
  // Who looks for the marker after the old server has gone has to find it.
  await flow.events.flushed();
  const patience = stopTimeout === 0 ? DEFAULT_STOP_MS : stopTimeout;
  const after = isReplacing && roster.staysAfterStdin ? Math.min(KNOWN_TO_STAY_MS, patience) : patience;
  const kill = stopTimeout === 0 ? [] : [{ signal: 'SIGKILL' as const, after: stopTimeout }];
  const ended = performance.now();
  await roster.stop(upstream, { end: true, steps: [{ signal, after }, ...kill] });
  roster.staysAfterStdin = performance.now() - ended >= after;
}

/** Tells which requests the end of the drain cut off. */
function reportCutOff({ flow }: Stopping, { generation }: Upstream, dropped: Dropped): void {
  if (dropped.answered.length + dropped.sentAgain.length === 0) return;
  const [cutOff, sentAgain] = [dropped.answered.map(nameOf), dropped.sentAgain.map(nameOf)];
  const limitMs = flow.config.drain;
  flow.events.emit({ kind: 'cut-off', generation, answered: cutOff, sentAgain, limitMs });
}

/** The tool that was called, or the method of another request. */
function nameOf({ method, message }: PendingRequest): string {
  const tool = method === 'tools/call' ? message.read(['params', 'name']) : undefined;
  return typeof tool === 'string' ? `tool ${tool}` : method;
}

/**
 * The server has left for good: nothing is held for another one, and what was replaced before may finish as if it had
 * stayed (P1). Resolves when nobody owes anything.
 */
export async function lastAnswers({ flow, traffic, roster, over }: Stopping): Promise<void> {
  const { lineage } = traffic;
  endHold(lineage);
  const owing = [...roster].filter(({ owesAnything }) => owesAnything);
  await Promise.all(owing.map((upstream) => roster.untilDrained(upstream, flow.config.drain, over)));
  await traffic.gatesEmptied();
}

/**
 * What is held when the client closes its side is answered, if the reload that it waits for takes no longer than a
 * moment.
 */
export async function lastHeld({ traffic }: Stopping, reload: { idle(): Promise<void> }): Promise<void> {
  if (traffic.lineage.hold.size === 0) return;
  const late = new AbortController();
  await Promise.race([
    reload.idle().then(() => traffic.gatesEmptied()),
    delay(LAST_ANSWERS, undefined, { signal: late.signal }).catch(() => {}),
  ]);
  late.abort();
}

/**
 * One of several clients has closed its side: the others stay, and with them the servers. What it asked before is
 * answered, if that takes but a moment. Resolves when the client has read the last of it.
 */
export async function leave({ traffic, roster, over }: Stopping, session: Session): Promise<void> {
  const isOwn = (one: { readonly session: Session }): boolean => one.session === session;
  const isOwed = [...traffic.lineage.hold].some(isOwn) || [...roster].some(({ pending }) => [...pending].some(isOwn));
  if (isOwed) await delay(LAST_ANSWERS, undefined, { signal: over }).catch(() => {});
  await traffic.detach(session)?.drained();
}

/** A candidate that nobody waits for any more. */
export function abandon({ traffic, roster }: Stopping, upstream: Upstream): void {
  dropGeneration(traffic.lineage, upstream);
  const steps = [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 500 },
  ] as const;
  roster.abandon(upstream, { end: true, steps });
}
