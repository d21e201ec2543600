/**
 * The servers' requests that one client owes an answer to. Every process counts its ids anew, so two generations may
 * ask under the same one; the second then reaches the client under an id of ours, and the answer finds back. A request
 * whose server is gone stays known until it is answered, so that the late answer goes to nobody. Pure.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from '../wire/ids.js';

/** `U`: the generation that asked. */
export interface ServerRequest<U> {
  /** What the client sees. */
  readonly clientId: Id;
  /** What the server wrote. */
  readonly id: Id;
  readonly key: Key;
  readonly upstream: U;
  readonly method: string;
  /** The token for progress on it: as the server wrote it, and as the client sees it. */
  readonly token: Key | undefined;
  readonly clientToken: Key | undefined;
  isAbandoned: boolean;
}

/** So many requests of lost generations are remembered; a client that answers none of them is not waited for. */
const MAX_ABANDONED = 1000;

export class ServerRequests<U extends { readonly generation: number }> {
  readonly #open = new Map<Key, ServerRequest<U>>();
  #renamed = 0;
  #abandoned = 0;

  /** What the client sees differs from what was written only where it must. */
  add(id: Id, upstream: U, method: string, token: Key | undefined): ServerRequest<U> {
    const key = keyOf(id);
    let clientId = id;
    while (this.isOpen(keyOf(clientId))) clientId = this.#newName(upstream);
    const other = token === undefined ? undefined : this.byToken(token);
    const clientToken = other === undefined || other.upstream === upstream ? token : this.#newName(upstream);
    const request = { clientId, id, key, upstream, method, token, clientToken, isAbandoned: false };
    this.#open.set(keyOf(clientId), request);
    return request;
  }

  /** What the client was asked under this id. */
  get(clientId: Id): ServerRequest<U> | undefined {
    return this.#open.get(keyOf(clientId));
  }

  /** The client answers; the request is closed by that. */
  complete(clientId: Id): ServerRequest<U> | undefined {
    const key = keyOf(clientId);
    const request = this.#open.get(key);
    if (request === undefined) return undefined;
    this.#open.delete(key);
    if (request.isAbandoned) this.#abandoned--;
    return request;
  }

  /** The newest of the generation that it made under this id. */
  find(key: Key, upstream: U): ServerRequest<U> | undefined {
    return [...this.#open.values()].findLast((request) => request.key === key && request.upstream === upstream);
  }

  /** Whether the client knows a request under this id. */
  isOpen(clientId: Key): boolean {
    return this.#open.has(clientId);
  }

  /** What the client's progress under this token is about. */
  byToken(clientToken: Key): ServerRequest<U> | undefined {
    return [...this.#open.values()].findLast((request) => request.clientToken === clientToken);
  }

  /** The server is gone: the client need not think about its request any more. */
  abandon(clientId: Id): void {
    const request = this.#open.get(keyOf(clientId));
    if (request === undefined || request.isAbandoned) return;
    request.isAbandoned = true;
    this.#abandoned++;
    for (const [key, oldest] of this.#open) {
      if (this.#abandoned <= MAX_ABANDONED) break;
      if (!oldest.isAbandoned) continue;
      this.#open.delete(key);
      this.#abandoned--;
    }
  }

  #newName({ generation }: U): Key {
    return `"hotline-${generation}-${++this.#renamed}"`;
  }
}
