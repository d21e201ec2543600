// When to speak up: after things have been quiet for a while, but no later than a second after the first of them, since a
// tree that is written to without end would never be quiet. What it speaks of is the caller's.
import debounce from 'debounce';

export interface Bell {
  touch(): void;
  clear(): void;
}

const LONGEST = 1000;

export function createBell(quiet: number, ring: () => void): Bell {
  const fire = (): void => {
    trailing.clear();
    latest.clear();
    ring();
  };
  const trailing = debounce(fire, quiet);
  const latest = debounce(fire, Math.max(quiet, LONGEST));
  return {
    touch() {
      trailing();
      // Only the first: calling it again would put it off.
      if (!latest.isPending) latest();
    },
    clear() {
      trailing.clear();
      latest.clear();
    },
  };
}
