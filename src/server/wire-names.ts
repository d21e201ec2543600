/**
 * The names that clients chose and one server sees: ids of requests, or tokens of progress. Clients that share a server
 * count alike, so a name that another client has used already is replaced on the wire by one of ours, and what the server
 * says under it finds back. A name stays its first user's after the request is over, because a server may still speak of
 * it. Pure.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from '../wire/ids.js';

export interface WireName<S> {
  /** Undefined: the client has left. */
  readonly owner: S | undefined;
  /** As the client wrote it. */
  readonly own: Id;
  /** The request that it belongs to, as the client wrote its id. */
  readonly request: Id;
}

/** Of so many names it is remembered whose they are. */
const MAX_NAMES = 20_000;

export class WireNames<S> {
  readonly #prefix: string;
  /** By the key of the name on the wire; the one that was used longest ago stands first. */
  readonly #names = new Map<Key, WireName<S>>();
  #made = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** What the server is to see. `isTaken`: whether the name is in use by another client though it is not known here. */
  take(owner: S, own: Id, request: Id, isTaken: (key: Key) => boolean = () => false): Id {
    let name = own;
    let key = keyOf(name);
    while (this.#isOthers(key, owner) || isTaken(key)) {
      name = `"${this.#prefix}-${++this.#made}"`;
      key = name;
    }
    this.#names.delete(key);
    this.#names.set(key, { owner, own, request });
    for (const oldest of this.#names.keys()) {
      if (this.#names.size <= MAX_NAMES) break;
      this.#names.delete(oldest);
    }
    return name;
  }

  find(key: Key | undefined): WireName<S> | undefined {
    return key === undefined ? undefined : this.#names.get(key);
  }

  /** The client has left: its names are nobody's, and nobody else gets them. */
  disown(owner: S): void {
    for (const [key, name] of this.#names) {
      if (name.owner === owner) this.#names.set(key, { ...name, owner: undefined });
    }
  }

  #isOthers(key: Key, owner: S): boolean {
    const name = this.#names.get(key);
    return name !== undefined && name.owner !== owner;
  }
}
