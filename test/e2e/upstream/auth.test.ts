// A server that speaks HTTP itself and wants to know who its clients are: by `serve` they are asked by it and tell it
// themselves, unchanged and unseen; a client on stdio, which can't, is told what can be done.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { fixture } from '../../support/harness.js';
import { behind, unusedPort } from '../../support/upstream-project.js';
import { initialize, legacySession, modernRequest, send, type Answer } from '../http/raw.js';
import { served, type Served } from '../http/served.js';

const SECRET = 'a-secret-of-a-test-9876543210';
const knows = { authorization: `Bearer ${SECRET}` };
const CHALLENGE = 'Bearer resource_metadata="/.well-known/oauth-protected-resource"';

/** `serve` in front of a server that wants a token. */
function guarded(t: TestContext, command = fixture('http-rude', 'unauthorized', SECRET)): Promise<Served> {
  const files = { 'src/behaviour.json': JSON.stringify({ answer: 'one' }) };
  return served(t, files, { command, options: ['--upstream', 'http://127.0.0.1:{port}/mcp'] });
}

function assertChallenge({ status, headers, text }: Answer): void {
  assert.equal(status, 401, text);
  assert.equal(headers['www-authenticate'], CHALLENGE);
  assert.equal(headers['mcp-session-id'], undefined, 'there is no session');
  assert.equal(text, '');
}

test('P2 P18 a 401 and what stands under /.well-known come unchanged, and Authorization goes on and is never logged', async (t) => {
  const proxy = await guarded(t);
  assertChallenge(await send(proxy.url, { body: initialize() }));
  assertChallenge(await send(proxy.url, { headers: { authorization: 'Bearer other' }, body: initialize() }));
  const asked = new URL('/.well-known/oauth-protected-resource/mcp?x=1', proxy.url).href;
  const described = await send(asked, { method: 'GET' });
  assert.deepEqual([described.status, described.text], [200, '{"resource":"http://example.com/mcp"}']);
  assert.equal((await send(asked, { method: 'DELETE' })).status, 405);
  const session = await legacySession(proxy.url, { headers: knows });
  assert.equal(await session.call('answer'), 'one');
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'answer', arguments: {} } };
  const { authorization: _, ...nobody } = session.headers;
  assertChallenge(await send(proxy.url, { headers: nobody, body: call }));
  assert.equal(await session.call('answer'), 'one');
  assert.ok(!proxy.stderr().includes(SECRET), proxy.transcript());
});

test('P16 P18 a modern client is challenged too, before anybody knows which era the server speaks', async (t) => {
  const proxy = await guarded(t);
  assertChallenge(await send(proxy.url, modernRequest('tools/list')));
  // The server speaks the legacy era alone, as it says to a client that it lets in.
  const { headers, body } = modernRequest('tools/list');
  const refused = await send(proxy.url, { headers: { ...headers, ...knows }, body: body! });
  assert.equal(refused.status, 400, refused.text);
  assert.equal(await (await legacySession(proxy.url, { headers: knows })).call('answer'), 'one');
});

test('P4 an edited server that lets in nobody who was known counts as started: the client says anew who it is', async (t) => {
  const [node = '', file = ''] = fixture('http-rude');
  const source = `process.argv[3] = JSON.parse(require('node:fs').readFileSync('src/behaviour.json', 'utf8')).secret; import(${JSON.stringify(file)});`;
  const proxy = await served(
    t,
    { 'src/behaviour.json': JSON.stringify({ answer: 'one', secret: 'first' }) },
    {
      command: [node, '-e', source, '--', '', 'unauthorized', ''],
      options: ['--upstream', 'http://127.0.0.1:{port}/mcp'],
    },
  );
  const session = await legacySession(proxy.url, { headers: { authorization: 'Bearer first' } });
  assert.equal(await session.call('answer'), 'one');
  // What its lists are is unknown, so the client is told that they may have changed, by this stream.
  await session.listen(t);
  proxy.files.write('src/behaviour.json', JSON.stringify({ answer: 'two', secret: 'second' }));
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'answer', arguments: {} } };
  const refused = await session.post(call);
  assert.equal(refused.status, 401, refused.text);
  const { messages } = await send(proxy.url, {
    headers: { ...session.headers, authorization: 'Bearer second' },
    body: call,
  });
  assert.equal(messages[0]!.result.content[0].text, 'two');
});

test('P18 a token of ours is not for the server, and nothing is asked of a server that speaks no HTTP', async (t) => {
  const proxy = await served(
    t,
    { 'src/behaviour.json': JSON.stringify({ answer: 'one' }) },
    {
      command: fixture('http-rude', 'unauthorized', SECRET),
      options: ['--upstream', 'http://127.0.0.1:{port}/mcp', '--token', SECRET],
    },
  );
  const asked = new URL('/.well-known/oauth-protected-resource', proxy.url).href;
  assert.equal((await send(asked, { method: 'GET' })).status, 401);
  assert.equal((await send(asked, { method: 'GET', headers: knows })).status, 200);
  assertChallenge(await send(proxy.url, { headers: knows, body: initialize() }));
});

test('P7 a 401 behind a client on stdio is an error that says how the client could be let in', async (t) => {
  const server = await behind(t, 'v1 stateful', {
    command: fixture('http-rude', 'unauthorized', SECRET),
    isUnopened: true,
  });
  const { error } = await server.request('initialize', initialize().params);
  assert.match(String(error?.message), /HTTP 401\. .*mcp-hotline serve.* passed on to the server/);
});

test('P18 nothing is sent to another origin than the one that was named', async (t) => {
  let reached = 0;
  const stranger = createServer((_, response) => {
    reached++;
    response.end();
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  cleanup(t, () => stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const proxy = await guarded(t, fixture('http-rude', 'redirects', String(port)));
  const refused = await send(proxy.url, { headers: knows, body: initialize() });
  assert.match(refused.text, new RegExp(`HTTP 307 points to http://127.0.0.1:${port}, where nothing is sent`));
  assert.equal(reached, 0);
});

test('the server is asked under its own name and port, whatever Host the client had', async (t) => {
  const port = await unusedPort();
  const server = `require('node:http').createServer((request, response) => response.end(JSON.stringify({ host: request.headers.host, to: request.headers['x-other'] ?? null }))).listen(${port}, '127.0.0.1')`;
  const proxy = await served(
    t,
    { 'src/behaviour.json': '{}' },
    { command: [process.execPath, '-e', server], options: ['--upstream', `http://127.0.0.1:${port}/mcp`] },
  );
  const host = new URL(proxy.url).port;
  const asked = new URL('/.well-known/any', proxy.url).href;
  const headers = { host: `localhost:${host}`, connection: 'close, x-other', 'x-other': 'for one connection' };
  const { text } = await send(asked, { method: 'GET', headers });
  assert.deepEqual(JSON.parse(text), { host: `127.0.0.1:${port}`, to: null });
});
