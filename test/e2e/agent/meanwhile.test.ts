// What the agent's own tools say while old code serves though a reload is under way, and of restarts whose server has
// not come up: through the bin. What they say while a failure merely stands is for failing.test.ts.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/until.js';
import { script, scripted } from '../../support/reloadable.js';
import { agent, now, type Agent } from './agent.js';

const plain = (value: string): string => script(`export const tools = { add: () => '${value}' };`);

/** The build notes itself down, waits while there is a file `hold-build`, and fails on a source that says `wrong`. */
const files = {
  ...scripted(''),
  'src/script.mjs': plain('old'),
  'build.mjs': `
    import { appendFileSync, existsSync, readFileSync } from 'node:fs';
    const isWrong = readFileSync('src/script.mjs', 'utf8').includes('wrong');
    appendFileSync('builds.txt', '.');
    while (existsSync('hold-build')) await new Promise((resolve) => setTimeout(resolve, 5));
    if (isWrong) throw new Error('this is wrong');`,
};
const build = ['--build', 'node build.mjs'];

const begun = ({ files: { path } }: Agent): number =>
  existsSync(path('builds.txt')) ? readFileSync(path('builds.txt'), 'utf8').length : 0;

async function answers(proxy: Agent, since_timestamp: string) {
  const listed = await proxy.tool('list_server_tools');
  const verified = await proxy.tool('verify_server_restarted', { since_timestamp });
  const status = await proxy.tool('server_status');
  return { listed, verified, status };
}

test('P7 --on-failure serve: while what failed is tried again, every answer says that old code serves', async (t) => {
  const proxy = await agent(t, files, { options: [...build, '--on-failure', 'serve'] });
  await proxy.toolNames();
  const since = now();
  proxy.save(plain('wrong'));
  assert.equal(await proxy.call('add'), 'old');
  const before = begun(proxy);
  proxy.files.write('hold-build', '');
  while (begun(proxy) === before) {
    assert.equal(await proxy.call('add'), 'old');
    await delay(50);
  }
  const { listed, verified, status } = await answers(proxy, since);
  assert.equal(await proxy.call('add'), 'old');
  assert.match(listed.text, /^This is the list of generation 1, the old code.*this is wrong.*executed by old code/s);
  assert.match(verified.text, /^No: .*But a failure stands.*this is wrong.*executed by old code/s);
  assert.match(status.text, /this is wrong.*executed by old code.*tried again at this moment/s);
  for (const { text, facts } of [listed, verified, status]) {
    assert.doesNotMatch(text, /Calls are held|by the new code/);
    assert.equal(facts.failure.kind, 'build');
  }
  assert.equal(status.facts.state, 'reloading');
  proxy.files.remove('hold-build');
  proxy.save(plain('new'));
  assert.equal(await proxy.call('add'), 'new');
  assert.doesNotMatch((await proxy.tool('list_server_tools')).text, /old code/);
});

test('P4 --while-reloading serve: during a reload every answer says that the generation before serves', async (t) => {
  const proxy = await agent(t, files, { options: [...build, '--while-reloading', 'serve'] });
  await proxy.toolNames();
  const since = now();
  const before = begun(proxy);
  proxy.files.write('hold-build', '');
  proxy.save(plain('new'));
  await until(() => begun(proxy) > before, 'a build', proxy);
  const { listed, verified, status } = await answers(proxy, since);
  assert.equal(await proxy.call('add'), 'old');
  assert.match(listed.text, /^This is the list of generation 1, from before the reload that is under way/);
  assert.match(verified.text, /^No: .*a reload is under way.*executed by generation 1/i);
  assert.match(status.text, /is being reloaded.*executed by generation 1, the one from before.*wait: true/);
  assert.equal(status.facts.state, 'reloading');
  for (const { text } of [listed, verified, status]) assert.doesNotMatch(text, /Calls are held|by the new code/);
  proxy.files.remove('hold-build');
  assert.match((await proxy.tool('server_status', { wait: true })).text, /is serving, generation 2/);
  assert.equal(await proxy.call('add'), 'new');
});

test('P7 replace: a restart is verified once its server serves, and not while none has come up', async (t) => {
  const proxy = await agent(t, files, { options: ['--strategy', 'replace'] });
  await proxy.toolNames();
  const since_timestamp = now();
  const verify = () => proxy.tool('verify_server_restarted', { since_timestamp });
  proxy.save(script('throw new Error("no key");'));
  assert.match((await proxy.tool('add')).text, /no key/);
  const failed = await verify();
  assert.match(failed.text, /^No: a restart was begun at .*\(src\/script\.mjs\), but no new server has come up since/);
  assert.match(failed.text, /a failure stands.*no key/s);
  assert.equal(failed.facts.restarted, false);
  proxy.save(plain('new'));
  assert.equal(await proxy.call('add'), 'new');
  const { text, facts } = await verify();
  assert.match(text, /^Yes: /);
  const { generation } = (await proxy.tool('server_status')).facts;
  assert.deepEqual([facts.restarted, facts.generation], [true, generation]);
});

test('P7 a server that can not run twice: the restart on record is that of the generation which serves', async (t) => {
  const alone = (value: string): string =>
    script(`
      import { existsSync, rmSync, writeFileSync } from 'node:fs';
      if (existsSync('lock')) throw new Error('database is locked');
      writeFileSync('lock', '');
      process.on('exit', () => rmSync('lock'));
      export const tools = { add: () => '${value}' };`);
  const proxy = await agent(t, { ...files, 'src/script.mjs': alone('one') });
  const since_timestamp = now();
  proxy.save(alone('two'));
  assert.equal(await proxy.call('add'), 'two');
  const { generation } = (await proxy.tool('server_status')).facts;
  const { facts } = await proxy.tool('verify_server_restarted', { since_timestamp });
  assert.deepEqual([facts.restarted, facts.generation], [true, generation]);
  assert.equal(proxy.restartMarker().generation, generation);
});
