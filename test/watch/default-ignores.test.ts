// What is watched and what is not: the defaults, .gitignore, --ignore, --ext, globs, and that what is named explicitly
// is watched all the same. Whatever does not count must not even stir.
import assert from 'node:assert/strict';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrive, put, temporary, watched, type Watched } from './fixture.js';

/** Writes each file and tells which of them counted; the others must not have stirred at all. */
async function counted(w: Watched, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    w.write(name, `${Math.random()}`);
    await arrive();
    const stirred = w.watch.dirty;
    const changes = await w.changes();
    if (changes.length > 0) found.push(name);
    else assert.equal(stirred, false, `${name} does not count but stirs`);
  }
  return found;
}

test('ignored by default: repositories, packages, hidden, temporary and log files, build output', async (t) => {
  const dull = [
    '.git/HEAD',
    'node_modules/x/index.js',
    '.env',
    '.cache/a.js',
    'a.ts~',
    '.#a.ts',
    '#a.ts#',
    '.a.ts.swp',
    'a.swp',
    'a.ts.tmp',
    'a.ts.tmp.4711.17000',
    '4913',
    'a.bak',
    'a.orig',
    'a.ts.vsctmp',
    'debug.log',
    'debug.log.1',
    'server.pid',
    'data.db-journal',
    'a.pyc',
    'tsconfig.tsbuildinfo',
    '__pycache__/a.cpython-312.pyc',
    'venv/lib/x.py',
    'x.egg-info/PKG-INFO',
    'dist/index.js',
    'build/index.js',
    'out/index.js',
    'target/debug/x',
    'coverage/index.html',
    'packages/a/dist/a.js',
    'packages/a/build/a.js',
    'packages/a/node_modules/b/index.js',
  ];
  const kept = ['a.ts', 'Makefile', 'src/a.py', 'src/build/a.ts', 'src/out/b.ts', 'log/a.ts', 'data.json', 'build.ts'];
  const files = Object.fromEntries([...dull, ...kept].map((name) => [name, '0']));
  const w = await watched(t, { files: { ...files, 'packages/a/package.json': '{}' } });
  assert.deepEqual(await counted(w, [...dull, ...kept]), kept);
});

test('ignored by default: also when the directory or file comes later', async (t) => {
  const w = await watched(t, { files: { 'sub/a.ts': '0' } });
  const names = ['node_modules/x/y.js', 'dist/a.js', 'a.swp', 'sub/node_modules/z.js', '4913', 'sub/.git/index'];
  assert.deepEqual(await counted(w, names), []);
  assert.deepEqual(await counted(w, names), []);
});

test('what is named is watched all the same, and the other rules hold inside it', async (t) => {
  const dir = temporary(t);
  put(dir, '.gitignore', 'dist/\n*.map\nlocal.json\n');
  const inside = ['dist/a.js', 'dist/sub/b.js'];
  const others = ['dist/a.js.map', 'dist/node_modules/c.js', 'dist/d.js~', 'dist/.hidden', 'src/x.ts'];
  for (const name of [...inside, ...others]) put(dir, name, '0');
  put(dir, 'local.json', '0');
  put(dir, 'my.log', '0');
  const w = await watched(t, { dir, paths: ['dist', 'local.json', 'my.log', '.env'], ext: ['js'], ignore: ['*.log'] });
  assert.deepEqual(await counted(w, [...inside, ...others]), inside);
  assert.deepEqual(await counted(w, ['local.json', 'my.log', '.env']), ['local.json', 'my.log', '.env']);
});

test('a named directory beside its parent, which leaves it out', async (t) => {
  const w = await watched(t, { paths: ['.', 'dist'], files: { 'dist/a.js': '0', 'dist/dist/b.js': '0', 'a.ts': '0' } });
  assert.deepEqual(await counted(w, ['dist/a.js', 'a.ts', 'dist/dist/b.js']), ['dist/a.js', 'a.ts']);
});

test('a lone * in the .gitignore of a named directory does not empty it', async (t) => {
  const w = await watched(t, { paths: ['dist'], files: { 'dist/.gitignore': '*\n', 'dist/a.js': '0' } });
  assert.deepEqual(await counted(w, ['dist/a.js']), ['dist/a.js']);
  const listed = { '.gitignore': '/*\n!/src\n', 'src/a.js': '0', 'lib/a.js': '0' };
  const v = await watched(t, { paths: ['.'], files: listed });
  assert.deepEqual(await counted(v, ['src/a.js', 'lib/a.js']), ['src/a.js']);
});

test('.gitignore: nested ones, exceptions, and those above the root up to the repository', async (t) => {
  const dir = temporary(t);
  put(dir, '.gitignore', 'never.ts\n'); // above the repository: not its business
  put(dir, 'repo/.git/HEAD', 'ref: refs/heads/main\n');
  put(dir, 'repo/.gitignore', 'generated/\n*.gen.ts\n/pkg/src/top.ts\n');
  put(dir, 'repo/pkg/src/.gitignore', '!keep.gen.ts\nlocal.ts\n');
  const kept = ['a.ts', 'keep.gen.ts', 'never.ts', 'deep/top.ts'];
  const dull = ['x.gen.ts', 'generated/b.ts', 'top.ts', 'local.ts', 'deep/local.ts', 'deep/generated/c.ts'];
  for (const name of [...kept, ...dull]) put(dir, `repo/pkg/src/${name}`, '0');
  const w = await watched(t, { dir, cwd: `${dir}/repo/pkg`, paths: ['src'] });
  const inside = (name: string): string => `repo/pkg/src/${name}`;
  assert.deepEqual(await counted(w, [...kept, ...dull].map(inside)), kept.map(inside));
});

test('.gitignore: without a repository, those from the working directory on', async (t) => {
  const w = await watched(t, { paths: ['src'], files: { '.gitignore': 'x.ts\n', 'src/x.ts': '0', 'src/a.ts': '0' } });
  assert.deepEqual(await counted(w, ['src/x.ts', 'src/a.ts']), ['src/a.ts']);
});

test('.gitignore: an edit of one applies at once, inside the root and above it', async (t) => {
  const files = { '.gitignore': '', 'src/a.ts': '0', 'src/sub/b.ts': '0', 'src/sub/deep/c.ts': '0' };
  const w = await watched(t, { paths: ['src'], files });
  w.write('src/sub/.gitignore', 'deep\n');
  assert.deepEqual(await w.changes(), ['removed src/sub/deep/c.ts']);
  assert.deepEqual(await counted(w, ['src/sub/deep/c.ts']), []);
  w.write('.gitignore', 'b.ts\n');
  assert.deepEqual(await w.changes(), ['removed src/sub/b.ts']);
  assert.deepEqual(await counted(w, ['src/sub/b.ts']), []);
  rmSync(w.path('src/sub/.gitignore'));
  rmSync(w.path('.gitignore'));
  assert.deepEqual(await w.changes(), ['added src/sub/b.ts', 'added src/sub/deep/c.ts']);
  assert.deepEqual(await counted(w, ['src/sub/deep/c.ts']), ['src/sub/deep/c.ts']);
});

test('--ignore takes names, paths, directories and globs', async (t) => {
  const ignore = ['*.test.ts', 'src/generated/', './src/one.ts', 'src/**/fixtures/**', 'tmp?'];
  const kept = ['src/a.ts', 'lib/generated/c.ts'];
  const dull = [
    'src/a.test.ts',
    'x.test.ts',
    'src/generated/deep/b.ts',
    'src/one.ts',
    'src/x/fixtures/f.ts',
    'tmp1/a.ts',
  ];
  const files = Object.fromEntries([...kept, ...dull].map((name) => [name, '0']));
  const w = await watched(t, { ignore: [...ignore], files });
  assert.deepEqual(await counted(w, [...kept, ...dull]), kept);
});

test('--ignore takes absolute globs', async (t) => {
  const dir = temporary(t);
  const w = await watched(t, { dir, ignore: [`${dir}/src/*.gen.ts`], files: { 'src/a.ts': '0' } });
  assert.deepEqual(await counted(w, ['src/a.gen.ts', 'src/a.ts']), ['src/a.ts']);
});

test('--ext: only these endings, with or without a dot, in directories that come later too', async (t) => {
  const w = await watched(t, { ext: ['ts', '.d.mts'], files: { 'src/a.ts': '0' } });
  const names = ['src/a.ts', 'src/a.js', 'src/x.d.mts', 'src/x.mts', 'new/dir/b.ts', 'new.dir/c.ts', 'ts'];
  assert.deepEqual(await counted(w, names), ['src/a.ts', 'src/x.d.mts', 'new/dir/b.ts', 'new.dir/c.ts']);
});

test('globs: only what matches, only as deep as they reach', async (t) => {
  const paths = ['src/*.ts', 'lib/**/*.{js,json}', 'packages/*/src/**', '{one,two}.yaml'];
  const kept = ['src/a.ts', 'lib/x.js', 'lib/a/b/c.json', 'packages/p/src/a.py', 'packages/q/src/d/b.py', 'two.yaml'];
  const dull = [
    'src/sub/a.ts',
    'src/a.js',
    'lib/x.ts',
    'packages/p/test/a.py',
    'packages/x.py',
    'three.yaml',
    'lib/.h/x.js',
  ];
  const files = Object.fromEntries([...kept, ...dull].map((name) => [name, '0']));
  const w = await watched(t, { paths, files });
  assert.deepEqual(await counted(w, [...kept, ...dull]), kept);
});

test('globs name what they spell out: ignored directories, log files, endings', async (t) => {
  const paths = ['packages/*/dist/*.js', 'logs/*.log', '.env*', 'conf/*.yaml'];
  const kept = ['packages/a/dist/x.js', 'logs/a.log', '.env.local', 'conf/a.yaml'];
  const dull = ['packages/a/build/x.js', 'packages/a/dist/node_modules/x.js', 'logs/a.tmp', 'a.yaml'];
  const files = Object.fromEntries([...kept, ...dull].map((name) => [name, '0']));
  const w = await watched(t, { paths, ext: ['ts'], files: { ...files, '.gitignore': 'dist\n*.log\n' } });
  assert.deepEqual(await counted(w, [...kept, ...dull]), kept);
});

test('a path that looks like a glob and exists is no glob', async (t) => {
  const files = { 'app/[id]/page.ts': '0', 'app/(group)/page.ts': '0', 'app/i/page.ts': '0' };
  const w = await watched(t, { paths: ['app/[id]', 'app/(group)/page.ts'], files });
  assert.deepEqual(await counted(w, Object.keys(files)), ['app/[id]/page.ts', 'app/(group)/page.ts']);
});

test('several rules: each file knows its rules, and each rule has a fingerprint of its own', async (t) => {
  const rules = [
    { name: 'server', paths: ['src'] },
    { name: 'config', paths: ['src/config', 'context.yaml', 'shared/*.json'] },
    { name: 'again', paths: ['context.yaml', '.'] },
  ];
  const files = { 'src/a.ts': '0', 'src/config/b.ts': '0', 'context.yaml': '0', 'shared/c.json': '0' };
  const w = await watched(t, { rules, files });
  const expected = {
    'src/a.ts': ['again', 'server'],
    'src/config/b.ts': ['again', 'config', 'server'],
    'context.yaml': ['again', 'config'],
    'shared/c.json': ['again', 'config'],
  };
  for (const [path, names] of Object.entries(expected)) {
    const before = rules.map(({ name }) => w.watch.fingerprint(name));
    const mark = w.watch.mark();
    w.write(path, '1');
    await arrive();
    await w.watch.check();
    const [change, ...more] = w.watch.changedSince(mark);
    assert.deepEqual(more, []);
    assert.deepEqual([...(change?.rules ?? [])].sort(), names);
    const moved = rules
      .filter(({ name }, index) => w.watch.fingerprint(name) !== before[index])
      .map(({ name }) => name);
    assert.deepEqual(moved.sort(), names);
  }
});

test('what must never be watched is not, inside a root or named itself', async (t) => {
  const dir = temporary(t);
  const never = [`${dir}/state`, `${dir}/hotline.txt`];
  put(dir, 'state/restart.json', '0');
  const w = await watched(t, { dir, never, paths: ['.', 'state', 'hotline.txt', 'state/restart.json'] });
  assert.deepEqual(await counted(w, ['state/restart.json', 'hotline.txt', 'state/new/x.json', 'state.ts']), [
    'state.ts',
  ]);
});

test('what must never be watched is known through links too', async (t) => {
  const dir = temporary(t);
  put(dir, 'real/src/a.ts', '0');
  symlinkSync(`${dir}/real`, `${dir}/link`);
  const w = await watched(t, { dir, cwd: `${dir}/link`, never: [`${dir}/link/src/log.txt`], paths: ['src'] });
  writeFileSync(`${dir}/real/src/log.txt`, 'x');
  await arrive();
  assert.equal(w.watch.dirty, false);
});
