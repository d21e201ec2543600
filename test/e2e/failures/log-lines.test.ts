// What the log says of failures, and of their end: the last line is true. What the client is told meanwhile is for the
// other tests of this folder, the words of every line for test/agent/failure-log.test.ts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type LogEvent, readLog } from '../../support/proxy-log.js';
import { live, type ReloadProject, watched } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';
import { until } from '../../support/until.js';
import { build, builtFiles, failureOf, mortal, mortalFiles } from './failures.js';

const told = new Set(['starting', 'ready', 'reloaded', 'failed', 'crashed', 'mended']);

/** The events in order, with who serves: `mended undone 1`. Those without a generation are left out. */
function story(proxy: ReloadProject): string[] {
  return readLog(proxy.stderr())
    .filter(({ event, generation, serving }) => told.has(event) && (generation ?? serving) !== undefined)
    .map(({ event, how, generation, serving }) =>
      [event, event === 'mended' ? how : undefined, generation ?? `beside ${serving}`]
        .filter((word) => word !== undefined)
        .join(' '),
    );
}

describe('the log of failures', { concurrency: 2 }, () => {
  test('P7 an edit that fails, is undone, fails again and is mended: each change is one line, and the last one is true', async (t) => {
    const proxy = await watched(t);
    proxy.files.write('src/behaviour.mjs', 'broken(');
    assert.equal((await proxy.untilLogged('failed')).serving, 1);
    proxy.say('one');
    const undone = await proxy.untilLogged('mended');
    assert.deepEqual([undone.how, undone.generation, undone.level], ['undone', 1, 'info']);
    assert.match(undone.text, /^mended: the files are back to the code that runs/);
    proxy.files.write('src/behaviour.mjs', 'broken again(');
    await proxy.untilLogged('failed', 2);
    proxy.say('two');
    const mended = await proxy.untilLogged('mended', 2);
    assert.deepEqual([mended.how, mended.generation, mended.text], ['reloaded', 4, 'mended: generation 4 serves']);
    assert.equal(await proxy.call(), 'two');
    proxy.say('three');
    assert.equal(await proxy.call(), 'three');
    // The answer and the log go by different pipes.
    await proxy.untilLogged('reloaded', 2);
    assert.deepEqual(story(proxy), [
      'starting 1',
      'ready 1',
      'failed 2',
      'mended undone 1',
      'failed 3',
      'reloaded 4',
      'mended reloaded 4',
      'reloaded 5',
    ]);
  });

  test('P7 a build that fails keeps its lines, and one that is undone is built again before it is mended', async (t) => {
    const proxy = await live(t, { ...reloadable('one'), ...builtFiles() }, { options: build });
    assert.equal(await proxy.call('answer'), 'one');
    proxy.save(behaviour('wrong'));
    await failureOf(proxy);
    const from = proxy.stderr().split('\n').length - 1;
    proxy.save(behaviour('one'));
    await proxy.waitForLog(/^mcp-hotline: mended: the files are back/, { from });
    const lines = proxy.stderr().split('\n').slice(from);
    assert.match(lines.join('\n'), /^mcp-hotline: building: .*\nmcp-hotline: built in \d+ ms\nmcp-hotline: mended/m);
    assert.equal(await proxy.call('answer'), 'one');
  });

  test('P7 npm’s banner and warnings are no part of a failed build in the log', async (t) => {
    const files = {
      ...reloadable('one'),
      'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { build: 'node build.mjs' } }),
      'build.mjs': `import { readFileSync } from 'node:fs';
        if (readFileSync('src/behaviour.mjs', 'utf8').includes('wrong')) { console.log('a.ts(1,1): no\\n\\n  1 | a'); process.exit(2); }`,
    };
    const env = { npm_config_unheard_of: 'x' };
    const proxy = await live(t, files, { options: ['--build', 'npm run build'], env });
    assert.equal(await proxy.call('answer'), 'one');
    proxy.save(behaviour('wrong'));
    await failureOf(proxy);
    assert.match(
      proxy.stderr(),
      /build failed: npm run build exited .* stays up\n {2}a\.ts\(1,1\): no\n\n {4}1 \| a\n/,
    );
    assert.doesNotMatch(proxy.stderr(), /> app@1\.0\.0 build/);
  });

  test('P15 a crash is started again without more ado; where calls are answered with it, its end is told', async (t) => {
    const proxy = await live(t, mortalFiles(), { options: ['--log-format', 'json'] });
    const seen = (): string[] => proxy.stderr().match(/"event":"(crashed|reloaded|mended)"/g) ?? [];
    await proxy.request('tools/call', { name: 'die', arguments: { code: 3 } });
    await proxy.call('which');
    assert.deepEqual(seen(), ['"event":"crashed"', '"event":"reloaded"']);
    assert.match(proxy.stderr(), /exited with code 3\. It is started again"/);
    assert.match(proxy.stderr(), /reloaded in \d+ ms \(after a crash\), generation 2"/);
    for (let crash = 2; crash <= 4; crash++) await proxy.request('tools/call', { name: 'die', arguments: { code: 3 } });
    const line = await proxy.waitForLog('Next try in 5 s, or at the next save');
    assert.equal((JSON.parse(line) as LogEvent).nextTryMs, 5000);
    proxy.save(`${mortal()}// mended`);
    await proxy.waitForLog('"event":"mended"');
  });

  test('P7 a server that dies at its start is no crash and not ready; what mends it is told', async (t) => {
    const files = { ...scripted(''), 'src/script.mjs': 'process.exit(1);' };
    const proxy = await live(t, files, { options: ['--log-format', 'json'], unready: true });
    await proxy.waitForLog('Requests are answered with this error. Next try in ');
    assert.doesNotMatch(proxy.stderr(), /"event":"(crashed|ready)"/);
    assert.match(
      proxy.stderr(),
      /has not answered initialize: the client is answered in its place, with a minimal answer/,
    );
    proxy.save(script(`export const tools = { which: () => generation };`));
    const line = await proxy.waitForLog('"event":"mended"');
    assert.equal((JSON.parse(line) as LogEvent).how, 'reloaded');
  });

  test('P7 a failed start that is mended before anybody has opened a session is told once the server has answered', async (t) => {
    const files = { ...scripted(''), 'src/script.mjs': 'process.exit(1);' };
    const proxy = await live(t, files, { options: ['--log-format', 'json'], initialize: false });
    await proxy.waitForLog('Requests are answered with this error');
    proxy.save(script(`export const tools = { which: () => generation };`));
    await proxy.waitForLog('"event":"change"');
    await proxy.initialize();
    await proxy.call('which');
    await proxy.waitForLog('"event":"mended"');
    assert.match(proxy.stderr(), /"event":"(ready|reloaded)"[^]*"event":"mended"/);
  });

  test('P6 --strategy replace: a failed start is on record with the edit that was its cause, also where the ladder mends it', async (t) => {
    const failsOnce = (text: string): string =>
      script(`import { existsSync, writeFileSync } from 'node:fs';
        if (!existsSync('failed')) { writeFileSync('failed', ''); process.exit(1); }
        export const tools = { which: () => '${text}' };`);
    const files = { ...scripted(''), failed: '', 'src/script.mjs': failsOnce('one') };
    const options = ['--strategy', 'replace', '--state-dir', 'state', '--log-format', 'json'];
    const proxy = await live(t, files, { options });
    assert.equal(await proxy.call('which'), 'one');
    proxy.files.remove('failed');
    proxy.save(failsOnce('two'));
    const failed = JSON.parse(await proxy.waitForLog('"event":"failed"')) as LogEvent;
    assert.match(failed.text, /Next try in 1 s, or at the next save$/);
    await proxy.waitForLog('"event":"mended"');
    // The marker is on the disk a moment after the server serves.
    const marker = await until(
      () => {
        const read = JSON.parse(readFileSync(proxy.files.path('state/restart.json'), 'utf8')) as LogEvent;
        return read.begun === undefined && read;
      },
      'a marker of more than a restart that was begun',
      proxy,
    );
    assert.deepEqual([marker.method, marker.reason, marker.exitCode], ['change', 'src/script.mjs', null]);
  });
});
