// The agent's own tools while something is under way: which of them wait for a reload, progress while they do, how they
// are taken back, and that a call through call_server_tool is a call like any other. What they answer otherwise is for
// the tests beside this one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSaid } from '../../support/message.js';
import { script, scripted } from '../../support/reloadable.js';
import { agent, told } from './agent.js';

const plain = `export const tools = { add: () => generation };`;

test('during a reload the status without wait is told at once, the rest waits, and wait tells how it ends', async (t) => {
  const proxy = await agent(t, scripted(plain));
  await proxy.toolNames();
  const open = await proxy.saveHeld(script(plain.replace('add', 'sum')));
  const held = [
    proxy.tool('list_server_tools'),
    proxy.tool('call_server_tool', { name: 'sum' }),
    proxy.tool('verify_server_restarted', { since_timestamp: '2026-01-01T00:00:00Z' }),
    proxy.tool('server_status', { wait: true }),
  ];
  const status = await proxy.tool('server_status');
  assert.equal(status.facts.state, 'reloading');
  assert.match(status.text, /Calls are held.*or call this with wait: true/);
  const settled = await Promise.race([
    Promise.any(held).then(() => true),
    proxy.tool('server_status').then(() => false),
  ]);
  assert.equal(settled, false, 'none of them was answered');
  open();
  const [listed, called, verified, waited] = await Promise.all(held);
  assert.equal(listed?.facts.tools[0].name, 'sum');
  assert.equal(called?.text, '2');
  assert.equal(verified?.facts.generation, 2);
  assert.match(waited?.text ?? '', /is serving, generation 2.*nothing to wait for/);
  assert.deepEqual(waited?.facts.lastReload.changes, ['+ tool sum', '- tool add']);
});

test('who waits with a progress token hears that it is not forgotten, and wait is bounded by --hold', async (t) => {
  const proxy = await agent(t, scripted(plain), { options: ['--hold', '2500'] });
  const open = await proxy.saveHeld(script(`${plain}\n`));
  const params = { name: 'server_status', arguments: { wait: true }, _meta: { progressToken: 'p' } };
  const { result } = await proxy.request('tools/call', params);
  const { text, facts } = told(result);
  assert.equal(facts.state, 'reloading');
  assert.match(text, /still being reloaded.*just call the tool/);
  const progress = proxy.messages.filter(({ message }) => message.method === 'notifications/progress');
  assert.deepEqual(
    progress.map(({ message }) => [message.params.progressToken, message.params.progress]),
    [
      ['p', 1],
      ['p', 2],
    ],
  );
  open();
  await proxy.reloaded(2);
});

test('P15 wait is bounded by --hold through a failed start and the next one too, and progress only grows', async (t) => {
  const body = `
    import { existsSync } from 'node:fs';
    if (generation > 1) {
      while (!existsSync('go-' + generation)) await new Promise((resolve) => setTimeout(resolve, 5));
      process.exit(1);
    }
    export const tools = { die: () => process.exit(3) };`;
  const proxy = await agent(t, scripted(body), { options: ['--hold', '2500'] });
  await proxy.request('tools/call', { name: 'die', arguments: {} });
  const params = { name: 'server_status', arguments: { wait: true }, _meta: { progressToken: 'p' } };
  const waiting = proxy.request('tools/call', params);
  await proxy.waitFor(({ method }) => method === 'notifications/progress', 'the first progress');
  proxy.files.write('go-2', '');
  const { facts } = told((await waiting).result);
  assert.match(facts.state, /waiting|reloading/);
  const progress = proxy.messages.filter(({ message }) => message.method === 'notifications/progress');
  assert.deepEqual(
    progress.map(({ message }) => message.params.progress),
    [1, 2],
  );
});

test('a restart that takes longer than --hold says what to call next', async (t) => {
  const slow = `
    import { existsSync } from 'node:fs';
    if (generation > 1) while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
    ${plain}`;
  const proxy = await agent(t, scripted(slow), { options: ['--hold', '1000'] });
  const { text, facts, isError } = await proxy.tool('restart_server', { reason: 'a test' });
  assert.equal(isError, true);
  assert.deepEqual(facts, { restarted: false });
  assert.match(text, /still restarting after 1 s. Call server_status with wait: true/);
  const held = await proxy.request('tools/call', { name: 'add', arguments: {} });
  assert.match(failureSaid(held), /Send it again\. .*Call server_status with wait: true/);
  proxy.files.write('go', '');
  assert.match((await proxy.tool('server_status', { wait: true })).text, /is serving, generation 2/);
});

test('P1 a call that is taken back is not answered, and the restart goes on', async (t) => {
  const proxy = await agent(t, scripted(plain));
  const open = await proxy.saveHeld(script(`${plain}\n`));
  const ids = ['status', 'held', 'restart'];
  const ask = (id: string, name: string, given: object) =>
    proxy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });
  await ask('status', 'server_status', { wait: true });
  await ask('held', 'list_server_tools', {});
  await ask('restart', 'restart_server', { reason: 'a test' });
  for (const requestId of ids) await proxy.notify('notifications/cancelled', { requestId });
  open();
  assert.match((await proxy.tool('server_status', { wait: true })).text, /is serving/);
  assert.equal(proxy.messages.filter(({ message }) => ids.includes(String(message.id))).length, 0);
  assert.ok(!proxy.journal().some(({ line }) => line.includes('notifications/cancelled')), 'no server saw them');
});

test('P4 a call through call_server_tool is executed by what was saved before it', async (t) => {
  const proxy = await agent(t, scripted(`export const tools = { say: () => 'v0' };`));
  for (let version = 1; version <= 5; version++) {
    proxy.save(script(`export const tools = { say: () => 'v${version}' };`));
    assert.equal((await proxy.tool('call_server_tool', { name: 'say' })).text, `v${version}`);
  }
});

test('P8 a call through call_server_tool that may have run is not sent again, one that is harmless is', async (t) => {
  const body = `
    const item = (name, annotations) => ({ name, inputSchema: { type: 'object' }, annotations });
    export const methods = { 'tools/list': () => ({ tools: [item('effect', {}), item('look', { readOnlyHint: true })] }) };
    const once = () => (generation === 1 ? process.exit(1) : generation);
    export const tools = { effect: once, look: once };`;
  const first = await agent(t, scripted(body));
  const lost = await first.request('tools/call', { name: 'call_server_tool', arguments: { name: 'effect' } });
  assert.match(failureSaid(lost), /the tool "effect" was running.*may or may not.*Call server_status/s);
  const second = await agent(t, scripted(body));
  assert.equal((await second.tool('call_server_tool', { name: 'look' })).text, '2');
});

test('P2 arguments, progress and cancellation pass through call_server_tool as they were', async (t) => {
  const proxy = await agent(
    t,
    scripted(`export const tools = { echo: (_, token) => {
      send({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
      return 'done';
    }, hang: () => never };`),
  );
  const inner = `{"big":12345678901234567890,"f":1.0,"s":"\\u0041"}`;
  await proxy.send(
    `{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"call_server_tool","arguments":{"name":"echo","arguments":${inner}},"_meta":{"progressToken":7}}}`,
  );
  assert.equal((await proxy.response('e')).result.content[0].text, 'done');
  const { line } = proxy.journal().at(-1) ?? { line: '' };
  assert.equal(
    line,
    `{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"echo","arguments":${inner},"_meta":{"progressToken":7}}}`,
  );
  assert.ok(proxy.messages.some(({ message }) => message.params?.progressToken === 7));

  await proxy.begin('call_server_tool', { name: 'hang' });
  await proxy.notify('notifications/cancelled', { requestId: 'begun-1' });
  await proxy.received(/notifications\/cancelled.*begun-1/);
});

test('P15 while a server that crashes is waited for, wait tells how its next start ends', async (t) => {
  const proxy = await agent(t, scripted(`if (generation < 4) process.exit(1); ${plain}`));
  const first = await proxy.tool('server_status');
  assert.match(first.text, /No MCP server is running; it is started again after a pause.*with wait: true/s);
  let state = 'waiting';
  for (let asked = 0; asked < 4 && state === 'waiting'; asked++) {
    ({ state } = (await proxy.tool('server_status', { wait: true })).facts);
  }
  assert.equal(state, 'serving');
});
