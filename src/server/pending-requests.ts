/**
 * The requests of clients that one generation owes an answer to. Each is answered once: an answer that is not owed,
 * because it was given already or because the request has moved to another generation, is nobody's. What to do with
 * what a lost generation owed is decided in exchange/.
 */
import type { Id } from '../wire/envelope.js';
import { keyOf, type Key } from '../wire/ids.js';
import { Message } from '../wire/message.js';
import { CallClock } from './call-times.js';

interface Entry<S> {
  /** Whose it is. Undefined: nobody's, it waits in the pool. */
  session: S | undefined;
  /** As the client wrote it. */
  id: Id;
  /** On the wire to the server: another one if a client that shares the server has used the same. */
  wireId: Id;
  /** Of the id on the wire. */
  key: Key;
  /** Chooses its bucket. */
  hash: number;
  /** Grows with every request, over all generations. */
  order: number;
  method: string;
  /** As it was read, for the few that may be sent again; of a call that was cancelled, nothing. */
  message: Message;
  /** The requests of one batch are answered together and never sent again. */
  batch: Batch | undefined;
  /** It has been with another generation before, which was lost. */
  isRetry: boolean;
  cancelled: boolean;
  /** Of a call: since when the server owes a word, not counting while it waited for one of the client's. */
  silentSince: number;
  /** People were told of its silence. */
  isReported: boolean;
  /** Of a call: how much the server had printed for people before, in bytes. */
  printedBefore: number;
  /** The server had nothing else to do when it was sent. */
  begunAlone: boolean;
  /** The next in its bucket: older, and under the same id or another. */
  next: Entry<S> | undefined;
  /** Its neighbours in the order in which all were asked. */
  older: Entry<S> | undefined;
  newer: Entry<S> | undefined;
}

export interface PendingRequest<S> extends Readonly<Omit<Entry<S>, 'session' | 'next' | 'older' | 'newer'>> {
  readonly session: S;
}

/** Tells one batch from the others. */
export type Batch = object;

const CALL = 'tools/call';
const NOTHING = Message.of(Buffer.alloc(0));
/** How many entries are kept for the next requests. */
const POOL_SIZE = 1024;
/** To begin with; a power of two. With fewer requests open, most buckets hold one or none. */
const BUCKETS = 1024;
/** Of a key that is longer than anybody's, so many characters choose the bucket. */
const HASHED_CHARACTERS = 256;

export class PendingRequests<S> implements Iterable<PendingRequest<S>> {
  /**
   * By key, the newest first. A hash table of our own instead of a `Map`. A `Map` that is filled and emptied all the
   * time allocates a new table every few hundred requests, and the old tables reference the new ones. Once one of them
   * is in V8's old generation, all later ones are promoted too and wait for a full collection (figures:
   * docs/PERFORMANCE.md).
   */
  #buckets = empty<S>(BUCKETS);
  #oldest: Entry<S> | undefined;
  #newest: Entry<S> | undefined;
  #size = 0;
  #count = 0;
  /** Some request went under another id than the client's. */
  #hasRenamed = false;
  /** The place of the last one that was added, answered or not. */
  #lastOrder = 0;
  /** The server may still be at work on what nobody waits for any more. */
  #hasStrays = false;
  readonly #pool: Entry<S>[] = [];
  readonly #clock: CallClock;
  readonly #printed: () => number;

  /** `clock`: of all generations of a lineage. `printed`: how much the server has printed for people so far. */
  constructor(clock: CallClock = new CallClock(), printed = (): number => 0) {
    this.#clock = clock;
    this.#printed = printed;
  }

  /** How many answers clients still wait for. */
  get count(): number {
    return this.#count;
  }

  /** Null ids ask for nothing that could be matched. */
  add(session: S, id: Id, method: string, message: Message, batch?: Batch, isRetry = false, wireId = id): void {
    const key = keyOf(wireId);
    if (key === 'null') return;
    if (wireId !== id) this.#hasRenamed = true;
    const entry = this.#pool.pop() ?? blank<S>();
    entry.session = session;
    entry.id = id;
    entry.wireId = wireId;
    entry.key = key;
    entry.hash = hashOf(key);
    entry.order = this.#lastOrder = this.#clock.recordStart(method);
    entry.silentSince = this.#clock.newestBegan;
    entry.isReported = false;
    entry.printedBefore = method === CALL ? this.#printed() : 0;
    entry.begunAlone = this.#size === 0 && !this.#hasStrays && batch === undefined;
    entry.method = method;
    entry.message = message;
    entry.batch = batch;
    entry.isRetry = isRetry;
    entry.cancelled = false;
    if (++this.#size > 2 * this.#buckets.length) this.#grow();
    this.#file(entry);
    entry.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
    this.#count++;
  }

  /** The request is answered. Undefined if nothing was owed under this id. */
  complete(id: Id): PendingRequest<S> | undefined {
    const pending = this.find(keyOf(id));
    if (pending !== undefined) this.remove(pending);
    return pending;
  }

  /** The newest of the client under the id that it wrote. */
  findOf(session: S, key: Key): PendingRequest<S> | undefined {
    const found = this.find(key);
    if (!this.#hasRenamed) return found?.session === session ? found : undefined;
    return this.of(session).findLast((pending) => keyOf(pending.id) === key);
  }

  /** Those of the client, oldest first. */
  of(session: S): readonly PendingRequest<S>[] {
    const own: PendingRequest<S>[] = [];
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer)
      if (entry.session === session) own.push(entry as PendingRequest<S>);
    return own;
  }

  /** The newest under this id on the wire. */
  find(key: Key): PendingRequest<S> | undefined {
    let entry = this.#buckets[this.#bucketOf(hashOf(key))];
    while (entry !== undefined && entry.key !== key) entry = entry.next;
    return entry as PendingRequest<S> | undefined;
  }

  /**
   * A cancelled request is never sent again. Of a call nothing is kept. Of other requests the bytes are kept, because a
   * late result (a page of a list) is recorded by its params. They are copied: a line keeps the whole chunk that it was
   * read in.
   */
  cancel(pending: PendingRequest<S>): void {
    if (pending.cancelled) return;
    const entry = pending as Entry<S>;
    entry.cancelled = true;
    entry.message = pending.method === CALL ? NOTHING : pending.message.copy();
    this.#recordEnd(pending);
  }

  /** Whether the server had no other request in the time of this one, which has just been answered. */
  wasAlone({ begunAlone, order }: PendingRequest<S>): boolean {
    return begunAlone && order === this.#lastOrder;
  }

  /** Nobody waits for it any more, and the server may be at work on it for long. */
  giveUp(pending: PendingRequest<S>): void {
    this.remove(pending);
    this.#hasStrays = true;
  }

  /**
   * The server has waited for the client from then until now: so long its calls could not go on. `progressAt`: when it
   * last told of one.
   */
  standStill(
    session: S,
    from: number,
    now: number,
    progressAt: (pending: PendingRequest<S>) => number | undefined,
  ): void {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) {
      if (entry.session !== session || entry.method !== CALL) continue;
      const since = Math.max(entry.silentSince, progressAt(entry as PendingRequest<S>) ?? -Infinity);
      entry.silentSince = since + now - Math.max(from, since);
    }
  }

  /** People are told of its silence, or that it has ended. */
  report(pending: PendingRequest<S>): void {
    (pending as Entry<S>).isReported = true;
  }

  /** Takes out all of them, oldest first. */
  takeAll(): PendingRequest<S>[] {
    const taken = [...this];
    for (const pending of taken) this.remove(pending);
    return taken;
  }

  remove(pending: PendingRequest<S>): void {
    const entry = pending as Entry<S>;
    const bucket = this.#bucketOf(entry.hash);
    const first = this.#buckets[bucket];
    if (first === entry) {
      this.#buckets[bucket] = entry.next;
    } else {
      let before = first;
      while (before !== undefined && before.next !== entry) before = before.next;
      if (before !== undefined) before.next = entry.next;
    }
    entry.next = undefined;
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    entry.older = entry.newer = undefined;
    this.#size--;
    if (!entry.cancelled) this.#recordEnd(pending);
  }

  /** What was taken out, and nobody looks at any more, is used again. */
  recycle(pending: PendingRequest<S>): void {
    const entry = pending as Entry<S>;
    entry.session = undefined;
    entry.id = entry.wireId = entry.key = entry.method = '';
    entry.message = NOTHING;
    entry.batch = undefined;
    if (this.#pool.length < POOL_SIZE) this.#pool.push(entry);
  }

  /** Oldest first. */
  [Symbol.iterator](): Iterator<PendingRequest<S>> {
    return (this.#all() as PendingRequest<S>[])[Symbol.iterator]();
  }

  #recordEnd({ method, order, isReported }: PendingRequest<S>): void {
    this.#count--;
    this.#clock.recordEnd(method, order);
    if (isReported) this.#clock.onSilenceOver();
  }

  #bucketOf(hash: number): number {
    return hash & (this.#buckets.length - 1);
  }

  #file(entry: Entry<S>): void {
    const bucket = this.#bucketOf(entry.hash);
    entry.next = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  #all(): Entry<S>[] {
    const all: Entry<S>[] = [];
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) all.push(entry);
    return all;
  }

  #grow(): void {
    const all = this.#all();
    this.#buckets = empty(2 * this.#buckets.length);
    for (const entry of all) this.#file(entry);
  }
}

function blank<S>(): Entry<S> {
  return {
    session: undefined,
    id: '',
    wireId: '',
    key: '',
    hash: 0,
    order: 0,
    method: '',
    message: NOTHING,
    batch: undefined,
    isRetry: false,
    cancelled: false,
    silentSince: 0,
    isReported: false,
    printedBefore: 0,
    begunAlone: false,
    next: undefined,
    older: undefined,
    newer: undefined,
  };
}

function hashOf(key: Key): number {
  const { length } = key;
  const step = length <= HASHED_CHARACTERS ? 1 : Math.ceil(length / HASHED_CHARACTERS);
  let hash = length;
  for (let at = 0; at < length; at += step) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash ^ (hash >>> 15);
}

function empty<S>(buckets: number): (Entry<S> | undefined)[] {
  return Array.from({ length: buckets }, () => undefined);
}
