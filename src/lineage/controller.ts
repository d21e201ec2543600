/**
 * The one event loop of a reload. Events come from the files, the builds, the servers and the client; transition() says
 * what they mean, and here it is done. The only place that acts on both flows, messages and changes. Every verdict on a
 * message falls in pipeline/, every decision about a reload in state.ts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { ConfigChange } from '../config/config-in-force.js';
import { Shutdown, type ShutdownReason } from '../flow/shutdown.js';
import type { Flow, FlowContext } from '../flow/flow.js';
import { endHold, lose, takeOver } from '../exchange/handover.js';
import { lastMalformed } from '../exchange/malformed.js';
import { endStreams } from '../exchange/listen-streams.js';
import type { Exit } from '../process/child.js';
import type { Generation } from '../server/generation.js';
import { announce, announceReady } from './announce.js';
import { AgentTools } from './agent-tools.js';
import { Attempts } from './attempts.js';
import { meaningOf } from './exits.js';
import { FirstStart } from './handshake-timeout.js';
import { Freshness } from '../project/freshness.js';
import { Health } from './health.js';
import { History } from './history.js';
import { allTools } from './list-diff.js';
import { Lookout } from './change-detector.js';
import { Roster } from './live-generations.js';
import { endedFailure, saveOutput } from './server-failures.js';
import { candidateOf, failureOf as standingFailure, initialState, isAtRest, servingOf, transition } from './state.js';
import type { Effect, Event, State } from './states.js';
import { abandon, drain, lastAnswers, lastHeld, type Stopping } from './draining.js';
import { openWatch } from '../watch/watch.js';
import { Traffic } from './message-flow.js';
import { reasonOfHold } from './wait-ticker.js';

const BECAME_REPLACE =
  "the server can't run twice at a time: from now on the old one is stopped before the new one starts. --strategy replace says so from the start";
const SERVER_LEFT: ShutdownReason = { by: 'server', exit: { code: 0, signal: null } };

export class Controller implements Flow {
  readonly #flow: FlowContext;
  readonly #roster = new Roster();
  readonly #traffic: Traffic;
  readonly #stopping: Stopping;
  readonly #attempts: Attempts;
  readonly #firstStart: FirstStart;
  readonly #lookout: Lookout;
  readonly #history: History;
  readonly #health: Health;
  readonly #agent: AgentTools;
  readonly #shutdown: Shutdown;
  readonly #over = new AbortController();
  #state: State;
  #events: Event[] | undefined;
  #waiting = new AbortController();
  #finished = false;
  /** Some generation of this session was started because of an edit. */
  #edited = false;
  #clientLeft = false;
  #resting: (() => void)[] = [];

  constructor(flow: FlowContext, watch: typeof openWatch = openWatch) {
    this.#flow = flow;
    this.#history = new History({ events: flow.events, isLogFile: () => flow.config.logFile !== undefined });
    this.#traffic = new Traffic(flow, this.#roster, {
      agent: (call) => this.#agent.handle(call),
      retryFailure: (waits) => this.#retryFailure(waits),
      allTools: (generation, known) => void allTools(this.#traffic.desk, generation, this.#over.signal).then(known),
      needsCheck: (envelope) => this.#lookout.needsCheck(envelope),
      introducing: (id, method) => void this.#firstStart.watch(id, method),
      check: () => this.#lookout.refresh(),
      ended: () => void this.#clientEnded(),
      answered: (number) => {
        this.#health.show(this.#state);
        announceReady(flow, this.#traffic.desk, this.#roster.get(number), this.#roster.since(number));
        this.#health.answered(this.#state);
      },
      spoke: (generation) => void this.#lookout.spoke(generation),
      exit: (generation, exit) => this.#exited(generation, exit),
      whyHeld: () => reasonOfHold(this.#state, performance.now() - (this.#attempts.run?.began ?? 0)),
    });
    const { signal: over } = this.#over;
    this.#stopping = { flow, traffic: this.#traffic, roster: this.#roster, over };
    this.#attempts = new Attempts({
      ...this.#stopping,
      history: this.#history,
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
      watch: (rules, since) =>
        new Freshness(
          flow.config,
          rules,
          flow.events,
          since,
          () => void this.#lookout.check(false),
          watch,
          () => this.#traffic.desk.ledger.times,
        ),
    });
    this.#firstStart = new FirstStart({
      ...this.#stopping,
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
    });
    this.#lookout = new Lookout({
      flow,
      desk: this.#traffic.desk,
      state: () => this.#state,
      freshness: () => this.#attempts.freshness,
      dispatch: (event) => this.#dispatch(event),
    });
    this.#agent = new AgentTools({
      ...this.#stopping,
      history: this.#history,
      state: () => this.#state,
      freshness: () => this.#attempts.freshness,
      dispatch: (event) => this.#dispatch(event),
      settled: (again) => this.#settled(again),
    });
    this.#health = new Health({
      flow,
      desk: this.#traffic.desk,
      generation: (number) => this.#roster.get(number),
      run: () => this.#attempts.run,
    });
    this.#shutdown = new Shutdown(this.#roster, this.#traffic.client);
    const { strategy, whileReloading } = flow.config;
    const [state, effects] = initialState({ strategy, servesMeanwhile: whileReloading === 'serve' });
    this.#state = state;
    this.#showState();
    for (const effect of effects) this.#perform(effect);
    flow.configInForce.onChange((change) => this.#configured(change));
  }

  close(): void {
    this.#end({ by: 'client' });
  }

  signal(name: NodeJS.Signals): void {
    this.#attempts.takeBackBuild();
    this.#end({ by: 'signal', signal: name });
  }

  reload(): void {
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
    if (isAtRest(this.#state) && this.#state !== before) for (const resolve of this.#resting.splice(0)) resolve();
  }

  /** What verdicts on messages are made from. Nothing else writes it. */
  #showState(): void {
    const { desk } = this.#traffic;
    desk.serving = servingOf(this.#state);
    desk.candidate = candidateOf(this.#state);
    desk.failure = this.#state.standing;
    desk.holding = this.#state.held;
  }

  /** Resolves when nothing is under way; with `again`, when something was and is no longer. */
  #settled(again: boolean): Promise<void> {
    return isAtRest(this.#state) && !again ? Promise.resolve() : new Promise((resolve) => this.#resting.push(resolve));
  }

  #perform(effect: Effect): void {
    const { desk } = this.#traffic;
    switch (effect.do) {
      case 'release':
        return this.#release(effect.failure);
      case 'build':
        return this.#attempts.begin(effect.attempt);
      case 'abort-build':
        return this.#attempts.abort();
      case 'abandon':
        return abandon(this.#stopping, effect.generation);
      case 'drop':
        if (effect.isLast) endStreams(desk, effect.generation);
        lose(desk, effect.generation, effect.failure);
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
        const { introduction } = this.#firstStart;
        if (introduction !== undefined) this.#attempts.adopt(effect.attempt, introduction);
        return;
      }
      case 'swap':
        return this.#swap(effect.from, effect.to);
      case 'announce': {
        const { run } = this.#attempts;
        if (run !== undefined)
          announce(this.#flow, desk, run, this.#roster.get(effect.generation), this.#history.lastRestart);
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

  #swap(from: number | undefined, to: number): void {
    const { desk } = this.#traffic;
    const { freshness, run } = this.#attempts;
    if (run !== undefined && run.files.length > 0) this.#edited = true;
    if (this.#state.standing !== undefined) {
      // It runs what was built before: the disk is still compared with that, and with what could not be built.
      freshness?.forget('attempt');
    } else {
      freshness?.move('attempt', 'serving');
      freshness?.forget('failed');
    }
    // One that had no session to open is not known to have read its code yet.
    const unopened = desk.session.stands ? undefined : to;
    this.#attempts.freshness?.loads(unopened);
    this.#traffic.awaitWord(unopened);
    takeOver(desk, from, to);
    this.#history.recordServing(to);
    this.#lookout.reloaded();
    this.#traffic.regulate();
    if (from === undefined) return;
    // Before the session stands there is nothing to finish: what the old one was asked, the new one is.
    if (!desk.session.stands) lose(desk, from);
    void drain(this.#stopping, from, false).then(async () => {
      this.#flow.events.emit({ kind: 'drained', generation: from });
      // It may have cached old code as new, and the next Python that starts need not be ours.
      await this.#attempts.removeBytecode();
    });
  }

  #release(failure: Failure | undefined): void {
    const fresh = this.#attempts.freshness;
    // After a swap the mark has moved already; this is for attempts that ended without one.
    fresh?.move('attempt', failure === undefined ? 'serving' : 'failed');
    this.#attempts.ended(failure === undefined);
    this.#endHold();
  }

  #endHold(): void {
    const { desk, gate } = this.#traffic;
    // What was sent after the last look at the disk may ask for something newer still.
    const unseen = desk.hold.takeSince(this.#attempts.run?.checked ?? 0);
    endHold(desk);
    gate.unshift(unseen);
  }

  #exited(generation: Generation, exit: Exit): void {
    const { number } = generation;
    const since = this.#roster.since(number);
    this.#roster.remove(number);
    this.#flow.leftovers.gone(number, generation.process.pid);
    if (this.#shutdown.begun) return this.#finish();
    if (servingOf(this.#state) === number) return this.#servingExited(generation, exit, since);
    lose(this.#traffic.desk, number);
    this.#traffic.watchHold();
    if (this.#state.at === 'retiring') this.#dispatch({ on: 'retired', generation: number });
  }

  #servingExited(generation: Generation, exit: Exit, since: number): void {
    const { desk } = this.#traffic;
    const { number } = generation;
    const { backoff, retries, run } = this.#attempts;
    this.#attempts.lastExit = exit.code;
    const now = performance.now();
    const meaning = meaningOf(exit.code, {
      hasAnswered: desk.born,
      edited: this.#edited,
      clientLeft: this.#clientLeft,
      ranMs: now - since,
    });
    const kind = meaning === 'restarts' || meaning === 'leaves' ? 'crash' : meaning;
    const output = saveOutput(this.#flow, generation);
    const ended = endedFailure(kind, this.#flow.name, generation, output, lastMalformed(desk, number));
    // A crashed server is started again on the ladder alone; calls may try what looks like a mistake in the code once
    // more.
    const failure = meaning === 'start' || meaning === 'exit' ? retries.failed(ended, since) : ended;
    this.#dispatch({
      on: 'exit',
      generation: number,
      meaning,
      delay: meaning === 'restarts' ? backoff.asked(now) : backoff.crashed(now, since),
      skippedBuild: run?.skipped === true,
      exit,
      failure,
    });
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

  async #clientEnded(): Promise<void> {
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
    if (this.#traffic.desk.serving === undefined) endHold(this.#traffic.desk);
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
    await this.#attempts.freshness?.close();
    await alone;
    this.#flow.events.emit({ kind: 'closed' });
    this.#history.close();
    this.#flow.ended(await this.#shutdown.finish());
  }
}
