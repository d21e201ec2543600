// What a process that was killed in the middle of writing leaves behind goes, and nothing else does.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { acquireBuildLock } from '#src/build/lock.js';
import { tempName, removeStaleTempFiles } from '#src/state/temp-files.js';
import { StatusFile } from '#src/state/status-file.js';
import { project } from '../support/project.js';

const own = basename(tempName('restart.json'));
const dead = own.replace(`.${process.pid}.`, `.${2 ** 22 + 1}.`);
const kept = ['audit.jsonl', own, 'restart.json', 'x.4194305.notes'].sort();
const files = Object.fromEntries([...kept, dead].map((name) => [name, 'x']));

test('drafts of processes that are gone are removed; those of the living, and other files, stay', async (t) => {
  const { directory } = project(t, files);
  await removeStaleTempFiles(directory);
  assert.deepEqual(readdirSync(directory).sort(), kept);
  await removeStaleTempFiles(`${directory}/nowhere`);
});

test('P13 whoever shows itself in a state directory, or takes the build lock there, clears away the drafts of the dead', async (t) => {
  const [one, other] = [project(t, files), project(t, files)];
  const shown = new StatusFile(one.directory, { cwd: '/', command: 'x' }, assert.fail);
  shown.update('1', {});
  await shown.close();
  assert.deepEqual(readdirSync(one.directory).sort(), ['about.json', ...kept]);
  const lock = await acquireBuildLock(other.directory, new AbortController().signal);
  await lock?.release();
  assert.deepEqual(readdirSync(other.directory).sort(), kept);
});
