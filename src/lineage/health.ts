/**
 * Turns transitions of `state.ts` into events that concern a person: a failure, a crash, the end of either, and the
 * health of the server. Only looks at the state. The sinks and `agent/failure-log.ts` make sentences of the events.
 */
import type { Mended, Outlook } from '../agent/failure-log.js';
import type { Failure } from '../agent/failure.js';
import type { Health as HealthFacts } from '../events/events.js';
import type { FlowContext } from '../flow/flow.js';
import type { LineageRecord } from '../exchange/records.js';
import type { AttemptRecord } from './attempt-record.js';
import { failureOf, isAtRest, servingOf } from './state.js';
import { RESTART_EXIT_CODE, type Event, type State, type Transition } from './states.js';

export interface HealthContext {
  readonly flow: FlowContext;
  readonly lineage: LineageRecord;
  record(): AttemptRecord | undefined;
}

/** A failure that requests are answered with. */
interface Standing {
  readonly failure: Failure;
  readonly since: string;
  /** When the next start is due, in ISO 8601. */
  readonly nextTry: string | undefined;
}

export class Health {
  readonly #context: HealthContext;
  #standing: Standing | undefined;
  /** A server has answered. */
  #isProven = false;
  #client: string | undefined;

  constructor(context: HealthContext) {
    this.#context = context;
  }

  /** For a transition whose effects are still to come: a failure is logged before any request is answered with it. */
  beforeEffects(before: State, event: Event, transition: Transition): void {
    const [after] = transition;
    switch (event.on) {
      case 'build-failed':
      case 'overdue':
        if (after !== before && event.failure !== undefined) this.#emitFailed(event.failure, transition);
        return;
      case 'start-failed':
        // In other states the attempt goes on: with a build, or without the server beside it.
        if (after.at === 'serving' || after.at === 'waiting')
          this.#emitFailed(event.failure, transition, event.generation);
        return;
      case 'exit':
        if (after === before || before.at === 'retiring' || after.at === 'leaving' || event.isExpected) return;
        return this.#emitExit(event, transition);
      default:
    }
  }

  /** For a transition whose effects have been carried out: records whether requests are answered with a failure now. */
  afterEffects(event: Event, [state, effects]: Transition): void {
    const wait = effects.find((effect) => effect.do === 'wait');
    for (const effect of effects) {
      if (effect.do !== 'end-attempt' && effect.do !== 'end-hold') continue;
      if (effect.failure === undefined) this.#recordMended(event);
      else this.#recordStanding(effect.failure, wait?.delay);
    }
    this.emitHealth(state);
  }

  /** A server that was promoted without a handshake has sent its first response. */
  onFirstResponse(state: State): void {
    this.#isProven = true;
    if (this.#context.lineage.failure === undefined) this.#emitMended('reloaded');
    this.emitHealth(state);
  }

  #recordStanding(failure: Failure, delay: number | undefined): void {
    const now = Date.now();
    const nextTry = delay === undefined ? undefined : new Date(now + delay).toISOString();
    this.#standing = { failure, since: this.#standing?.since ?? new Date(now).toISOString(), nextTry };
  }

  #recordMended(event: Event): void {
    const { lineage, record } = this.#context;
    // Without a handshake nothing proves that the server works.
    if (!lineage.agreement.isOpen) return;
    this.#isProven = true;
    const isUndone = event.on === 'built' && record()?.files.length === 0;
    this.#emitMended(isUndone ? 'undone' : 'reloaded');
  }

  #emitMended(how: Mended): void {
    const { flow, lineage } = this.#context;
    const { serving } = lineage;
    if (this.#standing === undefined || serving === undefined) return;
    const { failure, since } = this.#standing;
    this.#standing = undefined;
    const { generation, process } = serving;
    flow.events.emit({ kind: 'mended', how, generation, pid: process.pid, failure, since });
  }

  #emitFailed(failure: Failure, transition: Transition, generation?: number): void {
    const { flow } = this.#context;
    const servesTools = flow.config.onFailure === 'serve';
    flow.events.emit({ kind: 'failed', failure, outlook: outlookOf(transition), generation, servesTools });
  }

  #emitExit(event: Extract<Event, { on: 'exit' }>, transition: Transition): void {
    const { failure, generation, exit } = event;
    // A server that has never answered has not crashed: its start has failed.
    if (failure.kind === 'start') return this.#emitFailed(failure, transition, generation);
    const outlook = outlookOf(transition);
    const [after] = transition;
    const current = failureOf(after);
    const isOtherStanding = current !== undefined && current !== failure;
    const asksForRestart = exit.code === RESTART_EXIT_CODE;
    const { events } = this.#context.flow;
    events.emit({ kind: 'crashed', generation, exit, failure, outlook, asksForRestart, isOtherStanding });
  }

  /** In a word. */
  state(state: State): HealthFacts['state'] {
    return this.#healthOf(state).state;
  }

  emitHealth(state: State): void {
    const { lineage, flow } = this.#context;
    const client = (this.#client ??= lineage.agreement.client);
    flow.events.emit({ kind: 'health', health: this.#healthOf(state), client });
  }

  #healthOf(state: State): HealthFacts {
    const standing = this.#standing;
    const { lineage } = this.#context;
    switch (state.at) {
      case 'closing':
      case 'leaving':
        return { state: 'closing' };
      case 'serving':
        if (standing === undefined) return { state: this.#isProven ? 'serving' : 'starting' };
        break;
      case 'waiting':
      case 'broken':
        if (standing === undefined) return { state: 'restarting' };
        break;
      default: {
        if (state.attempt.respawn && standing === undefined) return { state: 'restarting' };
        if (standing === undefined) return { state: this.#isProven ? 'reloading' : 'starting' };
      }
    }
    const { failure, since, nextTry } = standing;
    return {
      // An attempt is under way and requests wait for it: `reloading`, though the last attempt has failed.
      state: isAtRest(state) || !lineage.isHolding ? 'failing' : 'reloading',
      since,
      failure,
      ...(nextTry === undefined || state.at !== 'waiting' ? {} : { nextTry }),
    };
  }
}

/** What follows from a failure: who serves, whether requests are answered with it, when the next attempt is due. */
export function outlookOf([state, effects]: Transition): Outlook {
  const wait = effects.find((effect) => effect.do === 'wait');
  const serving = servingOf(state);
  return {
    ...(serving === undefined ? {} : { serving }),
    answered: effects.some(
      (effect) => (effect.do === 'end-attempt' || effect.do === 'end-hold') && effect.failure !== undefined,
    ),
    ...(wait === undefined ? {} : { nextTryMs: wait.delay }),
    underWay: !isAtRest(state),
  };
}
