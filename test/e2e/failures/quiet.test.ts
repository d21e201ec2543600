// P14 on the built bin: a log, a state directory or a watcher that fails is told of once, with what to do about it, and
// the traffic does not notice. Full and read-only places are real ones; a system without watches to give is a user
// namespace with a limit.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { project, proxyCommand, startDirect } from '../../support/harness.js';
import type { Started } from '../../support/harness.js';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable } from '../../support/reloadable.js';
import { build, builtFiles, countLog, failureOf } from './failures.js';

const lines = (proxy: Started, pattern: RegExp) =>
  proxy
    .stderr()
    .split('\n')
    .filter((line) => pattern.test(line));

describe('quiet failures', { concurrency: 3 }, () => {
  for (const [where, file] of [
    ['on a full disk', '/dev/full'],
    ['in a place where nothing can be written', '/proc/hotline.log'],
  ] as const) {
    test(`P14 a log file ${where}: it is told once, the log goes to stderr, the traffic goes on`, async (t) => {
      const proxy = await live(t, reloadable('one'), { options: ['--log-file', file] });
      assert.equal(await proxy.call('answer'), 'one');
      proxy.save(behaviour('two'));
      assert.equal(await proxy.call('answer'), 'two');
      await proxy.reloaded(2);
      assert.equal(countLog(proxy, /cannot write the log file/), 1, proxy.stderr());
      proxy.end();
      assert.equal((await proxy.exit()).code, 0);
    });
  }

  for (const [where, directory] of [
    ['that is a file', 'server.mjs'],
    ['in a place where there can be none', '/dev/null/state'],
  ] as const) {
    test(`P14 a state directory ${where}: it is told once; builds, reloads and reports go on`, async (t) => {
      const files = { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') };
      const proxy = await live(t, files, { options: [...build, '--state-dir', directory] });
      assert.equal(await proxy.call('answer'), 'one');
      proxy.save(behaviour('two'));
      assert.equal(await proxy.call('answer'), 'two');
      proxy.files.write('build-says', 'x'.repeat(20_000));
      proxy.save(behaviour('wrong'));
      const text = await failureOf(proxy);
      assert.match(text, /x{4096}\n… \d+ bytes left out …\n/, 'no file is named that is not there');
      assert.match(text, /this is wrong/);
      proxy.files.remove('build-says');
      proxy.save(behaviour('three'));
      assert.equal(await proxy.call('answer'), 'three');
      assert.ok(countLog(proxy, /can't be written/) <= 2, proxy.stderr());
      assert.ok(countLog(proxy, /can't be written/) >= 1, proxy.stderr());
    });
  }

  // Root may read everything, but not as nobody in particular.
  const stranger = process.getuid?.() === 0 ? ['unshare', '-U'] : ['env'];
  const canBe = spawnSync(stranger[0]!, [...stranger.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  test(
    'P14 a watched file that can’t be read is told of once, and the others are watched',
    { skip: !canBe && 'no user namespaces' },
    async (t) => {
      const proxy = within(t, stranger, [], { 'src/secret.mjs': '' });
      chmodSync(proxy.path('src/secret.mjs'), 0);
      await proxy.initialize();
      assert.equal(await proxy.answer(), 'one');
      await proxy.waitForLog(/src\/secret\.mjs can't be read/);
      for (const says of ['two', 'three']) {
        proxy.save(says);
        assert.equal(await proxy.answer(), says);
      }
      assert.equal(lines(proxy, /can't be read/).length, 1, proxy.stderr());
    },
  );

  test('P14 P7 a watched root that is deleted and created again is told of as a failure, and goes on being watched', async (t) => {
    const proxy = await live(t, reloadable('one'));
    assert.equal(await proxy.call('answer'), 'one');
    for (const says of ['two', 'three']) {
      proxy.files.remove('src');
      assert.match(await failureOf(proxy), /Cannot find module.*behaviour\.mjs/);
      proxy.files.write('src/behaviour.mjs', behaviour(says));
      assert.equal(await proxy.call('answer'), says);
    }
    proxy.save(behaviour('four'));
    assert.equal(await proxy.call('answer'), 'four');
  });

  test('P14 P13 a client that closes its reading end, with reloads going on: the proxy leaves without a word', async (t) => {
    const proxy = await live(t, reloadable('one'));
    proxy.child.stdout.destroy();
    proxy.save(behaviour('two'));
    await proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'answer' } });
    assert.equal((await proxy.exit()).code, 0);
    assert.doesNotMatch(proxy.stderr(), /EPIPE|^\s+at /m);
  });

  test('P14 a stderr that nobody reads any more: the log is lost, the traffic goes on', async (t) => {
    const proxy = await live(t, reloadable('one'), { options: ['--log-level', 'debug'] });
    proxy.child.stderr.destroy();
    for (const says of ['two', 'three', 'wrong {', 'four']) {
      proxy.save(says.endsWith('{') ? 'export default {' : behaviour(says));
      if (says.endsWith('{')) await failureOf(proxy);
      else assert.equal(await proxy.call('answer'), says);
    }
    proxy.end();
    assert.equal((await proxy.exit()).code, 0);
  });

  test('P14 P1 a server that closes its stdin and lives on: nothing throws, a save replaces it, and all that it was sent is answered', async (t) => {
    const deaf = `${behaviour('one')}
      process.on('uncaughtException', () => {}); // whoever reads a stream that is gone
      setTimeout(() => { process.stdin.destroy(); console.error('deaf'); }, 1000);
      setInterval(() => {}, 1000);`;
    const proxy = await live(t, reloadable('one'), { options: ['--drain', '200'] });
    proxy.save(deaf);
    // With the lists served, nothing has to be asked of the deaf.
    for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) await proxy.request(`${list}/list`);
    await proxy.waitForLog('deaf');
    assert.equal(countLog(proxy, /the server exited/), 0);
    const sent = Array.from({ length: 20 }, () => proxy.request('tools/call', { name: 'answer' }));
    proxy.save(behaviour('two'));
    assert.equal(await proxy.call('answer'), 'two');
    for (const { result } of await Promise.all(sent)) {
      if (result.isError !== true) assert.equal(result.content[0].text, 'two');
      else assert.match(result.content[0].text, /may or may not have taken effect/);
    }
  });

  const limited = (name: string) => ['unshare', '-Ur', 'sh', '-c', `echo ${name} && exec "$@"`, 'sh'];
  for (const [what, name, limit, remedy] of [
    ['watches', 'max_inotify_watches', 1, /ENOSPC.*max_user_watches/],
    ['instances', 'max_inotify_instances', 0, /EMFILE.*max_user_instances/],
  ] as const) {
    const prefix = limited(`${limit} > /proc/sys/user/${name}`);
    const can = spawnSync(prefix[0]!, [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
    test(
      `P14 P4 no inotify ${what} left: told once with the remedy, then polling, and no answer is older than a save`,
      { skip: !can && 'no user namespaces' },
      async (t) => {
        const proxy = within(t, prefix);
        await proxy.initialize();
        assert.equal(await proxy.answer(), 'one');
        for (const says of ['two', 'three']) {
          proxy.save(says);
          assert.equal(await proxy.answer(), says);
        }
        const told = lines(proxy, /no more watches/);
        assert.equal(told.length, 1, proxy.stderr());
        assert.match(told[0]!, remedy);
        assert.match(told[0]!, /Polling instead/);
      },
    );
  }

  test('P14 P13 a pipe as --log-file is refused in words, and the proxy ends with its client', async (t) => {
    const files = project(t);
    spawnSync('mkfifo', [files.path('log')]);
    const proxy = await live(t, reloadable('one'), { options: ['--log-file', files.path('log')] });
    assert.equal(await proxy.call('answer'), 'one');
    await proxy.waitForLog(/cannot write the log file: .* is neither a regular file nor a character device/);
    proxy.end();
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });

  const own = ['unshare', '-Urpf', '--mount-proc'];
  const canBeFirst = spawnSync(own[0]!, [...own.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  test(
    'P13 as process 1 of a container it says once that an init is missing',
    { skip: !canBeFirst && 'no namespaces' },
    async (t) => {
      const proxy = within(t, own);
      await proxy.initialize();
      assert.equal(await proxy.answer(), 'one');
      proxy.save('two');
      assert.equal(await proxy.answer(), 'two');
      const told = lines(proxy, /process 1 of its container/);
      assert.equal(told.length, 1, proxy.stderr());
      assert.match(told[0]!, /docker run --init/);
    },
  );

  const mount = (how: string) => ['unshare', '-Urm', 'sh', '-c', `mount -t tmpfs ${how} && exec "$@"`, 'sh'];
  const canMount =
    spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;
  for (const [kind, how, code] of [
    ['full', '-o size=4k none there && (cat /dev/zero > there/fill 2>/dev/null; true)', 'ENOSPC'],
    ['read-only', '-o ro none there', 'EROFS'],
  ] as const) {
    test(
      `P14 log file and state directory on a ${kind} disk: told, and no more than that`,
      { skip: !canMount && 'no mounts' },
      async (t) => {
        const options = ['--log-file', 'there/log', '--state-dir', 'there/state', ...build];
        const proxy = within(t, mount(how), options, { ...builtFiles(), 'there/x': '' });
        await proxy.initialize();
        assert.equal(await proxy.answer(), 'one');
        proxy.save('two');
        assert.equal(await proxy.answer(), 'two');
        await proxy.waitForLog(new RegExp(`cannot write the log file: ${code}`));
        assert.ok(lines(proxy, new RegExp(code)).length <= 3, proxy.stderr());
      },
    );
  }
});

/** A reloadable project with the proxy on it, started by a command of one's own. */
function within(t: TestContext, prefix: readonly string[], options: readonly string[] = [], files = {}) {
  const here = project(t, { ...reloadable('one'), ...files });
  const command = [...prefix, ...proxyCommand(['--watch', 'src', ...options], [process.execPath, 'server.mjs'])];
  const peer = startDirect(t, { command, cwd: here.directory });
  return {
    ...peer,
    path: here.path,
    save: (says: string) => here.write('src/behaviour.mjs', behaviour(says)),
    answer: async () => (await peer.request('tools/call', { name: 'answer' })).result.content[0].text as string,
  };
}
