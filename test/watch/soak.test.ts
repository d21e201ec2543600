// Whatever happens to a tree, in whatever order and with checks at whatever moment: at rest the watch knows exactly
// what a new watch would find.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fc } from '../support/property.js';
import { arrive, put, temporary, watched } from './fixture.js';

const PATHS = [
  'a',
  'b',
  'a/a',
  'a/b',
  'b/a',
  'a/a/a',
  'a/b/a',
  'b/a/c',
  'x.ts',
  'a/x.ts',
  'a/b/x.ts',
  'b/y.ts',
  'dist/z.ts',
  '.gitignore',
  'a/.gitignore',
];
const TEXTS = ['1', '2', 'x.ts\n', 'b\n', ''];

type Step = {
  act: 'write' | 'remove' | 'move' | 'link' | 'make' | 'touch' | 'look' | 'turn' | 'rest';
  path: string;
  to: string;
  text: string;
};

function apply(root: string, { act, path, to, text }: Step): void {
  try {
    const from = join(root, path);
    if (act === 'write') put(root, path, text);
    else if (act === 'remove') rmSync(from, { recursive: true });
    else if (act === 'make') mkdirSync(from, { recursive: true });
    else if (act === 'touch') utimesSync(from, 1, 1);
    else if (act === 'link') symlinkSync(join(root, to), from);
    else if (act === 'move') {
      mkdirSync(dirname(join(root, to)), { recursive: true });
      renameSync(from, join(root, to));
    }
  } catch {
    // What a step presupposes may not be there: then it is no step.
  }
}

for (const poll of [undefined, 60_000]) {
  test(
    `P6 after any sequence of events the watch knows what is on the disk, ${poll ? 'by polling' : 'by events'}`,
    { timeout: 180_000 },
    async (t) => {
      const step: fc.Arbitrary<Step> = fc.record({
        act: fc.constantFrom(
          'write',
          'write',
          'write',
          'remove',
          'move',
          'move',
          'link',
          'make',
          'touch',
          'look',
          'turn',
          'rest',
          'rest',
        ),
        path: fc.constantFrom(...PATHS),
        to: fc.constantFrom(...PATHS),
        text: fc.constantFrom(...TEXTS),
      });
      const options = { poll, paths: ['.', 'a/b', 'x.ts', 'dist', 'b/**/*.ts'] };
      const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const dir = temporary(t);
        const w = await watched(t, { dir, ...options });
        const singleFlight: Promise<void>[] = [];
        for (const each of steps) {
          if (each.act === 'look') singleFlight.push(w.watch.check());
          else if (each.act === 'turn') await setImmediate();
          else if (each.act === 'rest') {
            await arrive();
            await w.watch.check();
          } else apply(dir, each);
        }
        await arrive();
        await Promise.all([...singleFlight, w.watch.check()]);
        await w.watch.check();
        const fresh = await watched(t, { dir, ...options });
        const same = w.watch.fingerprint('main') === fresh.watch.fingerprint('main');
        await Promise.all([w.watch.close(), fresh.watch.close()]);
        rmSync(dir, { recursive: true });
        assert.ok(same);
      });
      await fc.assert(property, { numRuns: poll ? 100 : 300 });
    },
  );
}

test('P6 saves from another process while checks run are all found', async (t) => {
  const w = await watched(t, { files: { 'src/a.ts': '0' } });
  const { spawn } = await import('node:child_process');
  const script = `const fs = require('fs');
    for (let n = 0; n < 3000; n++) {
      const d = process.argv[1] + '/src/d' + (n % 40);
      fs.mkdirSync(d, { recursive: true });
      fs.writeFileSync(d + '/f' + (n % 7) + '.ts', String(n));
      if (n % 11 === 0) fs.rmSync(process.argv[1] + '/src/d' + ((n * 7) % 40), { recursive: true, force: true });
    }`;
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const writer = spawn(process.execPath, ['-e', script, w.dir], { env, stdio: 'inherit' });
  let running = true;
  const ended = new Promise<void>((resolve) => writer.once('exit', () => resolve(void (running = false))));
  while (running) {
    await w.watch.check();
    await setImmediate();
  }
  await ended;
  await arrive();
  await w.watch.check();
  await w.watch.check();
  const fresh = await watched(t, { dir: w.dir });
  assert.equal(w.watch.fingerprint('main'), fresh.watch.fingerprint('main'));
  writeFileSync(w.path('src/a.ts'), 'still alive');
  assert.deepEqual((await w.changes()).includes('changed src/a.ts'), true);
});
