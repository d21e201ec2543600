// P6 as far as the watch goes: many saves are one signal, none is lost, an edit while the server starts least of all.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { openWatch } from '#src/watch/watch.js';
import { createDebouncer } from '#src/watch/debounce.js';
import { arrive, put, temporary, watched, within, type Options } from './fixture.js';
import { cleanup } from '../support/cleanup.js';

test('P6 the debounce ends once for many saves', async (t) => {
  const w = await watched(t, { files: { 'a.ts': '0' }, debounce: 200 });
  for (let n = 1; n <= 50; n++) w.write('a.ts', `${n}`);
  await w.rung(1);
  assert.deepEqual(await w.changes(), ['changed a.ts']);
  w.write('a.ts', 'next');
  await w.rung(2);
  assert.equal(w.rings(), 2);
});

test('P6 a checkout of 1,000 files is one signal and one set of changes', async (t) => {
  const dir = temporary(t);
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
    execFileSync('git', [...identity, ...args], { cwd: dir, stdio: 'pipe' });
  };
  const fill = (text: string): void => {
    for (let n = 0; n < 1000; n++) put(dir, `src/d${n % 30}/f${n}.ts`, `${text} ${n}`);
  };
  fill('main');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('checkout', '-qb', 'other');
  fill('other');
  git('commit', '-qam', 'two');
  const w = await watched(t, { dir, debounce: 500 });
  const before = w.watch.fingerprint('main');
  git('checkout', '-q', 'main');
  await w.rung(1);
  assert.equal((await w.changes()).length, 1000);
  await arrive();
  assert.equal(w.watch.dirty, false);
  assert.equal(w.rings(), 1);
  git('checkout', '-q', 'other');
  assert.equal((await w.changes()).length, 1000);
  assert.equal(w.watch.fingerprint('main'), before);
});

test('P6 the signal comes after the quiet time, and a second after the first save at the latest', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let rung = 0;
  const debouncer = createDebouncer(100, () => rung++);
  const saveEvery = async (ms: number, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      debouncer.trigger();
      t.mock.timers.tick(ms);
      await arrive();
    }
  };
  await saveEvery(100, 1);
  assert.equal(rung, 1);
  await saveEvery(50, 10);
  assert.equal(rung, 1);
  await saveEvery(50, 9);
  assert.equal(rung, 1);
  await saveEvery(50, 1);
  assert.equal(rung, 2);
  await saveEvery(50, 3);
  debouncer.clear();
  t.mock.timers.tick(5000);
  await arrive();
  assert.equal(rung, 2);
  debouncer.trigger();
  t.mock.timers.tick(100);
  debouncer.clear();
  await arrive();
  assert.equal(rung, 2, 'the quiet time is over, and it is cleared before it is told');
});

// A checkout there and back is one change of nothing, unless somebody looks in the middle of the way back. After a
// standstill the timer is due, and what was saved meanwhile is still in the kernel's queue.
test('P5 after a standstill of the proxy, saves that have not been read yet put the signal off', async (t) => {
  const w = await watched(t, { files: { 'a.ts': '0', 'b.ts': '0' }, debounce: 50 });
  for (let cycle = 1; cycle <= 10; cycle++) {
    const [mark, rings] = [w.watch.mark(), w.rings()];
    w.write('a.ts', `${cycle}`);
    await arrive();
    const rung = w.rung(rings + 1);
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      w.write('b.ts', `${cycle}`);
    });
    await rung;
    await w.watch.check();
    assert.deepEqual(
      w.watch.changedSince(mark).map(({ path }) => path),
      ['a.ts', 'b.ts'],
    );
    w.watch.release(mark);
  }
});

test('P6 a check in between leaves nothing to signal', async (t) => {
  const w = await watched(t, { files: { 'a.ts': '0', 'b.ts': '0' }, debounce: 100 });
  w.write('a.ts', '1');
  await w.changes();
  w.write('b.ts', '1');
  await w.rung(1);
  await w.changes();
  assert.equal(w.rings(), 1);
});

async function startUp(
  t: Parameters<typeof watched>[0],
  act: (dir: string) => void,
  options: Options = {},
): Promise<string[]> {
  const dir = temporary(t);
  for (let n = 0; n < 300; n++) put(dir, `src/d${n % 10}/f${n}.ts`, `${n}`);
  // File times come from a clock that stands still for some milliseconds, and this test is about them: let it move on.
  await setTimeout(60);
  const watch = openWatch(
    {
      cwd: dir,
      ignore: [],
      ext: [],
      debounce: 20,
      poll: undefined,
      never: [],
      since: Date.now(),
      ...options,
      rules: [{ name: 'main', paths: ['src'] }],
    },
    { onQuiet: () => {}, warn: () => {} },
  );
  cleanup(t, () => watch.close());
  const opening = watch.mark();
  assert.ok(watch.dirty, 'nothing is known yet');
  act(dir);
  await watch.ready;
  await arrive();
  await watch.check();
  assert.equal(watch.dirty, false);
  return watch.changedSince(opening).map(({ kind, path }) => `${kind} ${path}`);
}

for (const poll of [undefined, 60_000]) {
  const how = poll === undefined ? 'by events' : 'by polling';

  test(`P6 nothing happens while the server starts, ${how}`, async (t) => {
    assert.deepEqual(await startUp(t, () => {}, { poll }), []);
  });

  test(`P6 an edit while the server starts is not lost, ${how}`, async (t) => {
    const act = (dir: string): void => writeFileSync(join(dir, 'src/d3/f3.ts'), 'edited');
    assert.deepEqual(await startUp(t, act, { poll }), ['changed src/d3/f3.ts']);
  });

  test(`P6 an atomic save and a new file while the server starts are not lost, ${how}`, async (t) => {
    const act = (dir: string): void => {
      put(dir, 'src/d3/.f3.new', 'edited');
      renameSync(join(dir, 'src/d3/.f3.new'), join(dir, 'src/d3/f3.ts'));
      put(dir, 'src/new/x.ts', 'new');
    };
    assert.deepEqual(await startUp(t, act, { poll }), ['changed src/d3/f3.ts', 'changed src/new/x.ts']);
  });

  test(`P6 a deletion before anything is watched is not lost, ${how}`, async (t) => {
    assert.deepEqual(await startUp(t, (dir) => rmSync(join(dir, 'src/d3/f3.ts')), { poll }), ['removed src/d3/']);
    const move = (dir: string): void => renameSync(join(dir, 'src/d3'), join(dir, 'd3'));
    assert.deepEqual(await startUp(t, move, { poll }), ['removed src/']);
  });

  test(`P5 a cache that a server makes as it starts restarts nothing, ${how}`, async (t) => {
    const act = (dir: string): void => put(dir, 'src/d3/__pycache__/f3.pyc', 'cached');
    assert.deepEqual(await startUp(t, act, { poll }), []);
  });
}

test('P6 a deletion once watching has begun, but before the baseline is hashed, is not lost', async (t) => {
  const dir = temporary(t);
  for (let n = 0; n < 300; n++) put(dir, `src/f${n}.ts`, `${n}`);
  const watch = openWatch(
    {
      cwd: dir,
      rules: [{ name: 'main', paths: ['src'] }],
      ignore: [],
      ext: [],
      debounce: 20,
      poll: undefined,
      never: [],
      since: Date.now() + 3_600_000,
    },
    { onQuiet: () => {}, warn: () => {}, began: () => rmSync(join(dir, 'src/f7.ts')) },
  );
  cleanup(t, () => watch.close());
  const opening = watch.mark();
  await watch.ready;
  await arrive();
  await watch.check();
  assert.deepEqual(watch.changedSince(opening), [{ path: 'src/f7.ts', rules: ['main'], kind: 'removed' }]);
});

test('P6 a tree that is written to without end does not keep a check from ending', async (t) => {
  const w = await watched(t, { files: { 'a.ts': '0' } });
  let n = 0;
  let ended = false;
  const writing = (async () => {
    while (!ended) {
      w.write('a.ts', `${n++}`);
      await arrive();
    }
  })();
  await within(w.watch.check(), () => 'the check does not end');
  await within(w.watch.check(), () => 'the check does not end');
  ended = true;
  await writing;
});

test('close() ends everything, also while the baseline is being hashed', async (t) => {
  const dir = temporary(t);
  for (let n = 0; n < 300; n++) put(dir, `f${n}.ts`, 'x'.repeat(50_000));
  const watch = openWatch(
    {
      cwd: dir,
      rules: [{ name: 'main', paths: ['.'] }],
      ignore: [],
      ext: [],
      debounce: 0,
      poll: undefined,
      never: [],
      since: 0,
    },
    { onQuiet: () => assert.fail('settled after close'), warn: () => assert.fail('warned after close') },
  );
  await arrive();
  await watch.close();
  await watch.ready;
  put(dir, 'f1.ts', 'y');
  await arrive();
  await watch.check();
});
