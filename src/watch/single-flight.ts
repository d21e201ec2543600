// One check at a time, and whoever asks for one while it runs waits for what became dirty meanwhile too: by the run in
// progress if that is enough, else by one more. What a check does is the caller's.
export interface Checks {
  readonly running: boolean;
  /** `isDirty` is asked whether there is work; `work` must take everything dirty before it first waits. */
  request(): Promise<void>;
  /** Work of another kind, which checks wait for. */
  first(work: () => Promise<void>): Promise<void>;
  idle(): Promise<void>;
}

export function createChecks(isDirty: () => boolean, work: () => Promise<void>): Checks {
  let current: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  function run(task: () => Promise<void>): Promise<void> {
    current = task().finally(() => (current = undefined));
    return current;
  }

  function begin(): Promise<void> {
    return isDirty() ? run(work) : Promise.resolve();
  }

  function afterwards(): Promise<void> {
    queued = undefined;
    // One that has begun in between has taken what this one was to take.
    return current ?? begin();
  }

  return {
    get running() {
      return current !== undefined;
    },
    first: run,
    idle: () => current ?? Promise.resolve(),
    request() {
      if (current === undefined) return begin();
      if (!isDirty()) return current;
      return (queued ??= current.then(afterwards));
    },
  };
}
