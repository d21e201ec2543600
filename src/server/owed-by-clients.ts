/**
 * The requests of one server that clients owe it an answer to, and whether it waits for their roots. Under which names
 * a client sees them is kept with the client (session/server-requests.ts). Pure.
 */
import type { Id } from '../wire/envelope.js';

export interface OwedByClient<S> {
  readonly session: S;
  /** What the client sees. */
  readonly clientId: Id;
  readonly method: string;
  /** The server still waits for it: it has not taken it back. */
  isAwaited: boolean;
}

const ROOTS = 'roots/list';
const NOTHING: readonly never[] = [];
const PING = 'ping';

export class OwedByClients<S> {
  #open: OwedByClient<S>[] = [];
  #hasAskedForRoots = false;
  #onRoots: (() => void)[] = [];
  /** Since when the server waits for an answer of this client. */
  readonly #awaitedSince = new Map<S, number>();
  readonly #now: () => number;
  readonly #onAnswered: (session: S, since: number, now: number) => void;

  /** `onAnswered`: the server has waited for the client since then, and does not any more. */
  constructor(now = (): number => 0, onAnswered: (session: S, since: number, now: number) => void = () => {}) {
    this.#now = now;
    this.#onAnswered = onAnswered;
  }

  /** Answered or not. */
  get hasAskedForRoots(): boolean {
    return this.#hasAskedForRoots;
  }

  add(session: S, clientId: Id, method: string): void {
    // No call waits for the answer to a ping.
    const isAwaited = method !== PING;
    this.#open.push({ session, clientId, method, isAwaited });
    if (isAwaited && !this.#awaitedSince.has(session)) this.#awaitedSince.set(session, this.#now());
    if (method === ROOTS) this.#hasAskedForRoots = true;
  }

  /** Since when the server waits for an answer of this client, if it does. */
  awaitedSince(session: S): number | undefined {
    return this.#awaitedSince.get(session);
  }

  /** The server has taken it back: the client may answer it or not. */
  takenBack(session: S, clientId: Id): void {
    for (const request of this.#open)
      if (request.session === session && request.clientId === clientId) request.isAwaited = false;
    this.#lookForAnswered();
  }

  /** The client has answered. */
  remove(session: S, clientId: Id): void {
    this.#open = this.#open.filter((request) => request.session !== session || request.clientId !== clientId);
    this.#lookForRoots();
  }

  /** The client has left: it answers nothing any more. */
  takeOf(session: S): readonly OwedByClient<S>[] {
    if (this.#open.length === 0) return NOTHING;
    const taken = this.#open.filter((request) => request.session === session);
    this.#open = this.#open.filter((request) => request.session !== session);
    this.#lookForRoots();
    return taken;
  }

  /** The server is gone, and expects no answer any more. */
  takeAll(): OwedByClient<S>[] {
    const taken = this.#open;
    this.#open = [];
    this.#lookForRoots();
    return taken;
  }

  /** Calls back when it is owed no roots, which may be at once. */
  onRootsAnswered(then: () => void): void {
    this.#onRoots.push(then);
    this.#lookForRoots();
  }

  #lookForAnswered(): void {
    if (this.#awaitedSince.size === 0) return;
    const awaited = new Set(this.#open.filter(({ isAwaited }) => isAwaited).map(({ session }) => session));
    for (const [session, since] of this.#awaitedSince) {
      if (awaited.has(session)) continue;
      this.#awaitedSince.delete(session);
      this.#onAnswered(session, since, this.#now());
    }
  }

  #lookForRoots(): void {
    this.#lookForAnswered();
    if (this.#open.some(({ method }) => method === ROOTS)) return;
    for (const then of this.#onRoots.splice(0)) then();
  }
}
