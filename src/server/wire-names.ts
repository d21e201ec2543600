/**
 * The names that clients chose and one server sees: ids of requests, or tokens of progress. Clients that share a server
 * count alike, so a name that another client has used already is replaced on the wire by one of ours, and what the
 * server says under it finds back. A name stays its first user's after the request is over, because a server may still
 * speak of it. Pure.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from '../wire/ids.js';
import { ShortLivedMap } from '../wire/short-lived.js';

export interface WireName<S> {
  /** Undefined: the client has left. */
  readonly owner: S | undefined;
  /** As the client wrote it. */
  readonly own: Id;
  /** The request that it belongs to, as the client wrote its id. */
  readonly request: Id;
}

/** One for all names of a client: they are nobody's at once when it leaves, as clients of the modern era always do. */
interface Owner<S> {
  client: S | undefined;
}

interface Name<S> {
  readonly owner: Owner<S>;
  readonly own: Id;
  readonly request: Id;
}

/** Of so many names it is remembered whose they are, and of up to as many more. */
const MAX_NAMES = 10_000;

export class WireNames<S> {
  readonly #prefix: string;
  /**
   * By the key of the name on the wire: those that were used of late, and those before, which are given up all at once.
   * To delete the oldest of one map, again and again, would take longer the more were deleted before.
   */
  #recent = new Map<Key, Name<S>>();
  #former: ReadonlyMap<Key, Name<S>> = new Map();
  readonly #owners = new ShortLivedMap<S, Owner<S>>();
  #made = 0;
  /** Has used names that are not known here. */
  #earlier: S | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** What the server is to see. `isTaken`: whether the name is in use by another client though it is not known here. */
  take(client: S, own: Id, request: Id, isTaken: (key: Key) => boolean = () => false): Id {
    let name = own;
    let key = keyOf(name);
    while (this.#isOthers(key, client) || isTaken(key)) {
      name = `"${this.#prefix}-${++this.#made}"`;
      key = name;
    }
    this.#recent.set(key, { owner: this.#ownerOf(client), own, request });
    if (this.#recent.size >= MAX_NAMES) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    return name;
  }

  /** Only this client has been here so far, and nobody looked at its names: whatever is not known here may be one. */
  reserve(owner: S): void {
    this.#earlier = owner;
  }

  find(key: Key | undefined): WireName<S> | undefined {
    const name = key === undefined ? undefined : this.#find(key);
    return name && { owner: name.owner.client, own: name.own, request: name.request };
  }

  /** The client has left: its names are nobody's, and nobody else gets them. */
  disown(client: S): void {
    const owner = this.#owners.get(client);
    if (owner === undefined) return;
    owner.client = undefined;
    this.#owners.delete(client);
  }

  #find(key: Key): Name<S> | undefined {
    return this.#recent.get(key) ?? this.#former.get(key);
  }

  #ownerOf(client: S): Owner<S> {
    const known = this.#owners.get(client);
    if (known !== undefined) return known;
    const owner = { client };
    this.#owners.set(client, owner);
    return owner;
  }

  #isOthers(key: Key, client: S): boolean {
    const name = this.#find(key);
    if (name !== undefined) return name.owner.client !== client;
    return this.#earlier !== undefined && this.#earlier !== client && !key.startsWith(`"${this.#prefix}-`);
  }
}
