/*
 * Proves that the fingerprints of a good build survive, whole and readable by the user alone, and that a damaged or
 * impossible record is a value.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBuilt, writeBuilt } from '#src/build/record.js';
import { project } from '../support/project.js';

test('each rule has its own last good build', async (t) => {
  const dir = project(t).path('state/deep');
  assert.equal(await readBuilt(dir, 'server'), undefined);
  assert.deepEqual(await writeBuilt(dir, 'server', { sources: 'a1', outputs: 'o1' }), { ok: true });
  assert.deepEqual(await writeBuilt(dir, '../extension\n', { sources: 'b1', outputs: undefined }), { ok: true });
  assert.deepEqual(await writeBuilt(dir, 'server', { sources: 'a2', outputs: 'o2' }), { ok: true });
  assert.deepEqual(await readBuilt(dir, 'server'), { sources: 'a2', outputs: 'o2' });
  assert.deepEqual(await readBuilt(dir, '../extension\n'), { sources: 'b1', outputs: undefined });
  assert.equal(readdirSync(dir).length, 2);
  if (process.platform === 'win32') return;
  assert.equal(statSync(dir).mode & 0o777, 0o700);
  for (const file of readdirSync(dir)) assert.equal(statSync(join(dir, file)).mode & 0o777, 0o600);
});

test('a damaged record counts as none', async (t) => {
  const dir = project(t).directory;
  await writeBuilt(dir, 'server', { sources: 'a1', outputs: 'o1' });
  const [file] = readdirSync(dir);
  for (const damage of [
    '',
    '{',
    'null',
    '[]',
    '{"rule":"server"}',
    '{"rule":"other","sources":"a1"}',
    '{"rule":"server","sources":7}',
    '{"rule":"server","sources":"a1","outputs":7}',
    '{"rule":"server","fingerprint":"a1"}',
  ]) {
    writeFileSync(join(dir, file ?? ''), damage);
    assert.equal(await readBuilt(dir, 'server'), undefined);
  }
});

test('P14 a record that cannot be written is told and leaves nothing', async (t) => {
  const files = project(t, { 'a-file': '' });
  const recorded = await writeBuilt(files.path('a-file/state'), 'server', { sources: 'a1', outputs: undefined });
  assert.ok(!recorded.ok);
  assert.match(recorded.problem, /built-.* can't be written: /);
  assert.deepEqual(readdirSync(files.directory), ['a-file']);
});
