/**
 * How long a start may take. A server that compiles itself may take long, so the time counts from its last sign of
 * life: output on stderr, or processor time that its process group has used. After `MAX_LIMITS` times the limit the
 * start is given up in any case. A client waits for its very first server with a limit of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fence } from '../project/fence.js';

/** Some clients give up on `initialize` after 2.5 s. */
export const FORESEEN_AFTER_MS = 1500;
/** Even patient clients give up soon after this time. */
const LIMIT_MS = 25_000;
/** With a short `--start-timeout` the limit is that much later. A long one must not let the client wait longer. */
const GRACE_MS = 5000;

/**
 * After so many milliseconds without an answer to the handshake the first start counts as failed. `limitMs`:
 * `--start-timeout`.
 */
export function firstStartLimit(limitMs: number): number {
  return limitMs === 0 ? LIMIT_MS : Math.min(LIMIT_MS, limitMs + GRACE_MS);
}

export const MAX_LIMITS = 3;
/**
 * When to look for signs of life, as fractions of the limit. A look costs a millisecond or more, and most servers have
 * answered before the first one.
 */
const FIRST_LOOK_FRACTION = 0.1;
const NEXT_LOOK_FRACTION = 0.25;

/**
 * `silent`: no sign of life within the limit. `endless`: signs of life, but no answer in `MAX_LIMITS` times the limit.
 */
export type TooLate = 'silent' | 'endless';

/**
 * Resolves when the start has taken too long, or with undefined when the signal is aborted first. `signOfLife` returns
 * a text that differs from the last one if there was a sign of life in between.
 */
export async function startTimeout(
  limitMs: number,
  signOfLife: () => string,
  signal: AbortSignal,
): Promise<TooLate | undefined> {
  const began = performance.now();
  const end = began + MAX_LIMITS * limitMs;
  let lastSign = began;
  let last: string | undefined;
  let pause = limitMs * FIRST_LOOK_FRACTION;
  for (;;) {
    const isAborted = await delay(Math.max(1, pause), false, { signal }).catch(() => true);
    if (isAborted) return undefined;
    const now = performance.now();
    const sign = signOfLife();
    if (sign !== (last ?? sign)) lastSign = now;
    last = sign;
    const due = Math.min(lastSign + limitMs, end);
    if (now >= due) break;
    pause = Math.min(limitMs * NEXT_LOOK_FRACTION, due - now);
  }
  // If the event loop was blocked, the timer fires before an answer is read that arrived long ago: poll once more.
  await fence();
  if (signal.aborted) return undefined;
  return performance.now() >= end && lastSign + limitMs > end ? 'endless' : 'silent';
}
