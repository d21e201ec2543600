// P5 as far as the watch goes: nothing but the bytes counts, whatever happens to a file's times, mode or inode.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { arrive, expectUnchanged, temporary, put, watched } from './fixture.js';

/** A little more than digest.ts wants: younger stamps are not kept, and the file is hashed at every look. */
const STAMP_COUNTS_AFTER_MS = 2600;

for (const poll of [undefined, 60_000]) {
  const how = poll === undefined ? 'by events' : 'by polling';

  test(`P5 touch, chmod, the same bytes, delete and re-create change nothing, ${how}`, async (t) => {
    const w = await watched(t, { files: { 'src/a.ts': 'same', 'src/b.ts': 'other' }, poll });
    const a = w.path('src/a.ts');
    await expectUnchanged(w, () => utimesSync(a, new Date(), new Date()));
    await expectUnchanged(w, () => chmodSync(a, 0o755));
    await expectUnchanged(w, () => writeFileSync(a, 'same'));
    await expectUnchanged(w, () => utimesSync(w.path('src'), new Date(), new Date()));
    await expectUnchanged(w, () => chmodSync(w.path('src'), 0o700));
    await expectUnchanged(w, () => {
      rmSync(a);
      writeFileSync(a, 'same');
    });
    await expectUnchanged(w, () => {
      writeFileSync(w.path('src/.a.new'), 'same');
      renameSync(w.path('src/.a.new'), a);
    });
  });

  test(`P5 a change there and back between two checks, and a mark across it, ${how}`, async (t) => {
    const w = await watched(t, { files: { 'a.ts': 'one', 'd/b.ts': 'b' }, poll });
    const mark = w.watch.mark();
    const before = w.watch.fingerprint('main');
    const touched = (): string[] => w.watch.touchedSince(mark).map(({ kind, path }) => `${kind} ${path}`);
    assert.deepEqual(touched(), []);
    await expectUnchanged(w, () => {
      w.write('a.ts', 'two');
      w.write('a.ts', 'one');
    });
    assert.deepEqual(touched(), ['changed a.ts']);
    w.write('a.ts', 'two');
    rmSync(w.path('d'), { recursive: true });
    assert.deepEqual(await w.changes(), ['changed a.ts', 'removed d/b.ts']);
    assert.notEqual(w.watch.fingerprint('main'), before);
    w.write('a.ts', 'one');
    w.write('d/b.ts', 'b');
    assert.deepEqual(await w.changes(), ['changed a.ts', 'added d/b.ts']);
    assert.deepEqual(w.watch.changedSince(mark), []);
    assert.deepEqual(touched(), ['changed a.ts', 'changed d/b.ts']);
    assert.equal(w.watch.fingerprint('main'), before);
  });

  test(`P5 a same-size edit with its time stamps restored counts, ${how}`, async (t) => {
    const w = await watched(t, { files: { 'a.ts': '1111' }, poll });
    const a = w.path('a.ts');
    const then = new Date('2020-02-02');
    utimesSync(a, then, then);
    assert.deepEqual(await w.changes(), []);
    for (const text of ['2222', '3333', '4444']) {
      writeFileSync(a, text);
      utimesSync(a, then, then);
      assert.equal(statSync(a).mtimeMs, then.getTime());
      assert.deepEqual(await w.changes(), ['changed a.ts']);
    }
  });

  // Its stamp counts by then, so only what stat says of the inode tells that it has to be hashed again.
  test(`P5 an edit in place of equal size of a file that was not touched for long counts, ${how}`, async (t) => {
    const w = await watched(t, { files: { 'a.ts': '1111' }, poll });
    const a = w.path('a.ts');
    for (const text of ['2222', '3333']) {
      const { mtime, ino } = statSync(a);
      await setTimeout(STAMP_COUNTS_AFTER_MS);
      await w.watch.sweep();
      writeFileSync(a, text);
      utimesSync(a, mtime, mtime);
      assert.equal(statSync(a).ino, ino);
      assert.deepEqual(await w.changes(), ['changed a.ts']);
    }
  });

  test(`P5 a file swapped for one of the same size and times counts, ${how}`, async (t) => {
    const w = await watched(t, { files: { 'a.ts': '1111', 'b.txt': '2222' }, paths: ['a.ts'], poll });
    const stats = lstatSync(w.path('a.ts'));
    utimesSync(w.path('b.txt'), stats.atime, stats.mtime);
    renameSync(w.path('b.txt'), w.path('a.ts'));
    assert.deepEqual(await w.changes(), ['changed a.ts']);
  });
}

test('P5 with polling, every change is noticed without anyone asking, restored time stamps or not', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': '1111', 'src/deep/b.ts': '1' }, poll: 50 });
  const a = w.path('src/a.ts');
  const then = new Date('2020-02-02');
  for (let cycle = 1; cycle <= 5; cycle++) {
    const rings = w.rings();
    writeFileSync(a, `v${cycle}00`);
    utimesSync(a, then, then);
    await w.rung(rings + 1);
    assert.deepEqual(await w.changes(), ['changed src/a.ts']);
  }
  for (let cycle = 1; cycle <= 5; cycle++) {
    const rings = w.rings();
    w.write(`src/new${cycle}/b.ts`, '1');
    await w.rung(rings + 1);
    assert.deepEqual(await w.changes(), [`added src/new${cycle}/b.ts`]);
    const more = w.rings();
    w.write(`src/new${cycle}/b.ts`, '2');
    await w.rung(more + 1);
    assert.deepEqual(await w.changes(), [`changed src/new${cycle}/b.ts`]);
  }
});

test('P5 git add, stash and pop, a checkout there and back change nothing', async (t) => {
  const dir = temporary(t);
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
    execFileSync('git', [...identity, ...args], { cwd: dir, stdio: 'pipe' });
  };
  for (let n = 0; n < 20; n++) put(dir, `src/f${n}.ts`, `main ${n}`);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('checkout', '-qb', 'other');
  for (let n = 0; n < 20; n++) put(dir, `src/f${n}.ts`, `other ${n}`);
  git('commit', '-qam', 'two');
  git('checkout', '-q', 'main');
  put(dir, 'src/f0.ts', 'edited');
  const w = await watched(t, { dir });
  await expectUnchanged(w, () => git('add', '.'));
  await expectUnchanged(w, () => {
    git('stash', '-q');
    git('stash', 'pop', '-q');
  });
  git('commit', '-qam', 'three');
  await expectUnchanged(w, () => {
    git('checkout', '-q', 'other');
    git('checkout', '-q', 'main');
  });
  await arrive();
  assert.equal(w.watch.dirty, false);
  git('checkout', '-q', 'other');
  assert.equal((await w.changes()).length, 20);
});

test('a file of 20 MB is hashed in pieces, and its last byte counts', async (t) => {
  const big = 'x'.repeat(20_000_000);
  const w = await watched(t, { files: { 'big.bin': big } });
  await expectUnchanged(w, () => w.write('big.bin', big));
  w.write('big.bin', `${big.slice(1)}y`);
  assert.deepEqual(await w.changes(), ['changed big.bin']);
});
