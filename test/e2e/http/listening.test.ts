// Where the proxy listens, as processes: ports that are named, taken or any, addresses, what is refused at the start
// and in which words, and who is told of the URL.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { cleanup } from '../../support/cleanup.js';
import { project, startProxy } from '../../support/harness.js';
import { entry, script } from '../modern/modern.js';
import { initialize, legacySession, send } from './raw.js';
import { served } from './served.js';

const files = { 'server.mjs': entry, 'src/script.mjs': script(`export const tools = { which: () => 'here' };`) };

/** Listens there for as long as the test runs; resolves with the port, also if somebody else has it already. */
async function occupy(t: TestContext, port: number, address = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(port, address);
  cleanup(t, () => void server.close());
  const taken = once(server, 'error').then(() => port);
  return Promise.race([once(server, 'listening').then(() => (server.address() as AddressInfo).port), taken]);
}

function run(t: TestContext, words: readonly string[], serve = true) {
  const { directory } = project(t, files);
  return startProxy(t, { serve, options: words, cwd: directory, command: [process.execPath, 'server.mjs'] });
}

for (const [words, expected] of [
  [['--port', '70000'], '--port: 70000 is not allowed, expected a whole number from 0 to 65535'],
  [
    ['--host', '0.0.0.0'],
    '--host: "0.0.0.0" can be reached from other machines, so clients must need a token: add --token auto, or --token with 16 characters or more',
  ],
  [
    ['--share', '--no-reload'],
    '--share: nothing is shared with --no-reload (MCP_HOT_RELOAD=false): leave one of the two out',
  ],
  [
    ['--token', 'abc'],
    '--token: a value of 3 characters is not allowed, expected auto, or 16 to 1024 characters of ASCII without spaces',
  ],
  [['--http', '80'], '--http: serve listens on HTTP anyway; name the port with --port'],
] as const)
  test(`serve ${words.join(' ')} is an error that says what is right`, async (t) => {
    const proxy = run(t, words);
    assert.equal((await proxy.finished()).code, 1);
    assert.equal(proxy.stderr(), `mcp-hotline: ${expected}\n`);
  });

test('serve on a port that is named and taken exits with 1 and names it, and its server is gone', async (t) => {
  const port = await occupy(t, 0);
  const proxy = run(t, ['--port', String(port)]);
  assert.equal((await proxy.finished()).code, 1);
  assert.match(
    proxy.stderr(),
    new RegExp(
      `can't listen on port ${port} of 127\\.0\\.0\\.1: another program listens there\\. Name another port with --port`,
    ),
  );
});

test('a port of which somebody has the other loopback address is taken: localhost may be either', async (t) => {
  const port = await occupy(t, 0, '::1');
  const proxy = run(t, ['--port', String(port)]);
  assert.equal((await proxy.finished()).code, 1);
  assert.match(proxy.stderr(), new RegExp(`can't listen on port ${port} .*another program listens there`));
  await occupy(t, 6280, '::1');
  const next = await run(t, []).waitForLog(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  assert.ok(Number(/:(\d+)\/mcp/.exec(next)![1]) > 6280, next);
});

test('--http on a port that is named and taken is a warning, and the client on stdio is served', async (t) => {
  const port = await occupy(t, 0);
  const proxy = run(t, ['--http', String(port)], false);
  const warning = await proxy.waitForLog('nothing is served over HTTP');
  assert.match(warning, new RegExp(`another program listens there \\(port ${port} of 127\\.0\\.0\\.1\\)`));
  await proxy.initialize();
  const { result } = await proxy.request('tools/call', { name: 'which', arguments: {} });
  assert.equal(result.content[0].text, 'here');
  proxy.end();
  assert.equal((await proxy.finished()).code, 0);
});

test('without a port it is 6280, or the next one that is free', async (t) => {
  await occupy(t, 6280);
  const proxies = [run(t, []), run(t, [])];
  const ports: number[] = [];
  for (const proxy of proxies) {
    const line = await proxy.waitForLog(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    ports.push(Number(/:(\d+)\/mcp/.exec(line)![1]));
  }
  for (const port of ports) assert.ok(port > 6280 && port <= 6380, String(port));
  assert.equal(new Set(ports).size, 2);
});

test('localhost is served under both of its addresses, and by its name', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const proxy = await served(t, files, { options: ['--host', host] });
    const { port, url } = await proxy.untilLogged('listening');
    assert.equal(url, `http://${host}:${port}/mcp`);
    for (const name of ['127.0.0.1', '[::1]', 'localhost'])
      assert.equal(await (await legacySession(`http://${name}:${port}/mcp`)).call('which'), 'here', name);
  }
});

test('an address of version 6 is a URL with brackets', async (t) => {
  const proxy = await served(t, files, { options: ['--host', '::1'] });
  assert.match(proxy.url, /^http:\/\/\[::1\]:\d+\/mcp$/);
  assert.equal(await (await legacySession(proxy.url)).call('which'), 'here');
});

test('P18 every address of the machine, with a token: the Host has to be one that is allowed', async (t) => {
  const token = '0123456789abcdef';
  const proxy = await served(t, files, { options: ['--host', '0.0.0.0', '--token', token] });
  assert.match(proxy.url, /^http:\/\/127\.0\.0\.1:/);
  const status = async (host: string, more = {}): Promise<number> =>
    (await send(proxy.url, { headers: { host, ...more }, body: initialize() })).status;
  const authorization = `Bearer ${token}`;
  assert.deepEqual(
    [
      await status('localhost'),
      await status('localhost', { authorization }),
      await status('0.0.0.0', { authorization }),
    ],
    [401, 200, 403],
  );
});

test('a command that does not exist ends serve with 127', async (t) => {
  const { directory } = project(t);
  const proxy = startProxy(t, { serve: true, options: ['--port', '0'], cwd: directory, command: ['no-such-command'] });
  assert.equal((await proxy.finished()).code, 127);
  assert.match(proxy.stderr(), /no-such-command/);
});

test('/health says how the servers are, needs no token, and names nothing', async (t) => {
  const proxy = await served(t, files, { options: ['--token', '0123456789abcdef'] });
  const url = proxy.url.replace('/mcp', '/health');
  const health = async (): Promise<unknown[]> => {
    const { status, text } = await send(url, { method: 'GET' });
    return [status, JSON.parse(text)];
  };
  assert.deepEqual(await health(), [200, { state: 'starting', generation: 1 }]);
  const session = await legacySession(proxy.url, { headers: { authorization: 'Bearer 0123456789abcdef' } });
  await session.call('which');
  assert.deepEqual(await health(), [200, { state: 'serving', generation: 1 }]);
  proxy.files.write('src/script.mjs', 'export const tools = {');
  await session.call('which');
  assert.deepEqual(await health(), [200, { state: 'failing', generation: 1 }]);
  assert.equal((await send(url, { method: 'POST', body: {} })).status, 405);
});

test('the end of stdin means nothing to serve', async (t) => {
  const proxy = await served(t, files);
  proxy.end();
  assert.equal(await (await legacySession(proxy.url)).call('which'), 'here');
  proxy.kill('SIGTERM');
  assert.equal((await proxy.finished()).code, 143);
});
