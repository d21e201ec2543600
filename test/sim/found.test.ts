/**
 * Failures that the simulation has found, made small: each was a bug, and must not come back. A case is a file in
 * found/: its title, its events, and what differs from the usual setting. A title begins with the promises that were
 * broken, as those of all tests do.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/paths.js';
import { run } from './run.js';
import type { Script, Setting } from './script.js';

const directory = join(root, 'test/sim/found');

interface Found extends Partial<Script> {
  readonly title: string;
  readonly setting: Setting;
  readonly events: Script['events'];
}

const usual: Setting = {
  era: 'legacy',
  discovers: false,
  strategy: 'overlap',
  drain: 10_000,
  hold: 50_000,
  startTimeout: 20_000,
  buildTimeout: 120_000,
  stopTimeout: 2000,
  restartDelay: 0,
  onFailure: 'report',
  whileReloading: 'hold',
  retry: 'safe',
  concurrency: undefined,
  notify: 'changed',
  agentTools: false,
  builds: false,
  settings: undefined,
  debounce: 100,
  poll: undefined,
  slowDisk: 0,
};

for (const name of readdirSync(directory).sort()) {
  const { title, ...found } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Found;
  const script = { seed: 1, programs: [{}], mends: false, ...found, setting: { ...usual, ...found.setting } };
  test(title, async () => {
    const { breach, trace } = await run(script, true);
    assert.equal(breach, undefined, trace.slice(-40).join('\n'));
  });
}
