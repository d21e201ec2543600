// --strategy replace on the built bin, and how a server that can't run twice at a time makes it so by itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { live, type ReloadProject } from '../../support/reload-project.js';
import { behaviour, reloadable, script, scripted } from '../../support/reloadable.js';

test('P1 --strategy replace: the old server finishes and goes before the new one comes; what is sent meanwhile is held', async (t) => {
  const alone = (more = '') => `
    import { rmSync, writeFileSync } from 'node:fs';
    writeFileSync('alone', '', { flag: 'wx' }); // fails beside another one
    process.on('exit', () => rmSync('alone'));
    process.on('SIGTERM', () => process.exit());
    export const tools = { which: () => generation, slow: async () => (await appears('gate'), generation) };${more}`;
  const proxy = await live(t, scripted(alone()), { options: ['--strategy', 'replace'] });
  const slow = await proxy.begin('slow');
  proxy.save(script(alone('//')));
  const held = proxy.call('which');
  await proxy.waitForLog('changed: ');
  proxy.files.write('gate', '');
  assert.equal((await slow.answer).result.content[0].text, '1');
  assert.equal(await held, '2');
});

test('P8 --strategy replace: what the old server has not finished after --drain is sent again or told to may have run', async (t) => {
  const options = ['--strategy', 'replace', '--drain', '200'];
  const annotations = { effect: { readOnlyHint: true } };
  const proxy = await live(t, reloadable({ answer: 'one', annotations }), { options });
  const gate = proxy.gate();
  const safe = await proxy.begin('effect', { file: 'effects', until: gate.path });
  const unsafe = await proxy.begin('progress', { count: 0, until: gate.path });
  proxy.save(behaviour({ answer: 'two', annotations }));
  const held = proxy.call('answer');
  assert.match(failureSaid(await unsafe.answer), /may or may not have taken effect/);
  assert.equal(await held, 'two');
  gate.open();
  assert.equal((await safe.answer).result.content[0].text, '2');
  assert.deepEqual(proxy.notifications(), []);
  const order = proxy.told(2).flatMap(({ method, id }) => (method === 'tools/call' ? [id] : []));
  assert.equal(order[0], 'begun-1', 'what was sent first is sent again first');
});

test('P7 --strategy replace: a server that does not start leaves none; calls are told so until one does', async (t) => {
  const proxy = await live(t, reloadable('one'), { options: ['--strategy', 'replace'] });
  proxy.save(`console.error('no way'); process.exit(3); export default {};`);
  const { result } = await proxy.request('tools/call', { name: 'answer' });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /exited with code 3[^]*no way/);
  const { error } = await proxy.request('resources/list');
  assert.equal(error?.code, -32603);
  assert.match(JSON.stringify(error.data), /no way/);
  proxy.save(behaviour('two'));
  assert.equal(await proxy.call('answer'), 'two');
});

test('P1 a server that listens on a port: the first reload falls back to replace, with a warning, and the next goes straight', async (t) => {
  const listening = (more = '') => `
    import { createServer } from 'node:http';
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const server = createServer();
    const port = existsSync('port') ? Number(readFileSync('port', 'utf8')) : 0;
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    writeFileSync('port', String(server.address().port));
    export const tools = { which: () => generation };${more}`;
  const proxy = await live(t, scripted(listening()));
  assert.equal(await proxy.call('which'), '1');
  const slow = ['which', 'which'].map((name) => proxy.call(name));
  proxy.save(script(listening('// 2')));
  assert.equal(await proxy.call('which'), '3', 'the second could not listen');
  await Promise.all(slow);
  await proxy.waitForLog(/can't run twice at a time.*--strategy replace/);
  proxy.save(script(listening('// 3')));
  assert.equal(await proxy.call('which'), '4');
  assert.equal(proxy.stderr().match(/can't run twice/g)?.length, 1);
  assert.deepEqual(proxy.notifications(), []);
});

test('P7 a start that fails beside the serving server names --strategy replace, unless the code is wrong', async (t) => {
  const proxy = await live(t, scripted('export const tools = { which: () => generation };'));
  proxy.save(script(`console.error('the device is taken'); process.exit(3);`));
  assert.match(
    failureSaid(await proxy.request('tools/call', { name: 'which' })),
    /device is taken[^]*--strategy replace/,
  );
  proxy.save('this is no JavaScript');
  assert.doesNotMatch(failureSaid(await proxy.request('tools/call', { name: 'which' })), /--strategy/);
});

/** Of the server that has been told last. */
async function pidOf(proxy: ReloadProject): Promise<number> {
  await proxy.call('which');
  return proxy.journal().at(-1)!.pid;
}

/** It takes a while to save its state when its stdin ends, and exits by itself then. */
const saving = (version: number): string => `
  import { appendFileSync } from 'node:fs';
  process.stdin.on('end', () => {
    setTimeout(() => { appendFileSync('saved', '${version}'); process.exit(); }, 700);
  });
  export const tools = { which: () => generation };`;

for (const strategy of ['overlap', 'replace']) {
  test(`P13 a replaced server gets --stop-timeout to save its state when its stdin ends (${strategy})`, async (t) => {
    const files = { ...scripted(saving(1)), saved: '' };
    const proxy = await live(t, files, { options: ['--strategy', strategy, '--stop-timeout', '20000'] });
    const pids = [await pidOf(proxy)];
    for (const version of [2, 3]) {
      proxy.save(script(saving(version)));
      assert.equal(await proxy.call('which'), String(version));
      pids.push(await pidOf(proxy));
    }
    for (const pid of pids.slice(0, 2)) await proxy.gone(pid);
    assert.equal([...readFileSync(proxy.files.path('saved'), 'utf8')].sort().join(''), '12');
  });
}

test('P13 replace: a server that stays when its stdin ends is waited for once; at later reloads its signal comes soon', async (t) => {
  const staying = (version: number) => `
    import { appendFileSync } from 'node:fs';
    setInterval(() => {}, 1000);
    const ended = { at: 0 };
    process.stdin.on('end', () => { ended.at = performance.now(); });
    process.on('SIGTERM', () => { appendFileSync('waited', Math.round(performance.now() - ended.at) + '\\n'); process.exit(); });
    export const tools = { which: () => '${version}' };`;
  const options = ['--strategy', 'replace', '--stop-timeout', '3000'];
  const proxy = await live(t, { ...scripted(staying(1)), waited: '' }, { options });
  for (const version of [2, 3, 4]) {
    proxy.save(script(staying(version)));
    assert.equal(await proxy.call('which'), String(version));
  }
  const waited = readFileSync(proxy.files.path('waited'), 'utf8').trim().split('\n').map(Number);
  assert.equal(waited.length, 3);
  assert.ok(waited[0]! > 2500 && waited[1]! < waited[0]! && waited[2]! < waited[0]!, String(waited));
});
