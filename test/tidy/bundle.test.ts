// What the bin runs, as the build has made it: its source maps lead to the sources, and the licences of all that it contains
// are with it. What it does is tested by running it, everywhere else.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/paths.js';
import { readTree } from './tree.js';

const directory = join(root, 'dist/bundle');
const maps = readTree('dist/bundle', '.map');
const sources = new Set([...maps.values()].flatMap((map) => (JSON.parse(map) as { sources: string[] }).sources));

test('every file of the bundle has a source map that leads to the sources', () => {
  const files = [...readTree('dist/bundle', '.cjs').keys()];
  assert.deepEqual(
    files.filter((file) => !maps.has(`${file}.map`)),
    [],
  );
  assert.ok(sources.has('../../src/cli/main.ts') && sources.has('../../src/reload/controller.ts'));
  assert.deepEqual(
    [...sources].filter((source) => !source.includes('node_modules/') && !existsSync(join(directory, source))),
    [],
  );
});

test('the licence of every package that the bundle contains a part of is in its file of licences', () => {
  const licences = readTree('dist/bundle', 'LICENSES.txt').get('LICENSES.txt') ?? '';
  const named = new Set(
    [...licences.matchAll(/^-{80}\n\n(\S+) \S+ \(.+\)\n\n.*(?:Copyright|License)/gim)].map(([, name]) => name),
  );
  const packages = new Set(
    [...sources].flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []),
  );
  assert.ok(packages.size > 10 && packages.has('cross-spawn') && packages.has('yargs-parser'));
  assert.deepEqual(
    [...packages].filter((name) => !named.has(name)),
    [],
  );
});
