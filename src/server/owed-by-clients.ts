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
}

const ROOTS = 'roots/list';
const NOTHING: readonly never[] = [];

export class OwedByClients<S> {
  #open: OwedByClient<S>[] = [];
  #hasAskedForRoots = false;
  #onRoots: (() => void)[] = [];

  /** Answered or not. */
  get hasAskedForRoots(): boolean {
    return this.#hasAskedForRoots;
  }

  add(session: S, clientId: Id, method: string): void {
    this.#open.push({ session, clientId, method });
    if (method === ROOTS) this.#hasAskedForRoots = true;
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

  #lookForRoots(): void {
    if (this.#open.some(({ method }) => method === ROOTS)) return;
    for (const then of this.#onRoots.splice(0)) then();
  }
}
