// Which files are Python's caches of which sources, and that those of edited sources go and all others stay. That a
// real Python then runs the new code is test/e2e/reload/python.test.ts's.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { cacheDirectory, pycachePrefix, StaleBytecode, stemOf } from '#src/project/stale-bytecode.js';
import { project } from '../support/project.js';

for (const [name, stem] of Object.entries({
  'words.cpython-311.pyc': 'words',
  'words.cpython-313t.opt-1.pyc': 'words',
  'words.pypy310.pyc': 'words',
  'a.b.cpython-311.pyc': 'a.b',
  'words.pyc': undefined,
  'words.cpython-311.pyc.140225': undefined,
  'words.py': undefined,
})) {
  test(`P4 ${name} is ${stem === undefined ? "no source's cache" : `the cache of ${stem}.py`}`, () =>
    assert.equal(stemOf(name), stem));
}

test('P4 the caches of a source lie beside it, or by its whole path under a prefix', () => {
  assert.equal(cacheDirectory('/a/b/words.py', undefined), '/a/b/__pycache__');
  assert.equal(cacheDirectory('/a/b/words.py', '/cache'), '/cache/a/b');
  assert.equal(pycachePrefix(['-X', 'pycache_prefix=/x', 'server.py'], { PYTHONPYCACHEPREFIX: '/y' }), '/x');
  assert.equal(pycachePrefix(['-Xpycache_prefix=/x', 'server.py'], {}), '/x');
  assert.equal(pycachePrefix(['server.py'], { PYTHONPYCACHEPREFIX: '/y' }), '/y');
  assert.equal(pycachePrefix(['server.py'], { PYTHONPYCACHEPREFIX: '' }), undefined);
});

test('P4 what Python cached of edited sources is removed, whatever its version; the rest stays', async (t) => {
  const names = [
    'words.cpython-311.pyc',
    'words.cpython-312.opt-2.pyc',
    'other.cpython-311.pyc',
    'words_too.cpython-311.pyc',
  ];
  const files = project(t, Object.fromEntries(names.map((name) => [`lib/__pycache__/${name}`, ''])));
  const warnings: string[] = [];
  const bytecode = new StaleBytecode((text) => warnings.push(text));
  const config = { cwd: files.directory, args: ['server.py'], env: {} };
  await bytecode.remove(config);
  assert.equal(readdirSync(files.path('lib/__pycache__')).length, names.length);
  bytecode.recordEdits(['lib/words.py', 'lib/words.txt', 'gone/other.py'], files.directory);
  await bytecode.remove(config);
  assert.deepEqual(readdirSync(files.path('lib/__pycache__')).sort(), names.slice(2).sort());
  // What a server that drains writes later is removed before the next start too.
  files.write('lib/__pycache__/words.cpython-311.pyc', '');
  await bytecode.remove(config);
  assert.deepEqual(readdirSync(files.path('lib/__pycache__')).sort(), names.slice(2).sort());
  assert.deepEqual(warnings, []);
});
