// Single flight: one run at a time. A caller that comes during a run joins it, and waits for one more run if something
// has become dirty meanwhile. The caller provides the work.
export interface SingleFlight {
  readonly isRunning: boolean;
  /** Runs if there is something dirty, or joins. `work` must take all that is dirty before its first `await`. */
  run(): Promise<void>;
  /** Runs other work, which all later runs wait for. */
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
    // A run that was started in between has taken all that was dirty.
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
