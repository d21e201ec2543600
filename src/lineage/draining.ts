/**
 * Stops generations. A replaced one first finishes its pending requests (P1, one answer); an abandoned candidate is
 * stopped at once. Also answers what is left when the server or the client has ended the session. `state.ts` decides
 * when.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { dropGeneration, endHold, type Dropped } from '../exchange/handover.js';
import type { PendingRequest, Session, Upstream } from '../exchange/records.js';
import type { LineageContext } from './lineage-context.js';

/**
 * Under `replace` nobody is served while the old server exits. If its predecessor did not exit when its stdin ended,
 * the signal comes after this time already.
 */
const KNOWN_TO_STAY_MS = 300;
/** When the signal is sent with `--stop-timeout 0`. No SIGKILL follows then. */
const DEFAULT_STOP_MS = 2000;
/** A client that has been told how a task ended may ask for its result: the server is kept for so long. */
const TASK_FOLLOW_UP_MS = 500;
/** After a client has closed its side, its held requests are answered if the reload ends within this time. */
const LAST_ANSWERS_MS = 1000;

/**
 * Lets a replaced generation finish its pending requests, then stops it as a client would: its stdin ends, a signal
 * follows after `--stop-timeout`, SIGKILL after as long again. `isReplacing`: no other server runs meanwhile, so calls
 * wait until this one has exited.
 */
export async function drain(context: LineageContext, upstream: Upstream, isReplacing: boolean): Promise<void> {
  const { flow, messages, generations, closed } = context;
  const { drain: limit, signal, stopTimeout } = flow.config;
  if (upstream.owesAnything) await generations.untilDrained(upstream, limit, closed);
  if (!isReplacing && upstream.tasks.size > 0)
    await delay(TASK_FOLLOW_UP_MS, undefined, { signal: closed }).catch(() => {});
  if (closed.aborted) return;
  reportCutOff(context, upstream, dropGeneration(messages.lineage, upstream));
  messages.watchHold();
  // The restart marker must be on the disk before the old server exits: somebody may look for it right after that.
  await flow.events.flushed();
  const patience = stopTimeout === 0 ? DEFAULT_STOP_MS : stopTimeout;
  const after = isReplacing && generations.staysAfterStdin ? Math.min(KNOWN_TO_STAY_MS, patience) : patience;
  const kill = stopTimeout === 0 ? [] : [{ signal: 'SIGKILL' as const, after: stopTimeout }];
  const stoppedAt = performance.now();
  await generations.stop(upstream, { end: true, steps: [{ signal, after }, ...kill] });
  generations.staysAfterStdin = performance.now() - stoppedAt >= after;
}

/** Emits which requests were cut off because `--drain` had passed. */
function reportCutOff({ flow }: LineageContext, { generation }: Upstream, dropped: Dropped): void {
  if (dropped.answered.length + dropped.retried.length === 0) return;
  const [cutOff, sentAgain] = [dropped.answered.map(nameOf), dropped.retried.map(nameOf)];
  const limitMs = flow.config.drain;
  flow.events.emit({ kind: 'cut-off', generation, answered: cutOff, sentAgain, limitMs });
}

/** The name of the called tool; for other requests, the method. */
function nameOf({ method, message }: PendingRequest): string {
  const tool = method === 'tools/call' ? message.read(['params', 'name']) : undefined;
  return typeof tool === 'string' ? `tool ${tool}` : method;
}

/**
 * The server has exited on purpose and no other follows: held requests are answered, and generations that drain may
 * finish (P1). Resolves when no response is pending.
 */
export async function finishAnswers({ flow, messages, generations, closed }: LineageContext): Promise<void> {
  const { lineage } = messages;
  endHold(lineage);
  const owing = [...generations].filter(({ owesAnything }) => owesAnything);
  await Promise.all(owing.map((upstream) => generations.untilDrained(upstream, flow.config.drain, closed)));
  await messages.gatesEmptied();
}

/** The client has closed its side: its held requests are answered if the reload ends within `LAST_ANSWERS_MS`. */
export async function answerHeld({ messages }: LineageContext, reload: { idle(): Promise<void> }): Promise<void> {
  if (messages.lineage.hold.size === 0) return;
  const timer = new AbortController();
  await Promise.race([
    reload.idle().then(() => messages.gatesEmptied()),
    delay(LAST_ANSWERS_MS, undefined, { signal: timer.signal }).catch(() => {}),
  ]);
  timer.abort();
}

/**
 * One of several clients has closed its side: the others and the servers stay. Its pending requests are answered if
 * that takes no longer than `LAST_ANSWERS_MS`. Resolves when the client has read the last response.
 */
export async function leave({ messages, generations, closed }: LineageContext, session: Session): Promise<void> {
  const isOwn = (one: { readonly session: Session }): boolean => one.session === session;
  const isWaiting =
    [...messages.lineage.hold].some(isOwn) || [...generations].some(({ pending }) => [...pending].some(isOwn));
  if (isWaiting) await delay(LAST_ANSWERS_MS, undefined, { signal: closed }).catch(() => {});
  await messages.detach(session)?.drained();
}

/** Stops a candidate whose attempt was given up. */
export function abandon({ messages, generations }: LineageContext, upstream: Upstream): void {
  dropGeneration(messages.lineage, upstream);
  const steps = [
    { signal: 'SIGTERM', after: 0 },
    { signal: 'SIGKILL', after: 500 },
  ] as const;
  generations.abandon(upstream, { end: true, steps });
}
