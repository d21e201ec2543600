/**
 * P9: what the client has of the lists, and what it is told of their changes. A change that it can't know of has to be
 * told, once, and one that is none must not be.
 */
import { SUBSCRIPTION, type Asked, type Facts, type Life, type Mark, type Message } from './facts.js';
import type { Lists } from './lists.js';

type Name = keyof Lists;

const NAMES: Readonly<Record<string, Name>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
const KINDS: Readonly<Record<string, readonly Name[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};

/** A listing that the client has been given. */
interface Held {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
  readonly from: number;
  /** When the client asked for it. */
  readonly asked: number;
}

export class ListNews {
  readonly #facts: Facts;
  readonly #held = new Map<Name, Held>();
  readonly #partial = new Map<Name, Held>();
  /** What it had been given when the last reload was done. */
  readonly #heldAtReload = new Map<Name, Held>();
  /** Pages of different servers: what the client makes of them nobody knows. */
  readonly #mixed = new Set<Name>();
  /** When each stream was: what was due before that follows at once. */
  readonly #acknowledged = new Map<string, number>();
  /** When the client was last told, by kind. */
  readonly #told = new Map<string, number>();
  /** What it was told of the last reload. */
  readonly #announced = new Set<string>();
  /** The lists that it knows the server to have; undefined: it never asked. */
  #capabilities: readonly string[] | undefined;
  #before: Life | undefined;
  #now: Life | undefined;
  /** A list could not be had: the log says so before the reload. */
  #doubt = false;
  #doubted = false;
  /** When it last missed what was said, maybe. */
  #missedAt = -Infinity;
  #deaf = false;
  #hearing = true;

  constructor(facts: Facts) {
    this.#facts = facts;
    // The program takes it for what the client has.
    facts.dropped = (method) => {
      const name = NAMES[method];
      if (name !== undefined) this.#mixed.add(name);
    };
  }

  /** The client is answered. */
  served(asked: Asked, result: unknown, mark: Mark | undefined): void {
    const members = (result ?? {}) as Readonly<Record<string, unknown>>;
    if (asked.method === 'initialize' || asked.method === 'server/discover') {
      if (members['capabilities'] !== undefined) this.#capabilities = Object.keys(members['capabilities'] as object);
      return;
    }
    const name = NAMES[asked.method];
    const items = name === undefined ? undefined : members[name];
    if (name === undefined || !Array.isArray(items)) return;
    // Of two requests under one id nobody but the server knows which it has answered.
    if (asked.twin) {
      this.#held.delete(name);
      this.#mixed.add(name);
      return;
    }
    const cursor = asked.params?.['cursor'];
    const begun = this.#partial.get(name);
    this.#partial.delete(name);
    const follows = cursor !== undefined && begun?.next === cursor && begun?.from === mark?.g;
    if (cursor !== undefined && !follows) {
      this.#held.delete(name);
      this.#mixed.add(name);
      return;
    }
    const next = members['nextCursor'];
    const own = items.filter((item) => !('title' in (item as object)));
    if (own.length < items.length) this.#facts.knowsOurTools = true;
    const held: Held = {
      items: [...(follows ? (begun?.items ?? []) : []), ...own],
      next: typeof next === 'string' ? next : undefined,
      from: mark?.g ?? 0,
      asked: follows ? (begun?.asked ?? 0) : asked.sentAt,
    };
    if (held.next === undefined) this.#mixed.delete(name);
    // It may have been on its way for so long that news of it was missed.
    if (held.asked < this.#missedAt) {
      this.#held.delete(name);
      this.#mixed.add(name);
      return;
    }
    (held.next === undefined ? this.#held : this.#partial).set(name, held);
  }

  /** A server says of itself that a list has changed. */
  said(life: Life, method: string | undefined): void {
    const kind = kindOf(method);
    if (kind !== undefined) life.changes.add(kind);
  }

  /** The client has a session that no server gave it: what the next one lists is news to it, whatever came before. */
  openedInPlace(): void {
    // It was told of our tools, too.
    this.#facts.knowsOurTools = true;
    this.#now = undefined;
  }

  /** Something may have been said that the client has not heard: it asks for its lists again. */
  missed(): void {
    this.#missedAt = this.#facts.kernel.time;
    this.#held.clear();
    this.#partial.clear();
    for (const name of Object.values(NAMES)) this.#mixed.add(name);
  }

  doubt(): void {
    this.#doubt = true;
  }

  /** Another server serves, or the same one has read its files again. */
  reloaded(generation: number): void {
    this.#before = this.#now?.hasAnswered === true ? this.#now : undefined;
    this.#now = this.#facts.lives.get(generation);
    this.#announced.clear();
    this.#heldAtReload.clear();
    for (const [name, held] of this.#held) this.#heldAtReload.set(name, held);
    this.#doubted = this.#doubt;
    this.#doubt = false;
    this.#deaf = this.#facts.deaf || !this.#hearing;
  }

  /** The client has a stream for its news. What it hears late may be about any change. */
  hears(isSo: boolean): void {
    this.#hearing = isSo;
    if (!isSo) this.#deaf = true;
  }

  /** The sessions with the same server were opened again. It may be another one by now, or never have been asked. */
  renewed(): void {
    this.#announced.clear();
    this.#doubted = true;
  }

  /** The client is told something. */
  told({ method, params }: Message, mark: Mark | undefined): void {
    const stream = JSON.stringify((params?.['_meta'] ?? {})[SUBSCRIPTION]) ?? '';
    if (method === 'notifications/subscriptions/acknowledged') this.#acknowledged.set(stream, this.#facts.kernel.time);
    const kind = kindOf(method);
    if (kind === undefined) return;
    this.#told.set(kind, this.#facts.kernel.time);
    if (mark !== undefined || this.#deaf || this.#facts.deaf) return;
    const once = `${kind} ${stream}`;
    // Settings may be read again at any time: a second change looks like the first.
    const { settings, notify } = this.#facts.setting;
    if (this.#announced.has(once) && settings === undefined)
      this.#facts.fail('P9', `the client is told twice of one change: ${method}`);
    this.#announced.add(once);
    if (notify === 'never') this.#facts.fail('P9', `the client is told in spite of --notify never`);
    if (this.#isNone(kind) && this.#acknowledged.get(stream) !== this.#facts.kernel.time)
      this.#facts.fail('P9', `the client is told of a change that is none: ${method}`);
  }

  /** Whether nothing of this kind differs, neither from what the client has nor from what was there before. */
  #isNone(kind: string): boolean {
    const { setting } = this.#facts;
    const [before, now] = [this.#before?.lists, this.#now?.lists];
    if (setting.notify === 'always' || setting.settings !== undefined || this.#doubted) return false;
    if (before === undefined || now === undefined || this.#now?.changes.has(kind) === true) return false;
    return (KINDS[kind] ?? []).every(
      (name) => !this.#mixed.has(name) && this.#isKnown(name) && this.#isAsBefore(name, before[name], now[name]),
    );
  }

  /** Whether the program can know what there was, and what there is: it tells in doubt. */
  #isKnown(name: Name): boolean {
    const [before, now] = [this.#before, this.#now];
    const hasListed = (life: Life | undefined): boolean => life?.listed.has(name) === true;
    // Where sessions are kept apart, nothing is asked in one that is not open yet.
    if (this.#facts.isApart && !hasListed(now)) return false;
    // What one server has listed may be taken for what the next one had, which was never asked.
    const isTaken = [...this.#facts.lives.values()].some((life) => life !== before && life !== now && hasListed(life));
    return this.#held.has(name) || hasListed(before) || !isTaken;
  }

  #isAsBefore(name: Name, before: readonly unknown[], now: readonly unknown[]): boolean {
    // Over HTTP an answer may overtake what was said before it.
    const all = this.#facts.isHttp ? [this.#held, this.#heldAtReload] : [this.#held];
    return same(before, now) && all.every((held) => same(held.get(name)?.items ?? now, now));
  }

  /** At the end: the client has what this server lists, or knows that it has not. */
  end(serving: Life): void {
    const { notify } = this.#facts.setting;
    for (const [kind, names] of Object.entries(KINDS)) {
      for (const name of names) {
        const held = this.#held.get(name);
        if (held === undefined || notify === 'never' || same(held.items, serving.lists?.[name] ?? [])) continue;
        if ((this.#told.get(kind) ?? -1) >= held.asked || !this.#hears(kind, held.asked)) continue;
        this.#facts.fail('P9', `the client has an old list of ${name} and was never told`);
      }
    }
  }

  /** Whether the client asked to be told, and was promised. */
  #hears(kind: string, since: number): boolean {
    if (this.#capabilities !== undefined && !this.#capabilities.includes(kind)) return false;
    if (this.#facts.setting.era === 'legacy') return !this.#facts.isOutOfHearing;
    return [...this.#facts.streams.values()].some(({ params, sentAt }) => {
      const filter = params?.['notifications'] as Readonly<Record<string, boolean>> | undefined;
      return sentAt < since && filter?.[`${kind}ListChanged`] === true;
    });
  }
}

function kindOf(method: string | undefined): string | undefined {
  return method?.endsWith('/list_changed') === true ? method.split('/')[1] : undefined;
}

/** Order is no difference. */
function same(one: readonly unknown[], other: readonly unknown[]): boolean {
  const words = (items: readonly unknown[]): string => JSON.stringify(items.map((item) => JSON.stringify(item)).sort());
  return one === other || words(one) === words(other);
}
