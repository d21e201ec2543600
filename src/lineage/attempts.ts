/**
 * Runs the steps of an attempt one after the other: build, retire the old generation (`replace`), start the new one.
 * Each step ends with an event for the state machine, which decides what comes next. `lineage.ts` promotes the new
 * generation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { buildNote, type LastBuild } from '../agent/status-report.js';
import { printedText } from '../agent/excerpt.js';
import type { Failure } from '../agent/words.js';
import { toolsBeside } from '../exchange/agent-calls.js';
import { demote, type PendingHandshake } from '../exchange/handover.js';
import { createAttemptRecord, NO_ACTION, timed, type AttemptRecord, type RequestedAction } from './attempt-record.js';
import { Backoff } from './backoff.js';
import { isCodeError } from './busy.js';
import type { ChangeDetector } from './change-detector.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import { pathsOf } from '../project/disk.js';
import type { Rule } from '../config/config.js';
import type { Project } from '../project/project.js';
import { baselines, type Baselines } from './list-diff.js';
import { announceAgentTools, announceLate } from './announce.js';
import { notSpawned } from '../server/not-spawned.js';
import { RepeatSchedule } from './repeat-schedule.js';
import { lateDifference, refreshStep, requestedAction } from './refresh-step.js';
import { StaleBytecode } from '../project/stale-bytecode.js';
import { awaitsFirst, hasServerAnswered, isInitialized, memoriesOf, type Upstream } from '../exchange/records.js';
import { hangingFailure } from './handshake-timeout.js';
import { adoptStep, startStep, type StartStep } from './start-step.js';
import { endedFailure, saveOutput } from './server-failures.js';
import { servingOf } from './state.js';
import type { Attempt } from './states.js';
import { drain } from './draining.js';
import type { LineageContext } from './lineage-context.js';
import type { History } from './history.js';
import { Snapshots } from './snapshots.js';
import type { StartSlots } from './start-slots.js';

export interface AttemptsContext extends LineageContext {
  readonly history: History;
  readonly project: Project;
  readonly window: AttemptWindow;
  /** Of all lineages of the project. */
  readonly starts: StartSlots;
  readonly changeDetector: ChangeDetector;
  /** The very first server could not be spawned. */
  onNotStarted(error: NodeJS.ErrnoException): void;
  /** The process of the candidate is there. */
  onSpawned(): void;
}

export class Attempts {
  readonly backoff = new Backoff();
  readonly repeats = new RepeatSchedule();
  /** Exit code of the last server that exited by itself while it served. */
  lastExit: number | null = null;
  readonly #context: AttemptsContext;
  /** One queue for all builds, starts and stops: no two of them run at the same time. */
  readonly #work = new PQueue({ concurrency: 1 });
  readonly #bytecode: StaleBytecode;
  #snapshots: Snapshots | undefined;
  #hasStarted = false;
  #current: AttemptRecord | undefined;
  /** What an aborted attempt has not yet done to the server. The next attempt does it too. */
  #actionLeftOver: RequestedAction = NO_ACTION;
  /** Notes about builds by the name of the rule. The next tool result gets them once the attempt has succeeded. */
  readonly #notes = new Map<string, string>();
  #before: { readonly serving: Upstream | undefined; readonly lists: Promise<Baselines> } | undefined;

  constructor(context: AttemptsContext) {
    this.#context = context;
    this.#bytecode = new StaleBytecode((text) => context.flow.events.emit({ kind: 'warning', text }));
    if (context.project.disk.isOpen) this.#snapshots = this.#createSnapshots();
  }

  /** Undefined until the disk is watched. */
  get snapshots(): Snapshots | undefined {
    return this.#snapshots;
  }

  get record(): AttemptRecord | undefined {
    return this.#current;
  }

  begin(attempt: Attempt): void {
    const { flow, messages, closed } = this.#context;
    const { lineage, session } = messages;
    const changes = this.#snapshots?.changesToApply() ?? [];
    const files = pathsOf(changes);
    const action = requestedAction(flow.config.rules, changes, this.#actionLeftOver);
    const record = createAttemptRecord(attempt, files, action, !attempt.repeat && this.#snapshots?.hasNews === true);
    this.#bytecode.recordEdits(files, flow.config.cwd);
    this.abort();
    this.#current = record;
    if (files.length > 0 && !attempt.repeat) {
      flow.events.emit({ kind: 'change', files });
      this.backoff.reset();
    }
    this.#snapshots?.forget('failed');
    this.#snapshots?.take('attempt');
    const { serving } = lineage;
    const stale = this.#before === undefined || (serving ?? this.#before.serving) !== this.#before.serving;
    if (isInitialized(lineage) && stale) {
      this.#before = { serving, lists: baselines(session, closed) };
    }
    this.#queue(record, () => this.#build(record));
  }

  start(number: number, attempt: Attempt): void {
    this.#hasStarted = true;
    const begun = this.#current?.attempt === attempt ? this.#current : undefined;
    // A respawn builds nothing, so its snapshot is taken here: of the disk as it is now, or as it was
    // when the last build began.
    if (begun === undefined) this.#snapshots?.take('attempt', this.#builtFrom());
    const record = begun ?? createAttemptRecord(attempt, []);
    this.#current = record;
    this.#queue(record, () => this.#start(number, record));
  }

  /** The snapshot that the last build was made of, failed or not. Undefined without a build: the disk as it is now. */
  #builtFrom(): 'failed' | 'serving' | undefined {
    if (!this.#context.project.builds.any) return undefined;
    return this.#snapshots?.has('failed') === true ? 'failed' : 'serving';
  }

  /** Makes an attempt of a process that runs already and was sent the handshake by the client. */
  adopt(attempt: Attempt, pending: PendingHandshake): void {
    const record = createAttemptRecord(attempt, []);
    this.#snapshots?.take('attempt', 'serving');
    this.#current = record;
    this.#queue(record, async () => {
      const { flow, messages } = this.#context;
      const context = { flow, messages, before: undefined, onSpawned: () => {}, onHanging: this.#onHanging };
      await this.#end(pending.upstream.generation, record, await adoptStep(context, pending, record));
    });
  }

  retire(number: number): void {
    const record = this.#current;
    if (record !== undefined) this.#queue(record, () => this.#retire(number, record));
  }

  abort(): void {
    this.#current?.abort.abort();
    this.#snapshots?.giveUpAttempt();
  }

  /** The client has closed its side: a helper process takes over the first build. Resolves when it has. */
  async handOverBuild(): Promise<void> {
    if (!this.#hasStarted) await this.#context.project.builds.handOver();
  }

  /** Removes the bytecode that Python cached of edited sources: it may be of an older version. */
  removeBytecode(): Promise<void> {
    return this.#bytecode.remove(this.#context.flow.config);
  }

  /** Makes the build end with this process again: a signal ends it, handed over or not. */
  takeBackBuild(): void {
    this.#context.project.builds.takeBack();
  }

  /** The attempt has ended. The lists that it was to be compared with are fetched anew in the next one. */
  onEnd(isSuccess: boolean): void {
    this.#before = undefined;
    if (!isSuccess) return;
    this.#actionLeftOver = NO_ACTION;
    const { lineage } = this.#context.messages;
    if (this.#notes.size > 0)
      for (const memory of memoriesOf(lineage)) memory.notes = new Map([...(memory.notes ?? []), ...this.#notes]);
    this.#notes.clear();
  }

  /** Resolves when no step is running. */
  async idle(): Promise<void> {
    await this.#work.onIdle();
  }

  async #build(record: AttemptRecord): Promise<void> {
    const { signal } = record.abort;
    const { number } = record.attempt;
    const { config, builds } = this.#context.project;
    if (number === 1) await config.open();
    const changes = this.#snapshots?.changesToApply() ?? [];
    const check = await config.update(changes, this.#snapshots?.appliedConfiguration ?? config.version);
    if (check.kind === 'changed') await this.#reconfigure(record, check.version, check.restart);
    if (signal.aborted) return;
    if (check.kind === 'failed') return this.#failBuild(record, check.failure);
    if (!builds.any) return this.#endBuild(record);
    // The files on the disk decide what to build, so the disk is hashed before the first server is started.
    const snapshots = this.#watch();
    await snapshots.disk.check();
    if (number === 1) snapshots.take('attempt');
    if (signal.aborted) return;
    const { attempt, began, isForChange } = record;
    const onBuilt = this.#onBuilt.bind(this);
    const asker = { rebuild: attempt.rebuild, began, isForChange, isFirst: !this.#hasStarted };
    const step = await timed(record, 'build', () => builds.run({ ...asker, source: snapshots, signal, onBuilt }));
    if (step.kind === 'aborted' || signal.aborted) return;
    if (step.kind === 'failed') return this.#failBuild(record, step.failure);
    record.isBuildSkipped = step.skipped;
    return this.#endBuild(record);
  }

  #onBuilt(build: LastBuild, rule: Rule): void {
    this.#context.history.lastBuild = build;
    if (rule.note === true && build.ok) this.#notes.set(rule.name, buildNote(build));
  }

  async #failBuild(record: AttemptRecord, failure: Failure): Promise<void> {
    if (!(await this.#finish(record))) return;
    this.#context.dispatch({
      on: 'build-failed',
      attempt: record.attempt.number,
      failure: this.repeats.recordFailure(failure, record.began),
      delay: Math.max(1000, this.#recordCrash()),
    });
  }

  /** Another configuration is in force: other files are watched. What their changes have asked for is kept. */
  async #reconfigure(record: AttemptRecord, version: number, restart: boolean): Promise<void> {
    const { flow, messages } = this.#context;
    if (restart) record.next = 'restart';
    this.#actionLeftOver = { next: record.next, signals: record.signals };
    const before = [...messages.lineage.sessions].map((session) => ({ session, tools: toolsBeside(session) }));
    messages.reconfigure(flow.config);
    for (const { session, tools } of before) if (toolsBeside(session) !== tools) announceAgentTools(flow, session);
    const since = Date.now() - (performance.now() - record.began);
    this.#snapshots?.recordConfiguration(version);
    await this.#context.project.watchAnew(version, since);
  }

  async #endBuild(record: AttemptRecord): Promise<void> {
    const { number, forced } = record.attempt;
    // Without a refresh or a restart the attempt ends here.
    if (!forced && record.next === 'nothing' && !(await this.#finish(record))) return;
    this.#context.dispatch({ on: 'built', attempt: number, next: record.next });
  }

  refresh(number: number): void {
    const record = this.#current;
    if (record !== undefined) this.#queue(record, () => this.#refresh(number, record));
  }

  async #refresh(number: number, record: AttemptRecord): Promise<void> {
    const { flow, messages, generations, dispatch, closed } = this.#context;
    const { session } = messages;
    const upstream = generations.get(number);
    if (upstream === undefined) return;
    const before = await (this.#before?.lists ?? Promise.resolve(undefined));
    await this.removeBytecode();
    const refresh = { session, upstream, signals: record.signals, before };
    record.difference = await timed(record, 'refresh', () => refreshStep(refresh, record.abort.signal));
    if (record.abort.signal.aborted || !(await this.#finish(record))) return;
    const equal = record.difference === undefined || record.difference.changed.length === 0;
    dispatch({ on: 'refreshed', attempt: record.attempt.number });
    if (!equal || before === undefined) return;
    // The server may take seconds to read its files again, so the lists are compared a few times more.
    const signal = AbortSignal.any([record.abort.signal, closed]);
    void lateDifference(refresh, before, signal).then((late) => {
      if (late !== undefined && !signal.aborted) announceLate(flow, session, upstream, late, record.files);
    });
  }

  async #start(number: number, record: AttemptRecord): Promise<void> {
    const { flow, messages, generations, state } = this.#context;
    if (state().strategy === 'replace') {
      await generations.untilAlone(messages.lineage.serving);
      const { restartDelay } = flow.config;
      if (number > 1 && restartDelay > 0)
        await delay(restartDelay, undefined, { signal: record.abort.signal }).catch(() => {});
    }
    if (record.abort.signal.aborted) return;
    // The early server was started before this attempt, so its code may be too old: it is not used.
    if (record.attempt.number > 1) await flow.earlyServer?.end();
    if (this.#bytecode.any) {
      // An abandoned candidate may still be importing the old sources, and would cache them under the new time stamps.
      await generations.untilAbandonedGone();
      await this.removeBytecode();
    }
    const before = this.#before?.lists;
    const since = record.attempt.number === 1 ? flow.earlyServer?.since : undefined;
    const onSpawned = (): void => {
      this.#context.onSpawned();
      this.#watch(since);
      // Again: a draining server may have cached something meanwhile, and the new process has not begun to import yet.
      void this.removeBytecode();
    };
    const context = { flow, messages, before, onSpawned, onHanging: this.#onHanging };
    const { signal } = record.abort;
    const step = await this.#context.starts.run(() => startStep(context, number, record), signal);
    await this.#end(number, record, step ?? { kind: 'aborted' });
  }

  async #end(number: number, record: AttemptRecord, step: StartStep): Promise<void> {
    const { flow, dispatch, history, messages } = this.#context;
    const { lineage } = messages;
    switch (step.kind) {
      case 'aborted':
        return;
      case 'not-spawned': {
        if (number === 1) return this.#context.onNotStarted(step.error);
        return this.#failStart(number, record, notSpawned(flow.name, flow.config.cwd, step.error), false);
      }
      case 'failed':
        return this.#failStart(number, record, step.failure, step.busy);
      case 'ready':
        if (!(await this.#finish(record))) return;
        // While this candidate started, the client may have completed its handshake with the serving generation. The
        // candidate has not been sent that session yet: open it now.
        if (lineage.agreement.isOpen && step.open !== undefined) return this.#end(number, record, await step.open());
        if (step.upstream.process.isGone) {
          const output = saveOutput(flow, step.upstream);
          return this.#failStart(number, record, endedFailure('start', flow.name, step.upstream, output), false);
        }
        record.isFirstStart = awaitsFirst(lineage) && (record.attempt.number === 1 || lineage.agreement.isLocalResult);
        if (number > 1) history.recordRestarting(number, record, this.lastExit);
        return dispatch({ on: 'ready', generation: number });
    }
  }

  async #failStart(number: number, record: AttemptRecord, failure: Failure, busy: boolean): Promise<void> {
    // The server may have read a file that was half written. The kernel reports that write only when it is complete.
    if (!busy && this.#snapshots?.isReady === true) await this.#snapshots.disk.sweep();
    if (!(await this.#finish(record))) return;
    const state = this.#context.state();
    const isBeside = servingOf(state) !== undefined && state.at === 'starting' && state.strategy === 'overlap';
    // The server beside it may hold a resource that it needs, and `busy.ts` does not know every message about that.
    const beside = isBeside && !isCodeError(printedText(failure.output)) ? true : undefined;
    const pause = this.#recordCrash();
    this.#context.dispatch({
      on: 'start-failed',
      generation: number,
      failure: this.repeats.recordFailure(beside === undefined ? failure : { ...failure, beside }, record.began),
      busy,
      skipped: record.isBuildSkipped,
      delay: Math.max(1000, pause),
      beforeFirstAnswer: !hasServerAnswered(this.#context.messages.lineage),
      isFirst: awaitsFirst(this.#context.messages.lineage) && pause === 0,
    });
  }

  /** The first server does not answer: the client is told, and the start goes on, or over if something was saved. */
  readonly #onHanging = (upstream: Upstream, ms: number): void => {
    const { flow, dispatch } = this.#context;
    dispatch({ on: 'overdue', generation: upstream.generation, failure: hangingFailure(flow, upstream, ms) });
    if (this.#current !== undefined) void this.#finish(this.#current);
  };

  /** Counts as a crash unless a server serves. Returns how long to wait before the next start. */
  #recordCrash(): number {
    if (servingOf(this.#context.state()) !== undefined) return 0;
    const now = performance.now();
    return this.backoff.recordCrash(now, now);
  }

  /** Checks the disk once more. False: the attempt is superseded by a change, or was given up. */
  async #finish(record: AttemptRecord): Promise<boolean> {
    if (this.#snapshots?.isReady !== true) return true;
    record.lastCheckAt = performance.now();
    const end = await this.#snapshots.finishAttempt(record.abort.signal);
    if (end === 'superseded') this.#context.dispatch({ on: 'change' });
    return end === 'stands';
  }

  async #retire(number: number, record: AttemptRecord): Promise<void> {
    const { messages, generations } = this.#context;
    await timed(record, 'drain', async () => {
      await this.#before?.lists;
      this.#context.history.recordRetiring(number + 1, record, this.lastExit);
      this.#context.dispatch({ on: 'drains', generation: number });
      const upstream = generations.get(number);
      if (upstream === undefined) return;
      demote(messages.lineage, upstream);
      await drain(this.#context, upstream, true);
    });
    this.#context.dispatch({ on: 'retired', generation: number });
  }

  /** `since`: when the server was started or will be, in milliseconds since 1970. */
  #watch(since = Date.now()): Snapshots {
    if (this.#snapshots !== undefined) return this.#snapshots;
    const { project } = this.#context;
    project.watch(since);
    this.#snapshots = this.#createSnapshots();
    this.#snapshots.take('attempt');
    return this.#snapshots;
  }

  #createSnapshots(): Snapshots {
    const { flow, project, window, changeDetector } = this.#context;
    return new Snapshots(project, window, flow.events, () => void changeDetector.detectChanges(false));
  }

  #queue(record: AttemptRecord, work: () => Promise<void>): void {
    void this.#work.add(async () => {
      if (!record.abort.signal.aborted) await work();
    });
  }
}
