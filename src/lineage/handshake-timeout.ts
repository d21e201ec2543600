/**
 * Answers the client's handshake when the first server takes too long, after two limits. After `FORESEEN_AFTER_MS` the
 * result is taken from the handshake cache, if the command has run before; nothing has failed then, and all other
 * requests wait. After `firstStartLimit` the start counts as failed. The process goes on in both cases: the proxy
 * adopts it as a candidate when it answers.
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
import { httpTraceOf, warnOfHttp } from './http-warning.js';
import { notThere, saveOutput } from './server-failures.js';
import { firstStartLimit, FORESEEN_AFTER_MS } from './start-timeout.js';
import type { LineageContext } from './lineage-context.js';

export class HandshakeTimeout {
  /** The client's handshake that the proxy has answered, and the server has yet to. */
  pendingHandshake: PendingHandshake | undefined;
  readonly #context: LineageContext;
  /** When each client first sent a handshake request, on the monotonic clock. */
  readonly #firstRequestAt = new WeakMap<Session, number>();

  constructor(context: LineageContext) {
    this.#context = context;
  }

  /** The client has sent a handshake request: answers it if the server has not by one of the limits. */
  async watch(session: Session, id: Id, method: string): Promise<void> {
    const { flow, messages, closed, state } = this.#context;
    const { lineage } = messages;
    // One listener for each handshake request of the client: no leak.
    setMaxListeners(0, closed);
    const asked = (): Upstream | undefined => this.pendingHandshake?.upstream ?? lineage.serving;
    void warnOfHttp(flow, lineage, () => (session.hasServerAnswered ? undefined : asked()), closed);
    const now = performance.now();
    const firstRequestAt = this.#firstRequestAt.get(session) ?? now;
    this.#firstRequestAt.set(session, firstRequestAt);
    const until = async (time: number): Promise<boolean> => {
      const isAborted = await delay(Math.max(0, time - performance.now()), false, { signal: closed, ref: false }).catch(
        () => true,
      );
      return !isAborted && !session.hasServerAnswered;
    };
    // Counts from the first request: before a second one (`initialize` after `server/discover`) the client has waited
    // already.
    if (!(await until(firstRequestAt + FORESEEN_AFTER_MS))) return;
    if (lineage.failure === undefined && isForeseen(lineage, method)) this.#answer(session, id, undefined);
    const limit = firstStartLimit(flow.config.startTimeout);
    if (!(await until(now + limit))) return;
    const serving = state().at === 'serving' ? lineage.serving : undefined;
    this.#answer(session, id, serving === undefined ? undefined : hangingFailure(flow, serving, limit));
  }

  /** `failure`: undefined if the server is merely slow. */
  #answer(session: Session, id: Id, failure: Failure | undefined): void {
    const { state, dispatch } = this.#context;
    const opened = answerHandshakeLocally(session, keyOf(id), failure);
    if (opened === 'nobody' || opened === 'held' || state().at !== 'serving') return;
    this.pendingHandshake = opened;
    dispatch({ on: 'overdue', generation: opened.upstream.generation, failure });
  }
}

/** The failure of a server that runs and does not answer the handshake. */
export function hangingFailure(flow: FlowContext, upstream: Upstream, ms: number): Failure {
  if (flow.config.command === '') return notThere(flow, upstream, ms);
  return {
    kind: 'start',
    command: flow.name,
    cause: { kind: 'hanging', ms, trace: httpTraceOf(flow, upstream), last: upstream.lastProblem() },
    output: saveOutput(flow, upstream),
  };
}
