// What the proxy answers in a server's place has the form of the era: results with `resultType` and `_meta`, errors
// with a code outside of the ranges that are reserved. What the answers say is tested with the failures themselves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../support/message.js';
import { modern, SERVER_INFO, toolsChanged, withTools } from './modern.js';
import type { Modern } from './modern.js';

const broken = 'this is no JavaScript';
const serverInfo = { name: 'modern', version: '1.0.0' };

function isOwnError({ error }: Message): void {
  assert.equal(error?.code, -32603);
  assert.equal(typeof error.data, 'object');
  assert.match(error.message, /^The [^]*\.$/);
}

async function reportsFailure(proxy: Modern): Promise<void> {
  const { result } = await proxy.ask('tools/call', { name: 'which' });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text as string, /SyntaxError/);
  assert.equal(result.resultType, 'complete');
  assert.deepEqual(result['_meta'], { [SERVER_INFO]: serverInfo });
}

test('P16 P7 a broken edit is reported as a modern result, by a server that was discovered', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.ask('server/discover');
  assert.equal(await proxy.which(), '1');
  proxy.save(broken);
  await reportsFailure(proxy);
  assert.equal((await proxy.ask('tools/list')).result.tools.length, 1, 'everything else goes to the old server');
  proxy.save(withTools());
  assert.match(await proxy.which(), /^\d$/);
});

test('P16 P7 the same for a client that asked another process for what the server can do', async (t) => {
  const proxy = await modern(t, withTools());
  await proxy.open('listen:0', toolsChanged);
  proxy.save(broken);
  await reportsFailure(proxy);
});

test('P16 P7 with no server at all: a modern result for a call, an error that is allowed for the rest', async (t) => {
  const proxy = await modern(t, withTools(), { options: ['--strategy', 'replace'] });
  await proxy.ask('server/discover');
  assert.equal(await proxy.which(), '1');
  proxy.save(broken);
  await reportsFailure(proxy);
  for (const method of ['tools/list', 'resources/read', 'server/discover', 'ping', 'tasks/get'])
    isOwnError(await proxy.ask(method));
});

/** A failure of ours that a tool's caller is told. */
function isOwnResult({ result }: Message): void {
  assert.equal(result.isError, true);
  assert.match(result.content[0].text as string, /^The [^]*\.$/);
  assert.equal(result.resultType, 'complete');
}

test('P16 P8 a call that its server took with it is answered with a complete result', async (t) => {
  const proxy = await modern(t, withTools('die: () => process.exit(3)'));
  isOwnResult(await proxy.ask('tools/call', { name: 'die' }));
  assert.equal(await proxy.which(), '2');
});

test('P16 P8 what is safe is sent again, in the same bytes, to a server that knows the era', async (t) => {
  const dying = `export const methods = { 'tools/list': () => process.exit(3) };`;
  const proxy = await modern(t, `${withTools()}if (generation > 1) throw 0; ${dying}`);
  const asked = proxy.ask('tools/list', {}, { id: 'list' });
  await proxy.received(/"list"/, 1);
  proxy.save(withTools());
  assert.equal((await asked).result.tools[0].name, 'which');
  const [line] = proxy.forwarded(1);
  assert.deepEqual(proxy.journal().filter((entry) => entry.line === line).length, 2);
});

test('P16 P12.hold what has waited too long is answered, a call with a result, all else with an error that is allowed', async (t) => {
  const proxy = await modern(t, withTools(), { options: ['--hold', '300'] });
  assert.equal(await proxy.which(), '1');
  const open = await proxy.saveHeld(withTools());
  isOwnResult(await proxy.ask('tools/call', { name: 'which' }));
  await proxy.listen('l', toolsChanged);
  isOwnError(await proxy.response('l'));
  open();
  assert.equal(await proxy.which(), '2');
});

test('P16 a ping is left to the server: the modern era has none', async (t) => {
  const proxy = await modern(t, withTools());
  assert.equal(await proxy.which(), '1');
  const open = await proxy.saveHeld(withTools());
  const ping = proxy.ask('ping');
  open();
  assert.equal((await ping).error?.code, -32601);
});
