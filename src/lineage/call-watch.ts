/**
 * Looks after calls that servers leave unanswered: one that has been silent for half a minute is reported, and one that
 * is silent for longer than `--call-timeout` is given up. One timer serves all calls. Whose clock stands where, and
 * what a client is told, is for exchange/silent-calls.ts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { silentCallWarning, timedOutCallWarning } from '../agent/call-words.js';
import type { FlowContext } from '../flow/flow.js';
import type { LineageRecord, Session } from '../exchange/records.js';
import { giveUpCall, unansweredCalls, type UnansweredCall } from '../exchange/silent-calls.js';
import { fence } from '../project/fence.js';

/** A call that the server says nothing about for so long is worth a word. */
const SILENT_AFTER_MS = 30_000;
/** How often to look whether calls that were reported are silent still. */
const LOOK_AGAIN_MS = 1_000;

export interface CallWatchContext {
  readonly flow: Pick<FlowContext, 'config' | 'events'>;
  readonly lineage: LineageRecord;
  /** Aborted when the lineage ends. */
  readonly closed: AbortSignal;
  readonly silentAfterMs?: number | undefined;
}

export class CallWatch {
  readonly #context: CallWatchContext;
  readonly #silentAfterMs: number;
  #isRunning = false;
  #sleep = new AbortController();
  /** Since when those are silent that were told of, by their place in the order of all. */
  #silent: ReadonlyMap<number, string> = new Map();

  constructor(context: CallWatchContext) {
    this.#context = context;
    this.#silentAfterMs = context.silentAfterMs ?? SILENT_AFTER_MS;
    const { callClock } = context.lineage;
    callClock.onBusy = () => this.#begin();
    callClock.onSilenceOver = () => this.wake();
    callClock.onGoesOn = () => this.wake();
  }

  /** Those of a client that people were told of, or will be. */
  silentCallsOf(session: Session): readonly { readonly tool: string; readonly silentMs: number }[] {
    const calls = unansweredCalls(this.#context.lineage, session);
    return calls
      .filter(({ silentMs }) => silentMs >= this.#silentAfterMs)
      .map(({ tool, silentMs }) => ({ tool, silentMs: Math.round(silentMs) }));
  }

  /** Looks now: an answer has come, a clock goes on that stood still, or another limit is in force. */
  wake(): void {
    this.#sleep.abort();
  }

  #begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { closed } = this.#context;
    // The call that this was begun for is entered when the caller is done.
    let pause: number | undefined = this.#firstMs;
    while (pause !== undefined) {
      this.#sleep = new AbortController();
      const signal = AbortSignal.any([closed, this.#sleep.signal]);
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
      // After a standstill of our own the time is over before answers are read that arrived long ago.
      await fence();
      if (closed.aborted) break;
      pause = this.#look();
    }
    // In the same turn as the last look: a call that begins from now on begins a new watch.
    this.#isRunning = false;
  }

  get #limitMs(): number | undefined {
    const { callTimeout = 0 } = this.#context.flow.config;
    return callTimeout > 0 ? callTimeout : undefined;
  }

  /** No call is worth a look earlier than this after it has begun. */
  get #firstMs(): number {
    return Math.min(this.#limitMs ?? Infinity, this.#silentAfterMs);
  }

  /** Returns after how many milliseconds to look again. */
  #look(): number | undefined {
    const limit = this.#limitMs;
    for (const call of unansweredCalls(this.#context.lineage)) this.#report(call, limit);
    if (limit !== undefined) this.#giveUpThoseOver(limit);
    const open = this.#within(limit);
    const silent = open.filter(({ silentMs }) => silentMs >= this.#silentAfterMs);
    this.#show(silent);
    const waits = open.map(({ silentMs, isPaused }) => {
      // It says so itself when it goes on.
      if (isPaused) return this.#firstMs;
      const next = silentMs < this.#silentAfterMs ? this.#silentAfterMs : LOOK_AGAIN_MS + silentMs;
      return Math.max(1, Math.ceil(Math.min(next, limit ?? Infinity) - silentMs));
    });
    return waits.length === 0 ? undefined : waits.reduce((one, other) => Math.min(one, other));
  }

  #within(limit: number | undefined): UnansweredCall[] {
    const calls = unansweredCalls(this.#context.lineage);
    return limit === undefined ? calls : calls.filter(({ silentMs }) => silentMs < limit);
  }

  /** Afterwards others may be with the server, whose turn has come. */
  #giveUpThoseOver(limit: number): void {
    const open = this.#within(limit);
    for (const call of unansweredCalls(this.#context.lineage))
      if (call.silentMs >= limit && !isOfBatch(call, open)) this.#giveUp(call, limit);
  }

  /** Once for each call. */
  #report({ upstream, pending, tool, silentMs }: UnansweredCall, limitMs: number | undefined): void {
    if (pending.isReported || silentMs < this.#silentAfterMs || silentMs >= (limitMs ?? Infinity)) return;
    upstream.pending.report(pending);
    const text = silentCallWarning(tool, upstream.generation, silentMs, limitMs);
    this.#context.flow.events.emit({ kind: 'warning', code: 'silent-call', text });
  }

  #giveUp(call: UnansweredCall, limitMs: number): void {
    const { upstream, tool, pending } = call;
    // It is answered already, with the batch that it belongs to.
    if (upstream.pending.find(pending.key) !== pending) return;
    const text = timedOutCallWarning(tool, upstream.generation, limitMs);
    this.#context.flow.events.emit({ kind: 'warning', code: 'call-timeout', text });
    giveUpCall(call, limitMs);
  }

  /** Tells of those that are silent when others are than before. */
  #show(silent: readonly UnansweredCall[]): void {
    const before = this.#silent;
    const now = Date.now();
    const sinceOf = ({ pending, silentMs }: UnansweredCall): string =>
      before.get(pending.order) ?? new Date(now - silentMs).toISOString();
    this.#silent = new Map(silent.map((call) => [call.pending.order, sinceOf(call)]));
    if (this.#silent.size === before.size && silent.every(({ pending }) => before.has(pending.order))) return;
    const calls = silent.map((call) => {
      const { upstream, tool, pending } = call;
      return { tool, generation: upstream.generation, since: this.#silent.get(pending.order) ?? sinceOf(call) };
    });
    this.#context.flow.events.emit({ kind: 'silent-calls', calls });
  }
}

/** A batch is answered as one: its server is at work as long as it says something about one of its calls. */
function isOfBatch({ pending }: UnansweredCall, others: readonly UnansweredCall[]): boolean {
  return pending.batch !== undefined && others.some((other) => other.pending.batch === pending.batch);
}
