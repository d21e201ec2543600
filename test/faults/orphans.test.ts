// A build outlives the proxy that began it, since nobody tells it: what it would still write must not pass for what its
// successors have built.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startWatched, watched } from '../support/reload-project.js';
import { built, reloadable } from '../support/reloadable.js';
import { until } from '../support/until.js';
import { processesLeft, project, projectDirOf } from '../support/harness.js';

const linux = { skip: process.platform !== 'linux' && 'elsewhere a process is known by its number alone' };

test(
  'P6 P13 a build whose proxy was killed is ended by the next that builds, before it can undo what is built',
  linux,
  async (t) => {
    const { files } = built();
    // Whoever builds what says `held` waits until it is let go.
    const build = files['build.mjs']!.replace(
      "existsSync('hold-build')",
      "source.includes('held') && existsSync('hold')",
    );
    const on = project(t, { ...reloadable('held'), ...files, 'build.mjs': build, hold: '' });
    const options = ['--build', 'node build.mjs', '--state-dir', 'state'];
    const first = startWatched(t, { on, options, mayLeave: true });
    await first.untilBuilding(1);
    await until(
      () => readFileSync(join(projectDirOf(on), 'build.lock'), 'utf8').includes('"build"'),
      'its name in the lock',
      first,
    );
    first.kill('SIGKILL');
    await first.exit();

    first.say('two');
    const second = await watched(t, { on, options });
    assert.equal(await second.call(), 'two');
    on.remove('hold');
    assert.deepEqual(await processesLeft(first.marker, 20_000), []);
    assert.match(readFileSync(on.path('dist/behaviour.mjs'), 'utf8'), /two/);
    second.end();
    await second.exit();

    const third = await watched(t, { on, options });
    assert.equal(await third.call(), 'two');
    assert.equal(third.builds(), 2, 'what is built is not built again');
  },
);
