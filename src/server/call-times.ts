/**
 * When clients waited for results of tool calls: one record for all generations of a lineage, to which the tables of
 * pending requests report. Other requests do not count. Pure: the clock is the caller's.
 */

export interface CallTimes {
  /** At least one call has no answer yet. */
  readonly open: boolean;
  /** Since when a client has waited, or had when one last did. */
  readonly busySince: number;
  /** When the last call was answered that had no other beside it. */
  readonly idleSince: number;
  /** When the first of these calls began, if each followed soon on the answers before. */
  readonly activeSince: number;
  /** How many calls went to a server so far. */
  readonly calls: number;
  /** When the last of them began, and when it was answered: not yet is Infinity. */
  readonly newestBegan: number;
  readonly newestEnded: number;
}

/** Milliseconds after an answer in which a server may still finish what the call made it do. */
export const CALL_AFTERMATH = 200;

const CALL = 'tools/call';

export class CallClock {
  /** A client waits for a call, and none did before. */
  onBusy: () => void = () => {};
  /** A call that was reported as silent is over. */
  onSilenceOver: () => void = () => {};
  /** The clocks of calls go on that stood still while the server waited for a client. */
  onGoesOn: () => void = () => {};
  readonly #now: () => number;
  #requests = 0;
  #open = 0;
  #calls = 0;
  #newestOrder = 0;
  #newestBegan = -Infinity;
  #newestEnded = -Infinity;
  #busySince = -Infinity;
  #idleSince = -Infinity;
  #activeSince = -Infinity;

  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  /** When the last call began. */
  get newestBegan(): number {
    return this.#newestBegan;
  }

  get times(): CallTimes {
    return {
      open: this.#open > 0,
      busySince: this.#busySince,
      idleSince: this.#idleSince,
      activeSince: this.#activeSince,
      calls: this.#calls,
      newestBegan: this.#newestBegan,
      newestEnded: this.#newestEnded,
    };
  }

  /** A request went to a server. Returns its place in the order of all. */
  recordStart(method: string): number {
    const order = ++this.#requests;
    if (method === CALL) this.#callBegan(order);
    return order;
  }

  /** The client does not wait for it any more. */
  recordEnd(method: string, order: number): void {
    if (method !== CALL) return;
    const now = this.#now();
    if (order === this.#newestOrder) this.#newestEnded = now;
    if (--this.#open === 0) this.#idleSince = now;
  }

  #callBegan(order: number): void {
    const now = this.#now();
    this.#calls++;
    this.#newestOrder = order;
    this.#newestBegan = now;
    this.#newestEnded = Infinity;
    if (this.#open++ > 0) return;
    this.onBusy();
    this.#busySince = now;
    if (now - this.#idleSince > CALL_AFTERMATH) this.#activeSince = now;
  }
}
