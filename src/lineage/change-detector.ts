/**
 * When the disk is looked at: after the debounce, and before any request goes to a server (P4). What is seen becomes an
 * event; what that leads to is the state machine's. A loop that a server makes by writing its own files ends here (P6).
 */
import type { FlowContext } from '../flow/flow.js';
import type { Desk } from '../exchange/desk.js';
import type { Envelope } from '../wire/envelope.js';
import { nameFiles } from '../agent/file-names.js';
import { pathsOf, type Freshness } from '../project/freshness.js';
import { fence } from '../project/fence.js';
import { judge } from './event-for-changes.js';
import { Loops } from '../project/edits/reload-loop-guard.js';
import type { Event, State } from './states.js';

export interface LookoutContext {
  readonly flow: FlowContext;
  readonly desk: Desk;
  state(): State;
  freshness(): Freshness | undefined;
  dispatch(event: Event): void;
}

export class Lookout {
  readonly #context: LookoutContext;
  readonly #loops = new Loops();
  /** A change waits for the client to ask for something. */
  #waits = false;

  constructor(context: LookoutContext) {
    this.#context = context;
  }

  /** A request may only be executed by code as new as the disk. Opening a session needs no more than a server. */
  needsCheck(envelope: Envelope): boolean {
    const { flow, desk } = this.#context;
    const fresh = this.#context.freshness();
    if (fresh === undefined || desk.holding || flow.config.whileReloading === 'serve') return false;
    // What is no message by its envelope may be meant as one.
    if (envelope.kind === 'batch' || envelope.kind === 'invalid') return true;
    if (envelope.kind !== 'request') return false;
    return fresh.ready || (envelope.method !== 'initialize' && envelope.method !== 'server/discover');
  }

  /** Undefined if there is nothing to look at. */
  refresh(): Promise<void> | undefined {
    return this.#context.freshness()?.stirred === true || this.#waits ? this.check(true) : undefined;
  }

  /** Hashes what has stirred, and acts if that makes a difference. `asked`: a request waits for it. */
  async check(asked: boolean): Promise<void> {
    const { state, dispatch } = this.#context;
    await this.#context.freshness()?.check(asked);
    const fresh = this.#context.freshness();
    const event = fresh === undefined ? undefined : judge(state(), fresh);
    if (fresh === undefined || event === undefined) return;
    if (!asked && state().at === 'serving' && this.#mayWait(pathsOf(fresh.changed('serving')))) return;
    this.#waits = false;
    dispatch(event);
  }

  /** A server that serves without ever having been asked has said its first word: by now it has read its code. */
  async spoke(generation: number): Promise<void> {
    await fence();
    await this.check(false);
    this.#context.freshness()?.loaded(generation);
  }

  reloaded(): void {
    this.#loops.reloaded(performance.now(), this.#context.desk.requests);
  }

  #mayWait(files: readonly string[]): boolean {
    const { flow, desk } = this.#context;
    const waits = this.#loops.mayWait(files, performance.now(), desk.requests);
    if (waits && !this.#waits) {
      const what = `${nameFiles(files)} changed after each of the last reloads, with nobody asking for anything, as if the server wrote it`;
      const then = 'It is reloaded when the client asks for something next. Use --ignore for such files';
      flow.events.emit({ kind: 'warning', text: `${what}. ${then}`, files });
    }
    return (this.#waits = waits);
  }
}
