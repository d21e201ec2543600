/**
 * How clients leave a lineage, and how it ends: for one reason, of which the first counts, when every server has exited
 * and every message is delivered. What is under way then is aborted by the signal that all waits of the lineage take.
 * `flow/shutdown.ts` knows how fast servers are stopped.
 */
import { Shutdown, type ShutdownReason } from '../flow/shutdown.js';
import { endHold } from '../exchange/handover.js';
import type { Session } from '../exchange/records.js';
import { ShortLivedMap } from '../wire/short-lived.js';
import type { Attempts } from './attempts.js';
import { answerHeld, leave } from './draining.js';
import type { LineageContext } from './lineage-context.js';

export interface EndingContext extends LineageContext {
  readonly attempts: Attempts;
  /** Its servers go on when the last client has left. */
  outlivesClients(): boolean;
  /** Aborts `closed`, the signal of all waits. */
  abortWaits(): void;
  /** No server runs and nothing is under way: gives back what the lineage holds of the project. */
  dispose(): Promise<void>;
}

export class Ending {
  #resolveClosed: (reason: ShutdownReason) => void = () => {};
  readonly closed = new Promise<ShutdownReason>((resolve) => (this.#resolveClosed = resolve));
  readonly #context: EndingContext;
  readonly #shutdown: Shutdown;
  /** Called when the session of this client is closed. */
  readonly #onLeft = new ShortLivedMap<Session, (reason: ShutdownReason) => void>();
  #isFinishing = false;
  #hasClientLeft = false;

  constructor(context: EndingContext) {
    this.#context = context;
    this.#shutdown = new Shutdown(context.generations, () => context.messages.channels);
  }

  /** A reason to end has been given. */
  get hasBegun(): boolean {
    return this.#shutdown.begun;
  }

  /** The only client has closed its side, and the lineage ends because of it. */
  get hasClientLeft(): boolean {
    return this.#hasClientLeft;
  }

  /** Resolves when the client's session is closed, or the lineage is. */
  left(session: Session): Promise<ShutdownReason> {
    return new Promise((resolve) => this.#onLeft.set(session, resolve));
  }

  /** The client has closed its side: it is still answered, and so are all if it was the last. */
  async onClientEnd(session: Session): Promise<void> {
    const { attempts } = this.#context;
    if (this.#outlives && !this.hasBegun) {
      await leave(this.#context, session);
      return this.#reportLeft(session);
    }
    const closed = performance.now();
    this.#hasClientLeft = true;
    if (!this.hasBegun) await answerHeld(this.#context, attempts);
    if (!this.hasBegun) await attempts.handOverBuild();
    this.begin({ by: 'client', waited: performance.now() - closed });
  }

  /** The client takes no answers any more. */
  onClientGone(session: Session): void {
    if (!this.#outlives) return this.begin({ by: 'client' });
    this.#context.messages.detach(session);
    this.#reportLeft(session);
  }

  /** Whether the servers stay if one more client leaves. */
  get #outlives(): boolean {
    return this.#context.outlivesClients() || this.#context.messages.lineage.sessions.size > 1;
  }

  #reportLeft(session: Session): void {
    this.#onLeft.get(session)?.({ by: 'client' });
    this.#onLeft.delete(session);
  }

  begin(reason: ShutdownReason): void {
    const { flow, dispatch } = this.#context;
    if (!this.hasBegun) flow.events.emit({ kind: 'closing', by: reason.by });
    this.#shutdown.begin(reason);
    dispatch({ on: 'close' });
    this.closeIfAllGone();
  }

  /** Nothing was ever started, and nothing will be: other lineages of the project may go on. */
  abandon(reason: ShutdownReason): void {
    const { attempts, messages, dispatch, dispose } = this.#context;
    this.#isFinishing = true;
    // The front answers for them.
    for (const session of messages.lineage.sessions) messages.detach(session);
    dispatch({ on: 'close' });
    void attempts.idle().then(dispose);
    this.#resolve(reason);
  }

  stopAll(): void {
    const { attempts, messages, generations, abortWaits } = this.#context;
    abortWaits();
    attempts.abort();
    messages.close();
    for (const generation of generations) this.#shutdown.stop(generation);
    if (messages.lineage.serving === undefined) endHold(messages.lineage);
  }

  closeIfAllGone(): void {
    if (this.#context.generations.size > 0 || this.#isFinishing) return;
    this.#isFinishing = true;
    void this.#finish();
  }

  async #finish(): Promise<void> {
    const { flow, attempts, generations, dispose } = this.#context;
    await attempts.idle();
    await generations.untilAlone(undefined);
    const alone = flow.leftovers.close();
    await dispose();
    await alone;
    flow.events.emit({ kind: 'closed' });
    this.#resolve(await this.#shutdown.finish());
  }

  #resolve(reason: ShutdownReason): void {
    for (const report of this.#onLeft.values()) report(reason);
    this.#onLeft.clear();
    this.#resolveClosed(reason);
  }
}
