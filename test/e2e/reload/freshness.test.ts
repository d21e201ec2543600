// P4: a call that is sent when a save has returned is answered by the new code, however the save was made and whatever
// else is going on. A few dozen times each here; `npm run prove freshness` does it a thousand times.

import assert from 'node:assert/strict';
import { linkSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { project, startProxy } from '../../support/harness.js';
import { kinds, saveAndCall, versions } from '../../support/versions.js';
import { modes, startWatched, watched } from '../../support/reload-project.js';
import { behaviour, built } from '../../support/reloadable.js';

const cycles: Record<string, number> = { events: 25, polling: 6 };

for (const [mode, options] of modes) {
  for (const kind of kinds) {
    test(`P4 fresh, ${mode}: no answer is older than what was saved ${kind}`, async (t) => {
      const files = project(t, versions());
      const proxy = startProxy(t, {
        options: ['--watch', 'versions', ...options],
        command: [process.execPath, 'server.mjs'],
        cwd: files.directory,
      });
      await proxy.initialize();
      const { stale, answers } = await saveAndCall(proxy, files, kind, cycles[mode]!);
      assert.deepEqual(stale, [], proxy.transcript());
      assert.ok(answers >= cycles[mode]!);
      assert.deepEqual(proxy.duplicates, []);
    });
  }

  test(`P4 fresh, ${mode}: a server that read what was there for a moment only is started again`, async (t) => {
    const between = `import { copyFileSync } from 'node:fs';\ncopyFileSync('one.mjs', 'src/behaviour.mjs');\n`;
    const script = '[ -e edit ] && rm edit && cp between.mjs src/behaviour.mjs; exec "$0" server.mjs';
    const proxy = await watched(t, {
      files: { 'one.mjs': behaviour('one'), 'between.mjs': between + behaviour('between') },
      command: ['sh', '-c', script, process.execPath],
      // Nobody looks while it starts.
      options: [...options, '-d', '20000', ...(mode === 'polling' ? ['--poll', '20000'] : [])],
    });
    proxy.files.write('edit', '');
    const died = await proxy.request('tools/call', { name: 'die', arguments: { code: 1 } });
    assert.match(failureSaid(died), /may or may not/);
    assert.equal(await proxy.call(), 'one', proxy.transcript());
    assert.equal(await proxy.generation(), 3);
  });

  // The kernel reports a file that a save empties a moment later, tens of milliseconds on a busy machine. This save is
  // made by another name of the file, which nobody watches, so the moment lasts for ever.
  test(`P4 fresh, ${mode}: a server that read a file which a save had emptied is started again`, async (t) => {
    const { 'server.mjs': server = '' } = versions();
    const save = `import { existsSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
      if (existsSync('half')) writeFileSync('elsewhere', '2');
      else if (existsSync('begin')) {
        truncateSync('elsewhere');
        renameSync('begin', 'half');
      }`;
    const files = project(t, {
      elsewhere: '1',
      'versions/1': '0',
      'save.mjs': save,
      'server.mjs': `import './save.mjs';\n${server}`,
    });
    linkSync(files.path('elsewhere'), files.path('versions/0'));
    const proxy = startProxy(t, {
      options: ['--watch', 'versions', ...options],
      command: [process.execPath, 'server.mjs'],
      cwd: files.directory,
    });
    await proxy.initialize();
    const version = async (): Promise<string> =>
      (await proxy.request('tools/call', { name: 'version' })).result.content[0].text;
    assert.equal(await version(), '1');
    files.write('begin', '');
    // Any edit: the server that it starts reads what the save has left so far.
    files.write('versions/1', '-1');
    assert.equal(await version(), '2', proxy.transcript());
  });

  // The debounce is so long that only what requests and the ends of attempts look at can be noticed in time.
  test(`P4 fresh, ${mode}: what is saved while a reload holds the call is part of that reload's answer`, async (t) => {
    const proxy = await watched(t, { ...built(), options: [...options, '--build', 'node build.mjs', '-d', '20000'] });
    proxy.files.write('hold-build', '');
    proxy.say('two');
    const first = proxy.call();
    await proxy.untilBuilding(2);
    proxy.say('three');
    const second = proxy.call();
    proxy.files.remove('hold-build');
    assert.equal(await second, 'three');
    assert.equal(await first, 'three');
  });

  test(`P4 fresh, ${mode}: a save on the way back to what is serving is not passed over`, async (t) => {
    const proxy = await watched(t, { ...built(), options: [...options, '--build', 'node build.mjs', '-d', '20000'] });
    proxy.say('wrong');
    assert.match(await proxy.call(), /this is wrong/);
    proxy.files.write('hold-build', '');
    proxy.say('one');
    const first = proxy.call();
    await proxy.untilBuilding(3);
    proxy.say('two');
    const second = proxy.call();
    proxy.files.remove('hold-build');
    assert.equal(await second, 'two');
    assert.equal(await first, 'two');
  });

  test(`P4 fresh, ${mode}: a save between the start of the server and the first call counts`, async (t) => {
    const proxy = startWatched(t, { options });
    await proxy.initialize();
    proxy.say('two');
    assert.equal(await proxy.call(), 'two');
  });
}

test('P4 what a client sends along with its first words waits for the look at the disk as well', async (t) => {
  const options = ['--build', 'node build.mjs', '-d', '20000'];
  const proxy = startWatched(t, { files: { ...built().files, 'hold-build': '' }, options });
  await proxy.untilBuilding(1);
  proxy.say('two');
  const session = proxy.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
  await proxy.notify('notifications/initialized');
  const call = proxy.call();
  proxy.files.remove('hold-build');
  assert.equal((await session).result.serverInfo.name, 'reloadable');
  assert.equal(await call, 'two');
});

test('P4 every request waits for the look at the disk, not only calls of tools', async (t) => {
  const proxy = await watched(t, { options: ['-d', '20000'] });
  proxy.say('two');
  const { result } = await proxy.request('resources/read', { uri: 'x:y' });
  assert.equal(result.contents[0].text, 'two');
  proxy.say({ answer: 'three', lists: { tools: [{ name: 'new' }] } });
  const { result: list } = await proxy.request('tools/list', {});
  assert.equal(list.tools.at(-1).name, 'new');
});

test('P4 a request right behind another one that found nothing new is not answered by its look', async (t) => {
  const proxy = await watched(t, { options: ['-d', '20000'] });
  const says = ['one', 'two', 'three', 'four'];
  for (const [index, next] of says.slice(1).entries()) {
    const before = proxy.call();
    proxy.say(next);
    const after = proxy.call();
    assert.equal(await after, next);
    assert.ok([says[index], next].includes(await before));
  }
});

test('P4 an answer may be as old as its call while the old generation drains', async (t) => {
  const proxy = await watched(t);
  const slow = proxy.request('tools/call', {
    name: 'effect',
    arguments: { file: proxy.files.path('effect'), until: proxy.files.path('go') },
  });
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  mkdirSync(proxy.files.path('go'));
  assert.equal((await slow).result.content[0].text, '1');
  assert.equal(await proxy.generation(), 2);
});

test('P4 with --while-reloading serve the old generation goes on until the new one is there', async (t) => {
  const proxy = await watched(t, { ...built(), options: ['--build', 'node build.mjs', '--while-reloading', 'serve'] });
  proxy.files.write('hold-build', '');
  proxy.say('two');
  await proxy.untilBuilding(2);
  assert.equal(await proxy.call(), 'one');
  proxy.files.remove('hold-build');
  await proxy.untilLogged('reloaded');
  assert.equal(await proxy.call(), 'two');
});
