// Work in slices. Reading and hashing is fastest when it is synchronous, but the traffic must go on meanwhile: after a
// millisecond the event loop gets a turn. Whoever works asks the slice between two small pieces; what the pieces are
// is the caller's business.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds. A turn takes a hundredth of that; with 4 of them, the answer to `initialize` came 2 ms later. */
const SLICE_MS = 1;

/** Nothing to wait for most of the time (no promise, no tick); else a turn of the event loop. Rejects once aborted. */
export type TimeSlice = () => Promise<void> | undefined;

export function createTimeSlice(signal: AbortSignal): TimeSlice {
  let began = performance.now();
  const turn = async (): Promise<void> => {
    // The signal is asked, not listened to: a listener for every turn costs as much as what the turn is for.
    await setImmediate();
    signal.throwIfAborted();
    began = performance.now();
  };
  return () => (performance.now() - began < SLICE_MS ? undefined : turn());
}
