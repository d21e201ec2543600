/**
 * How long a start is waited for. A server that compiles itself may take long, so the time counts from its last sign of
 * life: something on stderr, or processor time that its group has used. One that shows signs for ever is given up too,
 * after three times the limit.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fence } from '../project/fence.js';

export const MAX_LIMITS = 3;
/**
 * How often signs are looked for, as a part of the limit. A look costs a millisecond or more; before the first one most
 * servers have answered.
 */
const FIRST_LOOK = 0.1;
const NEXT_LOOK = 0.25;

/** `silent`: it has shown no sign of life for the limit. `endless`: it has, for three times the limit. */
export type TooLate = 'silent' | 'endless';

/**
 * Resolves when the start has taken too long, or undefined when the signal comes first. `signOfLife`: differs if there
 * was one since.
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
  let pause = limitMs * FIRST_LOOK;
  for (;;) {
    const isOver = await delay(Math.max(1, pause), false, { signal }).catch(() => true);
    if (isOver) return undefined;
    const now = performance.now();
    const sign = signOfLife();
    if (sign !== (last ?? sign)) lastSign = now;
    last = sign;
    const due = Math.min(lastSign + limitMs, end);
    if (now >= due) break;
    pause = Math.min(limitMs * NEXT_LOOK, due - now);
  }
  // After a standstill of our own the timer is due before what the server has answered long ago is read.
  await fence();
  if (signal.aborted) return undefined;
  return performance.now() >= end && lastSign + limitMs > end ? 'endless' : 'silent';
}
