// Work in time slices. Reading and hashing is fastest when it is synchronous, but messages have to be passed on
// meanwhile. So long work asks between two small steps, and the event loop gets a turn after each millisecond.
import { setImmediate } from 'node:timers/promises';

/** A turn of the event loop takes a hundredth of that. With 4 ms, the answer to `initialize` came 2 ms later. */
const SLICE_MS = 1;

/** Returns undefined while the slice lasts, then a promise of a turn of the event loop. Rejects once aborted. */
export type TimeSlice = () => Promise<void> | undefined;

export function createTimeSlice(signal: AbortSignal): TimeSlice {
  let began = performance.now();
  const turn = async (): Promise<void> => {
    // No listener on the signal: to add one for every turn costs as much as the turn.
    await setImmediate();
    signal.throwIfAborted();
    began = performance.now();
  };
  return () => (performance.now() - began < SLICE_MS ? undefined : turn());
}
