// Data that the server writes itself, in all the ways that servers do, told from edits that look much the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { apart, reloads, serving, warnings } from './data-server.js';
import type { ReloadProject } from '../../support/reload-project.js';

async function writes(proxy: ReloadProject, calls: number, file: (call: number) => string): Promise<void> {
  for (let call = 0; call < calls; call++) assert.equal(await proxy.call('write', { file: file(call) }), 'written');
  await proxy.call('generation');
}

const places: [title: string, file: (call: number) => string][] = [
  ['a new directory each', (call) => `sessions/s${call}/notes.json`],
  ['a new directory each, further down', (call) => `data/2026/11/${call}/entry.md`],
  ['a new file in one of five directories', (call) => `d${call % 5}/${call}.json`],
  ['three files of three endings in turn', (call) => ['a.json', 'b.md', 'c.txt'][call % 3]!],
  ['two files in turn', (call) => ['a.json', 'b.json'][call % 2]!],
];
for (const [title, file] of places) {
  test(`P6 twenty calls that each write restart the server twice at most: ${title}`, async (t) => {
    const proxy = await serving(t, { files: { 'a.json': '', 'b.json': '' } });
    await writes(proxy, 20, file);
    assert.ok(reloads(proxy) <= 2, proxy.transcript());
    assert.match(warnings(proxy).join('\n'), /taken for data that the server writes itself.* --also-watch /);
  });
}

const loops: [options: string[], file: (call: number) => string, ignore: string][] = [
  [['--watch', '.'], (call) => `notes/${call}.json`, 'notes/*.json'],
  [['--also-watch', 'sessions'], (call) => `sessions/s${call}/notes.json`, 'sessions/**/*.json'],
];
for (const [options, file, ignore] of loops) {
  test(`under ${options.join(' ')}, a new file in each call restarts the server each time, and one warning names them`, async (t) => {
    const proxy = await serving(t, { options });
    await writes(proxy, 6, file);
    assert.equal(reloads(proxy), 6, proxy.transcript());
    const told = warnings(proxy).filter((text) => text.includes('--ignore'));
    assert.deepEqual(
      told.map((text) => text.endsWith(`--ignore ${ignore}`)),
      [true],
      proxy.transcript(),
    );
  });
}

for (const kind of ['start', 'interval', 'end'] as const) {
  test(`P6 a server that writes data with no call running is not reloaded for ever, nor by each call: ${kind}`, async (t) => {
    const proxy = await serving(t, { writes: kind, files: { 'state.json': '' } });
    proxy.files.write('src/edited.mjs', '// now');
    const { text } = await proxy.untilLogged('warning');
    assert.match(text, /^state\.json .*--also-watch state\.json$/);
    const before = reloads(proxy);
    assert.ok(before <= 8, `${before} reloads`);
    for (let call = 0; call < 8; call++) {
      await proxy.call('generation');
      await delay(250);
    }
    // One, because it could have been an edit.
    assert.ok(reloads(proxy) <= before + 1, proxy.transcript());
    const generation = Number(await proxy.call('generation'));
    proxy.files.write('src/edited.mjs', '// again');
    assert.equal(Number(await proxy.call('generation')), generation + 1);
  });
}

test('P4 what the server writes with no call running is an edit when somebody saves it at rest', async (t) => {
  const proxy = await serving(t, { writes: 'start', reads: ['state.json'], files: { 'state.json': '' } });
  await proxy.untilLogged('warning');
  // So long has no server of this kind ever waited.
  await delay(4500);
  await proxy.call('generation');
  await delay(4500);
  proxy.files.write('state.json', 'edited');
  assert.equal(await proxy.call('read', { file: 'state.json' }), 'edited', proxy.transcript());
});

const prompt = { reads: ['prompts/a.md'], files: { 'prompts/a.md': 'v0' } };
const read = (proxy: ReloadProject) => proxy.call('read', { file: 'prompts/a.md' });

test('P4 edits right after each answer may be taken for the server’s, but are served after a rest', async (t) => {
  const proxy = await serving(t, prompt);
  await read(proxy);
  for (let edit = 1; edit <= 6; edit++) {
    proxy.files.write('prompts/a.md', `v${edit}`);
    await read(proxy);
  }
  await delay(1300);
  assert.equal(await read(proxy), 'v6', proxy.transcript());
});

test('P4 an edit after a request that calls no tool is an edit, however soon it comes', async (t) => {
  const proxy = await serving(t, prompt);
  await apart();
  for (let edit = 1; edit <= 6; edit++) {
    await proxy.request('tools/list');
    proxy.files.write('prompts/a.md', `v${edit}`);
    await proxy.request('tools/list');
    assert.equal(reloads(proxy), edit, proxy.transcript());
  }
  assert.equal(await read(proxy), 'v6');
});

test('P4 edits while one long call runs are served by the calls that follow them', async (t) => {
  const proxy = await serving(t, prompt);
  const long = proxy.call('wait', { ms: 3000 });
  for (let edit = 1; edit <= 3; edit++) {
    await apart();
    proxy.files.write('prompts/a.md', `v${edit}`);
    assert.equal(await read(proxy), `v${edit}`, proxy.transcript());
  }
  assert.equal(await long, 'waited');
  assert.equal(await read(proxy), 'v3');
});

test('P4 what was taken for the server’s data, and so restarted nothing, stands in server_status, until a reload reads it', async (t) => {
  const proxy = await serving(t, { options: ['--agent-tools'], files: { 'a.json': '' } });
  const status = async (): Promise<{ text: string; files: unknown }> => {
    const { result } = await proxy.request('tools/call', { name: 'server_status', arguments: {} });
    return { text: result.content[0].text, files: result.structuredContent.takenForServerData };
  };
  assert.equal((await status()).files, undefined);
  await writes(proxy, 6, () => 'a.json');
  const { text, files } = await status();
  assert.deepEqual(files, ['a.json'], proxy.transcript());
  assert.match(
    text,
    /no reload followed: a\.json\. If that was an edit of yours, save the file again while no call runs\./,
  );
  await proxy.request('tools/call', { name: 'restart_server', arguments: { reason: 'read it' } });
  assert.equal((await status()).files, undefined);
});
