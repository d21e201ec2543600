// Two lineages on one project, in this process: each serves a client of its own, and both read the same files. What one
// server writes as it starts, and what one build makes, concerns the other lineage as well (P6 settles).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { project } from '../../support/harness.js';
import { behaviour, reloadable } from '../../support/reloadable.js';
import { openSessions, type Session, type Sessions } from '../../support/sessions.js';

/** One after the other: the first brings the project about. */
const CLIENTS = ['one', 'other'];
/** Longer than any pause between two attempts. */
const REST_MS = 3000;

const restarting = { name: 'server', watch: ['src'], then: 'restart' } as const;

/** The files of a server that runs `when` with a function that writes a watched file, other bytes each time. */
function writing(when: string): Record<string, string> {
  const files = reloadable('first');
  const write = `
    import { writeFileSync } from 'node:fs';
    const note = () => writeFileSync('src/started.json', JSON.stringify([process.pid, performance.now()]));
    ${when}
    await serve(`;
  return { ...files, 'server.mjs': files['server.mjs']!.replace('await serve(', write) };
}

/** The same process answers as before, after a while. Only time can show that nothing comes. */
async function rest(clients: readonly Session[], lineages: Sessions): Promise<void> {
  const before = await Promise.all(clients.map((client) => client.call('generation')));
  const reloads = lineages.count(/reloaded in/);
  await delay(REST_MS);
  assert.equal(lineages.count(/reloaded in/), reloads, lineages.log.join(''));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call('generation'))), before);
}

test('P6 a server that writes what is watched as it starts does not make another lineage reload in turn', async (t) => {
  const files = project(t, writing('note();'));
  const lineages = openSessions(t, files, { rules: [restarting] });
  const clients: Session[] = [];
  for (const name of CLIENTS) clients.push(await lineages.open(name));
  await rest(clients, lineages);
  for (const answer of ['second', 'third']) {
    files.write('src/behaviour.mjs', behaviour(answer));
    assert.deepEqual(await Promise.all(clients.map((client) => client.call())), [answer, answer]);
    await rest(clients, lineages);
  }
  // One that comes later writes the file as well, and concerns nobody.
  clients.push(await lineages.open('late'));
  await rest(clients, lineages);
  files.write('src/behaviour.mjs', behaviour('fourth'));
  for (const client of clients) assert.equal(await client.call(), 'fourth', lineages.log.join(''));
});

test('P4 what a server writes as it starts is an edit for all lineages if somebody else writes it', async (t) => {
  const server = "import { readFileSync } from 'node:fs';\nconst started = readFileSync('src/started.json', 'utf8');\n";
  const source = writing('note(); process.env.STARTED = started;')['server.mjs']!;
  const files = project(t, { ...reloadable('first'), 'server.mjs': server + source, 'src/started.json': '[]' });
  const lineages = openSessions(t, files, { rules: [restarting] });
  const clients: Session[] = [];
  for (const name of CLIENTS) clients.push(await lineages.open(name));
  await rest(clients, lineages);
  const before = await Promise.all(clients.map((client) => client.call('generation')));
  files.write('src/started.json', '"by hand"');
  const after = await Promise.all(clients.map((client) => client.call('generation')));
  for (const [at, generation] of after.entries()) assert.notEqual(generation, before[at], lineages.log.join(''));
});

test('P6 servers that write what is watched soon after they have started are reloaded at most at requests', async (t) => {
  const files = project(t, writing('setTimeout(note, 300);'));
  const lineages = openSessions(t, files, { rules: [restarting] });
  const clients: Session[] = [];
  for (const name of CLIENTS) clients.push(await lineages.open(name));
  while (lineages.count(/with nobody asking/) < CLIENTS.length) await delay(100);
  const reloads = lineages.count(/reloaded in/);
  await delay(REST_MS);
  assert.equal(lineages.count(/reloaded in/), reloads, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('second'));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call())), ['second', 'second']);
});

test('P6 a build is run once for all lineages, whether it fails or not', async (t) => {
  const build = `
    import { appendFileSync, cpSync, readFileSync } from 'node:fs';
    appendFileSync('builds.txt', 'x');
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (readFileSync('src/behaviour.mjs', 'utf8').includes('broken')) process.exit(2);
    cpSync('src', 'dist', { recursive: true });`;
  const source = reloadable('first');
  const files = project(t, {
    ...source,
    'server.mjs': source['server.mjs']!.replace('./src/', './dist/'),
    'build.mjs': build,
  });
  const rules = [{ ...restarting, build: `${process.execPath} build.mjs` }];
  const lineages = openSessions(t, files, { rules });
  const builds = (): number => readFileSync(files.path('builds.txt')).length;
  const clients = await Promise.all(CLIENTS.map((name) => lineages.open(name)));
  assert.equal(builds(), 1, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('second'));
  assert.deepEqual(
    await Promise.all(clients.map((client) => client.call())),
    ['second', 'second'],
    lineages.log.join(''),
  );
  assert.equal(builds(), 2, lineages.log.join(''));
  files.write('src/behaviour.mjs', 'broken');
  const failures = await Promise.allSettled(clients.map((client) => client.call()));
  assert.ok(
    failures.every(({ status }) => status === 'fulfilled'),
    lineages.log.join(''),
  );
  assert.equal(builds(), 3, lineages.log.join(''));
  files.write('src/behaviour.mjs', behaviour('third'));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call())), ['third', 'third']);
  assert.equal(builds(), 4, lineages.log.join(''));
  // One that leaves while a build runs does not end it for the other.
  files.write('src/behaviour.mjs', behaviour('fourth'));
  const [call] = [clients[0]!.call()];
  await delay(400);
  await clients[1]!.close();
  assert.equal(await call, 'fourth');
  assert.equal(builds(), 5, lineages.log.join(''));
});
