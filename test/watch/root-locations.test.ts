// Roots that are missing, deleted and made again, or links; links inside roots, which are never followed out of them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrive, put, temporary, watched } from './fixture.js';

for (const poll of [undefined, 60_000]) {
  const how = poll === undefined ? 'by events' : 'by polling';

  test(`a path that does not exist is a warning and is watched for, ${how}`, async (t) => {
    const w = await watched(t, {
      paths: ['src', 'a/b/c.yaml', 'lib/**/*.ts', 'there.ts', '*.tss', '*.ts'],
      files: { 'there.ts': '0' },
      poll,
    });
    assert.deepEqual(
      w.warnings.map(({ code, text }) => `${code} ${text.split(' ')[0]}`),
      ['missing src', 'missing a/b/c.yaml', 'missing lib/**/*.ts', 'missing *.tss'],
    );
    w.write('src/x.ts', '1');
    assert.deepEqual(await w.changes(), ['added src/x.ts']);
    w.write('src/x.ts', '2');
    assert.deepEqual(await w.changes(), ['changed src/x.ts']);
    mkdirSync(w.path('a'));
    assert.deepEqual(await w.changes(), []);
    w.write('a/b/c.yaml', '1');
    w.write('a/b/d.yaml', '1');
    assert.deepEqual(await w.changes(), ['added a/b/c.yaml']);
    w.write('lib/deep/x.ts', '1');
    w.write('lib/deep/x.js', '1');
    assert.deepEqual(await w.changes(), ['added lib/deep/x.ts']);
  });

  test(`a root directory that is deleted and made again is picked up again, ${how}`, async (t) => {
    const w = await watched(t, { paths: ['p/src'], files: { 'p/src/a.ts': '0', 'p/src/d/b.ts': '0' }, poll });
    rmSync(w.path('p/src'), { recursive: true });
    assert.deepEqual(await w.changes(), ['removed p/src/a.ts', 'removed p/src/d/b.ts']);
    w.write('p/src/a.ts', '1');
    assert.deepEqual(await w.changes(), ['added p/src/a.ts']);
    w.write('p/src/a.ts', '2');
    assert.deepEqual(await w.changes(), ['changed p/src/a.ts']);

    rmSync(w.path('p'), { recursive: true });
    w.write('p/src/a.ts', '3');
    assert.deepEqual(await w.changes(), ['changed p/src/a.ts']);
    w.write('p/src/a.ts', '4');
    assert.deepEqual(await w.changes(), ['changed p/src/a.ts']);

    renameSync(w.path('p'), w.path('q'));
    assert.deepEqual(await w.changes(), ['removed p/src/a.ts']);
    w.write('p/src/a.ts', '5');
    assert.deepEqual(await w.changes(), ['added p/src/a.ts']);
    w.write('p/src/a.ts', '6');
    assert.deepEqual(await w.changes(), ['changed p/src/a.ts']);
  });

  test(`a named file: atomic saves, deletion, its directory replaced, ${how}`, async (t) => {
    const w = await watched(t, { paths: ['conf/a.yaml'], files: { 'conf/a.yaml': '0', 'conf/b.yaml': '0' }, poll });
    for (let n = 1; n <= 3; n++) {
      w.write('conf/a.yaml.new', `${n}`);
      renameSync(w.path('conf/a.yaml.new'), w.path('conf/a.yaml'));
      assert.deepEqual(await w.changes(), ['changed conf/a.yaml']);
    }
    rmSync(w.path('conf/a.yaml'));
    assert.deepEqual(await w.changes(), ['removed conf/a.yaml']);
    w.write('conf/a.yaml', 'again');
    assert.deepEqual(await w.changes(), ['added conf/a.yaml']);
    rmSync(w.path('conf'), { recursive: true });
    w.write('conf/a.yaml', 'anew');
    assert.deepEqual(await w.changes(), ['changed conf/a.yaml']);
    w.write('conf/a.yaml', 'anew, edited');
    assert.deepEqual(await w.changes(), ['changed conf/a.yaml']);
    w.write('conf/b.yaml', '1');
    assert.deepEqual(await w.changes(), []);
  });

  test(`a symlinked root is watched where it leads, under the name it was given, ${how}`, async (t) => {
    const dir = temporary(t);
    put(dir, 'v1/a.ts', '1');
    put(dir, 'v2/a.ts', '2');
    put(dir, 'v3/a.ts', '2');
    symlinkSync('v1', `${dir}/current`);
    const w = await watched(t, { dir, paths: ['current'], poll });
    w.write('v1/a.ts', '1b');
    assert.deepEqual(await w.changes(), ['changed current/a.ts']);
    // Turned elsewhere, by an atomic rename of the link: other content, then the same content.
    symlinkSync('v2', `${dir}/next`);
    renameSync(`${dir}/next`, `${dir}/current`);
    assert.deepEqual(await w.changes(), ['changed current/a.ts']);
    unlinkSync(`${dir}/current`);
    symlinkSync('v3', `${dir}/current`);
    assert.deepEqual(await w.changes(), []);
    w.write('v3/a.ts', '3');
    assert.deepEqual(await w.changes(), ['changed current/a.ts']);
    w.write('v1/a.ts', '1c');
    w.write('v2/a.ts', '2c');
    assert.deepEqual(await w.changes(), []);
  });

  test(`a named file that is a link counts by the content it leads to, ${how}`, async (t) => {
    const dir = temporary(t);
    put(dir, 'data/1/conf.yaml', 'one');
    put(dir, 'data/2/conf.yaml', 'one');
    symlinkSync('1', `${dir}/data/now`);
    symlinkSync('data/now/conf.yaml', `${dir}/conf.yaml`);
    const w = await watched(t, { dir, paths: ['conf.yaml'], poll });
    unlinkSync(`${dir}/data/now`);
    symlinkSync('2', `${dir}/data/now`);
    assert.deepEqual(await w.changes(), []);
    w.write('data/2/conf.yaml', 'two');
    assert.deepEqual(await w.changes(), ['changed conf.yaml']);
  });

  test(`links inside a root: never followed out of it, nor into directories, ${how}`, async (t) => {
    const dir = temporary(t);
    put(dir, 'outside/secret.ts', '0');
    put(dir, 'src/real.ts', 'r');
    put(dir, 'src/.hidden/target.ts', 'h');
    put(dir, 'src/d/x.ts', 'x');
    symlinkSync('../outside/secret.ts', `${dir}/src/out.ts`);
    symlinkSync('../outside', `${dir}/src/outdir`);
    symlinkSync('d', `${dir}/src/indir`);
    symlinkSync('.hidden/target.ts', `${dir}/src/in.ts`);
    symlinkSync('nowhere', `${dir}/src/broken.ts`);
    symlinkSync('.', `${dir}/src/loop`);
    const w = await watched(t, { dir, paths: ['src'], poll });
    w.write('outside/secret.ts', '1');
    w.write('outside/more.ts', '1');
    assert.deepEqual(await w.changes(), []);
    w.write('src/d/x.ts', 'x2');
    assert.deepEqual(await w.changes(), ['changed src/d/x.ts']);
    // The target is inside, though not watched for itself.
    w.write('src/.hidden/target.ts', 'h2');
    assert.deepEqual(await w.changes(), ['changed src/in.ts']);
    w.write('src/.hidden/other.ts', '1');
    assert.deepEqual(await w.changes(), []);
    // Turned elsewhere, with the same content behind it: its text counts.
    unlinkSync(`${dir}/src/out.ts`);
    symlinkSync('../outside/more.ts', `${dir}/src/out.ts`);
    assert.deepEqual(await w.changes(), ['changed src/out.ts']);
    unlinkSync(`${dir}/src/in.ts`);
    writeFileSync(`${dir}/src/in.ts`, readFileSync(`${dir}/src/real.ts`));
    assert.deepEqual(await w.changes(), ['changed src/in.ts']);
    w.write('src/.hidden/target.ts', 'h3');
    assert.deepEqual(await w.changes(), []);
    // A broken link is mended by what appears behind it.
    w.write('src/nowhere', '1');
    assert.deepEqual(await w.changes(), ['changed src/broken.ts', 'added src/nowhere']);
    unlinkSync(`${dir}/src/broken.ts`);
    unlinkSync(`${dir}/src/loop`);
    assert.deepEqual(await w.changes(), ['removed src/broken.ts', 'removed src/loop']);
  });
}

test('a link whose target is watched too changes with it, and both come to rest', async (t) => {
  const dir = temporary(t);
  put(dir, 'src/real.ts', 'r');
  symlinkSync('real.ts', `${dir}/src/link.ts`);
  const w = await watched(t, { dir, paths: ['src'] });
  w.write('src/real.ts', 'r2');
  assert.deepEqual(await w.changes(), ['changed src/link.ts', 'changed src/real.ts']);
  writeFileSync(w.path('src/link.ts'), 'through the link');
  assert.deepEqual(await w.changes(), ['changed src/link.ts', 'changed src/real.ts']);
  assert.equal(w.watch.dirty, false);
});

test('a file becomes a directory and the other way round', async (t) => {
  const w = await watched(t, { paths: ['src', 'thing'], files: { 'src/a': '0', thing: '0' } });
  rmSync(w.path('src/a'));
  w.write('src/a/b', '1');
  assert.deepEqual(await w.changes(), ['removed src/a', 'added src/a/b']);
  rmSync(w.path('src/a'), { recursive: true });
  w.write('src/a', '2');
  assert.deepEqual(await w.changes(), ['added src/a', 'removed src/a/b']);
  rmSync(w.path('thing'));
  w.write('thing/inside', '1');
  assert.deepEqual(await w.changes(), ['removed thing', 'added thing/inside']);
  rmSync(w.path('thing'), { recursive: true });
  w.write('thing', '0');
  assert.deepEqual(await w.changes(), ['added thing', 'removed thing/inside']);
});

test('paths may be absolute, or lie outside the working directory', async (t) => {
  const dir = temporary(t);
  put(dir, 'project/x.ts', '0');
  put(dir, 'lib/a.ts', '0');
  put(dir, 'other/b.ts', '0');
  const w = await watched(t, { dir, cwd: `${dir}/project`, paths: ['../lib', `${dir}/other/*.ts`, `${dir}/project`] });
  w.write('lib/a.ts', '1');
  w.write('other/b.ts', '1');
  w.write('project/x.ts', '1');
  assert.deepEqual(await w.changes(), ['changed ../lib/a.ts', 'changed ../other/b.ts', 'changed x.ts']);
});

test('the directory above a root may be busy without stirring anything', async (t) => {
  const w = await watched(t, { paths: ['src', 'conf.yaml'], files: { 'src/a.ts': '0', 'conf.yaml': '0' } });
  for (let n = 0; n < 50; n++) w.write(`noise-${n}.ts`, `${n}`);
  await arrive();
  assert.equal(w.watch.dirty, false);
});
