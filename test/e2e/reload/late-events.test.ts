// P4 and P6 where events are not inotify's: they come late, and some not at all. The proxy is made to believe that it
// runs on macOS, and its fs.watch is slowed down accordingly (fixtures/preloads/late-events.mjs); the files and the
// rest are real.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { project, startProxy } from '../../support/harness.js';
import { root } from '../../support/paths.js';
import { kinds, saveAndCall, versions } from '../../support/versions.js';
import { watched } from '../../support/reload-project.js';

/** Every n-th event is lost. */
const environment = (nth: number) => ({
  NODE_OPTIONS: `--import ${join(root, 'fixtures/preloads/late-events.mjs')}`,
  LOST_EVENTS: `${nth}`,
});

for (const kind of kinds) {
  test(`P4 fresh, late events, every tenth lost: no answer is older than what was saved ${kind}`, async (t) => {
    await saves(t, kind, 10);
  });
}

test('P4 fresh, all events lost: no answer is older than what was saved', async (t) => {
  await saves(t, 'in place', 1);
});

async function saves(t: TestContext, kind: (typeof kinds)[number], lost: number): Promise<void> {
  const files = project(t, versions());
  const proxy = startProxy(t, {
    options: ['--watch', 'versions'],
    command: [process.execPath, 'server.mjs'],
    cwd: files.directory,
    env: environment(lost),
  });
  await proxy.initialize();
  const { stale, answers } = await saveAndCall(proxy, files, kind, 20);
  assert.deepEqual(stale, [], proxy.transcript());
  assert.ok(answers >= 20);
}

for (const [how, lost, count] of [['every tenth event', 10, 12] as const, ['all events', 1, 3] as const]) {
  test(`P6 settles, late events, ${how} lost: no save is, with nobody asking`, async (t) => {
    const proxy = await watched(t, { env: environment(lost) });
    for (let save = 1; save <= count; save++) {
      proxy.say(`${save}`);
      await proxy.untilLogged('reloaded', save);
      assert.equal(await proxy.call(), `${save}`);
    }
    assert.equal(await proxy.generation(), count + 1);
    assert.deepEqual(proxy.logged('unchanged'), [], 'what a sweep has seen is not told again by its late event');
  });
}
