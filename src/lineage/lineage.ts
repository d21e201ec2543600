/**
 * A lineage: the generations that serve one after the other, and the event loop of their reloads. Files, builds,
 * servers and clients cause events; `transition()` returns the effects of each, and `#perform` carries them out.
 * Nothing else acts on both messages and changes. `state.ts` decides about reloads, `exchange/` about messages. Knows
 * no transport.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { ConfigChange } from '../config/config-in-force.js';
import type { ShutdownReason } from '../flow/shutdown.js';
import type { FlowContext } from '../flow/flow.js';
import type { Connect } from '../front/connection.js';
import { dropGeneration, endHold, promote } from '../exchange/handover.js';
import { endStreams } from '../exchange/stream-messages.js';
import type { Exit } from '../process/child.js';
import type { Era } from '../session/agreement.js';
import { refuseByExit } from '../exchange/eras.js';
import type { Role, Upstream } from '../exchange/records.js';
import { announce, announceReady } from './announce.js';
import { AgentTools } from './agent-tools.js';
import { Attempts } from './attempts.js';
import { recordExit } from './exit-event.js';
import { HandshakeTimeout } from './handshake-timeout.js';
import type { AttemptWindow } from '../project/attempt-window.js';
import type { Project } from '../project/project.js';
import { Health } from './health.js';
import { History } from './history.js';
import { allTools } from './list-diff.js';
import { ChangeDetector } from './change-detector.js';
import { LiveGenerations } from './live-generations.js';
import { candidateOf, initialState, isAtRest, servingOf, transition } from './state.js';
import type { Effect, Event, State } from './states.js';
import { abandon, drain, finishAnswers } from './draining.js';
import { Ending } from './ending.js';
import type { LineageContext } from './lineage-context.js';
import { ofOneClient, type LineageOptions } from './lineage-options.js';
import { MessageFlow, type MessageFlowEvents } from './message-flow.js';
import { Renewals } from './renewal.js';
import type { Snapshots } from './snapshots.js';
import { reasonOfHold } from './wait-ticker.js';

const BECAME_REPLACE =
  "the server can't run twice at a time: from now on the old one is stopped before the new one starts. --strategy replace says so from the start";
const SERVER_LEFT: ShutdownReason = { by: 'server', exit: { code: 0, signal: null } };

export class Lineage {
  readonly #context: FlowContext;
  readonly #options: LineageOptions;
  readonly #generations = new LiveGenerations();
  readonly #messages: MessageFlow;
  readonly #shared: LineageContext;
  readonly #attempts: Attempts;
  readonly #renewals: Renewals;
  readonly #handshakeTimeout: HandshakeTimeout;
  readonly #changeDetector: ChangeDetector;
  readonly #window: AttemptWindow;
  readonly #history: History;
  readonly #health: Health;
  readonly #agentTools: AgentTools;
  readonly #ending: Ending;
  readonly #closeSignal = new AbortController();
  readonly #initialEffects: readonly Effect[];
  #state: State;
  #eventQueue: Event[] | undefined;
  #respawnPause = new AbortController();
  /** A generation of this lineage was started because of an edit. */
  #wasEdited = false;
  #onSettled: (() => void)[] = [];

  constructor(context: FlowContext, project: Project, options: LineageOptions = ofOneClient()) {
    const { config, configInForce, events } = context;
    const { strategy, whileReloading } = config;
    [this.#state, this.#initialEffects] = initialState({ strategy, servesMeanwhile: whileReloading === 'serve' });
    this.#context = context;
    this.#options = options;
    this.#history = new History({ events, isLogFile: () => context.config.logFile !== undefined });
    this.#window = project.attach({
      callTimes: () => this.#messages.lineage.callClock.times,
      requests: () => this.#messages.lineage.requestCount,
    });
    const snapshots = (): Snapshots | undefined => this.#attempts.snapshots;
    const machine = { state: () => this.#state, dispatch: (event: Event) => this.#dispatch(event) };
    this.#changeDetector = new ChangeDetector({ ...machine, flow: context, window: this.#window, snapshots });
    const flowEvents = this.#messageFlowEvents();
    this.#messages = new MessageFlow(context, this.#generations, this.#changeDetector, flowEvents, options);
    const { lineage } = this.#messages;
    this.#shared = {
      ...machine,
      flow: context,
      messages: this.#messages,
      generations: this.#generations,
      closed: this.#closeSignal.signal,
    };
    this.#attempts = new Attempts({
      ...this.#shared,
      history: this.#history,
      project,
      window: this.#window,
      starts: options.starts,
      changeDetector: this.#changeDetector,
      onSpawned: () => this.#showState(),
      onNotStarted: (error) => {
        context.reportNotStarted(error);
        this.#ending.abandon({ by: 'not-started', error });
      },
    });
    this.#renewals = new Renewals(this.#shared);
    this.#handshakeTimeout = new HandshakeTimeout(this.#shared);
    this.#agentTools = new AgentTools({
      ...this.#shared,
      history: this.#history,
      snapshots,
      untilSettled: (isNext) => this.#untilSettled(isNext),
    });
    this.#health = new Health({ flow: context, lineage, record: () => this.#attempts.record });
    const configChanges = configInForce.onChange((change) => this.#onConfigChange(change));
    this.#ending = new Ending({
      ...this.#shared,
      attempts: this.#attempts,
      outlivesClients: () => options.outlivesClients(),
      abortWaits: () => this.#closeSignal.abort(),
      dispose: async () => {
        snapshots()?.close();
        configChanges[Symbol.dispose]();
        await project.detach(this.#window);
        this.#history.close();
      },
    });
  }

  /** Resolves with the reason when every server has exited and every message is delivered. */
  get closed(): Promise<ShutdownReason> {
    return this.#ending.closed;
  }

  /** What the messages of clients and servers lead to. Messages arrive only after everything is constructed. */
  #messageFlowEvents(): MessageFlowEvents {
    const { signal } = this.#closeSignal;
    return {
      runAgentTool: (call) => this.#agentTools.handle(call),
      repeatAttempt: (waits) => this.#repeatAttempt(waits),
      fetchAllTools: (upstream, known) => void allTools(this.#messages.lineage, upstream, signal).then(known),
      onOpening: (session, id, method) => void this.#handshakeTimeout.watch(session, id, method),
      onClientEnd: (session) => void this.#ending.onClientEnd(session),
      onClientGone: (session) => this.#ending.onClientGone(session),
      onFirstResponse: (upstream) => {
        this.#health.emitHealth(this.#state);
        announceReady(this.#context, this.#messages.session, upstream, upstream.startedAt);
        this.#health.onFirstResponse(this.#state);
      },
      onExit: (upstream, exit) => this.#onExit(upstream, exit),
      onRenewed: (upstream, why) => void this.#renewals.onRenewed(upstream, why),
      whyHeld: () => reasonOfHold(this.#state, performance.now() - (this.#attempts.record?.began ?? 0)),
    };
  }

  /** The era that its servers were opened for. Undefined while no client has said it. */
  get era(): Era | undefined {
    return this.#messages.lineage.agreement.era;
  }

  /** It serves nobody any more, or is about to. */
  get isEnding(): boolean {
    return this.#ending.hasBegun || this.#state.at === 'leaving';
  }

  /** Builds and starts the first server. */
  begin(): void {
    this.#showState();
    for (const effect of this.#initialEffects) this.#perform(effect);
  }

  get health(): { readonly state: string; readonly generation: number | undefined } {
    return { state: this.#health.state(this.#state), generation: servingOf(this.#state) };
  }

  /** Differs from what it was before if a server of this lineage has shown a sign of life since. */
  signOfLife(): string {
    return [...this.#generations].map(({ process }) => process.signOfLife()).join();
  }

  /** What the server says at a path of its own, as new as answers are. Undefined: none can be asked. */
  readonly askServer: NonNullable<Upstream['ask']> = async (path, headers) => {
    await Promise.resolve(this.#changeDetector.checkForRequest()).then(() => this.#untilSettled(false));
    return this.#messages.lineage.serving?.ask?.(path, headers);
  };

  /** Serves this client from now on. Resolves when its session is closed, or the lineage is. */
  attach(connect: Connect, role: Role = 'client'): Promise<ShutdownReason> {
    return this.#ending.left(this.#messages.attach(connect, role));
  }

  /** Stops every server, whatever is under way. `closed` resolves when that is done. */
  close(reason: ShutdownReason): void {
    if (reason.by === 'signal') this.#attempts.takeBackBuild();
    this.#ending.begin(reason);
  }

  /** Builds, and starts a new server, even if no file has changed. */
  reload(): void {
    this.#dispatch({ on: 'force', rebuild: true });
  }

  #onConfigChange({ current, changed }: ConfigChange): void {
    const strategy = changed.includes('strategy') ? current.strategy : undefined;
    this.#dispatch({ on: 'configured', strategy, servesMeanwhile: current.whileReloading === 'serve' });
  }

  /** Handles one event at a time: events that an effect causes are queued until its transition is complete. */
  #dispatch(event: Event): void {
    if (this.#eventQueue !== undefined) {
      this.#eventQueue.push(event);
      return;
    }
    this.#eventQueue = [event];
    const before = this.#state;
    for (let next = this.#eventQueue.shift(); next !== undefined; next = this.#eventQueue.shift()) {
      const result = transition(this.#state, next);
      const [state, effects] = result;
      this.#health.beforeEffects(this.#state, next, result);
      this.#state = state;
      this.#showState();
      for (const effect of effects) this.#perform(effect);
      this.#health.afterEffects(next, result);
    }
    this.#eventQueue = undefined;
    const isSettled = isAtRest(this.#state) && this.#state !== before && event.on !== 'configured';
    if (isSettled) for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  /** Copies the state to the record that `exchange/` reads. Nothing else writes these fields. */
  #showState(): void {
    const { lineage } = this.#messages;
    lineage.serving = this.#generations.get(servingOf(this.#state));
    lineage.candidate = this.#generations.get(candidateOf(this.#state));
    lineage.failure = this.#state.standing;
    lineage.isHolding = this.#state.held;
  }

  /** Resolves when no reload is under way. `isNext`: waits for the end of the next one if none is. */
  #untilSettled(isNext: boolean): Promise<void> {
    if (isAtRest(this.#state) && !isNext) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  #perform(effect: Effect): void {
    const { lineage } = this.#messages;
    switch (effect.do) {
      case 'end-attempt':
        return this.#endAttempt(effect.failure);
      case 'build':
        return this.#attempts.begin(effect.attempt);
      case 'abort-build':
        return this.#attempts.abort();
      case 'abandon':
        return this.#forGeneration(effect.generation, (upstream) => abandon(this.#shared, upstream));
      case 'drop':
        this.#forGeneration(effect.generation, (upstream) => {
          if (effect.isLast) endStreams(lineage, upstream);
          dropGeneration(lineage, upstream, effect.failure);
        });
        return this.#messages.watchHold();
      case 'refresh':
        return this.#attempts.refresh(effect.generation);
      case 'retire':
        return this.#attempts.retire(effect.generation);
      case 'start':
        return this.#attempts.start(effect.generation, effect.attempt);
      case 'end-hold':
        return this.#endHold();
      case 'adopt': {
        const { pendingHandshake } = this.#handshakeTimeout;
        if (pendingHandshake !== undefined) this.#attempts.adopt(effect.attempt, pendingHandshake);
        return;
      }
      case 'swap':
        return this.#forGeneration(effect.to, (to) => this.#swap(this.#generations.get(effect.from), to));
      case 'announce': {
        const { record } = this.#attempts;
        const upstream = this.#generations.get(effect.generation);
        if (record !== undefined)
          announce(this.#context, this.#messages.session, record, upstream, this.#history.lastRestart);
        return;
      }
      case 'wait':
        return void this.#wait(effect.delay);
      case 'stop-waiting':
        return this.#respawnPause.abort();
      case 'became-replace':
        return this.#context.events.emit({ kind: 'warning', text: BECAME_REPLACE });
      case 'let-finish':
        return void finishAnswers(this.#shared).then(() => this.#ending.begin(SERVER_LEFT));
      case 'end':
        return this.#ending.stopAll();
    }
  }

  #forGeneration(generation: number, act: (upstream: Upstream) => void): void {
    const upstream = this.#generations.find(generation);
    if (upstream !== undefined) act(upstream);
  }

  #swap(from: Upstream | undefined, to: Upstream): void {
    const { lineage } = this.#messages;
    const { snapshots, record } = this.#attempts;
    if (record !== undefined && record.files.length > 0) this.#wasEdited = true;
    if (this.#state.standing !== undefined) {
      // A build failed, so `to` runs the previous build. The snapshots of that build and of the failure both stay.
      snapshots?.forget('attempt');
    } else {
      snapshots?.move('attempt', 'serving');
      snapshots?.forget('failed');
    }
    // Without a session to open, the server may still be loading its code: only its first message proves the contrary.
    const unopened = lineage.agreement.isOpen ? undefined : to;
    snapshots?.expectFirstMessage(unopened?.generation);
    this.#messages.expectFirstMessage(unopened);
    promote(lineage, from, to);
    this.#history.recordServing(to.generation);
    this.#window.recordReload();
    this.#messages.applyBackpressure();
    if (from === undefined) return;
    // Before a session is open the old generation has nothing to finish: its requests are sent to the new one.
    if (!lineage.agreement.isOpen) dropGeneration(lineage, from);
    const { generation } = from;
    void drain(this.#shared, from, false).then(async () => {
      this.#context.events.emit({ kind: 'drained', generation });
      // While it drained it may have compiled old sources under new time stamps. Any Python process would use that
      // cache.
      await this.#attempts.removeBytecode();
    });
  }

  #endAttempt(failure: Failure | undefined): void {
    // After a swap the snapshot has been moved already. This covers attempts that ended without a swap.
    this.#attempts.snapshots?.move('attempt', failure === undefined ? 'serving' : 'failed');
    this.#attempts.onEnd(failure === undefined);
    this.#endHold();
  }

  #endHold(): void {
    const { lineage } = this.#messages;
    // Requests that arrived after the last check of the disk go through the gate again: a file may have been saved
    // since.
    const unseen = lineage.hold.takeSince(this.#attempts.record?.lastCheckAt ?? 0);
    endHold(lineage);
    this.#messages.returnToGates(unseen);
  }

  #onExit(upstream: Upstream, exit: Exit): void {
    const { generation } = upstream;
    this.#generations.remove(upstream);
    this.#context.leftovers.gone(generation, upstream.process.pid);
    if (this.#ending.hasBegun) return this.#ending.closeIfAllGone();
    if (servingOf(this.#state) === generation) {
      const { lineage } = this.#messages;
      const { outlivesClients, endsWithServer } = this.#options;
      const isAwaited = outlivesClients() && lineage.sessions.size > 0;
      const isProbed = refuseByExit(lineage, upstream);
      const [wasEdited, { hasClientLeft }] = [this.#wasEdited, this.#ending];
      const life = { wasEdited, hasClientLeft, isAwaited, isProbed, endsWithServer };
      return this.#dispatch(recordExit({ ...this.#shared, attempts: this.#attempts }, upstream, exit, life));
    }
    dropGeneration(this.#messages.lineage, upstream);
    this.#messages.watchHold();
    if (this.#state.at === 'retiring') this.#dispatch({ on: 'retired', generation });
  }

  /**
   * For a tool call that met a failure (P7, survives a broken edit): makes the attempt that failed once more, unless
   * one is under way or it is too early. Returns whether an attempt is under way now that the call can wait for.
   */
  #repeatAttempt(waits: boolean): boolean {
    // Calls that the end of an attempt lets go were part of it: they start no other one.
    if (this.#eventQueue !== undefined) return false;
    const { repeats, record } = this.#attempts;
    const event = repeats.eventFor(this.#state, record?.attempt, !waits);
    if (event === undefined) return false;
    this.#dispatch(event);
    queueMicrotask(() => this.#messages.watchHold());
    return !isAtRest(this.#state);
  }

  async #wait(ms: number): Promise<void> {
    this.#respawnPause = new AbortController();
    const signal = AbortSignal.any([this.#respawnPause.signal, this.#closeSignal.signal]);
    await delay(ms, undefined, { signal }).then(
      () => this.#dispatch({ on: 'timer' }),
      () => {},
    );
  }
}
