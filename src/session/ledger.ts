/**
 * The client's requests that a generation owes an answer to. Each is answered once: an answer that is not owed, because
 * it was given already or because the request has moved to another generation, is nobody's. What to do with what a lost
 * generation owed is decided in pipeline/.
 */
import type { Id } from '../wire/envelope.js';
import { Message } from '../wire/message.js';
import { keyOf, type Key } from './ids.js';

interface Entry {
  id: Id;
  key: Key;
  /** Chooses its drawer. */
  sum: number;
  /** Grows with every request. */
  order: number;
  method: string;
  /** As it was read, for the few that may be sent again; of a call that was cancelled, nothing. */
  message: Message;
  generation: number;
  /** The requests of one batch are answered together and never sent again. */
  batch: Batch | undefined;
  /** Sent to a second generation after the first was lost. */
  again: boolean;
  cancelled: boolean;
  /** What lies below it in its drawer: older, and under the same id or another. */
  next: Entry | undefined;
}

export type Owed = Readonly<Entry>;

/** How many answers the client still waits for from a generation. */
interface Count {
  readonly generation: number;
  owing: number;
}

/** Tells one batch from the others. */
export type Batch = object;

/**
 * When the client waited for results of tool calls, on the clock that the ledger was given. Other requests do not
 * count.
 */
export interface CallTimes {
  /** At least one call has no answer yet. */
  readonly open: boolean;
  /** Since when the client has waited, or had when it last did. */
  readonly busySince: number;
  /** When it last had all of its answers. */
  readonly idleSince: number;
  /** When the first of these calls began, if each followed soon on the answers before. */
  readonly activeSince: number;
  /** How many calls went to a server so far. */
  readonly calls: number;
  /** When the last of them began, and when it was answered: not yet is Infinity. */
  readonly newestBegan: number;
  readonly newestEnded: number;
}

/** Milliseconds after an answer in which a server may still finish what the call made it do. */
export const CALL_AFTERMATH = 200;

const CALL = 'tools/call';
const NOTHING = Message.of(Buffer.alloc(0));
/** Stands for none: generations begin with 1. */
const NOBODY: Count = { generation: 0, owing: 0 };
/** So many are kept for the next ones. */
const SPARE = 1024;
/** To begin with; a power of two. With fewer requests open, most drawers hold one or none. */
const DRAWERS = 1024;
/** Of a key that is longer than anybody's, so many characters choose the drawer. */
const LOOKED_AT = 256;

function blank(): Entry {
  return {
    id: '',
    key: '',
    sum: 0,
    order: 0,
    method: '',
    message: NOTHING,
    generation: 0,
    batch: undefined,
    again: false,
    cancelled: false,
    next: undefined,
  };
}

function sumOf(key: Key): number {
  const { length } = key;
  const step = length <= LOOKED_AT ? 1 : Math.ceil(length / LOOKED_AT);
  let sum = length;
  for (let at = 0; at < length; at += step) sum = (sum * 31 + key.charCodeAt(at)) | 0;
  return sum ^ (sum >>> 15);
}

function empty(drawers: number): (Entry | undefined)[] {
  return Array.from({ length: drawers }, () => undefined);
}

export class Ledger {
  /**
   * By key, the newest on top. No map: one that is filled and emptied all the time discards a table every few hundred
   * requests, each with a reference to the next; once one of them has become old, all that follow do too, and take the
   * whole heap's collection to go.
   */
  #drawers = empty(DRAWERS);
  #size = 0;
  readonly #spare: Entry[] = [];
  readonly #counts = new Map<number, Count>();
  /** The one that was changed last: mostly it is changed again. */
  #count = NOBODY;
  #entered = 0;
  readonly #now: () => number;
  /** How many calls the client waits for, of any generation. */
  #open = 0;
  #calls = 0;
  #newestOrder = 0;
  #newestBegan = -Infinity;
  #newestEnded = -Infinity;
  #busySince = -Infinity;
  #idleSince = -Infinity;
  #activeSince = -Infinity;

  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  get times(): CallTimes {
    return {
      open: this.#open > 0,
      busySince: this.#busySince,
      idleSince: this.#idleSince,
      activeSince: this.#activeSince,
      calls: this.#calls,
      newestBegan: this.#newestBegan,
      newestEnded: this.#newestEnded,
    };
  }

  /** Null ids ask for nothing that could be matched. */
  enter(id: Id, method: string, message: Message, generation: number, batch?: Batch, again = false): void {
    const key = keyOf(id);
    if (key === 'null') return;
    const owed = this.#spare.pop() ?? blank();
    owed.id = id;
    owed.key = key;
    owed.sum = sumOf(key);
    owed.order = ++this.#entered;
    owed.method = method;
    owed.message = message;
    owed.generation = generation;
    owed.batch = batch;
    owed.again = again;
    owed.cancelled = false;
    if (++this.#size > 2 * this.#drawers.length) this.#grow();
    this.#file(owed);
    this.#countOf(generation).owing++;
    if (method === CALL) this.#callBegan(owed.order);
  }

  /** Strikes out what this generation owed under the id; undefined if it owed nothing. */
  settle(id: Id, generation: number): Owed | undefined {
    const owed = this.find(keyOf(id), generation);
    if (owed !== undefined) this.strike(owed);
    return owed;
  }

  find(key: Key, generation?: number): Owed | undefined {
    let owed = this.#drawers[this.#drawerOf(sumOf(key))];
    while (owed !== undefined && (owed.key !== key || (generation !== undefined && owed.generation !== generation)))
      owed = owed.next;
    return owed;
  }

  cancel(owed: Owed): void {
    if (owed.cancelled) return;
    const entry = owed as Entry;
    entry.cancelled = true;
    // It is not sent again, and servers need not answer it: a call is not needed any more. If another request is
    // answered all the same, what it asked for matters; copied, because a line keeps the whole chunk that it was read
    // in.
    entry.message = owed.method === CALL ? NOTHING : owed.message.copy();
    this.#closed(owed);
  }

  /** How many answers the client still waits for from this generation. */
  owing(generation: number): number {
    return this.#counts.get(generation)?.owing ?? 0;
  }

  /** Strikes out all that the generation owed, oldest first. */
  take(generation: number): Owed[] {
    const taken = this.#all().filter((owed) => owed.generation === generation);
    for (const owed of taken) this.strike(owed);
    this.#counts.delete(generation);
    this.#count = NOBODY;
    return taken;
  }

  /** What was struck out, and nobody looks at any more, is used again. */
  release(owed: Owed): void {
    const entry = owed as Entry;
    entry.id = entry.key = entry.method = '';
    entry.message = NOTHING;
    entry.batch = undefined;
    if (this.#spare.length < SPARE) this.#spare.push(entry);
  }

  strike(owed: Owed): void {
    const drawer = this.#drawerOf(owed.sum);
    const top = this.#drawers[drawer];
    if (top === owed) {
      this.#drawers[drawer] = owed.next;
    } else {
      let above = top;
      while (above !== undefined && above.next !== owed) above = above.next;
      if (above !== undefined) above.next = owed.next;
    }
    (owed as Entry).next = undefined;
    this.#size--;
    if (!owed.cancelled) this.#closed(owed);
  }

  #closed({ generation, method, order }: Owed): void {
    this.#countOf(generation).owing--;
    if (method === CALL) this.#callEnded(order);
  }

  #callBegan(order: number): void {
    const now = this.#now();
    this.#calls++;
    this.#newestOrder = order;
    this.#newestBegan = now;
    this.#newestEnded = Infinity;
    if (this.#open++ > 0) return;
    this.#busySince = now;
    if (now - this.#idleSince > CALL_AFTERMATH) this.#activeSince = now;
  }

  #callEnded(order: number): void {
    const now = this.#now();
    if (order === this.#newestOrder) this.#newestEnded = now;
    if (--this.#open === 0) this.#idleSince = now;
  }

  #drawerOf(sum: number): number {
    return sum & (this.#drawers.length - 1);
  }

  #file(owed: Entry): void {
    const drawer = this.#drawerOf(owed.sum);
    owed.next = this.#drawers[drawer];
    this.#drawers[drawer] = owed;
  }

  /** Oldest first. */
  #all(): Entry[] {
    const all: Entry[] = [];
    for (const top of this.#drawers) for (let owed = top; owed !== undefined; owed = owed.next) all.push(owed);
    return all.sort((one, other) => one.order - other.order);
  }

  #grow(): void {
    const all = this.#all();
    this.#drawers = empty(2 * this.#drawers.length);
    for (const owed of all) this.#file(owed);
  }

  #countOf(generation: number): Count {
    if (this.#count.generation === generation) return this.#count;
    const count = this.#counts.get(generation) ?? { generation, owing: 0 };
    this.#counts.set(generation, count);
    return (this.#count = count);
  }
}
