// The digest of a file that is saved at the worst moment: between a look at its inode and its bytes.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFile } from '#src/watch/digest.js';
import { cleanup } from '../support/cleanup.js';
import { temporary } from './fixture.js';

for (const size of [10, 300_000]) {
  test(`P4 fresh: what is saved between the stat and the read of ${size} bytes shows when that was`, async (t) => {
    const path = join(temporary(t), 'file');
    fs.writeFileSync(path, 'before');
    const started = fs.statSync(path).ctimeMs;
    // File times are kept by a clock that ticks slowly.
    while (touched(path) <= started);
    const old = fs.statSync(path).ctimeMs;

    const { fstatSync } = fs;
    cleanup(t, () => patch(fstatSync));
    patch(((file: number) => {
      patch(fstatSync);
      const stats = fstatSync(file);
      do fs.writeFileSync(path, 'x'.repeat(size));
      while (fs.statSync(path).ctimeMs <= old);
      return stats;
    }) as typeof fstatSync);

    const reading = await readFile(path, () => undefined);
    assert.ok(typeof reading !== 'string');
    assert.equal(reading.changed, fs.statSync(path).ctimeMs);
  });
}

function patch(fstatSync: typeof fs.fstatSync): void {
  fs.fstatSync = fstatSync;
  syncBuiltinESMExports();
}

function touched(path: string): number {
  fs.utimesSync(path, new Date(), new Date());
  return fs.statSync(path).ctimeMs;
}
