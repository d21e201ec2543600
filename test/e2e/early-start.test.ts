// The first server is started before the proxy is loaded. What happens in between, to the files, to the process, by a
// signal, must count as if the proxy had been there all along. The servers begin in a shell, which is faster than any
// proxy.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { describe, test } from 'node:test';
import { processesOf, startProxy } from '../support/harness.js';
import { startWatched } from '../support/reload-project.js';
import { behaviour, reloadable } from '../support/reloadable.js';

const shell = (script: string): string[] => ['sh', '-c', script];
const ways = { 'a plain pass-through': ['--no-reload'], watching: ['--watch', '.'] };

describe('before the proxy is loaded', { skip: process.platform === 'win32', concurrency: 4 }, () => {
  for (const [way, options] of Object.entries(ways)) {
    test(`P13 a signal at once, ${way}`, async (t) => {
      const peer = startProxy(t, { options, command: shell('kill -TERM $PPID; exec sleep 60') });
      assert.equal((await peer.exited).code, 128 + constants.signals.SIGTERM, peer.transcript());
      assert.deepEqual(processesOf(peer.marker), []);
    });

    test(`P13 the client has closed its side already, ${way}`, async (t) => {
      const peer = startProxy(t, { options, command: shell('exec cat') });
      peer.end();
      assert.equal((await peer.exited).code, 0, peer.transcript());
      assert.deepEqual(processesOf(peer.marker), []);
    });
  }

  test('P4 a save that the first server has just missed', async (t) => {
    const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
    const script = `
      [ -e saved ] && exec "$0" server.mjs
      echo > saved
      cp two.mjs src/behaviour.mjs
      exec "$0" old.mjs`;
    const proxy = startWatched(t, {
      files: {
        'two.mjs': behaviour('two'),
        'old/behaviour.mjs': behaviour('one'),
        'old.mjs': server.replace('./src/', './old/'),
      },
      command: [...shell(script), process.execPath],
    });
    await proxy.initialize();
    assert.equal(await proxy.call(), 'two', proxy.transcript());
  });

  test('P4 a file that was deleted when the first server had just read it', async (t) => {
    const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
    const script = `
      [ -e src/extra.mjs ] || exec "$0" server.mjs
      rm src/extra.mjs
      exec "$0" old.mjs`;
    const proxy = startWatched(t, {
      files: {
        'src/extra.mjs': 'export {};',
        'old/behaviour.mjs': behaviour('with extra'),
        'old.mjs': server.replace('./src/', './old/'),
      },
      command: [...shell(script), process.execPath],
    });
    await proxy.initialize();
    assert.equal(await proxy.call(), 'one', proxy.transcript());
  });

  test('a reload that is asked for by a signal starts a server after it', async (t) => {
    const script = 'echo >> starts; [ -e asked ] || { echo > asked; kill -USR2 $PPID; }; exec "$0" server.mjs';
    const proxy = startWatched(t, { command: [...shell(script), process.execPath] });
    await proxy.initialize();
    assert.equal(await proxy.call(), 'one');
    assert.equal(readFileSync(proxy.files.path('starts'), 'utf8').length, 2, proxy.transcript());
  });
});
