// The digest of a file that is saved at the worst moment: between a look at its inode and its bytes, or right after
// them.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readFile } from '#src/watch/digest.js';
import { cleanup } from '../support/cleanup.js';
import { temporary, watched } from './fixture.js';

// A large file is read once to see that it is, and then in pieces up to the nothing at its end.
for (const [size, last] of [
  [10, 1],
  [300_000, 4],
] as const) {
  const [before, after] = ['a'.repeat(size), 'b'.repeat(size)];

  test(`P4 what is saved between the stat and the read of ${size} bytes shows when that was`, async (t) => {
    const { path, save } = aged(t, before);
    onceAfter(t, 'fstatSync', path, () => save(after));
    const reading = await readFile(path, () => undefined);
    assert.ok(typeof reading !== 'string');
    assert.equal(reading.changed, fs.statSync(path).ctimeMs);
  });

  test(`P6 ${size} bytes that are old as soon as they are read, are read again`, async (t) => {
    const { path, save } = aged(t, before);
    onceAfter(t, 'readSync', path, () => save(after), last);
    const reading = await readFile(path, () => undefined);
    assert.ok(typeof reading !== 'string');
    assert.equal(reading.digest, hash('sha256', after));
    assert.equal(reading.changed, fs.statSync(path).ctimeMs);
  });
}

test('P4 a reading that takes long vouches for no more than a quick one', async (t) => {
  const { path } = aged(t, 'a'.repeat(300_000));
  const now = Date.now();
  // The file was saved a moment ago when its inode is looked at, and long ago when its last byte is read.
  onceAfter(t, 'readSync', path, () => void t.mock.method(Date, 'now', () => now + 60_000));
  const reading = await readFile(path, () => undefined);
  assert.ok(typeof reading !== 'string');
  assert.ok(Number.isNaN(reading.stamp.ctime));
});

test('P6 a file that takes the place of one that was just read is read instead', async (t) => {
  const { path, save } = aged(t, 'before');
  onceAfter(t, 'readSync', path, () => {
    save('after', `${path}.new`);
    fs.renameSync(`${path}.new`, path);
  });
  const reading = await readFile(path, () => undefined);
  assert.ok(typeof reading !== 'string');
  assert.equal(reading.digest, hash('sha256', 'after'));
});

test('P6 a save while the first look is at the file is one change, not two', async (t) => {
  const { path, save } = aged(t, 'before');
  onceAfter(t, 'readSync', path, () => save('after'));
  const w = await watched(t, { dir: dirname(path), debounce: 1000 });
  assert.deepEqual(await w.changes(), [], 'what was seen first is what was saved');
});

/**
 * A file that was last saved long enough ago for the next save to have another time: the clock of file times ticks
 * slowly.
 */
function aged(t: TestContext, text: string): { path: string; save(text: string, to?: string): void } {
  const path = join(temporary(t), 'file');
  fs.writeFileSync(path, text);
  const saved = fs.statSync(path).ctimeMs;
  return {
    path,
    save(other, to = path) {
      do fs.writeFileSync(to, other);
      while (fs.statSync(to).ctimeMs <= saved);
    },
  };
}

/** Does something right after a function of `node:fs` was called for this file, for the first or the nth time. */
function onceAfter(t: TestContext, name: 'fstatSync' | 'readSync', path: string, act: () => void, nth = 1): void {
  const real = fs[name] as (file: number, ...rest: unknown[]) => unknown;
  const { ino } = fs.statSync(path);
  const { fstatSync } = fs;
  let calls = 0;
  const set = (to: typeof real): void => {
    fs[name] = to as never;
    syncBuiltinESMExports();
  };
  cleanup(t, () => set(real));
  set((file, ...rest) => {
    const result = real(file, ...rest);
    if (fstatSync(file).ino === ino && ++calls === nth) {
      set(real);
      act();
    }
    return result;
  });
}
