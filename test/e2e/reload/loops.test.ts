// P6: what the build or the server itself writes into the watched tree makes no endless loop, and what a person saves
// in the same place is not mistaken for it. That a loop has ended shows in the generation staying the same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { project } from '../../support/harness.js';
import { modes, type ReloadProject, watched } from '../../support/reload-project.js';
import { behaviour, built, reloadable } from '../../support/reloadable.js';
import { inProcess } from './in-process.js';

const building = ['--build', 'node build.mjs'];

/** Whether nothing restarts by itself for a while. Only time can show that nothing comes. */
async function rests(proxy: ReloadProject): Promise<void> {
  const before = await proxy.generation();
  await delay(800);
  assert.equal(await proxy.generation(), before, proxy.transcript());
}

/** Counts its starts in a watched file: other bytes each time. */
const writing = (when: string) => {
  const { 'server.mjs': server } = reloadable('one') as { 'server.mjs': string };
  const write = `
    import { writeFileSync } from 'node:fs';
    const note = () => writeFileSync('src/started.json', JSON.stringify([process.pid, performance.now()]));
    ${when}
    await serve(`;
  return { files: { 'server.mjs': server.replace('await serve(', write) } };
};

for (const [mode, options] of modes) {
  test(`P6 settles, ${mode}: a server that writes into its own watched tree as it starts`, async (t) => {
    const proxy = await watched(t, { ...writing('note();'), options });
    await rests(proxy);
    proxy.say('two');
    assert.equal(await proxy.call(), 'two');
    await rests(proxy);
  });
}

test('P6 a server that writes into its own watched tree soon after it has started', async (t) => {
  const proxy = await watched(t, { ...writing('setTimeout(note, 300);') });
  // It is caught, and from then on only a request brings another reload.
  const { files } = await proxy.untilLogged('warning');
  assert.deepEqual(files, ['src/started.json']);
  const before = proxy.logged('reloaded').length;
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  const after = proxy.logged('reloaded').length;
  assert.ok(after > before && after <= before + 2, `${before} reloads, then ${after}`);
});

test('P6 a server that writes into its own watched tree all the time', async (t) => {
  const proxy = await watched(t, { ...writing('setInterval(note, 50);') });
  const { files } = await proxy.untilLogged('warning');
  assert.deepEqual(files, ['src/started.json']);
  // No reload keeps up with it, but calls and edits do not wait for one that does.
  for (const text of ['two', 'three']) {
    proxy.say(text);
    assert.equal(await proxy.call(), text, proxy.transcript());
  }
});

test('P6 a build that writes other bytes into its sources each time', async (t) => {
  const { files } = built();
  const generates = `writeFileSync('src/generated.mjs', String(process.hrtime.bigint()));`;
  files['build.mjs'] += generates;
  const proxy = await watched(t, { files, options: building });
  await rests(proxy);
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  await rests(proxy);
  const { text } = proxy.logged('warning').find(({ files: named }) => named?.includes('src/generated.mjs'))!;
  assert.match(text, /src\/generated\.mjs/);
  const before = proxy.builds();
  proxy.files.touch('src/behaviour.mjs');
  await proxy.call();
  assert.equal(proxy.builds(), before);
});

test('P6 a build that writes the same bytes into its sources each time is no loop at all', async (t) => {
  const { files } = built();
  files['build.mjs'] += `writeFileSync('src/generated.mjs', 'always the same');`;
  const proxy = await watched(t, { files, options: building });
  await rests(proxy);
  const before = proxy.builds();
  // In the first the file comes, in the second it is written again, which might be an edit taken back, in the third it
  // is known.
  assert.ok(before <= 3, `${before} builds`);
  proxy.say('two');
  assert.equal(await proxy.call(), 'two');
  assert.equal(proxy.builds(), before + 1);
  assert.deepEqual(proxy.logged('warning'), []);
});

test('P6 a build that formats its sources', async (t) => {
  const { files } = built();
  files['build.mjs'] += `writeFileSync('src/behaviour.mjs', source.trimEnd() + '\\n// formatted\\n');`.replace(
    'source.trimEnd()',
    `source.replace(/\\n\\/\\/ formatted\\n$/, '').trimEnd()`,
  );
  const proxy = await watched(t, { files, options: building });
  await rests(proxy);
  proxy.files.write('src/behaviour.mjs', behaviour('two'));
  assert.equal(await proxy.call(), 'two');
  await rests(proxy);
  assert.match(readFileSync(proxy.files.path('src/behaviour.mjs'), 'utf8'), /formatted\n$/);
});

test('P6 two rules whose builds write into what the other one watches', async (t) => {
  const build = (to: string) => `
    import { appendFileSync, writeFileSync } from 'node:fs';
    appendFileSync('builds.txt', '${to}\\n');
    writeFileSync('${to}/generated.txt', String(process.hrtime.bigint()));`;
  const files = project(t, {
    ...reloadable('one'),
    'a/source.txt': '1',
    'b/source.txt': '1',
    'build-a.mjs': build('b'),
    'build-b.mjs': build('a'),
  });
  const client = inProcess(t, files.directory, [
    { name: 'a', watch: ['a'], build: 'node build-a.mjs', then: 'continue' },
    { name: 'b', watch: ['b'], build: 'node build-b.mjs', then: 'restart' },
    { name: 'server', watch: ['src'], then: 'restart' },
  ]);
  await client.initialize();
  const builds = () => readFileSync(files.path('builds.txt'), 'utf8').length;
  const settled = async () => {
    const before = builds();
    await delay(800);
    assert.equal(builds(), before);
  };
  assert.equal(await client.call(), 'one');
  await settled();
  files.write('a/source.txt', '2');
  files.write('src/behaviour.mjs', behaviour('two'));
  assert.equal(await client.call(), 'two');
  await settled();
});

test('P6 a person who saves the same file in one build after the other is not taken for an output', async (t) => {
  // With so long a debounce, a save is noticed when the build under way has ended.
  const proxy = await watched(t, { ...built(), options: [...building, '-d', '20000'] });
  proxy.files.write('hold-build', '');
  proxy.say('save 0');
  const call = proxy.call();
  for (let save = 1; save <= 3; save += 1) {
    await proxy.untilBuilding(save + 1);
    proxy.say(`save ${save}`);
    proxy.files.remove('hold-build');
    await proxy.untilLogged('built', save + 1);
    proxy.files.write('hold-build', '');
    if (proxy.logged('reloaded').length > 0) break;
  }
  proxy.files.remove('hold-build');
  assert.equal(await call, 'save 3');
  assert.equal(await proxy.call(), 'save 3');
});
