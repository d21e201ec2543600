/**
 * The calls of one server that clients have taken back or left behind. A server may be at such a call for a while, and
 * what it asks or says in its course looks as if it were about a call of somebody else. So it is remembered for how
 * long that has to be reckoned with. Pure; what follows from it is decided in exchange/addressees.ts.
 */
import type { Key } from '../wire/ids.js';

interface TakenBack<S> {
  readonly session: S;
  /** On the monotonic clock. */
  readonly at: number;
  /** It had asked to be told what the server logs. */
  readonly asksForLog: boolean;
}

/** A server that has not answered for so long has heeded the cancellation. */
const FORGOTTEN_AFTER_MS = 60_000;
const MAX_CALLS = 1_000;

export class TakenBackCalls<S> {
  /** By id on the wire; the oldest stands first. */
  readonly #calls = new Map<Key, TakenBack<S>>();

  add(key: Key, call: TakenBack<S>): void {
    this.#calls.delete(key);
    this.#calls.set(key, call);
    for (const [oldest, { at }] of this.#calls) {
      if (this.#calls.size <= MAX_CALLS && call.at - at < FORGOTTEN_AFTER_MS) break;
      this.#calls.delete(oldest);
    }
  }

  /** The server has answered it all the same: it is not at it any more. */
  delete(key: Key): void {
    this.#calls.delete(key);
  }

  /** Whether the server may be at a call of anybody but this client. */
  isAnyOfOthers(session: S | undefined, now: number, isLog = false): boolean {
    for (const call of this.#calls.values()) {
      if (now - call.at >= FORGOTTEN_AFTER_MS || (isLog && !call.asksForLog)) continue;
      if (call.session !== session) return true;
    }
    return false;
  }
}
