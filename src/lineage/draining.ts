/**
 * How generations go: one that was replaced finishes first, even if no other is left; one that nobody waits for does
 * not. And what is still answered before the proxy goes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { dropGeneration, endHold, type Dropped } from '../exchange/handover.js';
import type { PendingRequest, Upstream } from '../exchange/records.js';
import type { LineageContext } from './lineage-context.js';

/** Under `replace`, how long a server has to go by itself if the one before it did not: nobody is served meanwhile. */
const KNOWN_TO_STAY_MS = 300;
/** `--stop-timeout 0`: the signal comes after this time, and no SIGKILL follows. */
const DEFAULT_STOP_MS = 2000;
const TASK_FOLLOW_UP_MS = 500;
/** How long a client that has closed its side may wait for what it asked before. */
const LAST_ANSWERS_MS = 1000;

/**
 * Lets a replaced generation finish what it owes, then stops it as a client would: its stdin ends, a signal follows
 * after
 * `--stop-timeout`, SIGKILL after as long again. `isReplacing`: no other server runs meanwhile, so that calls wait for its end.
 */
export async function drain(context: LineageContext, upstream: Upstream, isReplacing: boolean): Promise<void> {
  const { flow, messages, generations, closed } = context;
  const { drain: limit, signal, stopTimeout } = flow.config;
  if (upstream.owesAnything) await generations.untilDrained(upstream, limit, closed);
  // A client that has just been told how a task ended may ask for more of it.
  if (!isReplacing && upstream.tasks.size > 0)
    await delay(TASK_FOLLOW_UP_MS, undefined, { signal: closed }).catch(() => {});
  if (closed.aborted) return;
  reportCutOff(context, upstream, dropGeneration(messages.lineage, upstream));
  messages.watchHold();
  // Who looks for the marker after the old server has gone has to find it.
  await flow.events.flushed();
  const patience = stopTimeout === 0 ? DEFAULT_STOP_MS : stopTimeout;
  const after = isReplacing && generations.staysAfterStdin ? Math.min(KNOWN_TO_STAY_MS, patience) : patience;
  const kill = stopTimeout === 0 ? [] : [{ signal: 'SIGKILL' as const, after: stopTimeout }];
  const stoppedAt = performance.now();
  await generations.stop(upstream, { end: true, steps: [{ signal, after }, ...kill] });
  generations.staysAfterStdin = performance.now() - stoppedAt >= after;
}

/** Tells which requests the end of the drain cut off. */
function reportCutOff({ flow }: LineageContext, { generation }: Upstream, dropped: Dropped): void {
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
export async function finishAnswers({ flow, messages, generations, closed }: LineageContext): Promise<void> {
  const { lineage } = messages;
  endHold(lineage);
  const owing = [...generations].filter(({ owesAnything }) => owesAnything);
  await Promise.all(owing.map((upstream) => generations.untilDrained(upstream, flow.config.drain, closed)));
  await messages.gatesEmptied();
}

/**
 * What is held when the client closes its side is answered, if the reload that it waits for takes no longer than a
 * moment.
 */
export async function answerHeld({ messages }: LineageContext, reload: { idle(): Promise<void> }): Promise<void> {
  if (messages.lineage.hold.size === 0) return;
  const timer = new AbortController();
  await Promise.race([
    reload.idle().then(() => messages.gatesEmptied()),
    delay(LAST_ANSWERS_MS, undefined, { signal: timer.signal }).catch(() => {}),
  ]);
  timer.abort();
}

/** A candidate that nobody waits for any more. */
export function abandon({ messages, generations }: LineageContext, upstream: Upstream): void {
  dropGeneration(messages.lineage, upstream);
  const steps = [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 500 },
  ] as const;
  generations.abandon(upstream, { end: true, steps });
}
