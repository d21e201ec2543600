/*
 * Remembers each list as the client was last served it, folded out of the pages that passed: the baseline that a new
 * generation's list is compared with. Pure. A sequence of pages that makes no whole listing makes the list unknown;
 * what to do then is left to the reload.
 */
import type { ListName } from './lists.js';
import { listNamed, MAX_PAGES, pageOf } from './lists.js';

export interface Served {
  /** Takes the result of a list request that had this cursor, or none. `generation`: who gave it, if a server did. */
  onPage(list: ListName, cursor: unknown, result: unknown, generation?: number): void;
  /** The items of the last listing that was served whole, if nothing has cast doubt on it since. */
  baseline(list: ListName): readonly unknown[] | undefined;
  /** The same, with what a newer listing has given so far behind it; or what the first one has. */
  items(list: ListName): readonly unknown[] | undefined;
  /** Whether it is known, and no newer listing is under way. */
  isWhole(list: ListName): boolean;
  /** The generation that gave all of it; undefined if several did. */
  generation(list: ListName): number | undefined;
}

interface Listing {
  items: unknown[];
  by: number | undefined;
  next: string;
  pages: number;
}

interface Memory {
  whole: readonly unknown[] | undefined;
  /** Who gave it. */
  by: number | undefined;
  partial: Listing | undefined;
  /** Both. */
  items: readonly unknown[] | undefined;
}

export function createServed(): Served {
  const memories = new Map<ListName, Memory>();
  return {
    onPage(list, cursor, result, generation) {
      memories.set(list, remember(memories.get(list), list, cursor, result, generation));
    },
    baseline(list) {
      return memories.get(list)?.whole;
    },
    items(list) {
      return memories.get(list)?.items;
    },
    isWhole(list) {
      return memories.get(list)?.whole !== undefined && memories.get(list)?.partial === undefined;
    },
    generation(list) {
      return memories.get(list)?.by;
    },
  };
}

function remember(
  memory: Memory | undefined,
  list: ListName,
  cursor: unknown,
  result: unknown,
  generation: number | undefined,
): Memory {
  const page = pageOf(listNamed(list), result);
  const begun = cursor === undefined || cursor === null ? { items: [], by: generation, pages: 0 } : memory?.partial;
  const follows = begun !== undefined && (!('next' in begun) || begun.next === cursor);
  if (page === undefined || !follows || begun.pages === MAX_PAGES)
    return { whole: undefined, by: undefined, partial: undefined, items: undefined };
  const items = [...begun.items, ...page.items];
  const by = begun.by === generation ? generation : undefined;
  if (page.next === undefined) return { whole: items, by, partial: undefined, items };
  return {
    whole: memory?.whole,
    by: memory?.by,
    partial: { items, by, next: page.next, pages: begun.pages + 1 },
    items: [...(memory?.whole ?? []), ...items],
  };
}
