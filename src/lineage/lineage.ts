/**
 * The generations that serve, one after the other, and the one event loop of their reloads. Events come from the files,
 * the builds, the servers and the clients; transition() says what they mean, and here it is done. The only place that
 * acts on both flows, messages and changes. Every verdict on a message falls in exchange/, every decision about a
 * reload in state.ts. No transport is known here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { ConfigChange } from '../config/config-in-force.js';
import { Shutdown, type ShutdownReason } from '../flow/shutdown.js';
import type { FlowContext } from '../flow/flow.js';
import type { Connect } from '../front/connection.js';
import { dropGeneration, endHold, promote } from '../exchange/handover.js';
import { endStreams } from '../exchange/listen-streams.js';
import type { Exit } from '../process/child.js';
import type { Session, Upstream } from '../exchange/records.js';
import { announce, announceReady } from './announce.js';
import { AgentTools } from './agent-tools.js';
import { Attempts } from './attempts.js';
import { servingExit } from './serving-exit.js';
import { FirstStart } from './handshake-timeout.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import type { Project } from '../project/project.js';
import { Health } from './health.js';
import { History } from './history.js';
import { allTools } from './list-diff.js';
import { ChangeDetector } from './change-detector.js';
import { LiveGenerations } from './live-generations.js';
import { candidateOf, failureOf as standingFailure, initialState, isAtRest, servingOf, transition } from './state.js';
import type { Effect, Event, State } from './states.js';
import { abandon, drain, lastAnswers, lastHeld, leave, type Stopping } from './draining.js';
import { MessageFlow } from './message-flow.js';
import { reasonOfHold } from './wait-ticker.js';

const BECAME_REPLACE =
  "the server can't run twice at a time: from now on the old one is stopped before the new one starts. --strategy replace says so from the start";
const SERVER_LEFT: ShutdownReason = { by: 'server', exit: { code: 0, signal: null } };

export class Lineage {
  #resolveClosed: (reason: ShutdownReason) => void = () => {};
  /** Why it ended, once every server is gone and everything is delivered. */
  readonly closed = new Promise<ShutdownReason>((resolve) => (this.#resolveClosed = resolve));
  readonly #flow: FlowContext;
  readonly #roster = new LiveGenerations();
  readonly #traffic: MessageFlow;
  readonly #stopping: Stopping;
  readonly #attempts: Attempts;
  readonly #firstStart: FirstStart;
  readonly #changeDetector: ChangeDetector;
  readonly #project: Project;
  readonly #window: AttemptWindow;
  readonly #history: History;
  readonly #health: Health;
  readonly #agent: AgentTools;
  readonly #shutdown: Shutdown;
  readonly #over = new AbortController();
  readonly #configChanges: Disposable;
  readonly #firstEffects: readonly Effect[];
  #state: State;
  #events: Event[] | undefined;
  #waiting = new AbortController();
  #finished = false;
  /** Some generation of this session was started because of an edit. */
  #edited = false;
  #clientLeft = false;
  readonly #onLeft = new Map<Session, (reason: ShutdownReason) => void>();
  #resting: (() => void)[] = [];

  constructor(flow: FlowContext, project: Project) {
    this.#flow = flow;
    this.#project = project;
    this.#history = new History({ events: flow.events, isLogFile: () => flow.config.logFile !== undefined });
    this.#traffic = new MessageFlow(flow, this.#roster, {
      agent: (call) => this.#agent.handle(call),
      retryFailure: (waits) => this.#retryFailure(waits),
      allTools: (upstream, known) => void allTools(this.#traffic.lineage, upstream, this.#over.signal).then(known),
      needsCheck: (envelope) => this.#changeDetector.needsCheck(envelope),
      onOpening: (session, id, method) => void this.#firstStart.watch(session, id, method),
      check: () => this.#changeDetector.checkForRequest(),
      onClientEnd: (session) => void this.#clientEnded(session),
      onFirstResponse: (upstream) => {
        this.#health.show(this.#state);
        announceReady(flow, this.#traffic.session, upstream, upstream.startedAt);
        this.#health.answered(this.#state);
      },
      onFirstMessage: (upstream) => void this.#changeDetector.onFirstMessage(upstream.generation),
      onExit: (upstream, exit) => this.#exited(upstream, exit),
      whyHeld: () => reasonOfHold(this.#state, performance.now() - (this.#attempts.run?.began ?? 0)),
    });
    const { signal: over } = this.#over;
    this.#stopping = { flow, traffic: this.#traffic, roster: this.#roster, over };
    this.#window = project.attach({
      callTimes: () => this.#traffic.lineage.callClock.times,
      requests: () => this.#traffic.lineage.requestCount,
    });
    this.#attempts = new Attempts({
      ...this.#stopping,
      history: this.#history,
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
      project,
      window: this.#window,
      onQuiet: () => void this.#changeDetector.detectChanges(false),
      onNotStarted: (error) => {
        flow.reportNotStarted(error);
        this.#resolveClosed({ by: 'not-started', error });
      },
    });
    this.#firstStart = new FirstStart({
      ...this.#stopping,
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
    });
    this.#changeDetector = new ChangeDetector({
      flow,
      lineage: this.#traffic.lineage,
      window: this.#window,
      state: () => this.#state,
      snapshots: () => this.#attempts.snapshots,
      dispatch: (event) => this.#dispatch(event),
    });
    this.#agent = new AgentTools({
      ...this.#stopping,
      history: this.#history,
      state: () => this.#state,
      snapshots: () => this.#attempts.snapshots,
      dispatch: (event) => this.#dispatch(event),
      settled: (again) => this.#settled(again),
    });
    this.#health = new Health({
      flow,
      lineage: this.#traffic.lineage,
      run: () => this.#attempts.run,
    });
    this.#shutdown = new Shutdown(this.#roster, () => this.#traffic.channels);
    const { strategy, whileReloading } = flow.config;
    [this.#state, this.#firstEffects] = initialState({ strategy, servesMeanwhile: whileReloading === 'serve' });
    this.#configChanges = flow.configInForce.onChange((change) => this.#configured(change));
  }

  /** The first server is built and started. Clients may have attached before. */
  begin(): void {
    this.#showState();
    for (const effect of this.#firstEffects) this.#perform(effect);
  }

  /**
   * A client comes in, and is served from now on. Resolves why its session ended, when it has read the last of it: the
   * client left, or the lineage ended.
   */
  attach(connect: Connect): Promise<ShutdownReason> {
    const session = this.#traffic.attach(connect);
    const left = new Promise<ShutdownReason>((resolve) => this.#onLeft.set(session, resolve));
    return Promise.race([left, this.closed]);
  }

  /** Ends it, whatever it is doing: `closed` tells when. */
  close(reason: ShutdownReason): void {
    if (reason.by === 'signal') this.#attempts.takeBackBuild();
    this.#end(reason);
  }

  /** Builds and restarts, though nothing has changed. */
  restart(): void {
    this.#dispatch({ on: 'force', rebuild: true });
  }

  #configured({ current, changed }: ConfigChange): void {
    const strategy = changed.includes('strategy') ? current.strategy : undefined;
    this.#dispatch({ on: 'configured', strategy, servesMeanwhile: current.whileReloading === 'serve' });
  }

  /** One event after the other, also those that an effect brings about. */
  #dispatch(event: Event): void {
    if (this.#events !== undefined) {
      this.#events.push(event);
      return;
    }
    this.#events = [event];
    const before = this.#state;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const step = transition(this.#state, next);
      const [state, effects] = step;
      this.#health.moved(this.#state, next, step);
      this.#state = state;
      this.#showState();
      for (const effect of effects) this.#perform(effect);
      this.#health.settled(next, step);
    }
    this.#events = undefined;
    const isSettled = isAtRest(this.#state) && this.#state !== before && event.on !== 'configured';
    if (isSettled) for (const resolve of this.#resting.splice(0)) resolve();
  }

  /** What verdicts on messages are made from. Nothing else writes it. */
  #showState(): void {
    const { lineage } = this.#traffic;
    lineage.serving = this.#roster.get(servingOf(this.#state));
    lineage.candidate = this.#roster.get(candidateOf(this.#state));
    lineage.failure = this.#state.standing;
    lineage.isHolding = this.#state.held;
  }

  /** Resolves when nothing is under way; with `again`, when something was and is no longer. */
  #settled(again: boolean): Promise<void> {
    return isAtRest(this.#state) && !again ? Promise.resolve() : new Promise((resolve) => this.#resting.push(resolve));
  }

  #perform(effect: Effect): void {
    const { lineage } = this.#traffic;
    switch (effect.do) {
      case 'release':
        return this.#release(effect.failure);
      case 'build':
        return this.#attempts.begin(effect.attempt);
      case 'abort-build':
        return this.#attempts.abort();
      case 'abandon':
        return this.#forGeneration(effect.generation, (upstream) => abandon(this.#stopping, upstream));
      case 'drop':
        this.#forGeneration(effect.generation, (upstream) => {
          if (effect.isLast) endStreams(lineage, upstream);
          dropGeneration(lineage, upstream, effect.failure);
        });
        return this.#traffic.watchHold();
      case 'refresh':
        return this.#attempts.refresh(effect.generation);
      case 'retire':
        return this.#attempts.retire(effect.generation);
      case 'start':
        return this.#attempts.start(effect.generation, effect.attempt);
      case 'tell':
        return this.#endHold();
      case 'adopt': {
        const { pendingHandshake } = this.#firstStart;
        if (pendingHandshake !== undefined) this.#attempts.adopt(effect.attempt, pendingHandshake);
        return;
      }
      case 'swap':
        return this.#forGeneration(effect.to, (to) => this.#swap(this.#roster.get(effect.from), to));
      case 'announce': {
        const { run } = this.#attempts;
        const upstream = this.#roster.get(effect.generation);
        if (run !== undefined) announce(this.#flow, this.#traffic.session, run, upstream, this.#history.lastRestart);
        return;
      }
      case 'wait':
        return void this.#wait(effect.delay);
      case 'stop-waiting':
        return this.#waiting.abort();
      case 'became-replace':
        return this.#flow.events.emit({ kind: 'warning', text: BECAME_REPLACE });
      case 'let-finish':
        return void lastAnswers(this.#stopping).then(() => this.#end(SERVER_LEFT));
      case 'end':
        return this.#stopAll();
    }
  }

  #forGeneration(generation: number, act: (upstream: Upstream) => void): void {
    const upstream = this.#roster.find(generation);
    if (upstream !== undefined) act(upstream);
  }

  #swap(from: Upstream | undefined, to: Upstream): void {
    const { lineage } = this.#traffic;
    const { snapshots, run } = this.#attempts;
    if (run !== undefined && run.files.length > 0) this.#edited = true;
    if (this.#state.standing !== undefined) {
      // It runs what was built before: the disk is still compared with that, and with what could not be built.
      snapshots?.forget('attempt');
    } else {
      snapshots?.move('attempt', 'serving');
      snapshots?.forget('failed');
    }
    // One that had no session to open is not known to have read its code yet.
    const unopened = lineage.agreement.isOpen ? undefined : to;
    snapshots?.expectFirstMessage(unopened?.generation);
    this.#traffic.expectFirstMessage(unopened);
    promote(lineage, from, to);
    this.#history.recordServing(to.generation);
    this.#window.recordReload();
    this.#traffic.applyBackpressure();
    if (from === undefined) return;
    // Before the session stands there is nothing to finish: what the old one was asked, the new one is.
    if (!lineage.agreement.isOpen) dropGeneration(lineage, from);
    const { generation } = from;
    void drain(this.#stopping, from, false).then(async () => {
      this.#flow.events.emit({ kind: 'drained', generation });
      // It may have cached old code as new, and the next Python that starts need not be ours.
      await this.#attempts.removeBytecode();
    });
  }

  #release(failure: Failure | undefined): void {
    // After a swap the mark has moved already; this is for attempts that ended without one.
    this.#attempts.snapshots?.move('attempt', failure === undefined ? 'serving' : 'failed');
    this.#attempts.ended(failure === undefined);
    this.#endHold();
  }

  #endHold(): void {
    const { lineage } = this.#traffic;
    // What was sent after the last look at the disk may ask for something newer still.
    const unseen = lineage.hold.takeSince(this.#attempts.run?.checked ?? 0);
    endHold(lineage);
    this.#traffic.returnToGates(unseen);
  }

  #exited(upstream: Upstream, exit: Exit): void {
    const { generation } = upstream;
    this.#roster.remove(upstream);
    this.#flow.leftovers.gone(generation, upstream.process.pid);
    if (this.#shutdown.begun) return this.#finish();
    if (servingOf(this.#state) === generation) {
      const life = { edited: this.#edited, clientLeft: this.#clientLeft };
      return this.#dispatch(servingExit({ ...this.#stopping, attempts: this.#attempts }, upstream, exit, life));
    }
    dropGeneration(this.#traffic.lineage, upstream);
    this.#traffic.watchHold();
    if (this.#state.at === 'retiring') this.#dispatch({ on: 'retired', generation });
  }

  /** A tool call has met a failure. True if an attempt is under way now, so that the call can wait for its end. */
  #retryFailure(waits: boolean): boolean {
    const state = this.#state;
    if (this.#events !== undefined) return false;
    // Whatever tries it already is joined. A server that is merely started again, or has yet to answer, may take for
    // ever.
    if (!isAtRest(state)) {
      const canJoin = 'attempt' in state && !state.attempt.restart;
      if (canJoin) this.#dispatch({ on: 'retry', forced: false, background: !waits });
      return canJoin;
    }
    const failure = standingFailure(state);
    const { retries, run } = this.#attempts;
    if (failure === undefined || !retries.isDue(failure)) return false;
    const forced = failure.kind === 'start' || failure.kind === 'era' || run?.attempt.forced === true;
    this.#dispatch({ on: 'retry', forced, background: !waits });
    queueMicrotask(() => this.#traffic.watchHold());
    return !isAtRest(this.#state);
  }

  async #wait(ms: number): Promise<void> {
    this.#waiting = new AbortController();
    const signal = AbortSignal.any([this.#waiting.signal, this.#over.signal]);
    await delay(ms, undefined, { signal }).then(
      () => this.#dispatch({ on: 'timer' }),
      () => {},
    );
  }

  async #clientEnded(session: Session): Promise<void> {
    if (this.#traffic.lineage.sessions.size > 1 && !this.#shutdown.begun) {
      await leave(this.#stopping, session);
      return this.#onLeft.get(session)?.({ by: 'client' });
    }
    const closed = performance.now();
    this.#clientLeft = true;
    if (!this.#shutdown.begun) await lastHeld(this.#stopping, this.#attempts);
    if (!this.#shutdown.begun) await this.#attempts.handOverBuild();
    this.#end({ by: 'client', waited: performance.now() - closed });
  }

  #end(reason: ShutdownReason): void {
    if (!this.#shutdown.begun) this.#flow.events.emit({ kind: 'closing', by: reason.by });
    this.#shutdown.begin(reason);
    this.#dispatch({ on: 'close' });
    this.#finish();
  }

  #stopAll(): void {
    this.#over.abort();
    this.#attempts.abort();
    this.#traffic.close();
    for (const generation of this.#roster) this.#shutdown.stop(generation);
    if (this.#traffic.lineage.serving === undefined) endHold(this.#traffic.lineage);
  }

  #finish(): void {
    if (this.#roster.size > 0 || this.#finished) return;
    this.#finished = true;
    void this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#attempts.idle();
    await this.#roster.untilAlone(undefined);
    const alone = this.#flow.leftovers.close();
    this.#attempts.snapshots?.close();
    await this.#project.detach(this.#window);
    await alone;
    this.#flow.events.emit({ kind: 'closed' });
    this.#history.close();
    this.#configChanges[Symbol.dispose]();
    this.#resolveClosed(await this.#shutdown.finish());
  }
}
