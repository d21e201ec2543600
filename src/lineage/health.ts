/**
 * Says in the log, and shows to `mcp-hotline status`, every change of state that a person cares about: a failure and
 * what follows from it, a crash, and that either is mended. It looks at the transitions of state.ts and changes
 * nothing.
 */
import type { Failure } from '../agent/words.js';
import type { FlowContext } from '../flow/flow.js';
import type { ProxyHealth } from '../state/status-file.js';
import type { LineageRecord } from '../exchange/records.js';
import type { Run } from './attempt-record.js';
import { RESTART } from './exits.js';
import {
  crashText,
  failureHeadline,
  failureOutput,
  failureText,
  mendedText,
  outlookOf,
  type Mended,
} from './failure-text.js';
import type { History } from './history.js';
import { failureOf, isAtRest } from './state.js';
import type { Event, State, Step } from './states.js';

export interface HealthContext {
  readonly flow: FlowContext;
  readonly lineage: LineageRecord;
  readonly history: History;
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
    flow.log.info('mended', mendedText(how, serving.generation), {
      how,
      generation: serving.generation,
      pid: serving.process.pid,
      kind: failure.kind,
      since,
    });
  }

  #failed(failure: Failure, step: Step, generation?: number): void {
    const { flow } = this.#context;
    const { onFailure, logFile } = flow.config;
    const outlook = outlookOf(step);
    const isServers = failure.kind === 'start' || failure.kind === 'era';
    const shown = { servesTools: onFailure === 'serve', withOutput: !isServers || logFile !== undefined };
    const facts = { ...failure, ...outlook, ...(generation === undefined ? {} : { generation }) };
    flow.log.error('failed', failureText(failure, outlook, shown), facts);
  }

  #ended(event: Extract<Event, { on: 'exit' }>, step: Step): void {
    const { failure, generation, exit } = event;
    // It has never answered: that is no crash of a server, but a start that failed.
    if (failure.kind === 'start') return this.#failed(failure, step, generation);
    const outlook = outlookOf(step);
    const [after] = step;
    const current = failureOf(after);
    const isStanding = current !== undefined && current !== failure;
    const text = crashText(failure.how, exit.code === RESTART, outlook, isStanding);
    const { kind, command, how, output } = failure;
    this.#context.flow.log.warn('crashed', text, { generation, ...exit, kind, command, how, output, ...outlook });
  }

  /** For `mcp-hotline status`. */
  show(state: State): void {
    const { lineage, history } = this.#context;
    const client = (this.#client ??= lineage.agreement.client);
    history.show({ health: this.#healthOf(state), ...(client === undefined ? {} : { client }) });
  }

  #healthOf(state: State): ProxyHealth {
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
      failure: failureHeadline(failure),
      output: failureOutput(failure),
      ...(nextTry === undefined || state.at !== 'waiting' ? {} : { nextTry }),
    };
  }
}
