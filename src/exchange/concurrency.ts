/** The queue of `--concurrency`: how many tool calls are with a server, and which wait for their turn. */
import { forward } from './forward.js';
import type { LineageRecord, PendingRequest } from './records.js';
import { isLimitedByConcurrency } from './retry-safety.js';

/** A call is not counted any more: it was answered, cancelled or lost. Who waits is started by `startQueuedCalls`. */
export function endCall(pending: PendingRequest): void {
  const { lineage } = pending.session;
  if (lineage.options.concurrency !== undefined && isLimitedByConcurrency(pending)) lineage.runningCalls--;
}

/** Lets the next tool calls go, as far as the limit allows. */
export function startQueuedCalls(lineage: LineageRecord): void {
  const limit = lineage.options.concurrency ?? Infinity;
  for (const { queuedCalls } = lineage; !lineage.isHolding && lineage.runningCalls < limit;) {
    const next = queuedCalls.shift();
    if (next === undefined) return;
    forward(next);
  }
}
