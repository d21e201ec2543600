// P5: only bytes count. What leaves the bytes as they are causes no build and no restart, with events and with polling;
// what changes them does, whatever the time stamps say. Proved by the generation that answers and by the builds that
// ran.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { modes, type ReloadProject, watched } from '../../support/reload-project.js';
import { behaviour, built } from '../../support/reloadable.js';

const file = 'src/behaviour.mjs';

function git(proxy: ReloadProject, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  const env = { PATH: process.env['PATH'], HOME: proxy.files.directory, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...identity, ...args], { cwd: proxy.files.directory, env, stdio: 'pipe' });
}

const nothing: [what: string, act: (proxy: ReloadProject) => void][] = [
  ['touch', ({ files }) => files.touch(file)],
  ['chmod', ({ files }) => chmodSync(files.path(file), 0o600)],
  ['a save of the same bytes', ({ files }) => writeFileSync(files.path(file), readFileSync(files.path(file)))],
  ['an atomic save of the same bytes', ({ files }) => files.writeAtomic(file, readFileSync(files.path(file)))],
  ['git add', (proxy) => git(proxy, 'add', '.')],
  ['git commit', (proxy) => git(proxy, 'commit', '-qm', 'first')],
  ['a file that comes and goes', ({ files }) => (files.write('src/new.mjs', '1'), files.remove('src/new.mjs'))],
  [
    'a file that moves there and back',
    ({ files }) => {
      renameSync(files.path(file), files.path('src/elsewhere.mjs'));
      renameSync(files.path('src/elsewhere.mjs'), files.path(file));
    },
  ],
  [
    'git stash and pop',
    (proxy) => {
      git(proxy, 'rm', '-q', '--cached', file);
      git(proxy, 'commit', '-qm', 'without it');
      git(proxy, 'add', '.');
      git(proxy, 'stash', '-q');
      git(proxy, 'stash', 'pop', '-q');
    },
  ],
  [
    'a checkout there and back',
    (proxy) => {
      git(proxy, 'commit', '-qam', 'with it');
      git(proxy, 'checkout', '-q', 'HEAD~1');
      git(proxy, 'checkout', '-q', 'main');
    },
  ],
];

for (const [mode, options] of modes) {
  test(`P5 content only, ${mode}: what leaves the bytes as they are builds and restarts nothing`, async (t) => {
    // The debounce is long because some of it takes a while; each call looks at the disk all the same.
    const proxy = await watched(t, { ...built(), options: [...options, '--build', 'node build.mjs', '-d', '20000'] });
    git(proxy, 'init', '-q');
    for (const [what, act] of nothing) {
      await t.test(what, async () => {
        act(proxy);
        assert.equal(await proxy.generation(), 1);
        assert.equal(proxy.builds(), 1);
        assert.deepEqual(proxy.logged('change'), []);
      });
    }
    proxy.say('two');
    assert.equal(await proxy.call(), 'two');
    assert.deepEqual([await proxy.generation(), proxy.builds(), proxy.logged('change').length], [2, 2, 1]);
  });

  test(`P5 content only, ${mode}: a touch that nobody asks about is hashed after the debounce and left at that`, async (t) => {
    const proxy = await watched(t, { options });
    proxy.files.touch(file);
    const { files } = await proxy.untilLogged('unchanged');
    assert.deepEqual(files, [file]);
    assert.equal(await proxy.generation(), 1);
    assert.deepEqual(proxy.logged('change'), []);
  });

  test(`P5 content only, ${mode}: an edit of the same size with its time stamps restored counts`, async (t) => {
    const proxy = await watched(t, { options });
    const edit = (says: string) => {
      const { atime, mtime, size } = statSync(proxy.files.path(file));
      writeFileSync(proxy.files.path(file), behaviour(says));
      utimesSync(proxy.files.path(file), atime, mtime);
      const after = statSync(proxy.files.path(file));
      assert.deepEqual([after.size, after.mtimeMs], [size, mtime.getTime()]);
    };
    utimesSync(proxy.files.path(file), 1e9, 1e9);
    edit('two');
    assert.equal(await proxy.call(), 'two');
    // The same with nobody asking.
    edit('six');
    const { files, generation } = await proxy.untilLogged('reloaded', 2);
    assert.deepEqual([files, generation], [[file], 3]);
    assert.equal(await proxy.call(), 'six');
  });

  test(`P5 content only, ${mode}: an edit that is taken back before the debounce is over restarts nothing`, async (t) => {
    const proxy = await watched(t, { options: [...options, '-d', '20000'] });
    proxy.say('two');
    proxy.say('one');
    assert.equal(await proxy.generation(), 1);
    proxy.say('two');
    assert.equal(await proxy.generation(), 2);
  });
}
