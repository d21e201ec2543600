/*
 * Remembers each list as the client was last served it, folded out of the pages that passed: the baseline that a new
 * generation's list is compared with. Pure. A sequence of pages that makes no whole listing makes the list unknown; what
 * to do then is left to the reload.
 */
import type { ListName } from './lists.js';
import { listNamed, MAX_PAGES, pageOf } from './lists.js';

export interface Served {
  /** Takes the result of a list request that had this cursor, or none. */
  onPage(list: ListName, cursor: unknown, result: unknown): void;
  /** The items of the last listing that was served whole, if nothing has cast doubt on it since. */
  baseline(list: ListName): readonly unknown[] | undefined;
}

interface Listing {
  items: unknown[];
  next: string;
  pages: number;
}

interface Memory {
  whole: readonly unknown[] | undefined;
  partial: Listing | undefined;
}

export function createServed(): Served {
  const memories = new Map<ListName, Memory>();
  return {
    onPage(list, cursor, result) {
      memories.set(list, remember(memories.get(list), list, cursor, result));
    },
    baseline(list) {
      return memories.get(list)?.whole;
    },
  };
}

function remember(memory: Memory | undefined, list: ListName, cursor: unknown, result: unknown): Memory {
  const page = pageOf(listNamed(list), result);
  const begun = cursor === undefined || cursor === null ? { items: [], pages: 0 } : memory?.partial;
  const follows = begun !== undefined && (!('next' in begun) || begun.next === cursor);
  if (page === undefined || !follows || begun.pages === MAX_PAGES) return { whole: undefined, partial: undefined };
  const items = [...begun.items, ...page.items];
  if (page.next === undefined) return { whole: items, partial: undefined };
  return { whole: memory?.whole, partial: { items, next: page.next, pages: begun.pages + 1 } };
}
