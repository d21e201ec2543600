/** How long the first server may take before the proxy answers the handshake for it. Pure. */

/** Some clients give up on `initialize` after 2.5 s. */
export const FORESEEN_AFTER_MS = 1500;
/** Even patient clients give up soon after this time. */
const LIMIT_MS = 25_000;
/** With a short `--start-timeout` the limit is that much later. A long one must not let the client wait longer. */
const GRACE_MS = 5000;

/** After so many milliseconds without an answer to the handshake the first start counts as failed. */
export function firstStartLimit(startTimeout: number): number {
  return startTimeout === 0 ? LIMIT_MS : Math.min(LIMIT_MS, startTimeout + GRACE_MS);
}
