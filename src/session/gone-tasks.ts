/**
 * How the tasks of a client ended whose server is gone: the client had been told all there is to know of one, or not.
 * Pure.
 */

export type GoneTask = 'over' | 'lost';

/** Of so many tasks it is remembered. */
const MAX_GONE = 1000;

export class GoneTasks {
  readonly #gone = new Map<string, GoneTask>();

  /** Undefined if it is not known, or its server is there. */
  get(id: string): GoneTask | undefined {
    return this.#gone.get(id);
  }

  add(id: string, how: GoneTask): void {
    this.#gone.set(id, how);
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= MAX_GONE) break;
      this.#gone.delete(oldest);
    }
  }

  /** A new server has a task of this id. */
  remove(id: string): void {
    this.#gone.delete(id);
  }
}
