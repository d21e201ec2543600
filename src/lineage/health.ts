/**
 * Tells every change of state that a person cares about: a failure and what follows from it, a crash, that either is
 * mended, and how the server is. It looks at the transitions of state.ts and changes nothing. The words are the sinks'.
 */
import type { Mended } from '../agent/failure-log.js';
import type { Failure } from '../agent/failure.js';
import type { Health as HealthFacts } from '../events/events.js';
import type { FlowContext } from '../flow/flow.js';
import type { LineageRecord } from '../exchange/records.js';
import type { Run } from './attempt-record.js';
import { RESTART } from './exits.js';
import { outlookOf } from './outlook.js';
import { failureOf, isAtRest } from './state.js';
import type { Event, State, Step } from './states.js';

export interface HealthContext {
  readonly flow: FlowContext;
  readonly lineage: LineageRecord;
  run(): Run | undefined;
}

/** A failure that requests are answered with. */
interface Standing {
  readonly failure: Failure;
  readonly since: string;
  /** When the next start is due. */
  readonly nextTry: string | undefined;
}

export class Health {
  readonly #context: HealthContext;
  #standing: Standing | undefined;
  /** A server has answered since the last failure, or none has failed. */
  #proven = false;
  #client: string | undefined;

  constructor(context: HealthContext) {
    this.#context = context;
  }

  /** Before the effects of a transition: a failure is on record before anybody is answered with it. */
  moved(before: State, event: Event, step: Step): void {
    const [after] = step;
    switch (event.on) {
      case 'build-failed':
      case 'overdue':
        if (after !== before && event.failure !== undefined) this.#failed(event.failure, step);
        return;
      case 'start-failed':
        // Otherwise it is built first, or started once more without the server beside it.
        if (after.at === 'serving' || after.at === 'waiting') this.#failed(event.failure, step, event.generation);
        return;
      case 'exit':
        if (after !== before && before.at !== 'retiring' && after.at !== 'leaving') this.#ended(event, step);
        return;
      default:
    }
  }

  /** After the effects: who is answered how from now on. */
  settled(event: Event, [state, effects]: Step): void {
    const wait = effects.find((effect) => effect.do === 'wait');
    for (const effect of effects) {
      if (effect.do !== 'release' && effect.do !== 'tell') continue;
      if (effect.failure === undefined) this.#mended(event);
      else this.#stands(effect.failure, wait?.delay);
    }
    this.show(state);
  }

  /** A server that nobody had asked anything has given its first answer. */
  answered(state: State): void {
    this.#proven = true;
    if (this.#context.lineage.failure === undefined) this.#sayMended('reloaded');
    this.show(state);
  }

  #stands(failure: Failure, delay: number | undefined): void {
    const now = Date.now();
    const nextTry = delay === undefined ? undefined : new Date(now + delay).toISOString();
    this.#standing = { failure, since: this.#standing?.since ?? new Date(now).toISOString(), nextTry };
  }

  #mended(event: Event): void {
    const { lineage, run } = this.#context;
    // A process that nobody has asked anything is no proof.
    if (!lineage.agreement.isOpen) return;
    this.#proven = true;
    const isUndone = event.on === 'built' && run()?.files.length === 0;
    this.#sayMended(isUndone ? 'undone' : 'reloaded');
  }

  #sayMended(how: Mended): void {
    const { flow, lineage } = this.#context;
    const { serving } = lineage;
    if (this.#standing === undefined || serving === undefined) return;
    const { failure, since } = this.#standing;
    this.#standing = undefined;
    const { generation, process } = serving;
    flow.events.emit({ kind: 'mended', how, generation, pid: process.pid, failure, since });
  }

  #failed(failure: Failure, step: Step, generation?: number): void {
    const { flow } = this.#context;
    const servesTools = flow.config.onFailure === 'serve';
    flow.events.emit({ kind: 'failed', failure, outlook: outlookOf(step), generation, servesTools });
  }

  #ended(event: Extract<Event, { on: 'exit' }>, step: Step): void {
    const { failure, generation, exit } = event;
    // It has never answered: that is no crash of a server, but a start that failed.
    if (failure.kind === 'start') return this.#failed(failure, step, generation);
    const outlook = outlookOf(step);
    const [after] = step;
    const current = failureOf(after);
    const isOtherStanding = current !== undefined && current !== failure;
    const asksForRestart = exit.code === RESTART;
    const { events } = this.#context.flow;
    events.emit({ kind: 'crashed', generation, exit, failure, outlook, asksForRestart, isOtherStanding });
  }

  show(state: State): void {
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
        if (standing === undefined) return { state: this.#proven ? 'serving' : 'starting' };
        break;
      case 'waiting':
      case 'broken':
        if (standing === undefined) return { state: 'restarting' };
        break;
      default: {
        if (state.attempt.restart && standing === undefined) return { state: 'restarting' };
        if (standing === undefined) return { state: this.#proven ? 'reloading' : 'starting' };
      }
    }
    const { failure, since, nextTry } = standing;
    return {
      // What failed is being tried again, and requests wait for that.
      state: isAtRest(state) || !lineage.isHolding ? 'failing' : 'reloading',
      since,
      failure,
      ...(nextTry === undefined || state.at !== 'waiting' ? {} : { nextTry }),
    };
  }
}
