// What a command said of itself when it last ran is known before anything else happens: a server may fail sooner than
// a file is read in the background, and the client's opening would be answered without it. That clients are answered
// with it is proved end to end in test/e2e/failures.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createLineageRecord, type LineageRecord } from '#src/exchange/records.js';
import type { FlowContext } from '#src/flow/flow.js';
import { HandshakeCache } from '#src/lineage/handshake-cache.js';
import { project } from '../support/project.js';
import { memory } from '../e2e/failures/failures.js';

/** The record of a lineage whose cache has just been made, in the same turn of the event loop. */
function justMade(stateDir: string): LineageRecord {
  const record = createLineageRecord({} as LineageRecord['ports'], {} as LineageRecord['options'], []);
  assert.ok(new HandshakeCache({ config: { stateDir } } as FlowContext, record));
  return record;
}

test('P7 born broken: what the command said of itself when it last ran is known at once', (t) => {
  const said = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  const files = project(t, memory({ 'server/discover': said, versions: { '2025-06-18': '2025-03-26' } }));
  const { cachedHandshake } = justMade(files.path('state'));
  assert.deepEqual(cachedHandshake, { 'server/discover': said, versions: { '2025-06-18': '2025-03-26' } });
});

test('P7 P14 born broken: nothing is known if that can’t be read, and nobody waits for a pipe in its place', (t) => {
  const files = project(t, { 'broken/introductions.json': '{"initialize":', 'pipe/.keep': '' });
  assert.deepEqual(justMade(files.path('nowhere')).cachedHandshake, {});
  assert.deepEqual(justMade(files.path('broken')).cachedHandshake, {});
  if (process.platform === 'win32') return;
  assert.equal(spawnSync('mkfifo', [files.path('pipe/introductions.json')]).status, 0);
  assert.deepEqual(justMade(files.path('pipe')).cachedHandshake, {});
});
