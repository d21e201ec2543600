// What the log says of a server's start: `starting` when its process is there, `ready` when the server itself has
// answered. An answer that the proxy gave in its place is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLog } from '../../support/proxy-log.js';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';

const good = script('export const tools = { which: () => generation };');
const json = ['--log-format', 'json'];
const startsAndReady = (stderr: string) =>
  readLog(stderr).flatMap(({ event, generation }) =>
    generation !== undefined && ['starting', 'ready', 'reloaded', 'failed'].includes(event)
      ? [`${event} ${generation}`]
      : [],
  );

test('P7 a server is said to be ready when it has answered, and starting before', async (t) => {
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': good }, { options: json, initialize: false });
  await proxy.waitForLog('starting: generation 1');
  assert.deepEqual(startsAndReady(proxy.stderr()), ['starting 1']);
  // A change before anybody has asked: another process, of which nothing is known either.
  proxy.save(`${good}// changed`);
  await proxy.waitForLog('starting: generation 2');
  assert.deepEqual(startsAndReady(proxy.stderr()), ['starting 1', 'starting 2']);
  await proxy.initialize();
  await proxy.waitForLog('ready: generation 2');
  const ready = readLog(proxy.stderr()).find(({ event }) => event === 'ready')!;
  assert.ok(ready.pid! > 0 && ready.ms! >= 0);
  await proxy.call('which');
  proxy.save(good);
  await proxy.call('which');
  assert.deepEqual(startsAndReady(proxy.stderr()), ['starting 1', 'starting 2', 'ready 2', 'reloaded 3']);
});

test('P7 a server that never comes up is never said to be ready, though the client has a session', async (t) => {
  const proxy = await live(t, { ...scripted(''), 'src/script.mjs': 'export const' }, { options: json });
  await proxy.waitForLog('"event":"failed"');
  assert.doesNotMatch(proxy.stderr(), /"event":"ready"/);
  proxy.save(good);
  await proxy.call('which');
  await proxy.waitForLog(/"event":"re(ady|loaded)"/);
});
