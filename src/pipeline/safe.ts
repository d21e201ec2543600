/**
 * P8: which requests may be sent a second time after a server that may have executed them was lost. Reading is safe;
 * of tools, those that the lost generation itself had declared harmless.
 */
import { isRecord } from '../lists/lists.js';
import { lineOf, type Owed } from '../session/ledger.js';
import { readAt } from '../wire/edit.js';

const readOnly = new Set([
  'initialize',
  'server/discover',
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
  if (owed.method === 'tools/call') return harmless?.has(toolOf(lineOf(owed))) ?? false;
  return readOnly.has(owed.method);
}

/** Whether it counts under `--concurrency`. */
export function takesTurn(owed: Owed): boolean {
  return owed.method === 'tools/call' && owed.batch === undefined;
}

/** The name of the tool that a `tools/call` calls. */
export function toolOf(line: Buffer): string {
  const name = readAt(line, ['params', 'name']);
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
