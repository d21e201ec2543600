/**
 * The client's open `subscriptions/listen` streams (modern era). A stream outlives the generations that feed it: it is
 * opened anew with each of them under the client's own id, and the client sees one acknowledgement and no end. Pure.
 */
import { readAt } from '../wire/edit.js';
import type { Id } from '../wire/scan.js';
import { keyOf, type Key } from './ids.js';
import { membersOf } from './session.js';

export interface Listen {
  readonly id: Id;
  readonly key: Key;
  /** As the client sent it. */
  readonly line: Buffer;
  /** What it asked to be told: `toolsListChanged` and its kin, `resourceSubscriptions`. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** The generations that it was opened with, and whether they have acknowledged it. */
  readonly told: Map<number, boolean>;
  /** The client has its acknowledgement. */
  acknowledged: boolean;
  /** What the client is to be told then, as lines. */
  readonly due: Set<string>;
  /** What the server that serves said at its end, until the client hears of it. */
  ending: Buffer | undefined;
}

export class Listens implements Iterable<Listen> {
  readonly #open = new Map<Key, Listen>();

  open(id: Id, line: Buffer): Listen {
    const listen: Listen = {
      id,
      key: keyOf(id),
      line,
      filter: membersOf(readAt(line, ['params', 'notifications'])),
      told: new Map(),
      acknowledged: false,
      due: new Set(),
      ending: undefined,
    };
    this.#open.set(listen.key, listen);
    return listen;
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
