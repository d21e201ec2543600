// A request that waits with the proxy and carries a progress token hears once a second why: real SDK clients, whose
// time-out that resets, through a build that takes twice as long; and what a server says afterwards is more than what
// was heard before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';
import { live as liveSdk, servers, tools } from '../modern/sdk.js';

/** Takes its time where the sources say so. */
const build = `
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const [, ms = 0] = /takes (\\d+)/.exec(readFileSync('src/tools.mjs', 'utf8')) ?? [];
await delay(Number(ms));
`;

for (const [client, server] of [
  ['v1', 'v1'],
  ['v2 legacy', 'v2'],
  ['v2 pinned', 'v2'],
] as const) {
  test(`a client of SDK ${client} that waits for 2.5 s without progress is answered after a build of 5 s`, async (t) => {
    const files = { 'server.mjs': servers[server], 'src/tools.mjs': tools(), 'build.mjs': build };
    const options = ['--build', `${process.execPath} build.mjs`];
    const sdk = await liveSdk(t, client, files, { options });
    assert.equal(await sdk.call('which'), '1');
    sdk.files.write('src/tools.mjs', `${tools()}// takes 5000\n`);
    const heard: Progress[] = [];
    const patience = {
      timeout: 2500,
      resetTimeoutOnProgress: true,
      onprogress: (progress: Progress) => void heard.push(progress),
    };
    const params = { name: 'which', arguments: {} };
    const result = await (sdk.client instanceof Client1
      ? sdk.client.callTool(params, undefined, patience)
      : sdk.client.callTool(params, patience));
    assert.deepEqual(result.content, [{ type: 'text', text: '2' }]);
    assert.ok(heard.length >= 2, JSON.stringify(heard));
    assert.match(heard[0]?.message ?? '', /^building, \d+ s$/);
    for (const [at, { progress }] of heard.entries())
      assert.ok(progress < 0 && (at === 0 || progress > heard[at - 1]!.progress), JSON.stringify(heard));
  });
}

test('what the server says after a wait, from 0 on, reaches the client, and progress has only grown', async (t) => {
  const body = `export const tools = { work: (_, progressToken) => {
    for (const progress of [0, 0.1, 1]) send({ method: 'notifications/progress', params: { progressToken, progress } });
    return generation;
  } };`;
  const proxy = await live(t, scripted(body), { options: ['--start-timeout', '60000'] });
  assert.equal(await proxy.call('work'), '1');
  const open = await proxy.saveHeld(script(`${body}\n`));
  const answer = proxy.request('tools/call', { name: 'work', _meta: { progressToken: 'p' } });
  const silent = proxy.request('tools/call', { name: 'work' });
  const why = await proxy.waitFor(
    ({ params }) => params?.progressToken === 'p' && params.progress > -0.9,
    'a later word',
  );
  assert.equal(why.message.params.message, 'starting generation 2');
  open();
  assert.equal((await answer).result.content[0].text, '2');
  assert.equal((await silent).result.content[0].text, '2');
  const values = proxy.messages
    .filter(({ message }) => message.params?.progressToken === 'p')
    .map(({ message }) => message.params.progress as number);
  assert.deepEqual(values.slice(-3), [0, 0.1, 1]);
  assert.deepEqual(
    values,
    values.toSorted((one, other) => one - other),
  );
  assert.equal(new Set(values).size, values.length);
});

test('a call that waits for its turn under --concurrency hears so', async (t) => {
  const body = `export const tools = { work: async (given) => { if (given.until) await appears(given.until); return 'done'; } };`;
  const proxy = await live(t, scripted(body), { options: ['--concurrency', '1'] });
  const { path, open } = proxy.gate();
  const first = await proxy.begin('work', { until: path });
  const second = proxy.request('tools/call', { name: 'work', arguments: {}, _meta: { progressToken: 7 } });
  const { message } = await proxy.waitFor(({ params }) => params?.progressToken === 7, 'progress');
  assert.equal(message.params.message, 'waiting for its turn (--concurrency 1)');
  open();
  await first.answer;
  assert.equal((await second).result.content[0].text, 'done');
});
