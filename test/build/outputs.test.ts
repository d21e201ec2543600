/*
 * Proves that the fingerprint of outputs follows their code: deleted, changed, added; and nothing else that lies beside
 * it.
 */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { outputsFingerprint } from '#src/build/outputs.js';
import { project } from '../support/project.js';

const tree = {
  'dist/a.js': '1',
  'dist/deep/b.mjs': '2',
  'dist/a.js.map': 'm',
  'dist/data.json': '{}',
  'bin/server': 'x',
};

test('P5 code that is deleted, changed, added or moved counts, and nothing but its content', async (t) => {
  const files = project(t, tree);
  const paths = [files.path('dist'), files.path('bin/server')];
  const before = await outputsFingerprint(paths);
  assert.match(before ?? '', /^[0-9a-f]{64}$/);
  files.touch('dist/a.js');
  assert.equal(await outputsFingerprint(paths), before);

  const edits: [what: string, edit: () => void, undo: () => void][] = [
    ['changed', () => files.write('dist/a.js', '2'), () => files.write('dist/a.js', '1')],
    ['deleted', () => files.remove('dist/deep/b.mjs'), () => files.write('dist/deep/b.mjs', '2')],
    ['added', () => files.write('dist/c.cjs', ''), () => files.remove('dist/c.cjs')],
    ['the program', () => files.write('bin/server', 'y'), () => files.write('bin/server', 'x')],
    ['the program deleted', () => files.remove('bin/server'), () => files.write('bin/server', 'x')],
  ];
  for (const [what, edit, undo] of edits) {
    edit();
    assert.notEqual(await outputsFingerprint(paths), before, what);
    undo();
    assert.equal(await outputsFingerprint(paths), before, `${what}, and back`);
  }
  files.remove('dist');
  const gone = await outputsFingerprint(paths);
  assert.ok(gone !== undefined && gone !== before, 'an output that is gone has a fingerprint too');
});

test('what a server may write beside its code, packages and links to directories do not count', async (t) => {
  const files = project(t, tree);
  const paths = [files.path('dist')];
  const before = await outputsFingerprint(paths);
  for (const name of ['data.json', 'state.db', 'server.log', 'a.js.map', 'node_modules/x/index.js', '.cache/x.js'])
    files.write(`dist/${name}`, 'written');
  symlinkSync('..', files.path('dist/up'));
  assert.equal(await outputsFingerprint(paths), before);
});

test('without outputs there is no fingerprint', async () => {
  assert.equal(await outputsFingerprint([]), undefined);
});
