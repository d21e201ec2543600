// The options of HTTP against each other, what the front is given of them, and that servers never see the token. What
// one value may be is for options.test.ts. Real files, no processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig, type CommandLineOptions, type Resolved } from '#src/config/config.js';
import { endpointUrl, httpOptions } from '#src/config/http-options.js';
import { isLoopback } from '#src/config/http-checks.js';
import { project } from '../support/project.js';

const server = { command: 'node', args: [] };
const TOKEN = '0123456789abcdef';

function resolve(
  cwd: string,
  given: CommandLineOptions,
  { env = {}, isHttpOnly = false }: { env?: NodeJS.ProcessEnv; isHttpOnly?: boolean } = {},
): Resolved | string {
  const result = resolveConfig({ ...server, ...given }, { cwd, env: { XDG_STATE_HOME: '/state', ...env }, isHttpOnly });
  return result.ok ? result.value : result.error;
}

function resolved(...given: Parameters<typeof resolve>): Resolved {
  const result = resolve(...given);
  assert.ok(typeof result === 'object', JSON.stringify(result));
  return result;
}

const NEEDS_TOKEN =
  '"0.0.0.0" can be reached from other machines, so clients must need a token: add --token auto, or --token with 16 characters or more';
const UNSHARED = 'nothing is shared with --no-reload (MCP_HOT_RELOAD=false): leave one of the two out';

test('an address that other machines can reach needs a token, whoever names it', (t) => {
  const { directory } = project(t, { 'mcp-hotline.config.json': '{\n  "host": "0.0.0.0"\n}' });
  const { directory: empty } = project(t);
  assert.equal(resolve(empty, { host: '0.0.0.0' }), `--host: ${NEEDS_TOKEN}`);
  assert.equal(resolve(empty, { http: 80, host: '0.0.0.0' }), `--host: ${NEEDS_TOKEN}`);
  assert.equal(resolve(empty, {}, { env: { MCP_HOTLINE_HOST: '0.0.0.0' } }), `host: ${NEEDS_TOKEN}`);
  assert.equal(resolve(directory, {}), `mcp-hotline.config.json:2:3: host: ${NEEDS_TOKEN}`);
  for (const token of ['auto', TOKEN]) assert.equal(resolved(directory, { token }).config.token, token);
  assert.equal(resolved(directory, {}, { env: { MCP_HOTLINE_TOKEN: TOKEN } }).config.token, TOKEN);
  assert.equal(resolved(directory, { host: '::1' }).config.host, '::1');
});

test('what counts as an address that only this machine can reach', () => {
  for (const host of ['127.0.0.1', '127.255.1.2', '::1', 'localhost', 'LocalHost']) assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', '127.0.0.256', '128.0.0.1', 'localhost.x'])
    assert.ok(!isLoopback(host), host);
});

test('nothing is shared without reloading, wherever the two come from', (t) => {
  const { directory } = project(t, { 'mcp-hotline.config.json': '{ "share": true }' });
  assert.equal(resolve(project(t).directory, { share: true, reload: false }), `--share: ${UNSHARED}`);
  assert.equal(resolve(directory, { reload: false }), `mcp-hotline.config.json:1:3: share: ${UNSHARED}`);
  assert.equal(
    resolve(directory, {}, { env: { MCP_HOT_RELOAD: 'false' } }),
    `mcp-hotline.config.json:1:3: share: ${UNSHARED}`,
  );
  assert.equal(resolved(directory, { share: false, reload: false }).config.share, false);
});

test('an option without effect is a warning if it was typed, and none if it is set for other starts too', (t) => {
  const { directory } = project(t, {
    'mcp-hotline.config.json': JSON.stringify({ token: TOKEN, allowedHost: ['a'], share: true }),
  });
  const { directory: empty } = project(t);
  const env = { MCP_HOTLINE_TOKEN: TOKEN, MCP_HOTLINE_MAX_SESSIONS: '2' };
  assert.deepEqual(resolved(directory, {}, { env }).warnings, []);
  const warned = (given: CommandLineOptions, isHttpOnly = false) => resolved(empty, given, { isHttpOnly }).warnings;
  const end = 'no effect without --http: nothing is served over HTTP';
  assert.deepEqual(warned({ token: TOKEN }), [`--token has ${end}`]);
  assert.deepEqual(warned({ host: '127.0.0.1', allowedHost: ['a'], allowedOrigin: ['http://a'], share: true }), [
    `--host, --allowed-host, --allowed-origin and --share have ${end}`,
  ]);
  assert.deepEqual(warned({ maxSessions: 1, sessionTimeout: 0 }), [`--max-sessions and --session-timeout have ${end}`]);
  assert.deepEqual(warned({ token: TOKEN, http: false }), [`--token has ${end}`]);
  assert.deepEqual(warned({ token: TOKEN, http: 0 }), []);
  assert.deepEqual(warned({ token: TOKEN, http: true }), []);
  assert.deepEqual(warned({ token: TOKEN }, true), []);
});

test('serve speaks HTTP whatever the options say, on the port that they name', (t) => {
  const { directory } = project(t, { 'mcp-hotline.config.json': '{ "http": 7000 }' });
  const { directory: empty } = project(t);
  const port = (cwd: string, given: CommandLineOptions, isHttpOnly: boolean) =>
    httpOptions(resolved(cwd, given, { isHttpOnly }), undefined).port;
  assert.equal(resolved(empty, {}).config.http, undefined);
  assert.equal(resolved(empty, { http: false }).config.http, undefined);
  assert.equal(resolved(empty, { http: true }).config.http, true);
  assert.equal(resolved(empty, { http: false }, { isHttpOnly: true }).config.http, true);
  assert.equal(port(empty, {}, true), undefined, 'the usual one, or the next free one');
  assert.equal(port(directory, {}, true), 7000);
  assert.equal(port(directory, { http: 0 }, true), 0);
  assert.equal(port(directory, { http: true }, false), undefined);
});

test('the front gets hosts and origins as headers have them, and the values in force at any time', (t) => {
  const { config } = resolved(project(t).directory, {
    http: true,
    host: '::1',
    allowedHost: ['Dev.Example.com', '[FD00::1]'],
    allowedOrigin: ['https://A.example.com:443', 'http://b:80', 'http://b:8080', 'http://[::1]:80', 'https://c:80'],
    sessionTimeout: 0,
  });
  const context = { config };
  const options = httpOptions(context, TOKEN);
  assert.deepEqual(
    { ...options },
    {
      port: undefined,
      host: '::1',
      token: TOKEN,
      allowedHosts: ['dev.example.com', '[fd00::1]'],
      allowedOrigins: ['https://a.example.com', 'http://b', 'http://b:8080', 'http://[::1]', 'https://c:80'],
      maxSessions: 64,
      sessionTimeout: 0,
    },
  );
  context.config = { ...config, maxSessions: 2, allowedHost: [] };
  assert.deepEqual([options.maxSessions, options.allowedHosts], [2, []]);
});

test('the URL is one that this machine can reach', () => {
  assert.equal(endpointUrl('127.0.0.1', 6280), 'http://127.0.0.1:6280/mcp');
  assert.equal(endpointUrl('::1', 1), 'http://[::1]:1/mcp');
  assert.equal(endpointUrl('0.0.0.0', 1), 'http://127.0.0.1:1/mcp');
  assert.equal(endpointUrl('::', 1), 'http://[::1]:1/mcp');
});

test('P18 servers do not get the token, from wherever it comes', (t) => {
  const { directory } = project(t, {
    '.env': `MCP_HOTLINE_TOKEN=${TOKEN}\nOTHER=1\n`,
    'mcp-hotline.config.json': JSON.stringify({ envFile: ['.env'], env: { MCP_HOTLINE_TOKEN: TOKEN, MORE: '2' } }),
  });
  const env = { MCP_HOTLINE_TOKEN: TOKEN, MCP_HOTLINE_HOLD: '5' };
  const { config } = resolved(directory, {}, { env });
  assert.equal(config.token, TOKEN);
  assert.deepEqual(config.env, { XDG_STATE_HOME: '/state', MCP_HOTLINE_HOLD: '5', OTHER: '1', MORE: '2' });
});
