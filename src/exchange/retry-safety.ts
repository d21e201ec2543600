/**
 * P8: which requests may be sent a second time after a server that may have executed them was lost, and never a third
 * time. Reading is safe; of tools, those that the lost generation itself had declared harmless.
 */
import { isRecord } from '../lists/lists.js';
import type { Owed } from '../session/ledger.js';
import type { Message } from '../wire/message.js';

const opening = new Set(['initialize', 'server/discover']);

const readOnly = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'tasks/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function maySendAgain(owed: Owed, harmless: ReadonlySet<string> | undefined): boolean {
  if (owed.batch !== undefined) return false;
  // Opening a session concerns the new process alone: every one of them is asked.
  if (opening.has(owed.method)) return true;
  if (owed.again) return false;
  if (owed.method === 'tools/call') {
    // A task may run on where nobody can ask for it any more: a second one is not the same.
    return !owed.message.has(['params', 'task']) && (harmless?.has(toolOf(owed.message)) ?? false);
  }
  return readOnly.has(owed.method);
}

/** Whether it counts under `--concurrency`. */
export function takesTurn(owed: Owed): boolean {
  return owed.method === 'tools/call' && owed.batch === undefined;
}

/** The name of the tool that a `tools/call` calls. */
export function toolOf(call: Message): string {
  const name = call.read(['params', 'name']);
  return typeof name === 'string' ? name : '';
}

/** The tools of a list that say of themselves that calling them twice does no harm. */
export function harmlessTools(items: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items) {
    const annotations = isRecord(item) ? item['annotations'] : undefined;
    if (!isRecord(item) || !isRecord(annotations) || typeof item['name'] !== 'string') continue;
    if (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true) names.add(item['name']);
  }
  return names;
}
