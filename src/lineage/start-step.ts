/**
 * The starting part of an attempt: spawn the candidate, open the session with it, and see what it changes in the lists.
 * Says how it went; clients hear nothing of the candidate before the state machine lets it serve.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { printedText } from '../agent/excerpt.js';
import type { Failure, ServerCause } from '../agent/failure.js';
import type { FlowContext } from '../flow/flow.js';
import { LISTS } from '../lists/lists.js';
import type { PendingHandshake } from '../exchange/handover.js';
import { awaitsFirst, isInitialized, type Upstream } from '../exchange/records.js';
import { startServer } from '../server/start-server.js';
import { timed, type AttemptRecord } from './attempt-record.js';
import { isBusy } from './busy.js';
import { takesFreePort } from '../config/upstream-option.js';
import { fence } from '../project/fence.js';
import { httpTraceOf, warnOfHttp } from './http-warning.js';
import { adoptHandshake, handshake, type Handshake } from './handshake.js';
import { firstStartLimit, FORESEEN_AFTER_MS, MAX_LIMITS, startTimeout, type TooLate } from './start-timeout.js';
import {
  difference,
  fetchLists,
  heldLists,
  knownBaselines,
  recordLists,
  unlessAsNow,
  withLatestServed,
  type Baselines,
} from './list-diff.js';
import { endOf, notThere, saveOutput } from './server-failures.js';
import type { MessageFlow } from './message-flow.js';

export type StartStep =
  /** `open`: there was no session to be opened; there may be one by now. */
  | { readonly kind: 'ready'; readonly upstream: Upstream; readonly open?: () => Promise<StartStep> }
  /** The command can't be run at all. */
  | { readonly kind: 'not-spawned'; readonly error: NodeJS.ErrnoException }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly busy: boolean }
  | { readonly kind: 'aborted' };

const MAX_PORTS = 3;
const PORT_TAKEN_MEANWHILE =
  'the server did not start because something was in use, the port that was free a moment before as a rule: it is started again with another one';

/** How long a client may take to say its roots, and a server to read them and to take them in. */
const ROOTS_SAID = 1_000;
const ROOTS_READ = 5_000;
const ROOTS_TAKEN_IN = 50;

export interface StartContext {
  readonly flow: FlowContext;
  readonly messages: MessageFlow;
  /** What the lists are compared with, once that is known. */
  readonly before: Promise<Baselines> | undefined;
  onSpawned(): void;
  /** The first server of all has not opened the session for so long. It goes on trying. */
  onHanging(upstream: Upstream, ms: number): void;
}

/** A port that was free may be taken before the server has it: then another one is tried. */
export async function startStep(context: StartContext, number: number, record: AttemptRecord): Promise<StartStep> {
  const { config, events } = context.flow;
  for (let tries = 1; ; tries++) {
    const step = await startOnce(context, number, record);
    const mayBePort = step.kind === 'failed' && step.busy && takesFreePort(config);
    if (!mayBePort || tries === MAX_PORTS || record.abort.signal.aborted) return step;
    events.emit({ kind: 'warning', text: PORT_TAKEN_MEANWHILE, level: 'info' });
  }
}

async function startOnce(context: StartContext, number: number, record: AttemptRecord): Promise<StartStep> {
  const { flow, messages } = context;
  const { lineage } = messages;
  const first = flow.earlyServer?.take();
  // A spawn makes the event loop stand still, and so may have what led to it: the traffic gets its turn in between.
  if (first === undefined) await fence();
  if (record.abort.signal.aborted && first === undefined) return { kind: 'aborted' };
  const started = await startServer(flow.spec(number), messages.upstreamContext, messages.serverEvents, first);
  if (!started.ok) {
    if (started.isPortTaken !== true) return { kind: 'not-spawned', error: started.error };
    // Nothing runs, and the next save may come all the same.
    context.onSpawned();
    return portTaken(flow, started.error);
  }
  const { upstream } = started;
  messages.admit(upstream);
  if (record.abort.signal.aborted) {
    upstream.process.stop({ end: true, steps: [{ signal: 'SIGKILL', after: 0 }] });
    return { kind: 'aborted' };
  }
  context.onSpawned();
  const open = (): Promise<StartStep> => openStep(context, upstream, record);
  return lineage.agreement.isOpen ? open() : { kind: 'ready', upstream, open };
}

/** What has the port is not ours to stop, and its answers are not those of the code on the disk. */
function portTaken({ name }: FlowContext, { message: at }: Error): StartStep {
  return {
    kind: 'failed',
    failure: { kind: 'start', command: name, cause: { kind: 'port-taken', at }, output: '' },
    busy: false,
  };
}

/** The session that the client has, with a new process. */
async function openStep(context: StartContext, upstream: Upstream, record: AttemptRecord): Promise<StartStep> {
  const { lineage } = context.messages;
  const { flow } = context;
  const { startTimeout: limitMs } = flow.config;
  const over = new AbortController();
  const limit = new AbortController();
  const signal = AbortSignal.any([record.abort.signal, limit.signal]);
  const either = AbortSignal.any([over.signal, record.abort.signal]);
  void warnOfHttp(flow, lineage, () => upstream, either);
  // The client waits for its first server without knowing it, so that one has as long as if the client had asked it
  // itself.
  if (awaitsFirst(lineage)) watchFirst(context, upstream, firstStartLimit(limitMs), either);
  else if (limitMs > 0) {
    void startTimeout(limitMs, () => upstream.process.signOfLife(), either).then((late) => {
      if (late !== undefined) limit.abort(late);
    });
  }
  const opened = await timed(record, 'start', () => handshake(lineage, upstream, signal));
  over.abort();
  return finish(context, upstream, opened, limit.signal.reason as TooLate | undefined, record);
}

/**
 * A process that is there already, and was asked to open the session by the client itself: only its answer is missing.
 */
export async function adoptStep(
  context: StartContext,
  pending: PendingHandshake,
  record: AttemptRecord,
): Promise<StartStep> {
  const { flow, messages } = context;
  const { lineage } = messages;
  const { upstream } = pending;
  if (upstream.process.isGone) return { kind: 'aborted' };
  const over = new AbortController();
  const waited = awaitsFirst(lineage) ? firstStartLimit(flow.config.startTimeout) - FORESEEN_AFTER_MS : undefined;
  if (waited !== undefined) watchFirst(context, upstream, waited, AbortSignal.any([over.signal, record.abort.signal]));
  const opened = await timed(record, 'start', () => adoptHandshake(lineage, pending, record.abort.signal));
  over.abort();
  return finish(context, upstream, opened, undefined, record);
}

function watchFirst(context: StartContext, upstream: Upstream, ms: number, over: AbortSignal): void {
  after(ms, over, () => {
    if (!upstream.process.isGone) context.onHanging(upstream, firstStartLimit(context.flow.config.startTimeout));
  });
}

/** After a standstill of our own the timer is due before what the server has answered long ago is read. */
function after(ms: number, over: AbortSignal, then: () => void): void {
  void delay(ms, undefined, { signal: over })
    .then(fence)
    .then(
      () => {
        if (!over.aborted) then();
      },
      () => {},
    );
}

/** With the session open, what is left is to see what has changed. */
async function finish(
  context: StartContext,
  upstream: Upstream,
  opened: Handshake,
  late: TooLate | undefined,
  record: AttemptRecord,
): Promise<StartStep> {
  const { flow } = context;
  if (record.abort.signal.aborted) return { kind: 'aborted' };
  if (opened.kind !== 'done') return failedStep(flow, upstream, opened, late);
  upstream.hasAnswered = true;
  await timed(record, 'lists', () => compare(context, upstream, opened.capabilities, record));
  await untilRooted(upstream, record.abort.signal);
  if (record.abort.signal.aborted) return { kind: 'aborted' };
  return upstream.process.isGone
    ? failedStep(flow, upstream, { kind: 'gone' }, undefined)
    : { kind: 'ready', upstream };
}

async function compare(
  context: StartContext,
  upstream: Upstream,
  capabilities: Readonly<Record<string, unknown>>,
  record: AttemptRecord,
): Promise<void> {
  const { before } = context;
  const { lineage, session } = context.messages;
  if (!isInitialized(lineage)) return;
  // After a crash, with no change, nothing was asked beforehand: what no client ever had can't be news to any.
  const known = knownBaselines(session);
  const held = heldLists(lineage);
  const lists = before === undefined ? LISTS.filter(({ name }) => held.has(name)) : LISTS;
  upstream.suppressedListChanges.clear();
  const fetched = fetchLists(lineage, upstream, capabilities, record.abort.signal, lists);
  const [asked, now] = await Promise.all([before, fetched]);
  const old = asked ?? unlessAsNow(known, now);
  recordLists(upstream, now, capabilities);
  record.difference = difference(withLatestServed(session, old), now);
}

/**
 * Many a server asks for the client's roots as soon as the session is open, and refuses what lies outside of them. The
 * one before has had them for long, so the new one gets the time to have them too before anything else is asked of it.
 */
async function untilRooted(upstream: Upstream, signal: AbortSignal): Promise<void> {
  const { serverRequests } = upstream;
  if (!serverRequests.hasAskedForRoots) return;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  serverRequests.onRootsAnswered(() => over.abort());
  await delay(ROOTS_SAID, undefined, { signal: either }).catch(() => {});
  // It may be busy: what it has yet to read it can't have taken in. A server that knows no ping says so, which will do.
  const patience = AbortSignal.any([signal, AbortSignal.timeout(ROOTS_READ)]);
  if (over.signal.aborted) await upstream.request('ping', undefined, patience);
  await delay(ROOTS_TAKEN_IN, undefined, { signal }).catch(() => {});
}

function failedStep(flow: FlowContext, upstream: Upstream, why: Handshake, late: TooLate | undefined): StartStep {
  if (flow.config.command === '' && late !== undefined)
    return { kind: 'failed', failure: notThere(flow, upstream, flow.config.startTimeout), busy: false };
  const output = saveOutput(flow, upstream);
  const cause = causeOf(flow, upstream, why, late);
  const other = flow.config.command === '' ? 'away' : 'start';
  const kind = cause.kind === 'refused' && cause.otherEra !== undefined ? 'era' : other;
  const failure: Failure = { kind, command: flow.name, cause, output };
  return { kind: 'failed', failure, busy: isBusy(printedText(output)) };
}

function causeOf(flow: FlowContext, upstream: Upstream, why: Handshake, late: TooLate | undefined): ServerCause {
  const { startTimeout: limitMs } = flow.config;
  if (late !== undefined) {
    const isAtWork = late === 'endless';
    const trace = httpTraceOf(flow, upstream);
    return {
      kind: 'unanswered',
      limitMs: isAtWork ? MAX_LIMITS * limitMs : limitMs,
      isAtWork,
      trace,
      last: upstream.lastProblem(),
    };
  }
  if (why.kind !== 'refused') return { kind: 'ended', end: endOf(upstream), inHandshake: true };
  const { error, otherEra } = why;
  return { kind: 'refused', error, ...(otherEra === undefined ? {} : { otherEra }) };
}
