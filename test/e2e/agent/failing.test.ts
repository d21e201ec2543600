// The agent's own tools while a failure stands, and after builds, through the bin. Every answer is checked against the
// published schemas (see agent.ts).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { script, scripted } from '../../support/reloadable.js';
import { agent, now } from './agent.js';

const plain = `export const tools = { add: () => 1 };`;

test('P7 while a failure stands, the list is called that of old code, and nothing claims that the next call runs new code', async (t) => {
  const proxy = await agent(t, scripted(plain));
  await proxy.toolNames();
  const since_timestamp = now();
  proxy.save(script('broken('));
  assert.match((await proxy.tool('add')).text, /SyntaxError/);
  const listed = await proxy.tool('list_server_tools');
  assert.match(listed.text, /^This is the list of generation 1, the old code.*SyntaxError.*nor by new code/s);
  assert.equal(listed.facts.failure.kind, 'start');
  assert.equal(listed.facts.tools[0].name, 'add');
  const verified = await proxy.tool('verify_server_restarted', { since_timestamp });
  assert.match(verified.text, /^No: .*But a failure stands.*SyntaxError.*nor by new code/s);
  assert.equal(verified.facts.failure.kind, 'start');
  proxy.save(script(plain.replace('1', '2')));
  assert.equal(await proxy.call('add'), '2');
  assert.doesNotMatch((await proxy.tool('list_server_tools')).text, /old code/);
});

test('P12 10,000 tools and a long stderr make no answer of more than 40,000 characters', async (t) => {
  const proxy = await agent(
    t,
    scripted(`
      for (let n = 0; n < 2000; n++) console.error('line ' + n + ' ' + '"'.repeat(50));
      const tools = Array.from({ length: 10000 }, (_, n) => ({ name: 'tool_' + n, inputSchema: { type: 'object' } }));
      export const methods = { 'tools/list': () => ({ tools }) };`),
  );
  await proxy.waitForLog('line 1999');
  for (const [name, given] of [
    ['list_server_tools', {}],
    ['server_status', { log: 1000 }],
  ] as const) {
    const { result } = await proxy.request('tools/call', { name, arguments: given });
    assert.ok(JSON.stringify(result).length <= 40_000, name);
    assert.ok(JSON.stringify(result).length > 5000, name);
  }
  const one = await proxy.tool('list_server_tools', { name: 'tool_9999' });
  assert.deepEqual(one.facts.tools, [{ name: 'tool_9999', inputSchema: { type: 'object' } }]);
});

test('P12 after an edit that added 10,000 tools, the last lines of stderr are whole in both forms', async (t) => {
  const many = (count: number): string => `
    const tools = Array.from({ length: ${count} }, (_, n) => ({ name: 'tool_' + n, inputSchema: { type: 'object' } }));
    export const methods = { 'tools/list': () => ({ tools }), 'tools/call': () => ({ content: [] }) };
    for (let n = 0; n < 400; n++) console.error(generation + ' line ' + n);`;
  const proxy = await agent(t, scripted(many(1)));
  await proxy.toolNames();
  proxy.save(script(many(10_000)));
  await proxy.request('tools/call', { name: 'tool_0', arguments: {} });
  await proxy.waitForLog('2 line 399');
  const { text, facts } = await proxy.tool('server_status', { log: 300 });
  const lines = Array.from({ length: 300 }, (_, n) => `2 line ${n + 100}`);
  assert.deepEqual(facts.log, lines);
  assert.ok(text.endsWith(`:\n${lines.join('\n')}`), text);
  const { changes, files, generation } = facts.lastReload;
  assert.deepEqual([changes[0], changes.at(-1)], ['+ tool tool_1', 'and 9979 more']);
  assert.deepEqual([files, generation], [['src/script.mjs'], 2]);
  const restarted = await proxy.tool('restart_server', { reason: 'a look' });
  assert.deepEqual(restarted.facts.changes, [], 'the same list as before');
});

test('the status names the last build, and gives tips while all is well', async (t) => {
  const proxy = await agent(t, scripted(plain), { options: ['--build', 'node -e 0'] });
  proxy.save(script(`${plain}\n`));
  assert.equal(await proxy.call('add'), '1');
  const { text, facts } = await proxy.tool('server_status');
  assert.match(text, /The last build was that of rule "default" at .*src\/script\.mjs.*went well/);
  assert.match(text, /list_server_tools.*the last reload, at .*src\/script\.mjs.*log: 50 gives the server's stderr/);
  const { at, ms, ...rest } = facts.lastBuild;
  assert.deepEqual(rest, { rule: 'default', files: ['src/script.mjs'], ok: true });
  assert.equal(typeof ms, 'number');
  assert.ok(Date.parse(at) > 0);
});
