// What events are worth on which platform and file system: the decisions as tables, and what the watch makes of them. A
// system is passed in where the tests can't have it; the files are real.
import assert from 'node:assert/strict';
import fs, { renameSync, statfsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test, type TestContext } from 'node:test';
import { isInotify, thisSystem, withoutEvents, type System } from '#src/watch/system.js';
import { cleanup } from '../support/cleanup.js';
import { arrive, put, temporary, watched } from './fixture.js';

const EXT4 = 0xef53;
const NFS = 0x6969;

test('only inotify tells of a save at once', () => {
  const prompt = (['linux', 'android', 'darwin', 'win32', 'freebsd', 'openbsd', 'sunos', 'aix'] as const).filter(
    isInotify,
  );
  assert.deepEqual(prompt, ['linux', 'android']);
});

test('file systems whose changes may come without events are known by their number', () => {
  const shared = { nfs: NFS, '9p': 0x01021997, 'fuse or virtiofs': 0x65735546, cifs: 0xff534d42, vboxsf: 0x786f4256 };
  for (const [name, type] of Object.entries(shared)) assert.equal(withoutEvents('linux', type), name);
  assert.equal(withoutEvents('linux', 0xff534d42 | 0), 'cifs', 'as 32-bit systems give it');
  const local = { EXT4, btrfs: 0x9123683e, xfs: 0x58465342, tmpfs: 0x01021994, overlay: 0x794c7630, zfs: 0x2fc12fc1 };
  for (const [name, type] of Object.entries(local)) assert.equal(withoutEvents('linux', type), undefined, name);
  assert.equal(withoutEvents('linux', undefined), undefined);
  // There the numbers mean something else.
  assert.equal(withoutEvents('darwin', NFS), undefined);
});

test('the type of a file system is that of statfs, and nothing where nothing is', (t) => {
  const dir = temporary(t);
  assert.equal(thisSystem().fileSystemType(dir), statfsSync(dir).type);
  assert.equal(thisSystem().fileSystemType(`${dir}/nowhere`), undefined);
});

function linux(isShared: (directory: string) => boolean): System {
  return { platform: 'linux', fileSystemType: (directory) => (isShared(directory) ? NFS : EXT4) };
}

for (const [what, path] of [
  ['a root', 'shared'] as const,
  ['a directory in one', '.'] as const,
  ['a named file', 'shared/a.ts'] as const,
]) {
  test(`P4 ${what} on a shared file system is polled, said in one line`, async (t) => {
    const w = await watched(t, {
      files: { 'shared/a.ts': '0', 'shared/deep/b.ts': '0', 'src/c.ts': '0' },
      paths: [path, 'src'],
      system: linux((directory) => directory.includes('shared')),
    });
    assert.ok(w.watch.needsSweep);
    assert.deepEqual(
      w.warnings.map(({ code }) => code),
      ['polling'],
    );
    assert.match(w.warnings[0]!.text, /shared lies on a shared file system \(nfs\)/);
    w.write('shared/a.ts', '1');
    w.write('src/c.ts', '1');
    assert.deepEqual(await w.changes(), ['changed shared/a.ts', 'changed src/c.ts']);
    w.write('src/c.ts', '2');
    await w.rung(1);
  });
}

test('a local project in a directory of a shared file system is watched by events', async (t) => {
  const dir = temporary(t);
  put(dir, 'project/src/a.ts', '0');
  const system = linux((directory) => !directory.startsWith(`${dir}/project`));
  const w = await watched(t, { dir, cwd: `${dir}/project`, paths: ['src', '.'], system });
  assert.equal(w.watch.needsSweep, false);
  assert.deepEqual(w.warnings, []);
});

const MACOS: System = { platform: 'darwin', fileSystemType: () => NFS };

/** Counts the watches that are made, and lets no event through unless told to. */
function countWatches(t: TestContext): () => number {
  const { watch } = fs;
  let count = 0;
  fs.watch = ((directory: string, options: fs.WatchOptions) => {
    count++;
    return watch(directory, options, () => {});
  }) as typeof watch;
  syncBuiltinESMExports();
  cleanup(t, () => {
    fs.watch = watch;
    syncBuiltinESMExports();
  });
  return () => count;
}

test("P4 where events are not inotify's, a check finds what none has told of, and leaves the watches alone", async (t) => {
  const made = countWatches(t);
  const w = await watched(t, { files: { 'src/a.ts': '0', 'src/deep/b.ts': '0' }, system: MACOS });
  assert.ok(w.watch.needsSweep);
  assert.deepEqual(w.warnings, []);
  const before = made();
  for (let cycle = 1; cycle <= 50; cycle++) {
    w.write('src/a.ts', `${cycle % 10}`);
    assert.deepEqual(await w.changes(), ['changed src/a.ts']);
  }
  assert.equal(made(), before);
  // Another directory in the place of one is watched anew, a new one for the first time.
  w.write('other/b.ts', '1');
  assert.deepEqual(await w.changes(), ['added other/b.ts']);
  assert.equal(made(), before + 1);
  renameSync(w.path('src/deep'), w.path('gone'));
  renameSync(w.path('other'), w.path('src/deep'));
  assert.deepEqual(await w.changes(), ['added gone/b.ts', 'removed other/b.ts', 'changed src/deep/b.ts']);
  assert.equal(made(), before + 3);
});

test("P6 where events are not inotify's, what none has told of is found with nobody asking", async (t) => {
  countWatches(t);
  const w = await watched(t, { files: { 'src/a.ts': '0' }, system: MACOS });
  for (let cycle = 1; cycle <= 2; cycle++) {
    w.write('src/a.ts', `${cycle}`);
    await w.rung(cycle);
    assert.deepEqual(await w.changes(), ['changed src/a.ts']);
  }
  await arrive();
  assert.equal(w.rings(), 2);
});
