/*
 * Proves that one at a time holds the build lock, within a process and between processes, that a lock whose owner is
 * gone is void, however many find it so at once, and that a lock which can't be had stops nobody.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { acquireBuildLock, adoptBuildLock } from '#src/build/lock.js';
import { ownerOf } from '#src/build/owner.js';
import { testEnvironment } from '../support/harness.js';
import { project } from '../support/project.js';
import { cleanup } from '../support/cleanup.js';

const never = new AbortController().signal;
const linux = { skip: process.platform !== 'linux' };
const deadPid = 2 ** 22 + 1;

async function untilTwoFiles(dir: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!existsSync(dir) || readdirSync(dir).length < 2) {
    assert.ok(Date.now() < deadline, 'nobody else has tried');
    await turn();
  }
}

/**
 * Long enough for the other one to have tried: its file is there, and the file system has answered many times since.
 */
async function tried(dir: string): Promise<void> {
  await untilTwoFiles(dir);
  for (let i = 0; i < 100; i++) await stat(dir);
}

const nobodyHasIt = (): void => assert.fail('nobody has it');

test('a lock that nobody has is taken at once and leaves nothing when it is released', async (t) => {
  const dir = project(t).path('state');
  const lock = await acquireBuildLock(dir, never, nobodyHasIt);
  assert.ok(lock);
  assert.deepEqual(readdirSync(dir), ['build.lock']);
  if (process.platform !== 'win32') assert.equal(statSync(`${dir}/build.lock`).mode & 0o777, 0o600);
  await lock.release();
  await lock.release();
  assert.deepEqual(readdirSync(dir), []);
});

test('the next one waits until it is released', async (t) => {
  const dir = project(t).directory;
  const first = await acquireBuildLock(dir, never);
  let taken = false;
  const second = acquireBuildLock(dir, never).then((lock) => {
    taken = true;
    return lock;
  });
  await tried(dir);
  assert.equal(taken, false);
  await first?.release();
  const lock = await second;
  assert.ok(lock);
  await lock.release();
  assert.deepEqual(readdirSync(dir), []);
});

test('who waits is told so, once', async (t) => {
  const dir = project(t).directory;
  const first = await acquireBuildLock(dir, never, nobodyHasIt);
  let waits = 0;
  const second = acquireBuildLock(dir, never, () => waits++);
  await tried(dir);
  await first?.release();
  await (await second)?.release();
  assert.equal(waits, 1);
});

test('a lock that was handed to another process is held by that one, and void when it is gone', linux, async (t) => {
  const dir = project(t).directory;
  const successor = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: testEnvironment('lock') });
  cleanup(t, () => successor.kill('SIGKILL'));
  const first = await acquireBuildLock(dir, never);
  assert.match((await first?.handTo(successor.pid!)) ?? '', new RegExp(`"pid":${successor.pid},`));
  first?.forget();
  await first?.release();
  assert.deepEqual(readdirSync(dir), ['build.lock'], 'it is no longer the first one’s to release');
  let taken = false;
  const second = acquireBuildLock(dir, never).then((lock) => {
    taken = true;
    return lock;
  });
  await tried(dir);
  assert.equal(taken, false);
  successor.kill('SIGKILL');
  assert.ok(await second);
});

test('who adopts a lock names its build and releases it, unless it is another’s by now', async (t) => {
  const dir = project(t).directory;
  const first = await acquireBuildLock(dir, never);
  const text = await first?.handTo(process.pid);
  const adopted = adoptBuildLock(dir, text ?? '');
  await adopted.building(process.pid);
  assert.match(readFileSync(`${dir}/build.lock`, 'utf8'), /"build":/);
  await adoptBuildLock(dir, text ?? '').release();
  assert.deepEqual(readdirSync(dir), ['build.lock'], 'what is on the disk is not what was adopted');
  await adopted.release();
  assert.deepEqual(readdirSync(dir), []);
});

test('giving up ends the waiting and leaves nothing', async (t) => {
  const dir = project(t).directory;
  const first = await acquireBuildLock(dir, never);
  const give = new AbortController();
  const second = acquireBuildLock(dir, give.signal);
  await tried(dir);
  give.abort();
  assert.equal(await second, undefined);
  assert.deepEqual(readdirSync(dir), ['build.lock']);
  await first?.release();
  assert.equal(await acquireBuildLock(dir, give.signal), undefined);
});

test('P14 a directory that cannot be written means no lock', async (t) => {
  const files = project(t, { 'a-file': '' });
  assert.equal(await acquireBuildLock(files.path('a-file/state'), never), undefined);
});

const voids: [title: string, text: () => Promise<string> | string][] = [
  ['whose owner is gone', () => JSON.stringify({ pid: deadPid, start: '1' })],
  ['with no owner in it', () => ''],
  ['with nonsense in it', () => '{"pid":-1,"start":""}'],
];
for (const [title, text] of voids) {
  test(`a lock ${title} is void`, async (t) => {
    const files = project(t, { 'build.lock': await text() });
    const lock = await acquireBuildLock(files.directory, never, nobodyHasIt);
    assert.ok(lock);
    await lock.release();
    assert.deepEqual(readdirSync(files.directory), []);
  });
}

test('a lock whose owner’s number belongs to another process by now is void', linux, async (t) => {
  const { start } = await ownerOf(process.pid);
  const other = JSON.stringify({ pid: process.pid, start: `${Number(start) - 1}` });
  const lock = await acquireBuildLock(project(t, { 'build.lock': other }).directory, never, nobodyHasIt);
  assert.ok(lock);
});

test('a lock that died while another void one was cleared away is cleared too', async (t) => {
  const gone = JSON.stringify({ pid: deadPid, start: '1' });
  const files = project(t, { 'build.lock': gone, 'build.lock.clear': gone, 'build.lock.clear.clear': gone });
  const lock = await acquireBuildLock(files.directory, never);
  await lock?.release();
  assert.deepEqual(readdirSync(files.directory), []);
});

test('many that find a void lock at once take it one after the other', async (t) => {
  const files = project(t);
  for (let round = 0; round < 10; round++) {
    files.write('build.lock', JSON.stringify({ pid: deadPid, start: '1' }));
    let holders = 0;
    const one = async () => {
      const lock = await acquireBuildLock(files.directory, never);
      assert.equal(++holders, 1);
      await turn();
      holders--;
      await lock?.release();
    };
    await Promise.all(Array.from({ length: 12 }, one));
  }
  assert.deepEqual(readdirSync(files.directory), []);
});

/**
 * Takes the lock again and again, looks for another holder that is alive, and at last dies with the lock in its hands.
 */
const contender = `
  import { readFileSync, rmSync, writeFileSync } from 'node:fs';
  import { acquireBuildLock } from ${JSON.stringify(import.meta.resolve('#src/build/lock.js'))};
  import { isGone } from ${JSON.stringify(import.meta.resolve('#src/build/owner.js'))};
  const [dir, holder, rounds] = process.argv.slice(1);
  for (let round = 0; round < Number(rounds); round++) {
    const lock = await acquireBuildLock(dir, new AbortController().signal);
    let other;
    try { other = Number(readFileSync(holder, 'utf8')); } catch {}
    if (lock === undefined || (other && !(await isGone({ pid: other, start: '' })))) console.log('violation');
    writeFileSync(holder, String(process.pid));
    console.log('held');
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (round === rounds - 1) process.kill(process.pid, 'SIGKILL');
    rmSync(holder);
    await lock.release();
  }
`;

function contend(t: TestContext, dir: string, holder: string, rounds: number) {
  const args = ['--input-type=module', '-e', contender, dir, holder, String(rounds)];
  const child = spawn(process.execPath, args, { env: testEnvironment('lock'), stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup(t, () => child.kill('SIGKILL'));
  return child;
}

test('several processes take turns, and the death of a holder hands its lock on', linux, async (t) => {
  const files = project(t);
  const dir = files.path('state');
  const lines = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = contend(t, dir, files.path('holder'), 25);
      const seen: string[] = [];
      for await (const line of createInterface(child.stdout)) seen.push(line);
      return seen;
    }),
  );
  assert.deepEqual(
    lines.flat(),
    Array.from({ length: 75 }, () => 'held'),
  );
  const lock = await acquireBuildLock(dir, never);
  await lock?.release();
  assert.deepEqual(readdirSync(dir), []);
});

test('one that waits for another process is woken by its release', linux, async (t) => {
  const files = project(t);
  const dir = files.path('state');
  const lock = await acquireBuildLock(dir, never);
  const child = contend(t, dir, files.path('holder'), 2);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await untilTwoFiles(dir);
  assert.match(readFileSync(`${dir}/build.lock`, 'utf8'), new RegExp(`"pid":${process.pid},`));
  await lock?.release();
  assert.equal((await lines.next()).value, 'held');
  await once(child, 'exit');
});
