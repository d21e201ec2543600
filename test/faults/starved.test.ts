// The kernel runs out of inotify watches while the proxy runs, as it does when something else on the machine takes them
// or the tree grows: polling takes over, and what holds by events holds by polling. A limit in a user namespace stands
// for the machine's.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync, utimesSync } from 'node:fs';
import { test } from 'node:test';
import { project, proxyCommand, startDirect } from '../support/harness.js';
import { behaviour, reloadable } from '../support/reloadable.js';

const prefix = ['unshare', '-Ur', 'sh', '-c', 'echo 8 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh'];
const can = spawnSync(prefix[0]!, [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0;

test(
  'P14 P4 P5 the last inotify watch is taken in the middle of it: told once, then every save counts and nothing else does, by polling',
  { skip: !can && 'no user namespaces' },
  async (t) => {
    const files = project(t, reloadable('one'));
    const command = [...prefix, ...proxyCommand(['--watch', 'src'], [process.execPath, 'server.mjs'])];
    const proxy = startDirect(t, { command, cwd: files.directory });
    const ask = async (name: string) => (await proxy.request('tools/call', { name })).result.content[0].text as string;
    const generation = async () => (JSON.parse(await ask('generation')) as { generation: number }).generation;
    const save = (says: string) => files.write('src/behaviour.mjs', behaviour(says));
    await proxy.initialize();
    save('two');
    assert.equal(await ask('answer'), 'two');
    assert.doesNotMatch(proxy.stderr(), /Polling/);

    for (let n = 0; n < 20; n++) files.write(`src/part-${n}/x.mjs`, `${n}`);
    const grown = await generation();
    const told = await proxy.waitForLog(/no more watches/);
    assert.match(told, /ENOSPC.*max_user_watches.*Polling instead/);

    files.touch('src/behaviour.mjs');
    files.write('src/part-3/x.mjs', 'there');
    files.write('src/part-3/x.mjs', '3');
    files.writeAtomic('src/part-4/x.mjs', '4');
    assert.equal(await generation(), grown, 'the same bytes');

    for (const says of ['six', 'ten']) {
      const { atime, mtime } = statSync(files.path('src/behaviour.mjs'));
      save(says);
      utimesSync(files.path('src/behaviour.mjs'), atime, mtime);
      assert.equal(await ask('answer'), says);
    }
    const before = await generation();
    files.write('src/part-19/deep/new.mjs', 'new');
    assert.equal(await generation(), before + 1);
    // With nobody asking, too.
    const from = proxy.stderr().split('\n').length - 1;
    save('ends');
    await proxy.waitForLog(/reloaded in/, { from });
    assert.equal(await ask('answer'), 'ends');
    assert.equal(proxy.stderr().match(/no more watches/g)?.length, 1);
  },
);
