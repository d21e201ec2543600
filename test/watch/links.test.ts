// P4 as far as the watch goes, for what a link or the project's own place leads to: a directory link that is pointed
// elsewhere counts whatever chooses the files, and so does another project in the place of this one.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { test } from 'node:test';
import { arrive, put, temporary, watched } from './fixture.js';

/** As `ln -sfn` does it: the link is another one, and is there at every moment. */
function point(link: string, target: string): void {
  symlinkSync(target, `${link}.next`);
  renameSync(`${link}.next`, link);
}

const CHOICES: readonly { paths: string[]; ext?: string[] }[] = [
  { paths: ['.'] },
  { paths: ['.'], ext: ['js'] },
  { paths: ['**/*.js'] },
  { paths: ['*/*/x.js', '*/x.js'] },
  { paths: ['src'] },
  { paths: ['src'], ext: ['js'] },
  { paths: ['src/**/*.js'] },
];

for (const poll of [undefined, 60_000]) {
  const how = poll === undefined ? 'by events' : 'by polling';

  for (const { paths, ext = [] } of CHOICES) {
    const chosen = `${paths.join(' ')}${ext.length > 0 ? ` --ext ${ext.join()}` : ''}`;
    test(`P4 a directory link pointed elsewhere counts, with ${chosen}, ${how}`, async (t) => {
      const dir = temporary(t);
      put(dir, 'elsewhere/a/x.js', 'a');
      put(dir, 'elsewhere/b/x.js', 'b');
      put(dir, 'project/src/main.js', '1');
      symlinkSync('../../elsewhere/a', `${dir}/project/src/lib`);
      const w = await watched(t, { dir, cwd: `${dir}/project`, paths, ext, poll });
      const mark = w.watch.fingerprint('main');
      point(`${dir}/project/src/lib`, '../../elsewhere/b');
      assert.deepEqual(await w.changes(), ['changed src/lib']);
      unlinkSync(`${dir}/project/src/lib`);
      assert.deepEqual(await w.changes(), ['removed src/lib']);
      symlinkSync('../../elsewhere/a', `${dir}/project/src/lib`);
      assert.deepEqual(await w.changes(), ['added src/lib']);
      assert.equal(w.watch.fingerprint('main'), mark);
    });
  }

  for (const path of ['.', 'src', 'src/**/*.js', 'src/main.js']) {
    test(`P4 another project in the place of this one counts, with ${path}, ${how}`, async (t) => {
      const dir = temporary(t);
      put(dir, 'project/src/main.js', '1');
      put(dir, 'other/src/main.js', '2');
      const w = await watched(t, { dir, cwd: `${dir}/project`, paths: [path], poll });
      renameSync(`${dir}/project`, `${dir}/gone`);
      renameSync(`${dir}/other`, `${dir}/project`);
      assert.deepEqual(await w.changes(), ['changed src/main.js']);
      put(dir, 'project/src/main.js', '3');
      assert.deepEqual(await w.changes(), ['changed src/main.js']);
      put(dir, 'gone/src/main.js', '4');
      assert.deepEqual(await w.changes(), []);
      renameSync(`${dir}/project`, `${dir}/gone too`);
      assert.deepEqual(await w.changes(), ['removed src/main.js']);
      renameSync(`${dir}/gone`, `${dir}/project`);
      assert.deepEqual(await w.changes(), ['added src/main.js']);
    });
  }

  test(`P5 links to directories that are left out do not count, nor do broken ones, ${how}`, async (t) => {
    const dir = temporary(t);
    mkdirSync(`${dir}/a`);
    mkdirSync(`${dir}/b`);
    put(dir, 'project/.gitignore', 'generated\n');
    put(dir, 'project/src/main.js', '1');
    const w = await watched(t, {
      dir,
      cwd: `${dir}/project`,
      rules: [{ name: 'main', paths: ['**/*.js'], data: ['.'] }],
      ignore: ['unwanted'],
      poll,
    });
    for (const name of ['node_modules', 'generated', 'unwanted', '.hidden', 'src/dist']) {
      symlinkSync('../a', `${dir}/project/${name}`);
      assert.deepEqual(await w.changes(), [], name);
      point(`${dir}/project/${name}`, '../b');
      assert.deepEqual(await w.changes(), [], name);
    }
    // Chromium keeps the owner of a profile in one.
    symlinkSync('host-4711', `${dir}/project/SingletonLock`);
    assert.deepEqual(await w.changes(), []);
  });
}

test('P5 with a directory named, a link to node_modules is no file', async (t) => {
  const dir = temporary(t);
  mkdirSync(`${dir}/a`);
  mkdirSync(`${dir}/b`);
  put(dir, 'project/main.js', '1');
  const w = await watched(t, { dir, cwd: `${dir}/project`, paths: ['.'] });
  symlinkSync('../a', `${dir}/project/node_modules`);
  assert.deepEqual(await w.changes(), []);
  point(`${dir}/project/node_modules`, '../b');
  assert.deepEqual(await w.changes(), []);
});

test('the directory above the project may be busy without stirring anything', async (t) => {
  const dir = temporary(t);
  put(dir, 'project/src/a.ts', '0');
  const w = await watched(t, { dir, cwd: `${dir}/project`, paths: ['src'] });
  for (let n = 0; n < 50; n++) put(dir, `noise-${n}/a.ts`, `${n}`);
  await arrive();
  assert.equal(w.watch.dirty, false);
});
