/**
 * The work of an attempt, in steps that run one after the other: build, retire the old generation (`replace`), start
 * the new one. Each step ends in an event for the state machine; none decides what comes next. Handing over is the
 * controller's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { buildNote, type LastBuild } from '../agent/status-report.js';
import { printedText } from '../agent/excerpt.js';
import type { Failure } from '../agent/words.js';
import { toolsBeside } from '../exchange/agent-calls.js';
import { demote, type PendingHandshake } from '../exchange/handover.js';
import { createRun, nothing, timed, type Run, type Wants } from './attempt-record.js';
import { Backoff } from './backoff.js';
import { isCodeError } from './busy.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import { pathsOf } from '../project/disk.js';
import type { Rule } from '../config/config.js';
import type { Project } from '../project/project.js';
import { baselines, type Baselines } from './list-diff.js';
import { announceAgentTools, announceToAll } from './announce.js';
import { notSpawned } from '../server/not-spawned.js';
import { RetrySchedule } from './retry-schedule.js';
import { lateDifference, refreshStep, wantsOf } from './refresh-step.js';
import { StaleBytecode } from '../project/stale-bytecode.js';
import { awaitsFirst, hasServerAnswered, type Upstream } from '../exchange/records.js';
import { hangs } from './handshake-timeout.js';
import { adoptStep, startStep, type StartStep } from './start-step.js';
import { endedFailure, saveOutput } from './server-failures.js';
import { servingOf } from './state.js';
import type { Attempt, Event, State } from './states.js';
import { drain, type Stopping } from './draining.js';
import type { History } from './history.js';
import { Snapshots } from './snapshots.js';

export interface AttemptsContext extends Stopping {
  readonly history: History;
  state(): State;
  dispatch(event: Event): void;
  readonly project: Project;
  readonly window: AttemptWindow;
  /** The disk has been quiet for a while: it is time to look at it. */
  onQuiet(): void;
  /** The command of the very first server can't be run. */
  onNotStarted(error: NodeJS.ErrnoException): void;
}

export class Attempts {
  readonly backoff = new Backoff();
  readonly retries = new RetrySchedule();
  /** How the last server that served came to its end. */
  lastExit: number | null = null;
  readonly #context: AttemptsContext;
  /** Builds, starts and stops of one attempt after the other, never side by side. */
  readonly #work = new PQueue({ concurrency: 1 });
  readonly #bytecode: StaleBytecode;
  #snapshots: Snapshots | undefined;
  #hasStarted = false;
  #run: Run | undefined;
  /** What was asked of the server and is not done yet: it outlives an attempt that starts over. */
  #owing: Wants = nothing;
  /** What the next tool result has to say of builds, by rule, once the attempt has ended well. */
  readonly #notes = new Map<string, string>();
  #before: { readonly serving: Upstream | undefined; readonly lists: Promise<Baselines> } | undefined;

  constructor(context: AttemptsContext) {
    this.#context = context;
    this.#bytecode = new StaleBytecode((text) => context.flow.events.emit({ kind: 'warning', text }));
    if (context.project.disk.isOpen) this.#snapshots = this.#createSnapshots();
  }

  /** Once the disk is watched. */
  get snapshots(): Snapshots | undefined {
    return this.#snapshots;
  }

  get run(): Run | undefined {
    return this.#run;
  }

  begin(attempt: Attempt): void {
    const { flow, traffic, over } = this.#context;
    const { lineage, session } = traffic;
    const changes = this.#snapshots?.changesToApply() ?? [];
    const files = pathsOf(changes);
    const run = createRun(attempt, files, wantsOf(flow.config.rules, changes, this.#owing));
    this.#bytecode.changed(files, flow.config.cwd);
    this.abort();
    this.#run = run;
    if (files.length > 0 && !attempt.retry) {
      flow.events.emit({ kind: 'change', files });
      this.backoff.reset();
    }
    this.#snapshots?.forget('failed');
    this.#snapshots?.take('attempt');
    const { serving } = lineage;
    const stale = this.#before === undefined || (serving ?? this.#before.serving) !== this.#before.serving;
    if (lineage.agreement.isInitialized && stale) {
      this.#before = { serving, lists: baselines(session, over) };
    }
    this.#queue(run, () => this.#build(run));
  }

  start(number: number, attempt: Attempt): void {
    this.#hasStarted = true;
    const begun = this.#run?.attempt === attempt ? this.#run : undefined;
    // A restart after a crash builds nothing, so it begins here: with what is on the disk now, or with what was built
    // before.
    if (begun === undefined) this.#snapshots?.take('attempt', this.#builtFrom());
    const run = begun ?? createRun(attempt, []);
    this.#run = run;
    this.#queue(run, () => this.#start(number, run));
  }

  /**
   * Of which content the last build was made, well or not; undefined: nothing is built, so it is what is on the disk
   * now.
   */
  #builtFrom(): 'failed' | 'serving' | undefined {
    if (!this.#context.project.builds.any) return undefined;
    return this.#snapshots?.has('failed') === true ? 'failed' : 'serving';
  }

  /** Goes on with a process that has been started and asked already. */
  adopt(attempt: Attempt, pending: PendingHandshake): void {
    const run = createRun(attempt, []);
    this.#snapshots?.take('attempt', 'serving');
    this.#run = run;
    this.#queue(run, async () => {
      const { flow, traffic } = this.#context;
      const context = { flow, traffic, before: undefined, spawned: () => {}, hangs: this.#hangs };
      await this.#end(pending.upstream.generation, run, await adoptStep(context, pending, run));
    });
  }

  retire(number: number): void {
    const run = this.#run;
    if (run !== undefined) this.#queue(run, () => this.#retire(number, run));
  }

  abort(): void {
    this.#run?.abort.abort();
    this.#snapshots?.giveUpAttempt();
  }

  /**
   * The client has closed its side: a first build is left to a helper. Resolves when nothing of it needs this process.
   */
  async handOverBuild(): Promise<void> {
    if (!this.#hasStarted) await this.#context.project.builds.handOver();
  }

  /** What Python has cached of sources that were edited in this session may be of an older version. */
  removeBytecode(): Promise<void> {
    return this.#bytecode.remove(this.#context.flow.config);
  }

  /** A signal ends the build all the same. */
  takeBackBuild(): void {
    this.#context.project.builds.takeBack();
  }

  /** The new generation serves, or the old one goes on: what its lists were is asked anew next time. */
  ended(well: boolean): void {
    this.#before = undefined;
    if (!well) return;
    this.#owing = nothing;
    const { sessions } = this.#context.traffic.lineage;
    if (this.#notes.size > 0)
      for (const session of sessions) session.notes = new Map([...(session.notes ?? []), ...this.#notes]);
    this.#notes.clear();
  }

  /** Resolves when no step is under way. */
  async idle(): Promise<void> {
    await this.#work.onIdle();
  }

  async #build(run: Run): Promise<void> {
    const { signal } = run.abort;
    const { number } = run.attempt;
    const { config, builds } = this.#context.project;
    if (number === 1) await config.open();
    const changes = this.#snapshots?.changesToApply() ?? [];
    const check = await config.update(changes, this.#snapshots?.appliedConfiguration ?? config.version);
    if (check.kind === 'changed') await this.#reconfigure(run, check.version, check.restart);
    if (signal.aborted) return;
    if (check.kind === 'failed') return this.#notBuilt(run, check.failure);
    if (!builds.any) return this.#built(run);
    // What to build is decided by what is on the disk, so the first look at it comes before the first start.
    const snapshots = this.#watch();
    await snapshots.disk.check();
    if (number === 1) snapshots.take('attempt');
    if (signal.aborted) return;
    const { attempt, began } = run;
    const onBuilt = this.#onBuilt.bind(this);
    const request = { rebuild: attempt.rebuild, isFirst: !this.#hasStarted, began, source: snapshots, signal, onBuilt };
    const step = await timed(run, 'build', () => builds.run(request));
    if (step.kind === 'aborted' || signal.aborted) return;
    if (step.kind === 'failed') return this.#notBuilt(run, step.failure);
    run.skipped = step.skipped;
    return this.#built(run);
  }

  #onBuilt(build: LastBuild, rule: Rule): void {
    this.#context.history.lastBuild = build;
    if (rule.note === true && build.ok) this.#notes.set(rule.name, buildNote(build));
  }

  async #notBuilt(run: Run, failure: Failure): Promise<void> {
    if (!(await this.#finish(run))) return;
    this.#context.dispatch({
      on: 'build-failed',
      attempt: run.attempt.number,
      failure: this.retries.failed(failure, run.began),
      delay: Math.max(1000, this.#restartDelay()),
    });
  }

  /** Another configuration is in force: other files are watched, and what they asked for is remembered. */
  async #reconfigure(run: Run, version: number, restart: boolean): Promise<void> {
    const { flow, traffic } = this.#context;
    if (restart) run.next = 'restart';
    this.#owing = { next: run.next, signals: run.signals };
    const before = [...traffic.lineage.sessions].map((session) => ({ session, tools: toolsBeside(session) }));
    traffic.reconfigure(flow.config);
    for (const { session, tools } of before) if (toolsBeside(session) !== tools) announceAgentTools(flow, session);
    const since = Date.now() - (performance.now() - run.began);
    this.#snapshots?.recordConfiguration(version);
    await this.#context.project.watchAnew(version, since);
  }

  async #built(run: Run): Promise<void> {
    const { number, forced } = run.attempt;
    // Without a restart the attempt ends here.
    if (!forced && run.next === 'nothing' && !(await this.#finish(run))) return;
    this.#context.dispatch({ on: 'built', attempt: number, next: run.next });
  }

  refresh(number: number): void {
    const run = this.#run;
    if (run !== undefined) this.#queue(run, () => this.#refresh(number, run));
  }

  async #refresh(number: number, run: Run): Promise<void> {
    const { flow, traffic, roster, dispatch, over } = this.#context;
    const { session } = traffic;
    const upstream = roster.get(number);
    if (upstream === undefined) return;
    const before = await (this.#before?.lists ?? Promise.resolve(undefined));
    await this.removeBytecode();
    const refresh = { session, upstream, signals: run.signals, before };
    run.difference = await timed(run, 'refresh', () => refreshStep(refresh, run.abort.signal));
    if (run.abort.signal.aborted || !(await this.#finish(run))) return;
    const equal = run.difference === undefined || run.difference.changed.length === 0;
    dispatch({ on: 'refreshed', attempt: run.attempt.number });
    if (!equal || before === undefined) return;
    // A server takes its time to read a file again.
    const signal = AbortSignal.any([run.abort.signal, over]);
    void lateDifference(refresh, before, signal).then((late) => {
      if (late !== undefined && !signal.aborted) announceToAll(flow, session, upstream, late);
    });
  }

  async #start(number: number, run: Run): Promise<void> {
    const { flow, traffic, roster, state } = this.#context;
    if (state().strategy === 'replace') {
      await roster.untilAlone(traffic.lineage.serving);
      const { restartDelay } = flow.config;
      if (number > 1 && restartDelay > 0)
        await delay(restartDelay, undefined, { signal: run.abort.signal }).catch(() => {});
    }
    if (run.abort.signal.aborted) return;
    // Whoever asks for another attempt asks for a server that is started from now on.
    if (run.attempt.number > 1) await flow.first?.end();
    if (this.#bytecode.any) {
      // A candidate that was given up may be importing what has been edited since, and cache that under the new time
      // stamp.
      await roster.untilAbandonedGone();
      await this.removeBytecode();
    }
    const before = this.#before?.lists;
    const since = run.attempt.number === 1 ? flow.first?.since : undefined;
    const spawned = (): void => {
      this.#watch(since);
      // Once more: a server that drains may have cached something meanwhile, and a new Python has not begun to import
      // yet.
      void this.removeBytecode();
    };
    const context = { flow, traffic, before, spawned, hangs: this.#hangs };
    const step = await startStep(context, number, run);
    await this.#end(number, run, step);
  }

  async #end(number: number, run: Run, step: StartStep): Promise<void> {
    const { flow, dispatch, history, traffic } = this.#context;
    const { lineage } = traffic;
    switch (step.kind) {
      case 'aborted':
        return;
      case 'not-spawned': {
        if (number === 1) return this.#context.onNotStarted(step.error);
        return this.#failed(number, run, notSpawned(flow.name, flow.config.cwd, step.error), false);
      }
      case 'failed':
        return this.#failed(number, run, step.failure, step.busy);
      case 'ready':
        if (!(await this.#finish(run))) return;
        // Meanwhile the one that serves may have given the client a session, which this one knows nothing of.
        if (lineage.agreement.isOpen && step.open !== undefined) return this.#end(number, run, await step.open());
        if (step.upstream.process.isGone) {
          const output = saveOutput(flow, step.upstream);
          return this.#failed(number, run, endedFailure('start', flow.name, step.upstream, output), false);
        }
        run.first = awaitsFirst(lineage) && (run.attempt.number === 1 || lineage.agreement.isLocalResult);
        if (number > 1) history.recordRestarting(number, run, this.lastExit);
        return dispatch({ on: 'ready', generation: number });
    }
  }

  async #failed(number: number, run: Run, failure: Failure, busy: boolean): Promise<void> {
    // It may have read what a save has begun to write, of which the kernel tells only when that is done.
    if (!busy && this.#snapshots?.isReady === true) await this.#snapshots.disk.sweep();
    if (!(await this.#finish(run))) return;
    const state = this.#context.state();
    const isBeside = servingOf(state) !== undefined && state.at === 'starting' && state.strategy === 'overlap';
    // What it needs may be in the hands of the server beside it, in words that nobody knows.
    const beside = isBeside && !isCodeError(printedText(failure.output)) ? true : undefined;
    const pause = this.#restartDelay();
    this.#context.dispatch({
      on: 'start-failed',
      generation: number,
      failure: this.retries.failed(beside === undefined ? failure : { ...failure, beside }, run.began),
      busy,
      skipped: run.skipped,
      delay: Math.max(1000, pause),
      unborn: !hasServerAnswered(this.#context.traffic.lineage),
      isFirst: awaitsFirst(this.#context.traffic.lineage) && pause === 0,
    });
  }

  /** The first server takes too long: the client is told, but it may still come. */
  readonly #hangs = (upstream: Upstream, ms: number): void => {
    const { flow, dispatch } = this.#context;
    dispatch({ on: 'overdue', generation: upstream.generation, failure: hangs(flow, upstream, ms) });
  };

  /** How long to wait before the next start, if no server is left to go on with. */
  #restartDelay(): number {
    if (servingOf(this.#context.state()) !== undefined) return 0;
    const now = performance.now();
    return this.backoff.crashed(now, now);
  }

  /** By a last look at the disk. False: it starts over, or was given up. */
  async #finish(run: Run): Promise<boolean> {
    if (this.#snapshots?.isReady !== true) return true;
    run.checked = performance.now();
    const end = await this.#snapshots.finishAttempt(run.abort.signal);
    if (end === 'superseded') this.#context.dispatch({ on: 'change' });
    return end === 'stands';
  }

  async #retire(number: number, run: Run): Promise<void> {
    const { traffic, roster } = this.#context;
    await timed(run, 'drain', async () => {
      await this.#before?.lists;
      this.#context.history.recordRetiring(number + 1, run, this.lastExit);
      this.#context.dispatch({ on: 'drains', generation: number });
      const upstream = roster.get(number);
      if (upstream === undefined) return;
      demote(traffic.lineage, upstream);
      await drain(this.#context, upstream, true);
    });
    this.#context.dispatch({ on: 'retired', generation: number });
  }

  /** `since`: when the server was started, or is about to be. */
  #watch(since = Date.now()): Snapshots {
    if (this.#snapshots !== undefined) return this.#snapshots;
    const { project } = this.#context;
    project.watch(since);
    this.#snapshots = this.#createSnapshots();
    this.#snapshots.take('attempt');
    return this.#snapshots;
  }

  #createSnapshots(): Snapshots {
    const { flow, project, window, onQuiet } = this.#context;
    return new Snapshots(project, window, flow.events, onQuiet);
  }

  #queue(run: Run, work: () => Promise<void>): void {
    void this.#work.add(async () => {
      if (!run.abort.signal.aborted) await work();
    });
  }
}
