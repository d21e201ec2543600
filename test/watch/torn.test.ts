// A save in place is two steps, emptying the file and filling it. Whoever looks in between must not take the nothing
// that is there for content: it would be equal to the nothing of the next save.
import assert from 'node:assert/strict';
import { closeSync, linkSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { temporary, watched } from './fixture.js';

/** How long a look waits goes by this clock: a busy machine must not use up the wait before the save goes on. */
function stoppedClock(t: TestContext): { goOn(): void } {
  const now = performance.now();
  const stopped = t.mock.method(performance, 'now', () => now);
  return { goOn: () => stopped.mock.restore() };
}

for (const paths of [['src'], ['src/a.ts']]) {
  test(`P4 a look in the middle of a save waits for the rest of it (${paths.join()})`, async (t) => {
    const w = await watched(t, { paths, files: { 'src/a.ts': 'before' }, debounce: 1000 });
    const before = w.watch.fingerprint('main');
    const file = openSync(w.path('src/a.ts'), 'w');
    await w.arrive();
    const clock = stoppedClock(t);
    const check = w.watch.check();
    await delay(20);
    writeSync(file, 'before');
    closeSync(file);
    clock.goOn();
    await check;
    assert.equal(w.watch.fingerprint('main'), before);
    assert.deepEqual(await w.changes(), []);
  });
}

for (const paths of [['src'], ['src/a.ts']]) {
  test(`P6 so does the first look of all, once for all files (${paths.join()})`, async (t) => {
    const dir = temporary(t);
    const empty = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`src/${n}.ts`, '']));
    const clock = stoppedClock(t);
    // Before the files are written: one that was empty before the start is not waited for.
    const since = Date.now();
    const opening = watched(t, { dir, paths, files: { ...empty, 'src/a.ts': '' }, debounce: 1000, since });
    await delay(20);
    writeFileSync(join(dir, 'src/a.ts'), 'whole');
    clock.goOn();
    const w = await opening;
    assert.deepEqual(await w.changes(), [], 'it was read when it was whole');
  });
}

for (const paths of [['src'], ['src/a.ts'], ['src/*.ts']]) {
  test(`P4 what a save has emptied is found before the kernel reports it (${paths.join()})`, async (t) => {
    const files = { 'src/a.ts': 'before', 'src/b.ts': 'before', 'src/empty.ts': '' };
    const w = await watched(t, { paths, files, debounce: 1000 });
    linkSync(w.path('src/a.ts'), w.path('elsewhere'));
    await w.changes();
    await w.watch.findEmptied();
    assert.equal(w.watch.dirty, false, 'nothing has been emptied');
    // By another name, in a directory that is not watched: nothing is reported, however long one waits.
    const file = openSync(w.path('elsewhere'), 'w');
    assert.deepEqual(await w.changes(), []);
    await w.watch.findEmptied();
    assert.equal(w.watch.dirty, true);
    const clock = stoppedClock(t);
    const check = w.watch.check();
    await delay(20);
    writeSync(file, 'after');
    closeSync(file);
    clock.goOn();
    await check;
    assert.equal(w.watch.fingerprint('main'), (await watched(t, { paths, dir: w.dir })).watch.fingerprint('main'));
    assert.deepEqual(await w.changes(), ['changed src/a.ts']);
  });
}

test('P5 a file that is emptied and stays so has changed', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': 'before', 'src/b.ts': '' }, debounce: 1000 });
  truncateSync(w.path('src/a.ts'));
  assert.deepEqual(await w.changes(), ['changed src/a.ts']);
  truncateSync(w.path('src/a.ts'));
  truncateSync(w.path('src/b.ts'));
  assert.deepEqual(await w.changes(), []);
});
