// Data files that are watched without a single option: an edit is served, and what the server writes itself while it
// works is no edit.

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DATA_ENDINGS } from '#src/watch/data-files.js';
import { apart, reloads, serving, warnings } from './data-server.js';

test('P4 an edit of a data file of any ending, and of .env, is served by the next call, without options', async (t) => {
  const names = [...DATA_ENDINGS.map((ending) => `data/x.${ending}`), '.env', '.env.local'];
  const files = Object.fromEntries(names.map((name) => [name, 'before']));
  const proxy = await serving(t, { reads: names, files: { ...files, '.gitignore': '.env*\n' } });
  for (const file of names) {
    assert.equal(await proxy.call('read', { file }), 'before', file);
    await apart();
    proxy.files.write(file, 'after');
    assert.equal(await proxy.call('read', { file }), 'after', file);
  }
  assert.deepEqual(warnings(proxy), []);
});

test('P4 a new data file, and one that is gone, restart the server too', async (t) => {
  const proxy = await serving(t, { reads: ['prompts/new.md'] });
  await apart();
  proxy.files.write('prompts/new.md', 'here');
  assert.equal(await proxy.call('read', { file: 'prompts/new.md' }), 'here');
  await apart();
  proxy.files.remove('prompts/new.md');
  assert.equal(await proxy.call('read', { file: 'prompts/new.md' }), 'none');
});

test('P5 tests, docs, lock files, configurations of clients and what git ignores restart nothing', async (t) => {
  const names = [
    'README.md',
    'CLAUDE.md',
    'docs/a.md',
    'test/a.json',
    'src/a.spec.json',
    '.mcp.json',
    '.vscode/mcp.json',
  ];
  const locks = ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'uv.lock'];
  const proxy = await serving(t, { files: { '.gitignore': 'private\n' } });
  for (const name of [...names, ...locks, 'private/a.json', 'logs/a.txt']) {
    await apart();
    proxy.files.write(name, 'x');
    assert.equal(await proxy.call('generation'), '1', name);
  }
  await apart();
  proxy.files.write('package.json', '{ "type": "module", "dependencies": {} }');
  assert.equal(await proxy.call('generation'), '2');
});

test('P6 twenty calls that each write a file restart the server once, and one warning names it', async (t) => {
  const proxy = await serving(t, { files: { 'notes.json': '{}' } });
  for (let call = 0; call < 20; call++) assert.equal(await proxy.call('write', { file: 'notes.json' }), 'written');
  await proxy.call('generation');
  assert.equal(reloads(proxy), 1, proxy.transcript());
  assert.deepEqual(
    warnings(proxy).map((text) => /^notes\.json .*--also-watch notes\.json$/.test(text)),
    [true],
  );
});

test('P6 so do calls with pauses between them, and calls that each write a new file', async (t) => {
  const proxy = await serving(t, {});
  for (let call = 0; call < 5; call++) {
    await proxy.call('write', { file: `notes/${call}.txt` });
    await delay(150);
  }
  assert.ok(reloads(proxy) <= 2, proxy.transcript());
});

test('P6 a server that writes only after it has answered is restarted twice at most', async (t) => {
  const proxy = await serving(t, { files: { 'notes.json': '{}' } });
  for (let call = 0; call < 8; call++) {
    await proxy.call('later', { file: 'notes.json' });
    await delay(150);
  }
  assert.ok(reloads(proxy) <= 2, proxy.transcript());
  assert.equal(warnings(proxy).length, 1);
});

test('P6 one long call that writes a file again and again restarts the server twice at most', async (t) => {
  const proxy = await serving(t, { files: { 'progress.json': '{}' } });
  await proxy.call('write', { file: 'progress.json', times: 10, pause: 150 });
  await proxy.call('generation');
  assert.ok(reloads(proxy) <= 2, proxy.transcript());
});

test('P4 what the server writes itself is an edit when somebody saves it between calls', async (t) => {
  const proxy = await serving(t, { reads: ['notes.json'], files: { 'notes.json': 'first' } });
  for (let call = 0; call < 5; call++) await proxy.call('write', { file: 'notes.json' });
  const before = reloads(proxy);
  await apart();
  proxy.files.write('notes.json', 'edited');
  assert.equal(await proxy.call('read', { file: 'notes.json' }), 'edited');
  assert.equal(reloads(proxy), before + 1);
});

test('P4 a source that is edited while calls run is never taken for data', async (t) => {
  const proxy = await serving(t, { files: { 'notes.json': '{}' } });
  for (let time = 1; time <= 4; time++) {
    const running = proxy.call('write', { file: 'src/unread.txt.none', times: 2, pause: 100 });
    appendFileSync(proxy.files.path('server.mjs'), `// ${time}\n`);
    await running;
    assert.equal(await proxy.call('generation'), String(time + 1));
  }
});

test('a file that an option names restarts the server at every call, and one warning says what to do', async (t) => {
  for (const named of [{ watch: ['notes.json'] }, { options: ['--also-watch', 'notes.json'] }]) {
    const proxy = await serving(t, { ...named, files: { 'notes.json': '{}' } });
    for (let call = 0; call < 5; call++) await proxy.call('write', { file: 'notes.json' });
    await proxy.call('generation');
    assert.equal(reloads(proxy), 5, proxy.transcript());
    assert.deepEqual(
      warnings(proxy).map((text) => /^notes\.json .*--ignore notes\.json$/.test(text)),
      [true],
    );
  }
});

test('--also-watch adds to what is found, and to --watch', async (t) => {
  for (const watch of [[], ['src']]) {
    const also = { options: ['--also-watch', 'docs'], watch };
    const proxy = await serving(t, { ...also, reads: ['docs/a.md'], files: { 'docs/a.md': 'before' } });
    await apart();
    proxy.files.write('docs/a.md', 'after');
    assert.equal(await proxy.call('read', { file: 'docs/a.md' }), 'after');
    await apart();
    proxy.files.write('src/behaviour.mjs', '// another');
    await proxy.call('generation');
    assert.equal(reloads(proxy), 2);
  }
});
