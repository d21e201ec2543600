/**
 * The tasks that one server runs for clients (`tasks/…`), and whether a client still has something to expect of them. A
 * task lives in the process that began it, so requests about it go there, and that process drains until its tasks are
 * over. Pure; what a message says about a task is read in exchange/task-messages.ts.
 */

interface Task<S> {
  /** Undefined: it is for whoever knows its id. */
  readonly session: S | undefined;
  /** The client has its result, or knows that there is none. */
  isOver: boolean;
}

const NOTHING: readonly never[] = [];

export class Tasks<S> {
  readonly #tasks = new Map<string, Task<S>>();

  get size(): number {
    return this.#tasks.size;
  }

  get openCount(): number {
    let open = 0;
    if (this.#tasks.size > 0) for (const { isOver } of this.#tasks.values()) if (!isOver) open++;
    return open;
  }

  add(id: string, session: S | undefined): void {
    this.#tasks.set(id, { session, isOver: false });
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** Whose it is; undefined if it is for everybody. */
  ownerOf(id: string): S | undefined {
    return this.#tasks.get(id)?.session;
  }

  /** Those of a client that are not over. */
  openOf(session: S): readonly string[] {
    if (this.#tasks.size === 0) return NOTHING;
    return [...this.#tasks].flatMap(([id, task]) => (task.session === session && !task.isOver ? [id] : []));
  }

  /** The client has been told how it ended. */
  end(id: string): void {
    const task = this.#tasks.get(id);
    if (task !== undefined) task.isOver = true;
  }

  /** The server is gone, and its tasks with it. */
  takeAll(): { readonly id: string; readonly session: S | undefined; readonly isOver: boolean }[] {
    const all = [...this.#tasks].map(([id, task]) => ({ id, ...task }));
    this.#tasks.clear();
    return all;
  }
}
