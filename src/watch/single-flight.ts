// One check at a time, and whoever asks for one while it runs waits for what became dirty meanwhile too: by the run in
// progress if that is enough, else by one more. What a check does is the caller's.
export interface SingleFlight {
  readonly isRunning: boolean;
  /** `isDirty` is asked whether there is work; `work` must take everything dirty before it first waits. */
  run(): Promise<void>;
  /** Work of another kind, which checks wait for. */
  first(work: () => Promise<void>): Promise<void>;
  idle(): Promise<void>;
}

export function createSingleFlight(isDirty: () => boolean, work: () => Promise<void>): SingleFlight {
  let current: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  function start(task: () => Promise<void>): Promise<void> {
    current = task().finally(() => (current = undefined));
    return current;
  }

  function begin(): Promise<void> {
    return isDirty() ? start(work) : Promise.resolve();
  }

  function afterwards(): Promise<void> {
    queued = undefined;
    // One that has begun in between has taken what this one was to take.
    return current ?? begin();
  }

  return {
    get isRunning() {
      return current !== undefined;
    },
    first: start,
    idle: () => current ?? Promise.resolve(),
    run() {
      if (current === undefined) return begin();
      if (!isDirty()) return current;
      return (queued ??= current.then(afterwards));
    },
  };
}
