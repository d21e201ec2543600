// What the bin runs, as the build has made it: its source maps lead to the sources, the licences of all that it
// contains are with it, and so is what V8 has compiled of it. What it does is tested by running it, everywhere else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixture, newMarker, testEnvironment } from '../support/harness.js';
import { root } from '../support/paths.js';
import { readTree } from './tree.js';

const directory = join(root, 'dist/bundle');
const maps = readTree('dist/bundle', '.map');
const sourcesOf = (map: string | undefined): string[] => (JSON.parse(map ?? '') as { sources: string[] }).sources;
// What bundle.mjs writes itself has no file.
const sources = new Set([...maps.values()].flatMap(sourcesOf).filter((source) => !/^shar(ed|ing):/.test(source)));

test('every file of the bundle has a source map that leads to the sources', () => {
  const files = [...readTree('dist/bundle', '.cjs').keys()];
  assert.deepEqual(
    files.filter((file) => !maps.has(`${file}.map`)),
    // Two words that lead to the file with the commands.
    ['index.cjs'],
  );
  assert.ok(sources.has('../../src/cli/main.ts') && sources.has('../../src/lineage/lineage.ts'));
  assert.deepEqual(
    [...sources].filter((source) => !source.includes('node_modules/') && !existsSync(join(directory, source))),
    [],
  );
});

test('what several commands need is in the bundle once for all of them, and each parser once', () => {
  const shared = sourcesOf(maps.get('commands.cjs.map'));
  for (const source of [
    'cli/explain.ts',
    'cli/smoke.ts',
    'build-helper.ts',
    'index.ts',
    'cli/clients/wrap.ts',
    'watch/watch.ts',
    'config/config.ts',
  ])
    assert.ok(shared.includes(`../../src/${source}`), source);
  const parsers = { 'jsonc-parser': 'jsonc-parser', yaml: 'yaml', 'toml-eslint-parser': 'clients-documents' };
  for (const [name, file] of Object.entries(parsers)) {
    const holders = [...maps].filter(([, map]) => sourcesOf(map).some((source) => source.includes(`/${name}/`)));
    assert.deepEqual(
      holders.map(([holder]) => holder),
      [`${file}.cjs.map`],
    );
  }
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

const compiled = { skip: 'enableCompileCache' in module && 'Node keeps what it compiles itself' };

test('what a start loads has been compiled, and V8 takes it', compiled, () => {
  const files = ['main.cjs', 'start-proxy.cjs', 'reloading.cjs', 'flow-pass-through.cjs', 'http.cjs'];
  assert.deepEqual(
    files.filter((file) => !existsSync(join(directory, `${file}.compiled`))),
    [],
  );
  const script = `const { load, scripts } = require('./bin/compiled.js');
    process.argv.push('bin', '--version');
    process.on('exit', () => console.log([...scripts.values()].map((each) => each.cachedDataRejected)));
    load('main.cjs');`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  assert.match(stdout, /^\d+\.\d+\.\d+\n\[ false \]\n$/);
});

test('the bin runs without what was compiled, and with what is no such thing', compiled, (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'hotline-bundle-'));
  t.after(() => rmSync(copy, { recursive: true }));
  for (const part of ['bin', 'dist/bundle', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  const version = (): string =>
    spawnSync(process.execPath, ['bin/mcp-hotline.js', '--version'], { cwd: copy, encoding: 'utf8' }).stdout;
  const those = readdirSync(join(copy, 'dist/bundle')).filter((name) => name.endsWith('.compiled'));
  assert.match(version(), /^\d/);
  for (const name of those) writeFileSync(join(copy, 'dist/bundle', name), 'nonsense');
  assert.match(version(), /^\d/);
  for (const name of those) rmSync(join(copy, 'dist/bundle', name));
  assert.match(version(), /^\d/);
});

test('what serves HTTP is loaded by a start that serves it, and by no other', () => {
  const loaded = (...options: readonly string[]): string[] => {
    const words = [...options, '--watch', 'bin', '--', ...fixture('echo')];
    const script = `const { load, scripts } = require('./bin/compiled.js');
      process.argv.push('bin', ...${JSON.stringify(words)});
      process.on('exit', () => {
        const http = process.moduleLoadList.filter((name) => name === 'NativeModule _http_server');
        console.log(JSON.stringify([...[...scripts.keys()].map((file) => require('node:path').basename(file)), ...http]));
      });
      load('main.cjs');`;
    const env = testEnvironment(newMarker());
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root, env, encoding: 'utf8' });
    assert.match(stdout, /^\[.*\]\n$/, stderr);
    return JSON.parse(stdout) as string[];
  };
  const ofHttp = ['http.cjs', 'NativeModule _http_server'];
  const byStdio = loaded();
  assert.ok(byStdio.includes('reloading.cjs'), byStdio.join());
  assert.deepEqual(
    byStdio.filter((file) => ofHttp.includes(file)),
    [],
  );
  const byBoth = loaded('--http=0');
  assert.deepEqual(
    ofHttp.filter((file) => !byBoth.includes(file)),
    [],
  );
});
