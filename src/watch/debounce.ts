// When to speak up: after things have been quiet for a while, but no later than a second after the first of them, since
// a tree that is written to without end would never be quiet. What it speaks of is the caller's.
import debounce from 'debounce';
import { clearImmediate, setImmediate } from 'node:timers';

export interface Debouncer {
  trigger(): void;
  clear(): void;
}

const LONGEST_WAIT_MS = 1000;

export function createDebouncer(quiet: number, onQuiet: () => void): Debouncer {
  let afterPoll: NodeJS.Immediate | undefined;
  // After a standstill of the process its timers are due before the kernel's events are read. So the event loop polls
  // once more before the time counts as quiet: else a checkout there and back would be looked at in the middle of its
  // way back.
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
      // Only the first: calling it again would put it off.
      if (!latest.isPending) latest();
    },
    clear,
  };
}
