// Waiting for something that has happened or will: every wait has a name and a deadline, and rejects with the name and
// the whole story when the deadline passes or the source has ended. Knows nothing of messages or processes.

const defaultDeadline = 30_000;

export interface WaitOptions {
  /** Milliseconds; 30 s unless told. */
  deadline?: number;
  /** How many of the past values to skip, to wait for something new. */
  from?: number;
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: string): void;
}

/** A promise with a name and a deadline. `story` is asked for only when it fails. */
export function deferred<T>(label: string, story: () => string, deadline = defaultDeadline): Deferred<T> {
  let settle!: { resolve: (value: T) => void; reject: (error: Error) => void };
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  const fail = (reason: string) => {
    clearTimeout(timer);
    settle.reject(new Error(`${label}: ${reason}\n${story()}`));
  };
  const timer = setTimeout(() => fail(`nothing in ${deadline} ms`), deadline);
  // A test may start a wait and decide by another one; a wait that nobody looks at must not end the process.
  promise.catch(() => {});
  return {
    promise,
    resolve(value) {
      clearTimeout(timer);
      settle.resolve(value);
    },
    reject: fail,
  };
}

export interface Waits<T> {
  /** All values so far. */
  readonly past: readonly T[];
  offer(value: T): void;
  /** No further value will come: whoever still waits is told. */
  end(reason: string): void;
  wait(predicate: (value: T) => boolean, label: string, options?: WaitOptions): Promise<T>;
}

export function createWaits<T>(story: () => string): Waits<T> {
  const past: T[] = [];
  const waiting = new Set<{ predicate: (value: T) => boolean; done: Deferred<T> }>();
  let ended: string | undefined;
  return {
    past,
    offer(value) {
      past.push(value);
      for (const one of waiting) {
        if (!one.predicate(value)) continue;
        waiting.delete(one);
        one.done.resolve(value);
      }
    },
    end(reason) {
      ended ??= reason;
      for (const { done } of waiting) done.reject(reason);
      waiting.clear();
    },
    wait(predicate, label, { deadline, from = 0 } = {}) {
      const done = deferred<T>(`waiting for ${label}`, story, deadline);
      const found = past.findIndex((value, index) => index >= from && predicate(value));
      if (found !== -1) done.resolve(past[found]!);
      else if (ended !== undefined) done.reject(ended);
      else waiting.add({ predicate, done });
      return done.promise;
    },
  };
}
