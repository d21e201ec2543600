/**
 * The lists that generations were seen to have when the proxy asked them for their lists. A reload is compared with the
 * generation before it, and that one need not be asked again. Asks nobody.
 */
import type { Fetched } from '../lists/fetch.js';
import type { ListName } from '../lists/lists.js';

export type Lists = ReadonlyMap<ListName, Fetched>;

export class KnownLists {
  readonly #lists = new Map<number, Lists>();
  #lastServing: number | undefined;

  /** The generation that serves, or the last one that did. */
  get lastServing(): number | undefined {
    return this.#lastServing;
  }

  of(generation: number): Lists {
    return this.#lists.get(generation) ?? new Map();
  }

  /** What a generation has answered just now. */
  learn(generation: number, lists: Lists): void {
    this.#lists.set(generation, new Map([...this.of(generation), ...lists]));
  }

  /** This generation serves: those before it are of no interest any more. */
  serves(generation: number): void {
    this.#lastServing = generation;
    for (const other of this.#lists.keys()) if (other < generation) this.#lists.delete(other);
  }
}
