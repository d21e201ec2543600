/*
 * Proves that the fingerprint of a good build survives, whole and readable by the user alone, and that a damaged or
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
  assert.deepEqual(await writeBuilt(dir, 'server', 'a1'), { ok: true });
  assert.deepEqual(await writeBuilt(dir, '../extension\n', 'b1'), { ok: true });
  assert.deepEqual(await writeBuilt(dir, 'server', 'a2'), { ok: true });
  assert.equal(await readBuilt(dir, 'server'), 'a2');
  assert.equal(await readBuilt(dir, '../extension\n'), 'b1');
  assert.equal(readdirSync(dir).length, 2);
  if (process.platform === 'win32') return;
  assert.equal(statSync(dir).mode & 0o777, 0o700);
  for (const file of readdirSync(dir)) assert.equal(statSync(join(dir, file)).mode & 0o777, 0o600);
});

test('a damaged record counts as none', async (t) => {
  const dir = project(t).directory;
  await writeBuilt(dir, 'server', 'a1');
  const [file] = readdirSync(dir);
  for (const damage of [
    '',
    '{',
    'null',
    '[]',
    '{"rule":"server"}',
    '{"rule":"other","fingerprint":"a1"}',
    '{"rule":"server","fingerprint":7}',
  ]) {
    writeFileSync(join(dir, file ?? ''), damage);
    assert.equal(await readBuilt(dir, 'server'), undefined);
  }
});

test('P14 a record that cannot be written is told and leaves nothing', async (t) => {
  const files = project(t, { 'a-file': '' });
  const recorded = await writeBuilt(files.path('a-file/state'), 'server', 'a1');
  assert.ok(!recorded.ok);
  assert.match(recorded.problem, /built-.* can't be written: /);
  assert.deepEqual(readdirSync(files.directory), ['a-file']);
});
