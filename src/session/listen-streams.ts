/**
 * A client's open `subscriptions/listen` streams (modern era). A stream outlives the generations that feed it: it is
 * opened anew with each of them under the client's own id, and the client sees one acknowledgement and no end. With
 * which generations it is open, each of these knows. Pure.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from '../wire/ids.js';
import type { Message } from '../wire/message.js';
import { membersOf } from './agreement.js';

export interface ListenStream {
  readonly id: Id;
  readonly key: Key;
  /** As the client sent it. */
  readonly request: Message;
  /** What it asked for: `toolsListChanged` and its kin, `resourceSubscriptions`. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** The client has its acknowledgement. */
  isAcknowledged: boolean;
  /** What the client gets then, as JSON. */
  readonly queued: Set<string>;
  /** What the server that serves said at its end, until the client hears of it. */
  ending: Message | undefined;
}

export class ListenStreams implements Iterable<ListenStream> {
  readonly #open = new Map<Key, ListenStream>();

  open(id: Id, request: Message): void {
    const filter = membersOf(request.read(['params', 'notifications']));
    const key = keyOf(id);
    this.#open.set(key, {
      id,
      key,
      request,
      filter,
      isAcknowledged: false,
      queued: new Set(),
      ending: undefined,
    });
  }

  get size(): number {
    return this.#open.size;
  }

  find(key: Key | undefined): ListenStream | undefined {
    return key === undefined ? undefined : this.#open.get(key);
  }

  end(stream: ListenStream): void {
    this.#open.delete(stream.key);
  }

  [Symbol.iterator](): Iterator<ListenStream> {
    return this.#open.values();
  }
}
