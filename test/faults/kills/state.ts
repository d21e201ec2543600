// What a proxy that was killed may leave in the state directory, looked at when its successor has closed: whole files,
// a trail that can be read, no lock, nothing of the dead (P13).

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const known =
  /^(about\.json|audit\.jsonl|restart\.json|built-\w+\.json|introductions\.json|build-\w+\.log|server-output\.log)$/;

export function stateIsWhole(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const { name } = entry;
    const text = readFileSync(join(entry.parentPath, name), 'utf8');
    assert.match(name, known, `left in the state directory: ${text}`);
    if (name.endsWith('.json')) assert.doesNotThrow(() => void JSON.parse(text), `${name}: ${text}`);
  }
}
