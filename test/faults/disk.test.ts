// A disk that fills up while the proxy runs, and has room again: by a limit on the size of files, which needs no
// rights, and on a small file system in a namespace of one's own. Disks that are full from the start are
// e2e/failures/quiet.test.ts's.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project, proxyCommand, startDirect } from '../support/harness.js';
import { behaviour, reloadable } from '../support/reloadable.js';
import { until } from '../support/until.js';

const build = `
  cat build-says 2>/dev/null
  grep -q wrong src/behaviour.mjs && { echo 'this is wrong' >&2; exit 2; }
  cp src/behaviour.mjs there/behaviour.mjs`;

/**
 * A project whose build writes to the directory `there`, where log and state lie too, with the proxy started by
 * `prefix`.
 */
async function within(t: TestContext, prefix: readonly string[]) {
  const { 'server.mjs': server, ...files } = reloadable('one') as { 'server.mjs': string };
  const here = project(t, {
    ...files,
    'server.mjs': server.replace('./src/', './there/'),
    'build.sh': build,
    'there/x': '',
  });
  const options = ['--watch', 'src', '--build', 'sh build.sh', '--state-dir', 'there/state', '--log-file', 'there/log'];
  const command = [...prefix, ...proxyCommand([...options, '--log-level', 'debug'], [process.execPath, 'server.mjs'])];
  const peer = startDirect(t, { command, cwd: here.directory });
  const call = async () => (await peer.request('tools/call', { name: 'answer' })).result;
  await peer.initialize();
  return {
    ...peer,
    here,
    save: (says: string) => here.write('src/behaviour.mjs', behaviour(says)),
    answer: async () => {
      const { content, isError } = await call();
      assert.equal(isError, undefined, peer.transcript());
      return content[0].text as string;
    },
    failure: async () => {
      const { content, isError } = await call();
      assert.equal(isError, true, peer.transcript());
      return content[0].text as string;
    },
    lines: (pattern: RegExp) =>
      peer
        .stderr()
        .split('\n')
        .filter((line) => pattern.test(line)),
  };
}

const limited = ['sh', '-c', 'ulimit -f 4 && exec "$@"', 'sh'];
const mounted = ['unshare', '-Urm', 'sh', '-c', 'mount -t tmpfs -o size=256k none there && exec "$@"', 'sh'];
const canMount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;

describe('a disk that fills up', { concurrency: 2, skip: process.platform === 'win32' }, () => {
  test('P14 log, trail and build output reach the largest size that a file may have: each is told once, the traffic goes on', async (t) => {
    const proxy = await within(t, limited);
    let saves = 0;
    // The log and the trail grow by a few hundred bytes with each reload; 2 KiB are too little for them.
    while (proxy.lines(/cannot write the log file/).length === 0 || saves < 4) {
      proxy.save(`${++saves}`);
      assert.equal(await proxy.answer(), `${saves}`);
      assert.ok(saves < 60, 'the log took it all');
    }
    assert.match(proxy.lines(/cannot write the log file/).join(), /EFBIG.*the log goes to stderr/);
    proxy.here.write('build-says', 'x'.repeat(20_000));
    proxy.save('wrong');
    const failure = await proxy.failure();
    assert.match(failure, /x{4096}\n… \d+ bytes left out …\n/, 'no file is named that does not hold it');
    assert.match(failure, /this is wrong/);
    proxy.here.remove('build-says');
    proxy.save('right');
    assert.equal(await proxy.answer(), 'right');
    assert.equal(proxy.lines(/cannot write the log file/).length, 1);
    assert.ok(proxy.lines(/audit trail can't be written/).length <= 1, proxy.stderr());
    for (const file of ['log', 'state/audit.jsonl']) assert.ok(statSync(proxy.here.path(`there/${file}`)).size <= 2048);
  });

  test(
    'P14 P7 no space is left in the middle of it: a build that needs some fails with its words, nothing else does, and all is well when there is some',
    { skip: !canMount && 'no mounts in a user namespace' },
    async (t) => {
      const proxy = await within(t, mounted);
      assert.equal(await proxy.answer(), 'one');
      // As the proxy sees it.
      const there = `/proc/${proxy.pid}/root${proxy.here.path('there')}`;
      const fill = () => {
        for (let size = 65_536; size >= 1; size /= 2) {
          try {
            for (;;) appendFileSync(`${there}/fill`, Buffer.alloc(size));
          } catch (error) {
            assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
          }
        }
      };
      for (const says of ['two', 'three']) {
        fill();
        proxy.save(`${says} ${'and more '.repeat(1000)}`);
        assert.match(await proxy.failure(), /No space left on device/);
        assert.equal((await proxy.request('resources/read', { uri: 'a:b' })).error, undefined, 'the old one serves');
        rmSync(`${there}/fill`);
        proxy.save(says);
        assert.equal(await proxy.answer(), says);
      }
      assert.ok(proxy.lines(/ENOSPC/).length <= 3, proxy.stderr());
      const trail = () => readFileSync(`${there}/state/audit.jsonl`, 'utf8').trimEnd().split('\n').at(-1)!;
      await until(() => trail().includes('"reloaded"'), 'the trail to go on', proxy);
    },
  );
});
