/** How long a first server may take before the client hears something without it. Pure. */

/** Some clients give up on `initialize` after 2.5 s. */
export const FORESEEN_AFTER_MS = 1500;
/** Patient clients give up on a server that does not open the session. */
const LIMIT_MS = 25_000;
/** A long --start-timeout is no reason to let a client wait, a short one is. */
const GRACE_MS = 5000;

/** After so long a first server that has not opened the session counts as one that does not start. */
export function firstStartLimit(startTimeout: number): number {
  return startTimeout === 0 ? LIMIT_MS : Math.min(LIMIT_MS, startTimeout + GRACE_MS);
}
