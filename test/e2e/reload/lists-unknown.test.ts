// P9 where a list can't be had, or changes while it is asked for: it counts as changed, a warning says why, and no
// reload fails for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../../support/reload-project.js';
import { script, scripted } from '../../support/reloadable.js';

const tools = 'export const tools = { which: () => generation };';
const told = (...kinds: string[]) => kinds.map((kind) => `notifications/${kind}/list_changed`);

test('P9 a list that errors, hangs, never ends or is none counts as changed, with a warning each, and fails no reload', async (t) => {
  const proxy = await live(t, scripted(tools));
  // Before that, the session may not be open, and nothing is news to a client that has asked for nothing.
  assert.equal(await proxy.call('which'), '1');
  proxy.save(
    script(`let pages = 0;
    export const methods = {
      'tools/list': () => { throw new Error('out of tools'); },
      'prompts/list': () => never,
      'resources/list': () => ({ resources: 'many' }),
      'resources/templates/list': () => ({ resourceTemplates: [], nextCursor: String(++pages) }),
    }; ${tools}`),
  );
  assert.equal(await proxy.call('which'), '2');
  assert.deepEqual(proxy.notifications(), told('tools', 'prompts', 'resources'));
  await proxy.reloaded(2);
  for (const why of [
    /list of tools is unknown: tools\/list failed: out of tools/,
    /list of prompts is unknown: prompts\/list took more than 5000 ms/,
    /list of resources is unknown: resources\/list gave no list/,
    /list of resourceTemplates is unknown: resources\/templates\/list has more than 100 pages/,
  ])
    await proxy.waitForLog(why);
});

test('P9 a list that the old server can’t give counts as changed; one that the client has is compared all the same', async (t) => {
  const broken = `export const methods = {
    'tools/list': () => ({ tools: [{ name: 'which' }] }),
    'prompts/list': () => { throw new Error('out of prompts'); },
  }; ${tools}`;
  const proxy = await live(t, scripted(broken));
  await proxy.request('tools/list');
  proxy.save(script(`export const methods = { 'tools/list': () => ({ tools: [{ name: 'which' }] }) }; ${tools}`));
  assert.equal(await proxy.call('which'), '2');
  assert.deepEqual(proxy.notifications(), told('prompts'));
  await proxy.waitForLog(/list of prompts is unknown.*out of prompts/);
});

test('P9 a server with resources and no method for templates: no reload tells of resources', async (t) => {
  const listing = (version: number) => `export const methods = {
    'resources/list': () => ({ resources: [{ uri: 'a:b', name: 'b' }] }),
    'resources/templates/list': () => send({ id: last, error: { code: -32601, message: 'Method not found' } }),
  };
  let last;
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n'))
      if (line.includes('resources/templates/list')) last = JSON.parse(line).id;
  });
  export const tools = { which: () => '${version}' };`;
  const proxy = await live(t, scripted(listing(1)));
  for (const version of [2, 3]) {
    proxy.save(script(listing(version)));
    assert.equal(await proxy.call('which'), String(version));
  }
  assert.deepEqual(proxy.notifications(), []);
});

test('P9 a list that the new server changes between being asked for it and serving is told', async (t) => {
  const listing = (more: string) => `export const tools = { which: () => generation };
    let told;
    const said = new Promise((resolve) => (told = resolve));
    const all = [{ name: 'which' }];
    export const methods = { 'tools/list': () => ({ tools: [...all] }), ${more} };`;
  const proxy = await live(t, scripted(listing('')));
  await proxy.request('tools/list');
  proxy.save(
    script(
      listing(`'tools/list': () => {
        if (all.length === 1)
          setTimeout(() => { all.push({ name: 'late' }); send({ method: 'notifications/tools/list_changed' }); told(); }, 20);
        return { tools: [...all] };
      },
      'prompts/list': async () => { await said; return { prompts: [] }; },`),
    ),
  );
  assert.equal(await proxy.call('which'), '2');
  assert.deepEqual(proxy.notifications(), told('tools'));
  assert.equal((await proxy.request('tools/list')).result.tools.length, 2);
});
