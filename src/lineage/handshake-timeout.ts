/**
 * How long the client's opening of the session may stay with a first server that does not answer, and with whom it is
 * then. Two limits apply. After the first, a client of a command that has run before is given what that command said
 * then, and nothing has failed: everything else waits. After the second, the server counts as one that does not start.
 * It is adopted when it comes round after all.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../agent/words.js';
import type { FlowContext } from '../flow/flow.js';
import type { Introduction } from '../exchange/desk.js';
import { openInPlace } from '../exchange/handover.js';
import { isForeseen } from '../exchange/opening-answers.js';
import { keyOf } from '../session/ids.js';
import type { Generation } from '../server/generation.js';
import type { Id } from '../wire/envelope.js';
import { saveOutput } from './server-failures.js';
import { firstStartLimit, FORESEEN_AFTER_MS } from './start-limits.js';
import type { Event, State } from './states.js';
import type { Stopping } from './draining.js';

export interface FirstStartContext extends Stopping {
  state(): State;
  dispatch(event: Event): void;
}

export class FirstStart {
  /** What the server says in the end that the client was answered in place of. */
  introduction: Introduction | undefined;
  readonly #context: FirstStartContext;
  /** When the client first tried to open its session, on the monotonic clock. */
  #asked: number | undefined;

  constructor(context: FirstStartContext) {
    this.#context = context;
  }

  /** The client has sent a request that opens the session. It is answered in time, whoever does it. */
  async watch(id: Id, method: string): Promise<void> {
    const { flow, traffic, roster, over, state } = this.#context;
    const { desk } = traffic;
    // As many wait here as the client has sent.
    setMaxListeners(0, over);
    const now = performance.now();
    this.#asked ??= now;
    const until = async (time: number): Promise<boolean> => {
      const ended = await delay(Math.max(0, time - performance.now()), false, { signal: over, ref: false }).catch(
        () => true,
      );
      return !ended && !desk.born;
    };
    // A second try, after a discover say, has waited already.
    if (!(await until(this.#asked + FORESEEN_AFTER_MS))) return;
    if (desk.failure === undefined && isForeseen(desk, method)) this.#answer(id, undefined);
    const limit = firstStartLimit(flow.config.startTimeout);
    if (!(await until(now + limit))) return;
    const generation = state().at === 'serving' ? roster.get(desk.serving) : undefined;
    this.#answer(id, generation === undefined ? undefined : hangs(flow, generation, limit));
  }

  /** `failure`: what is wrong with the server that has the request, if it is not just slow. */
  #answer(id: Id, failure: Failure | undefined): void {
    const { traffic, state, dispatch } = this.#context;
    const opened = openInPlace(traffic.desk, keyOf(id), failure);
    if (opened === 'nobody' || opened === 'held' || state().at !== 'serving') return;
    this.introduction = opened;
    dispatch({ on: 'overdue', generation: opened.generation, failure });
  }
}

/** What is wrong with a server that runs and does not open the session. */
export function hangs(flow: FlowContext, generation: Generation, ms: number): Failure {
  return { kind: 'start', command: flow.name, cause: { kind: 'hanging', ms }, output: saveOutput(flow, generation) };
}
