// Clients that are careless with the envelope: what works with the server alone works through the proxy, reloads
// included. What is said of such lines, and which are answered, is tested in test/exchange/malformed.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live } from '../support/reload-project.js';
import { script, scripted } from '../support/reloadable.js';

const says = (version: string, more = '') =>
  `export const tools = { version: () => '${version}', die: () => process.exit(3) ${more} };`;

test('P1 P4 a request without "jsonrpc" is answered by the server, and by new code after a save', async (t) => {
  const proxy = await live(t, scripted(says('one')));
  for (const version of ['one', 'two']) {
    if (version === 'two') proxy.save(script(says(version)));
    await proxy.send(`{"id":"bare ${version}","method":"tools/call","params":{"name":"version"}}`);
    const { result } = await proxy.response(`bare ${version}`);
    assert.equal(result.content[0].text, version);
  }
  await proxy.waitForLog(/a line of \d+ bytes that has no member "jsonrpc"/);
});

test('P1 a request without "jsonrpc" that dies with its server is answered', async (t) => {
  const proxy = await live(t, scripted(says('one')));
  await proxy.send('{"id":"bare","method":"tools/call","params":{"name":"die"}}');
  const { result } = await proxy.response('bare');
  assert.ok(result.isError);
});

test('P9 a notification with the id null is one: the session is open, and the next server is told so too', async (t) => {
  const proxy = await live(t, scripted(says('one')), { initialize: false });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'careless', version: '1' } };
  await proxy.request('initialize', params);
  await proxy.send('{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}');
  await proxy.request('tools/list');
  proxy.save(script(says('two', ', more: () => 1')));
  await proxy.waitFor(({ method }) => method === 'notifications/tools/list_changed', 'the news of another tool');
  const told = proxy.told(2).map(({ method }) => method);
  assert.deepEqual(told.slice(0, 2), ['initialize', 'notifications/initialized']);
  await proxy.waitForLog(/has the id null/);
});

test('P15 a server that dies of a line that is no message: the log names it, with nothing of its content', async (t) => {
  const proxy = await live(t, scripted(says('one')));
  await proxy.send('a secret');
  const line = await proxy.waitForLog(/the server exited with code \d+, right after/);
  assert.match(line, /a line of the client's \(9 bytes\) that is not JSON/);
  assert.doesNotMatch(line, /secret/);
  assert.equal(await proxy.call('version'), 'one');
});
