/**
 * The tasks that servers run for the client (`tasks/…`): which generation has one, and whether the client still has
 * something to expect of it. A task lives in the process that began it, so requests about it go there, and that process
 * drains until its tasks are over. Pure; what a message says about a task is read in exchange/task-messages.ts.
 */

/** Of so many tasks whose server is gone it is remembered how they ended. */
const MAX_GONE = 1000;

interface Task {
  readonly generation: number;
  /** The client has its result, or knows that there is none. */
  isOver: boolean;
}

/** How a task ended whose server is gone: the client had been told all there is to know of it, or not. */
export type GoneTask = 'over' | 'lost';

export class Tasks {
  /** Some server of this session has said that it runs tasks: before that nobody looks for them. */
  enabled = false;
  readonly #tasks = new Map<string, Task>();
  readonly #gone = new Map<string, GoneTask>();

  created(id: string, generation: number): void {
    this.#gone.delete(id);
    this.#tasks.set(id, { generation, isOver: false });
  }

  /** The client has been told how it ended. What another generation says of it counts for nothing. */
  end(id: string, generation: number): void {
    const task = this.#tasks.get(id);
    if (task?.generation === generation) task.isOver = true;
  }

  generationOf(id: string): number | undefined {
    return this.#tasks.get(id)?.generation;
  }

  /** Undefined if it is not known, or its server is there. */
  gone(id: string): GoneTask | undefined {
    return this.#gone.get(id);
  }

  openIn(generation: number): number {
    return this.#in(generation).filter(([, task]) => !task.isOver).length;
  }

  anyIn(generation: number): boolean {
    return this.#in(generation).length > 0;
  }

  /** The generation is gone, and its tasks with it. */
  lose(generation: number): void {
    for (const [id, { isOver }] of this.#in(generation)) {
      this.#tasks.delete(id);
      this.#gone.set(id, isOver ? 'over' : 'lost');
    }
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= MAX_GONE) break;
      this.#gone.delete(oldest);
    }
  }

  #in(generation: number): [string, Task][] {
    return this.#tasks.size === 0 ? [] : [...this.#tasks].filter(([, task]) => task.generation === generation);
  }
}
