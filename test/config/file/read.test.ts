// Where the configuration file is looked for, and what a good one says. Real files, no processes.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFileCandidates, readConfigFile, type FromFile } from '#src/config/file/read.js';
import { project } from '../../support/project.js';

function read(cwd: string, named?: string): FromFile | undefined {
  const result = readConfigFile(cwd, named);
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

const holding = (hold: number): string => JSON.stringify({ hold });
const manifest = (hold: number): string => JSON.stringify({ name: 'x', 'mcp-hotline': { hold } });

test('of the three places the first one counts, and the others are mentioned', (t) => {
  const { directory, write, remove } = project(t, {
    'mcp-hotline.config.jsonc': holding(1),
    'mcp-hotline.config.json': holding(2),
    'package.json': manifest(3),
  });
  const first = read(directory);
  assert.equal(first?.options.hold, 1);
  assert.deepEqual(first?.warnings, [
    'mcp-hotline.config.json is not read, because there is mcp-hotline.config.jsonc',
    'package.json is not read, because there is mcp-hotline.config.jsonc',
  ]);
  remove('mcp-hotline.config.jsonc');
  assert.equal(read(directory)?.options.hold, 2);
  remove('mcp-hotline.config.json');
  assert.equal(read(directory)?.options.hold, 3);
  assert.equal(read(directory)?.path, join(directory, 'package.json'));
  write('package.json', '{ "devDependencies": { "mcp-hotline": "1" } }');
  assert.equal(read(directory), undefined);
});

test('directories above are not searched', (t) => {
  const { directory, write } = project(t, { 'mcp-hotline.config.json': holding(1), 'package.json': manifest(2) });
  write('sub/file', '');
  assert.equal(read(join(directory, 'sub')), undefined);
});

test('a file that is named is the only one that is looked at', (t) => {
  const { directory } = project(t, {
    'mcp-hotline.config.jsonc': 'broken',
    'conf/dev.json': holding(4),
    'conf/package.json': manifest(5),
    'package.json': '{ "name": "x" }',
  });
  assert.equal(read(directory, 'conf/dev.json')?.options.hold, 4);
  assert.equal(read(directory, join(directory, 'conf/dev.json'))?.options.hold, 4);
  assert.equal(read(directory, 'conf/package.json')?.options.hold, 5);
  assert.deepEqual(configFileCandidates(directory, 'conf/dev.json'), [join(directory, 'conf/dev.json')]);
  assert.deepEqual(readConfigFile(directory, 'none.json'), {
    ok: false,
    error: `the configuration file ${join(directory, 'none.json')} does not exist`,
  });
  assert.deepEqual(readConfigFile(directory, 'conf'), { ok: false, error: "conf can't be read: it is not a file" });
  assert.deepEqual(readConfigFile(directory, 'package.json'), {
    ok: false,
    error: 'package.json:1:1: there is no key "mcp-hotline" in it',
  });
});

test('a manifest that is broken is our business only if it configures us', (t) => {
  const { directory, write } = project(t, { 'package.json': '{ "name": "x", ' });
  assert.equal(read(directory), undefined);
  write('package.json', '{\n  "mcp-hotline": { "hold": 5 },\n  "name" "x"\n}');
  assert.deepEqual(readConfigFile(directory, undefined), {
    ok: false,
    error: 'package.json:3:10: a colon is missing here',
  });
  write('package.json', '{\n  "mcp-hotline": false\n}');
  const result = readConfigFile(directory, undefined);
  assert.ok(!result.ok);
  assert.match(result.error, /^package\.json:2:18: false is not allowed, expected an object/);
});

test('a place that is taken by a directory is an error that names it', (t) => {
  const { directory } = project(t);
  mkdirSync(join(directory, 'mcp-hotline.config.jsonc'));
  assert.deepEqual(readConfigFile(directory, undefined), {
    ok: false,
    error: "mcp-hotline.config.jsonc can't be read: it is not a file",
  });
});

test('comments, trailing commas and a byte order mark are no hindrance', (t) => {
  const text = '\uFEFF// first\n{\n  /* then */ "hold": 5, // so\n  "watch": ["a", "b",],\n}\n';
  const { directory } = project(t, { 'mcp-hotline.config.json': text });
  const file = read(directory);
  assert.deepEqual(file?.options, { hold: 5, watch: ['a', 'b'] });
  assert.deepEqual(file?.at, { hold: 'mcp-hotline.config.json:3:14', watch: 'mcp-hotline.config.json:4:3' });
});

test('all kinds of keys are read, in the forms that the command line knows too', (t) => {
  const { directory } = project(t, {
    'mcp-hotline.config.json': JSON.stringify({
      $schema: './node_modules/mcp-hotline/schema/mcp-hotline.schema.json',
      command: 'node',
      args: ['server.js', ''],
      env: { A: '1', B: '' },
      poll: true,
      build: false,
      ext: ['.ts', 'js,jsx'],
      startTimeout: 0,
      strategy: 'replace',
      signal: 'SIGINT',
      reload: false,
      cwd: 'sub',
    }),
  });
  const { path, at, ...file } = read(directory)!;
  assert.equal(path, join(directory, 'mcp-hotline.config.json'));
  assert.deepEqual(Object.keys(at).slice(0, 3), ['$schema', 'command', 'args']);
  assert.deepEqual(file, {
    options: {
      poll: 2000,
      build: false,
      ext: ['ts', 'js', 'jsx'],
      startTimeout: 0,
      strategy: 'replace',
      signal: 'SIGINT',
      reload: false,
      cwd: 'sub',
    },
    command: 'node',
    args: ['server.js', ''],
    env: { A: '1', B: '' },
    rules: undefined,
    warnings: [],
  });
});

test('rules keep their order, restart unless told otherwise, and have names of their own', (t) => {
  const rules = [
    { name: 'extension', watch: ['extension/src'], build: 'compile', then: 'continue' },
    { watch: ['src', 'lib'], build: true },
    { watch: ['a'], build: false, then: 'notify' },
    { name: 'extension', watch: ['context.yaml'], imports: 'import.*.path', then: 'SIGHUP' },
  ];
  const { directory } = project(t, { 'mcp-hotline.config.json': JSON.stringify({ rules }) });
  assert.deepEqual(read(directory)?.rules, [
    { name: 'extension', watch: ['extension/src'], build: 'compile', then: 'continue' },
    { name: 'rule 2', watch: ['src', 'lib'], build: 'build', then: 'restart' },
    { name: 'rule 3', watch: ['a'], then: 'notify' },
    { name: 'extension (2)', watch: ['context.yaml'], imports: 'import.*.path', then: 'SIGHUP' },
  ]);
});
