/**
 * The client's open `subscriptions/listen` streams (modern era). A stream outlives the generations that feed it: it is
 * opened anew with each of them under the client's own id, and the client sees one acknowledgement and no end. Pure.
 */
import type { Id } from '../wire/envelope.js';
import type { Message } from '../wire/message.js';
import { keyOf, type Key } from './ids.js';
import { membersOf } from './session.js';

export interface Listen {
  readonly id: Id;
  readonly key: Key;
  /** As the client sent it. */
  readonly request: Message;
  /** What it asked to be told: `toolsListChanged` and its kin, `resourceSubscriptions`. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** The generations that it was opened with, and whether they have acknowledged it. */
  readonly told: Map<number, boolean>;
  /** The client has its acknowledgement. */
  acknowledged: boolean;
  /** What the client is to be told then, as lines. */
  readonly due: Set<string>;
  /** What the server that serves said at its end, until the client hears of it. */
  ending: Message | undefined;
}

export class Listens implements Iterable<Listen> {
  readonly #open = new Map<Key, Listen>();

  open(id: Id, request: Message): void {
    const listen: Listen = {
      id,
      key: keyOf(id),
      request,
      filter: membersOf(request.read(['params', 'notifications'])),
      told: new Map(),
      acknowledged: false,
      due: new Set(),
      ending: undefined,
    };
    this.#open.set(listen.key, listen);
  }

  get size(): number {
    return this.#open.size;
  }

  find(key: Key | undefined): Listen | undefined {
    return key === undefined ? undefined : this.#open.get(key);
  }

  end(listen: Listen): void {
    this.#open.delete(listen.key);
  }

  [Symbol.iterator](): Iterator<Listen> {
    return this.#open.values();
  }
}
