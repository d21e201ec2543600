// P4 as far as the watch goes: when a save has returned, two turns of the event loop later something is dirty, and a
// check finds the new content. That requests wait for it is proved end to end elsewhere.
import assert from 'node:assert/strict';
import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { arrive, watched } from './fixture.js';

const CYCLES = 1000;

test('P4 after a save and two turns of the event loop the watch is dirty, 1,000 times of 1,000', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': '0' }, debounce: 1000 });
  const mark = w.watch.mark();
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    writeFileSync(w.path('src/a.ts'), `${cycle}`);
    await arrive();
    assert.ok(w.watch.dirty, `cycle ${cycle} of ${CYCLES}`);
    await w.watch.check();
    assert.equal(w.watch.dirty, false);
  }
  assert.deepEqual(w.watch.changedSince(mark), [{ path: 'src/a.ts', rules: ['main'], kind: 'changed' }]);
});

test('P4 an atomic save (write beside it, rename) is seen, 1,000 times of 1,000', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': '0' }, debounce: 1000 });
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    writeFileSync(w.path('src/.a.ts.new'), `${cycle}`);
    renameSync(w.path('src/.a.ts.new'), w.path('src/a.ts'));
    assert.deepEqual(await w.changes(), ['changed src/a.ts'], `cycle ${cycle}`);
  }
});

test('P4 a new file in a new directory is seen, 300 times of 300', async (t) => {
  const w = await watched(t, { debounce: 1000 });
  for (let cycle = 1; cycle <= 300; cycle++) {
    w.write(`new-${cycle}/a.ts`, `${cycle}`);
    assert.deepEqual(await w.changes(), [`added new-${cycle}/a.ts`]);
    appendFileSync(w.path(`new-${cycle}/a.ts`), 'more');
    assert.deepEqual(await w.changes(), [`changed new-${cycle}/a.ts`]);
  }
});

test('P4 nested directories made and filled at once, and filled again while they are being found', async (t) => {
  const w = await watched(t, { debounce: 1000 });
  for (let cycle = 1; cycle <= 100; cycle++) {
    mkdirSync(w.path(`n${cycle}/b/c`), { recursive: true });
    writeFileSync(w.path(`n${cycle}/b/c/one.ts`), '1');
    await arrive();
    const check = w.watch.check();
    writeFileSync(w.path(`n${cycle}/b/c/one.ts`), 'again');
    writeFileSync(w.path(`n${cycle}/b/two.ts`), '2');
    mkdirSync(w.path(`n${cycle}/b/d/e`), { recursive: true });
    writeFileSync(w.path(`n${cycle}/b/d/e/three.ts`), '3');
    await check;
    const before = w.watch.mark();
    const found = await w.changes();
    assert.deepEqual(found, [
      `added n${cycle}/b/c/one.ts`,
      `added n${cycle}/b/d/e/three.ts`,
      `added n${cycle}/b/two.ts`,
    ]);
    writeFileSync(w.path(`n${cycle}/b/c/one.ts`), '1');
    assert.deepEqual(await w.changes(), [`changed n${cycle}/b/c/one.ts`]);
    w.watch.release(before);
  }
});

test('P4 a file that is deleted and made again, and a directory likewise', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': 'a', 'src/deep/b.ts': 'b' } });
  rmSync(w.path('src/a.ts'));
  assert.deepEqual(await w.changes(), ['removed src/a.ts']);
  w.write('src/a.ts', 'a2');
  assert.deepEqual(await w.changes(), ['added src/a.ts']);
  w.write('src/a.ts', 'a3');
  assert.deepEqual(await w.changes(), ['changed src/a.ts']);

  rmSync(w.path('src/deep'), { recursive: true });
  w.write('src/deep/b.ts', 'b2');
  assert.deepEqual(await w.changes(), ['changed src/deep/b.ts']);
  w.write('src/deep/b.ts', 'b3');
  assert.deepEqual(await w.changes(), ['changed src/deep/b.ts']);
  rmSync(w.path('src/deep'), { recursive: true });
  assert.deepEqual(await w.changes(), ['removed src/deep/b.ts']);
});

test('P4 a directory that is swapped for another one is watched from then on', async (t) => {
  const w = await watched(t, { files: { 'src/m/a.ts': 'old', 'src/m/x/b.ts': 'old' } });
  w.write('elsewhere/a.ts', 'new');
  w.write('elsewhere/x/b.ts', 'new');
  await w.changes();
  renameSync(w.path('src/m'), w.path('src/gone'));
  renameSync(w.path('elsewhere'), w.path('src/m'));
  const found = await w.changes();
  assert.ok(found.includes('changed src/m/a.ts') && found.includes('changed src/m/x/b.ts'), found.join());
  w.write('src/m/x/b.ts', 'newer');
  assert.deepEqual(await w.changes(), ['changed src/m/x/b.ts']);
  w.write('src/gone/x/b.ts', 'moved');
  assert.deepEqual(await w.changes(), ['changed src/gone/x/b.ts']);
});

test('P4 the watch stays dirty while a check runs, and a check covers what stirred before it was asked', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}.ts`, 'x'.repeat(20_000)]));
  const w = await watched(t, { files, debounce: 1000 });
  for (const name of Object.keys(files)) w.write(name, 'y'.repeat(20_000));
  await arrive();
  const first = w.watch.check();
  await setImmediate();
  assert.ok(w.watch.dirty);
  const mark = w.watch.mark();
  w.write('late.ts', '1');
  await arrive();
  const second = w.watch.check();
  await Promise.all([first, second]);
  assert.ok(w.watch.changedSince(mark).some(({ path }) => path === 'late.ts'));
  assert.equal(w.watch.dirty, false);
});

test('P4 with polling, a check finds what is on the disk now, 200 times of 200', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': '0' }, poll: 60_000 });
  assert.ok(w.watch.needsSweep);
  for (let cycle = 1; cycle <= 200; cycle++) {
    writeFileSync(w.path('src/a.ts'), `${cycle % 10}`);
    assert.deepEqual(await w.changes(), ['changed src/a.ts'], `cycle ${cycle}`);
  }
  w.write('src/new/deep/b.ts', '1');
  assert.deepEqual(await w.changes(), ['added src/new/deep/b.ts']);
  rmSync(w.path('src/new'), { recursive: true });
  assert.deepEqual(await w.changes(), ['removed src/new/deep/b.ts']);
});

test('P7 a sweep finds what no event has told of', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': 'one' }, paths: ['src'] });
  linkSync(w.path('src/a.ts'), w.path('elsewhere'));
  await w.changes();
  const mark = w.watch.mark();
  // By another name, in a directory that is not watched: nobody hears of it.
  writeFileSync(w.path('elsewhere'), 'two');
  await arrive();
  await w.watch.check();
  assert.deepEqual(w.watch.changedSince(mark), []);
  await w.watch.sweep();
  assert.deepEqual(w.watch.changedSince(mark), [{ path: 'src/a.ts', rules: ['main'], kind: 'changed' }]);
});
