// Who is served over HTTP, at a real listener: `Host`, `Origin` and the token on every route and by every method, and
// the rest of what goes wrong with servers of this kind. Each decision by itself is guard.test.ts's.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { connect as connectSdk, servers } from '../modern/sdk.js';
import { entry, script } from '../modern/modern.js';
import { ask, initialize, legacySession, modernRequest, send, sseClient } from './raw.js';
import type { Answer, Sent } from './raw.js';
import { served } from './served.js';
import type { Served } from './served.js';
import { tools } from './through-edits.js';

const TOKEN = 'a-token-of-a-test-0123456789';
const files = {
  'server.mjs': entry,
  'src/script.mjs': script(`export const tools = {
    which: () => 'here',
    secret: () => 'the-payload-of-a-client',
    hold: () => never,
    env: ({ name }) => process.env[name] ?? 'unset',
  };`),
};

const routes = ['/mcp', '/sse', '/message?sessionId=x', '/health', '/', '/mcp/', '/%6dcp'];
const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'];

/** One answer for each route and method, by its status. A stream that is let in is not read to its end. */
async function everywhere(t: TestContext, url: string, headers: Sent['headers']): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const route of routes)
    for (const method of methods) {
      const isRead = route === '/sse' && method === 'GET';
      const sent = { method, target: route, headers: { accept: 'text/event-stream, application/json', ...headers } };
      const { stream, close } = ask(t, url, sent);
      found.set(`${method} ${route}`, (await stream).status);
      if (isRead) close();
    }
  return found;
}

function assertAll(found: Map<string, number>, expected: (method: string, route: string) => number | undefined): void {
  for (const [what, status] of found) {
    const [method = '', route = ''] = what.split(' ');
    const wanted = expected(method, route);
    if (wanted === undefined) assert.ok(status !== 401 && status !== 403, `${what}: ${status}`);
    else assert.equal(status, wanted, what);
  }
}

for (const [what, headers] of [
  ['a foreign Host', { host: 'evil.example' }],
  ['a foreign Host with our port', { host: 'evil.example:PORT' }],
  ['a Host that begins like ours', { host: '127.0.0.1.evil.example' }],
  ['the address of nobody as Host', { host: '0.0.0.0:PORT' }],
  ['a foreign Origin', { origin: 'https://evil.example' }],
  ['the Origin null', { origin: 'null' }],
  ['a foreign Origin of our port', { origin: 'http://evil.example:PORT' }],
  ['two Origins', { origin: ['http://localhost', 'https://evil.example'] }],
] as const)
  test(`P18 ${what} is refused on every route and by every method`, async (t) => {
    const proxy = await served(t, files, { options: ['--token', TOKEN] });
    const { port } = new URL(proxy.url);
    const filled = JSON.parse(JSON.stringify(headers).replaceAll('PORT', port)) as Sent['headers'];
    // A token is no help to a page that has got hold of one.
    assertAll(await everywhere(t, proxy.url, { ...filled, authorization: `Bearer ${TOKEN}` }), () => 403);
  });

describe('a token', () => {
  for (const [what, authorization] of [
    ['no token', undefined],
    ['a wrong one', 'Bearer a-token-of-a-test-012345678X'],
    ['the right one, twice', [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]],
    ['the right one, otherwise', `Basic ${TOKEN}`],
  ] as const)
    test(`P18 ${what}: 401 on every route and by every method but OPTIONS and /health`, async (t) => {
      const proxy = await served(t, files, { options: ['--token', TOKEN] });
      const found = await everywhere(t, proxy.url, { authorization: authorization as string | string[] | undefined });
      assertAll(found, (method, route) => (method === 'OPTIONS' || route === '/health' ? undefined : 401));
    });

  test('P18 the right one opens everything, in the address as little as in a cookie', async (t) => {
    const proxy = await served(t, files, { options: ['--token', TOKEN] });
    assertAll(await everywhere(t, proxy.url, { authorization: `Bearer ${TOKEN}` }), () => undefined);
    for (const sent of [
      { target: `/mcp?token=${TOKEN}` },
      { headers: { cookie: `token=${TOKEN}` } },
      { headers: { 'x-mcp-proxy-auth': TOKEN } },
    ])
      assert.equal((await send(proxy.url, { ...sent, body: initialize() })).status, 401);
    const refused = await send(proxy.url, { body: initialize() });
    assert.equal(refused.headers['www-authenticate'], 'Bearer');
    assert.match(refused.text, /Authorization: Bearer/);
  });

  test('P18 published clients send it, and servers never see it', async (t) => {
    const env = { MCP_HOTLINE_TOKEN: TOKEN };
    const proxy = await served(t, { 'server.mjs': servers.v2, 'src/tools.mjs': tools('one') }, { env });
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const [client, target] of [
      ['v1', { url: proxy.url }],
      ['v1', { url: proxy.sse, sse: true }],
      ['v2 auto', { url: proxy.url }],
    ] as const) {
      await assert.rejects(connectSdk(t, client, target), client);
      assert.equal(await (await connectSdk(t, client, { ...target, headers })).call('version'), 'one');
    }
    assert.ok(!proxy.stderr().includes(TOKEN));
    const other = await served(t, files, { env });
    const session = await legacySession(other.url, { headers });
    assert.equal(await session.call('env', { name: 'MCP_HOTLINE_TOKEN' }), 'unset');
  });

  test('P18 --token auto makes one, in a file of its owner alone, and no log ever has it', async (t) => {
    const options = ['--token', 'auto', '--state-dir', 'state'];
    const first = await served(t, files, { options });
    const { tokenFile } = await first.untilLogged('listening');
    assert.equal(tokenFile, first.files.path('state/http-token'));
    if (process.platform !== 'win32') assert.equal(statSync(tokenFile).mode & 0o777, 0o600);
    const token = readFileSync(tokenFile, 'utf8').trim();
    assert.match(token, /^[\w-]{43}$/);
    assert.equal((await send(first.url, { body: initialize() })).status, 401);
    const session = await legacySession(first.url, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(await session.call('which'), 'here');
    assertNowhere(first, [token]);
  });
});

describe('what goes wrong with servers of this kind', () => {
  test('P18 no command, path or option is ever taken from a request', async (t) => {
    const proxy = await served(t, files);
    const file = proxy.files.path('made');
    const command = encodeURIComponent(`touch ${file}`);
    const query = `command=${command}&args=${command}&transportType=stdio&env=%7B%7D&cwd=%2F&watch=%2F`;
    for (const route of ['/mcp', '/sse', '/message', '/stdio', '/config', '/health', '/api/mcp/connect', '/']) {
      for (const method of ['GET', 'POST']) {
        const body = { serverConfig: { command: 'touch', args: [file] }, command: 'touch', args: [file] };
        const { stream, close } = ask(t, proxy.url, { method, target: `${route}?${query}`, body });
        await stream;
        close();
      }
    }
    const session = await legacySession(proxy.url);
    assert.equal(await session.call('which'), 'here');
    assert.ok(!existsSync(file));
  });

  test('P18 a page from loopback may ask and read; no answer is for everybody', async (t) => {
    const proxy = await served(t, files, { options: ['--allowed-origin', 'https://dev.example.com'] });
    for (const origin of [
      'http://localhost:6274',
      'http://127.0.0.1',
      'http://[::1]:3000',
      'https://dev.example.com',
    ]) {
      const asked = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'Content-Type, Mcp-Param-City',
      };
      const preflight = await send(proxy.url, { method: 'OPTIONS', headers: { origin, ...asked } });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-headers'], 'content-type, mcp-param-city');
      const opened = await send(proxy.url, { headers: { origin }, body: initialize() });
      for (const { headers } of [preflight, opened]) {
        assert.equal(headers['access-control-allow-origin'], origin);
        assert.equal(headers.vary, 'Origin');
        assert.match(String(headers['access-control-expose-headers']), /Mcp-Session-Id/);
      }
    }
    for (const origin of ['https://dev.example.com.evil.example', 'http://dev.example.com', 'file://'])
      assert.equal((await send(proxy.url, { headers: { origin }, body: initialize() })).status, 403, origin);
    const { headers } = await send(proxy.url, { body: initialize() });
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  test('P18 --allowed-host lets in whoever asks by that name, and nobody else', async (t) => {
    const proxy = await served(t, files, { options: ['--allowed-host', 'dev.example.com'] });
    const status = async (host: string): Promise<number> =>
      (await send(proxy.url, { headers: { host }, body: initialize() })).status;
    for (const host of ['dev.example.com', 'DEV.example.com:1234', 'localhost', '127.0.0.1:1', '[::1]', '127.9.9.9'])
      assert.equal(await status(host), 200, host);
    for (const host of [
      'example.com',
      'dev.example.com.evil.example',
      'xdev.example.com',
      'dev.example.com.',
      'a@localhost',
    ])
      assert.equal(await status(host), 403, host);
  });

  test('P18 a target that names a host leads nowhere, whatever its Host header says', async (t) => {
    const proxy = await served(t, files);
    const answer = await send(proxy.url, { target: 'http://evil.example/mcp', body: initialize() });
    assert.equal(answer.status, 404);
  });

  test('P18 a request without Host, or with two, is refused', async (t) => {
    const proxy = await served(t, files);
    for (const head of ['GET /health HTTP/1.0', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example']) {
      const answer = await rawly(proxy.url, `${head}\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 (403|400) /, head);
    }
  });

  test('P18 what a page may send without a preflight is no message: 415', async (t) => {
    const proxy = await served(t, files);
    for (const type of [
      'text/plain',
      'text/plain; a=application/json',
      'application/x-www-form-urlencoded',
      undefined,
    ]) {
      const headers = { 'content-type': type };
      const { status, messages } = await send(proxy.url, { headers, body: initialize() });
      assert.deepEqual([status, messages[0]?.error?.code], [415, -32000], type);
    }
    const client = await sseClient(t, proxy.sse);
    const { status } = await send(client.endpoint, { headers: { 'content-type': 'text/plain' }, body: '{}' });
    assert.equal(status, 415);
  });

  test('P18 names that every object has are no sessions', async (t) => {
    const proxy = await served(t, files);
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      const { status } = await send(proxy.url, { headers: { 'mcp-session-id': name }, body });
      assert.equal(status, 404, name);
      const sse = await send(proxy.url, { target: `/message?sessionId=${name}`, body });
      assert.equal(sse.status, 404, name);
    }
  });

  test('P12 P18 a body that is too long, headers that are, and too many requests of one session', async (t) => {
    const proxy = await served(t, files, { options: ['--max-message', '1'] });
    const long = await send(proxy.url, { body: { ...initialize(), pad: 'x'.repeat(2 ** 20) } });
    assert.deepEqual([long.status, long.messages[0]?.error?.code], [413, -32700]);
    assert.match(long.text, /--max-message/);
    // A published client goes by fetch, which sees nothing of an answer if the connection ends while it sends.
    for (let each = 0; each < 3; each++) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: 'x'.repeat(20_000_000) };
      assert.equal((await fetch(proxy.url, init)).status, 413);
    }
    const chunked = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
    assert.match(await rawly(proxy.url, chunked + chunk.repeat(6)), /^HTTP\/1\.1 413 /);
    assert.match(
      await rawly(proxy.url, `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );

    const session = await legacySession(proxy.url);
    const calls = Array.from({ length: 256 }, () => session.begin(t, 'hold'));
    let answer: Answer | undefined;
    do answer = await session.post({ jsonrpc: '2.0', id: 'x', method: 'ping' });
    while (answer.status === 200);
    assert.deepEqual([answer.status, answer.messages[0]?.id], [429, 'x']);
    for (const { close } of calls) close();
    const other = await legacySession(proxy.url);
    assert.equal(await other.call('which'), 'here');
  });

  test('P18 session ids are random, and neither they nor payloads are in a log or a file', async (t) => {
    const proxy = await served(t, files, { options: ['--state-dir', 'state'] });
    const sessions = [await legacySession(proxy.url), await legacySession(proxy.url)];
    const sse = await sseClient(t, proxy.sse);
    const ids = [...sessions.map(({ id }) => id), new URL(sse.endpoint).searchParams.get('sessionId')!];
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
    assert.equal(new Set(ids).size, 3);
    for (const session of sessions) await session.call('secret');
    const stream = await sessions[0]!.listen(t);
    await send(proxy.url, modernRequest('tools/call', { name: 'secret' }));
    await sse.call('secret');
    await sessions[0]!.end();
    await stream.ended;
    // What failed may name more than what went well.
    await send(proxy.url, { method: 'GET', headers: { 'mcp-session-id': ids[0]!, accept: 'text/event-stream' } });
    sse.stream.close();
    await sessions[1]!.call('which');
    assertNowhere(proxy, [...ids, 'the-payload-of-a-client']);
  });
});

/** What the proxy has printed or written; the token's own file is left out. */
function assertNowhere({ stderr, files: project }: Served, secrets: readonly string[]): void {
  const state = project.path('state');
  const written = readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'http-token')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'));
  for (const secret of secrets)
    for (const text of [stderr(), ...written]) assert.ok(!text.includes(secret), `${secret} is in\n${text}`);
}

/** Sends this as it stands, and resolves with what comes until the other side closes or answers. */
async function rawly(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  for await (const chunk of socket) {
    socket.destroy();
    return String(chunk);
  }
  return '';
}
