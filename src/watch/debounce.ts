// A debounce with a longest wait: it calls back after a quiet time, and at the latest a second after the first trigger,
// because a tree that is written all the time is never quiet. The caller knows what was triggered.
import debounce from 'debounce';
import { clearImmediate, setImmediate } from 'node:timers';

export interface Debouncer {
  trigger(): void;
  clear(): void;
}

const LONGEST_WAIT_MS = 1000;

export function createDebouncer(quiet: number, onQuiet: () => void): Debouncer {
  let afterPoll: NodeJS.Immediate | undefined;
  // After the process stood still, its timers fire before the kernel's events are read. So the event loop polls once
  // more before the time counts as quiet. Without that, a checkout there and back could be examined halfway.
  const trailing = debounce(() => {
    afterPoll = setImmediate(() => (afterPoll = setImmediate(fire)));
  }, quiet);
  const latest = debounce(fire, Math.max(quiet, LONGEST_WAIT_MS));

  function fire(): void {
    clear();
    onQuiet();
  }

  function clear(): void {
    clearImmediate(afterPoll);
    trailing.clear();
    latest.clear();
  }

  return {
    trigger() {
      clearImmediate(afterPoll);
      trailing();
      // Only the first trigger starts the longest wait: a second call would restart it.
      if (!latest.isPending) latest();
    },
    clear,
  };
}
