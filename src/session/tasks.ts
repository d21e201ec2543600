/**
 * The tasks that servers run for the client (`tasks/…`): which generation has one, and whether it still runs or waits to be fetched. A
 * task lives in the process that began it, so requests about it go there, and that process drains until its tasks are over. Pure;
 * what a message says about a task is read in pipeline/task-messages.ts.
 */

/** Of so many tasks that were lost with their server it is remembered that they were. */
const MAX_LOST = 1000;
const ENDED = new Set(['failed', 'cancelled']);

interface Task {
  readonly generation: number;
  /** It has ended, or the client has its result. */
  isOver: boolean;
}

export class Tasks {
  /** Some server of this session has said that it runs tasks: before that nobody looks for them. */
  enabled = false;
  readonly #tasks = new Map<string, Task>();
  readonly #lost = new Set<string>();

  created(id: string, generation: number, status: unknown): void {
    this.#lost.delete(id);
    this.#tasks.set(id, { generation, isOver: ENDED.has(String(status)) });
  }

  /** `isFetched`: the client has all there is to have of it. A task that has failed or was cancelled has nothing more to give. */
  update(id: string, generation: number, status: unknown, isFetched: boolean): void {
    const task = this.#tasks.get(id);
    if (task?.generation === generation && (isFetched || ENDED.has(String(status)))) task.isOver = true;
  }

  generationOf(id: string): number | undefined {
    return this.#tasks.get(id)?.generation;
  }

  isLost(id: string): boolean {
    return this.#lost.has(id);
  }

  openIn(generation: number): number {
    if (this.#tasks.size === 0) return 0;
    return [...this.#tasks.values()].filter((task) => task.generation === generation && !task.isOver).length;
  }

  /** The generation is gone, and its tasks with it. */
  lose(generation: number): void {
    for (const [id, task] of this.#tasks) {
      if (task.generation !== generation) continue;
      this.#tasks.delete(id);
      this.#lost.add(id);
    }
    for (const oldest of this.#lost) {
      if (this.#lost.size <= MAX_LOST) break;
      this.#lost.delete(oldest);
    }
  }
}
