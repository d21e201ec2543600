/**
 * P8 (no double effects): which requests may be sent a second time after a server that may have executed them was lost,
 * and never a third time. The method decides (methods.ts); of tools, only those may that the lost generation itself had
 * declared safe. When a request is sent again is decided in handover.ts.
 */
import { isRecord } from '../lists/lists.js';
import type { Message } from '../wire/message.js';
import { factsOf, isOpening } from './methods.js';
import type { PendingRequest } from './records.js';

export function isRetrySafe(pending: PendingRequest, retrySafeTools: ReadonlySet<string>): boolean {
  if (pending.batch !== undefined) return false;
  // Opening a session concerns the new process alone: every one of them is asked.
  if (isOpening(pending.method)) return true;
  if (pending.isRetry) return false;
  if (pending.method === 'tools/call') {
    // A task may run on where nobody can ask for it any more: a second one is not the same.
    return !pending.message.has(['params', 'task']) && retrySafeTools.has(toolOf(pending.message));
  }
  return factsOf(pending.method).isRetrySafe;
}

/** Whether it counts under `--concurrency`. */
export function isLimitedByConcurrency(pending: PendingRequest): boolean {
  return pending.method === 'tools/call' && pending.batch === undefined;
}

/** The name of the tool that a `tools/call` calls. */
export function toolOf(call: Message): string {
  const name = call.read(['params', 'name']);
  return typeof name === 'string' ? name : '';
}

/** The tools of a list that say of themselves that calling them twice does no harm. */
export function retrySafeToolsIn(items: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items) {
    const annotations = isRecord(item) ? item['annotations'] : undefined;
    if (!isRecord(item) || !isRecord(annotations) || typeof item['name'] !== 'string') continue;
    if (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true) names.add(item['name']);
  }
  return names;
}
