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
import { answerHandshakeLocally, type PendingHandshake } from '../exchange/handover.js';
import { isForeseen } from '../exchange/opening-answers.js';
import type { Session, Upstream } from '../exchange/records.js';
import { keyOf } from '../wire/ids.js';
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
  pendingHandshake: PendingHandshake | undefined;
  readonly #context: FirstStartContext;
  /** When the client first tried to open its session, on the monotonic clock. */
  #asked: number | undefined;

  constructor(context: FirstStartContext) {
    this.#context = context;
  }

  /** The client has sent a request that opens the session. It is answered in time, whoever does it. */
  async watch(session: Session, id: Id, method: string): Promise<void> {
    const { flow, traffic, over, state } = this.#context;
    const { lineage } = traffic;
    // As many wait here as the client has sent.
    setMaxListeners(0, over);
    const now = performance.now();
    this.#asked ??= now;
    const until = async (time: number): Promise<boolean> => {
      const ended = await delay(Math.max(0, time - performance.now()), false, { signal: over, ref: false }).catch(
        () => true,
      );
      return !ended && !session.hasServerAnswered;
    };
    // A second try, after a discover say, has waited already.
    if (!(await until(this.#asked + FORESEEN_AFTER_MS))) return;
    if (lineage.failure === undefined && isForeseen(lineage, method)) this.#answer(session, id, undefined);
    const limit = firstStartLimit(flow.config.startTimeout);
    if (!(await until(now + limit))) return;
    const serving = state().at === 'serving' ? lineage.serving : undefined;
    this.#answer(session, id, serving === undefined ? undefined : hangs(flow, serving, limit));
  }

  /** `failure`: what is wrong with the server that has the request, if it is not just slow. */
  #answer(session: Session, id: Id, failure: Failure | undefined): void {
    const { state, dispatch } = this.#context;
    const opened = answerHandshakeLocally(session, keyOf(id), failure);
    if (opened === 'nobody' || opened === 'held' || state().at !== 'serving') return;
    this.pendingHandshake = opened;
    dispatch({ on: 'overdue', generation: opened.upstream.generation, failure });
  }
}

/** What is wrong with a server that runs and does not open the session. */
export function hangs(flow: FlowContext, upstream: Upstream, ms: number): Failure {
  return { kind: 'start', command: flow.name, cause: { kind: 'hanging', ms }, output: saveOutput(flow, upstream) };
}
