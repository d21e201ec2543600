// P15 at the worst moments: a server that dies while it drains, in the middle of the handshake, while its successor is
// built or started, and a save while it is started again. Crashes of a server at rest are crashes.test.ts's.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { live } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';
import { build, builtFiles, failureIn, mortal, mortalFiles } from './failures.js';

const mayHaveRun = /may or may not have taken effect/;

describe('untimely deaths', { concurrency: 3 }, () => {
  test('P15 P8 a crash during a drain: its call is told that it may have run, the new server does not notice', async (t) => {
    const proxy = await live(t, mortalFiles());
    const { answer } = await proxy.begin('slow');
    const { pid } = proxy.journal()[0]!;
    proxy.save(mortal('// 2'));
    assert.equal(await proxy.call('which'), '2');
    process.kill(pid, 'SIGKILL');
    assert.match(failureSaid(await answer), mayHaveRun);
    assert.equal(await proxy.call('which'), '2');
    assert.doesNotMatch(proxy.stderr(), /crashed|the server was ended/, 'how a replaced server ends means nothing');
  });

  test('P15 a crash between the answer to initialize and notifications/initialized', async (t) => {
    const proxy = await live(t, reloadable('one'), { initialize: false });
    await proxy.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }, { id: 0 });
    process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
    await proxy.waitForLog('SIGKILL');
    await proxy.notify('notifications/initialized');
    assert.equal(await proxy.call('answer'), 'one');
    assert.deepEqual(
      proxy.told(2).map(({ method }) => method),
      ['initialize', 'notifications/initialized', 'tools/call'],
    );
  });

  test('P15 P7 the serving server dies while new code starts, and that fails too: calls are told, the next save mends it', async (t) => {
    const proxy = await live(t, mortalFiles());
    await proxy.call('which');
    const open = await proxy.saveHeld(`throw new Error('no way');`);
    process.kill(proxy.journal()[0]!.pid, 'SIGKILL');
    await proxy.waitForLog('SIGKILL');
    const held = proxy.request('tools/call', { name: 'which' });
    open();
    assert.match(failureIn(await held, proxy.transcript), /no way/);
    proxy.save(mortal());
    assert.match(await proxy.call('which'), /^\d+$/, 'the content that served once is started anew');
  });

  test('P15 P4 P6 a save while a crashed server is started again is part of what answers', async (t) => {
    const waits = mortal(`
    import { existsSync, writeFileSync } from 'node:fs';
    if (generation > 1) { writeFileSync('started', ''); await appears('gate'); }`);
    const proxy = await live(t, { ...scripted(''), 'src/script.mjs': waits });
    await proxy.request('tools/call', { name: 'die', arguments: { code: 1 } });
    await proxy.waitForLog('exited with code 1');
    while (!existsSync(proxy.files.path('started'))) await proxy.request('ping');
    proxy.save(script(`export const tools = { which: () => 'new code' };`));
    const call = proxy.call('which');
    proxy.files.write('gate', '');
    assert.equal(await call, 'new code');
  });

  test('P15 P7 a crash during a build: what was built is started; if the build fails, calls are told of it', async (t) => {
    const proxy = await live(t, { ...builtFiles(), 'src/behaviour.mjs': behaviour('one') }, { options: build });
    for (const next of ['two', 'wrong']) {
      const before = proxy.builds();
      proxy.files.write('hold-build', '');
      proxy.save(behaviour(next));
      const call = proxy.request('tools/call', { name: 'answer' });
      while (proxy.builds() === before) await proxy.request('ping');
      const { pid } = proxy.journal().at(-1)!;
      process.kill(pid, 'SIGKILL');
      await proxy.gone(pid);
      proxy.files.remove('hold-build');
      const answer = await call;
      if (next === 'two') assert.equal(answer.result.content[0].text, 'two');
      else assert.match(failureIn(answer, proxy.transcript), /this is wrong/);
    }
    const { error } = await proxy.request('tools/list');
    assert.equal(error?.data.kind, 'build');
  });
});
