// What YAML and JSON files import, followed on the disk: every form of naming, cycles, files that are missing or
// broken, and what becomes of it when they change. Real files, no processes.

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { parseData } from '#src/config/data-file.js';
import { isPath, stringsAt } from '#src/config/import-paths.js';
import { createImports, followImports } from '#src/config/imports.js';
import { expand } from '#src/watch/expand.js';
import { project } from '../support/project.js';

const places: readonly [pattern: string, value: unknown, found: readonly string[]][] = [
  ['import', { import: 'a' }, ['a']],
  ['import', { import: ['a', 'b'] }, ['a', 'b']],
  ['import.*', { import: ['a', 'b'] }, ['a', 'b']],
  ['import.*.path', { import: [{ path: 'a' }, { path: ['b', 'c'] }, { other: 'd' }] }, ['a', 'b', 'c']],
  ['import.*.path', { import: { x: { path: 'a' }, y: { path: 'b' } } }, ['a', 'b']],
  ['*.path', { a: { path: 'a' }, b: [{ path: 'no' }] }, ['a']],
  ['import.0', { import: ['a', 'b'] }, ['a']],
  ['*', 'text', []],
  ['import', { import: { path: 'a' } }, []],
  ['import', { import: 5 }, []],
  ['import', { import: null }, []],
  ['import.path', { import: ['a'] }, []],
  ['import.length', { import: 'abc' }, []],
  ['toString', {}, []],
  ['import', null, []],
];

for (const [pattern, value, found] of places) {
  test(`${pattern} in ${JSON.stringify(value)} names ${found.join() || 'nothing'}`, () => {
    assert.deepEqual(stringsAt(value, pattern), found);
  });
}

test('any pattern in any data finds strings that are in it, or nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.constantFrom('a', '*', '0', ''), { minLength: 1 }), (value, segments) => {
      const all = JSON.stringify(value);
      for (const text of stringsAt(value, segments.join('.'))) assert.ok(all.includes(JSON.stringify(text)));
    }),
  );
});

test('an address is no path', () => {
  for (const text of ['a.yaml', './a', '/a', 'C:\\a']) assert.ok(isPath(text), text);
  for (const text of ['https://x/a', 'git+ssh://x', '', 'a\0']) assert.ok(!isPath(text), text);
});

const broken: readonly [text: string, format: 'yaml' | 'json', place: string, problem: RegExp][] = [
  ['a: 1\nb: [\n', 'yaml', '3:1', /flow sequence/i],
  ['a: 1\n  b: 2\n', 'yaml', '1:4', /nested mappings/i],
  ['a: "x\n', 'yaml', '2:1', /quote/i],
  ['a: *nothing\n', 'yaml', '1:1', /alias/i],
  ['{ "a": 1\n "b": 2 }', 'json', '2:2', /comma/],
  ['', 'json', '1:1', /value is expected/],
];

for (const [text, format, place, problem] of broken) {
  test(`${JSON.stringify(text)} is no ${format}, and that is told with its place`, async () => {
    const data = await parseData(text, format);
    assert.ok(!data.ok);
    assert.equal(`${data.line}:${data.column}`, place, data.problem);
    assert.match(data.problem, problem);
    assert.ok(!data.problem.includes('\n'));
  });
}

const good: readonly [text: string, format: 'yaml' | 'json', values: readonly unknown[]][] = [
  ['', 'yaml', []],
  ['# nothing\n', 'yaml', []],
  ['\uFEFFa: 1\r\nb: [x, y]\r\n', 'yaml', [{ a: 1, b: ['x', 'y'] }]],
  ['a: 1\n---\na: 2\n', 'yaml', [{ a: 1 }, { a: 2 }]],
  ['a: 1\na: 2\n', 'yaml', [{ a: 2 }]],
  ['b: &x { p: 1 }\na:\n  <<: *x\n  q: 2\n', 'yaml', [{ b: { p: 1 }, a: { p: 1, q: 2 } }]],
  ['a: !env HOME\n', 'yaml', [{ a: 'HOME' }]],
  ['{ "a": 1 }', 'yaml', [{ a: 1 }]],
  ['{ "a": [1,], // so\n }', 'json', [{ a: [1] }]],
];

for (const [text, format, values] of good) {
  test(`${JSON.stringify(text)} is ${format}`, async () => {
    assert.deepEqual(await parseData(text, format), { ok: true, values });
  });
}

test('aliases that multiply without end are told, not computed', async () => {
  const rows = 'abcdefghij'.split('').map((letter, index, all) => {
    const of = index === 0 ? '"x"' : `*${all[index - 1]}`;
    return `${letter}: &${letter} [${Array.from({ length: 10 }, () => of).join(', ')}]`;
  });
  const data = await parseData(rows.join('\n'), 'yaml');
  assert.ok(!data.ok && /alias/i.test(data.problem), JSON.stringify(data).slice(0, 200));
});

const pattern = 'import.*.path';
const importing = (...paths: string[]): string => `import:\n${paths.map((path) => `  - path: ${path}\n`).join('')}`;

test('imports are followed through YAML, JSON and comments, relative to the file that names them', async (t) => {
  const { directory, path } = project(t, {
    'context.yaml': importing('parts/a.yaml', './parts/b.jsonc', 'words.txt', 'https://example.org/x.yaml'),
    'parts/a.yaml': `${importing('../c.yml', 'deep/d.json')}other: { path: no.yaml }\n`,
    'parts/b.jsonc': '{ "import": { "x": { "path": ["../e.json"] } }, } // so',
    'c.yml': 'import: []\n',
    'parts/deep/d.json': '{}',
    'e.json': '{}',
    'words.txt': importing('no.yaml'),
  });
  const { files, missing, problems } = await followImports(['context.yaml'], pattern, directory);
  assert.deepEqual(files.map((file) => relative(directory, file)).sort(), [
    'c.yml',
    'context.yaml',
    'e.json',
    'parts/a.yaml',
    'parts/b.jsonc',
    'parts/deep/d.json',
    'words.txt',
  ]);
  assert.equal(files[0], path('context.yaml'));
  assert.deepEqual([missing, problems], [[], []]);
});

test('a cycle ends, also one through a link', async (t) => {
  const { directory, path } = project(t, {
    'a.yaml': importing('b.yaml', 'self/a.yaml'),
    'b.yaml': importing('a.yaml', 'b.yaml'),
  });
  symlinkSync('.', path('self'), 'dir');
  const { files, problems } = await followImports(['a.yaml'], pattern, directory);
  assert.deepEqual(files.map((file) => relative(directory, file)).sort(), ['a.yaml', 'b.yaml', 'self/a.yaml']);
  assert.deepEqual(problems, []);
});

test('what is missing is watched for, and a directory is watched as it is', async (t) => {
  const { directory, path } = project(t, { 'a.yaml': importing('gone/b.yaml', 'folder', 'a.yaml/c.yaml') });
  mkdirSync(path('folder'));
  const { files, missing, problems } = await followImports(['a.yaml', 'none.yaml'], pattern, directory);
  assert.deepEqual(
    files,
    ['a.yaml', 'none.yaml', 'gone/b.yaml', 'folder', 'a.yaml/c.yaml'].map((file) => path(file)),
  );
  assert.deepEqual(
    missing,
    ['none.yaml', 'gone/b.yaml', 'a.yaml/c.yaml'].map((file) => path(file)),
  );
  assert.deepEqual(problems, []);
});

test('a file that names others without end is stopped', async (t) => {
  const { directory } = project(t, {
    'a.json': JSON.stringify({ import: Array.from({ length: 10_500 }, (_, index) => ({ path: `${index}.txt` })) }),
  });
  const { files, problems } = await followImports(['a.json'], pattern, directory);
  assert.equal(files.length, 10_000);
  assert.match(problems[0]!, /more than 10000 files are imported/);
});

test('a file that is broken for the moment counts with what it last named', async (t) => {
  const { directory, write, remove, path } = project(t, {
    'context.yaml': importing('a.yaml'),
    'a.yaml': importing('b.yaml'),
    'b.yaml': '',
    'c.yaml': '',
  });
  const rules = [
    { name: 'server', watch: ['src'], then: 'restart' },
    { name: 'config', watch: ['context.yaml'], imports: pattern, then: 'SIGHUP' },
  ] as const;
  const imports = createImports(rules, directory, (paths) => expand(paths, directory));
  const filesOf = () => (imports.files.get('config') ?? []).map((file) => relative(directory, file));
  assert.deepEqual(await imports.follow(), { changed: true, missing: [], problems: [] });
  assert.deepEqual(filesOf(), ['a.yaml', 'b.yaml']);
  assert.deepEqual([...imports.files.keys()], ['config']);
  assert.deepEqual(await imports.follow(), { changed: false, missing: [], problems: [] });

  write('a.yaml', `${importing('c.yaml')}x: [\n`);
  const { changed, problems } = await imports.follow();
  assert.equal(changed, false);
  assert.match(problems.join('\n'), /^a\.yaml:\d+:\d+: \S.*$/);
  assert.deepEqual(filesOf(), ['a.yaml', 'b.yaml']);

  write('a.yaml', importing('c.yaml', 'd.yaml'));
  assert.deepEqual(await imports.follow(), { changed: true, missing: [path('d.yaml')], problems: [] });
  assert.deepEqual(filesOf(), ['a.yaml', 'c.yaml', 'd.yaml']);

  remove('a.yaml');
  assert.deepEqual(await imports.follow(), { changed: true, missing: [path('a.yaml')], problems: [] });
  assert.deepEqual(filesOf(), ['a.yaml']);

  write('context.yaml', '');
  assert.deepEqual(await imports.follow(), { changed: true, missing: [], problems: [] });
  assert.deepEqual(filesOf(), []);
});

test('directories and globs stand for their files, as far as they can name others', async (t) => {
  const { directory } = project(t, {
    'conf/a.yaml': importing('../x.yaml'),
    'conf/deep/b.json': JSON.stringify({ import: [{ path: '../../y.yaml' }] }),
    'conf/node_modules/p/c.yaml': importing('../../../no.yaml'),
    'conf/.d.yaml': importing('../no.yaml'),
    'conf/server.ts': 'const a = { import: [ };',
    'other/e.yaml': importing('../z.yaml'),
    'other/e.json': '{ "import": [{ "path": "../no.yaml" }] }',
    'x.yaml': '',
    'y.yaml': '',
    'z.yaml': '',
  });
  const rules = [{ name: 'r', watch: ['conf', 'other/*.yaml'], imports: pattern, then: 'notify' }] as const;
  const imports = createImports(rules, directory, (paths) => expand(paths, directory));
  assert.deepEqual(await imports.follow(), { changed: true, missing: [], problems: [] });
  const files = (imports.files.get('r') ?? []).map((file) => relative(directory, file));
  assert.deepEqual(files, ['x.yaml', 'y.yaml', 'z.yaml']);
});
