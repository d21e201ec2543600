// --upstream against the other options, and what follows from it: the strategy, the server at its port, its state
// directory. Which URLs are allowed is for options.test.ts. Real files, no processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig, type CommandLineOptions, type Resolved } from '#src/config/config.js';
import { completeConfig } from '#src/config/discovery/complete.js';
import { atPort, serverName, takesFreePort } from '#src/config/upstream-option.js';
import { project } from '../support/project.js';

const FREE = 'http://127.0.0.1:{port}/mcp';
const FIXED = 'http://127.0.0.1:8000/mcp';
const server = { command: 'node', args: ['server.js'] };

function resolve(
  cwd: string,
  given: CommandLineOptions,
  { env = {}, isHttpOnly = false }: { env?: NodeJS.ProcessEnv; isHttpOnly?: boolean } = {},
): Resolved | string {
  const result = resolveConfig(given, { cwd, env: { XDG_STATE_HOME: '/state', ...env }, isHttpOnly });
  return result.ok ? result.value : result.error;
}

function resolved(...given: Parameters<typeof resolve>): Resolved {
  const result = resolve(...given);
  assert.ok(typeof result === 'object', JSON.stringify(result));
  return result;
}

test('a server with a free port overlaps, one with a fixed port is replaced', (t) => {
  const { directory } = project(t);
  const strategy = (given: CommandLineOptions) => resolved(directory, { ...server, ...given }).config.strategy;
  assert.equal(strategy({ upstream: FREE }), 'overlap');
  assert.equal(strategy({ upstream: FIXED }), 'replace');
  assert.equal(strategy({ upstream: 'http://localhost/mcp' }), 'replace');
  assert.equal(strategy({ upstream: FREE, strategy: 'replace' }), 'replace');
  assert.equal(strategy({ upstream: FREE, args: ['--inspect', 'server.js'] }), 'replace');
});

test('a fixed port comes with the words that say what a free one would bring, unless it is meant', (t) => {
  const { directory } = project(t);
  const { directory: configured } = project(t, {
    'mcp-hotline.config.json': JSON.stringify({ upstream: FIXED, command: 'node', args: ['server.js'] }),
  });
  const notes = (given: CommandLineOptions) => resolved(directory, { ...server, ...given }).warnings;
  const [note = '', ...others] = notes({ upstream: FIXED });
  assert.deepEqual(others, []);
  assert.match(note, /^the server's port is fixed, so at an edit the old server is stopped before the new one starts/);
  assert.match(note, /With --upstream http:\/\/127\.0\.0\.1:\{port\}\/mcp every start gets a free port/);
  assert.deepEqual(resolved(configured, {}).warnings, [note]);
  assert.deepEqual(notes({ upstream: FIXED, strategy: 'replace' }), []);
  assert.deepEqual(notes({ upstream: FIXED, reload: false }), []);
  assert.deepEqual(notes({ upstream: FREE }), []);
  assert.deepEqual(resolved(directory, { upstream: FIXED }).warnings, []);
  assert.match(
    notes({ upstream: 'http://[::1]/mcp?a=b:1' })[0] ?? '',
    /--upstream http:\/\/\[::1\]:\{port\}\/mcp\?a=b:1 /,
  );
});

test('what can not be meant is an error that says what to write, wherever it comes from', (t) => {
  const { directory } = project(t);
  const { directory: configured } = project(t, {
    'mcp-hotline.config.json': `{\n  "upstream": "${FIXED}",\n  "strategy": "overlap"\n}`,
  });
  const { directory: ruled } = project(t, {
    'mcp-hotline.config.json': JSON.stringify({ rules: [{ watch: ['src'] }] }),
  });
  const overlap = `overlap starts the new server beside the old one, which can't be on one port: write ${FREE} for a free port at each start, or leave --strategy out`;
  const other = 'without a command, --upstream is a server that somebody else starts';
  const cases: [expected: string, given: CommandLineOptions, at?: string, env?: NodeJS.ProcessEnv][] = [
    [`--strategy: ${overlap}`, { ...server, upstream: FIXED, strategy: 'overlap' }],
    [`mcp-hotline.config.json:3:3: strategy: ${overlap}`, server, configured],
    [`strategy: ${overlap}`, { ...server, upstream: FIXED }, directory, { MCP_HOTLINE_STRATEGY: 'overlap' }],
    [
      `--upstream: "${FIXED}" names a port, but the arguments have {port}: write ${FREE} for a free port at each start`,
      { command: 'uvicorn', args: ['app:app', '--port={port}'], upstream: FIXED },
    ],
    [
      '--upstream: "http://localhost:65536/mcp" is no URL: its port is 65535 at most',
      { ...server, upstream: 'http://localhost:65536/mcp' },
    ],
    [
      `--upstream: "${FREE}" has a free port, but nobody would tell the server which: ${other}. Name its port, or the command that starts it: --upstream ${FREE} -- <command> [args…]`,
      { upstream: FREE },
    ],
    [
      `--watch: there is nothing to watch: ${other}. Name the command after --, or leave this out`,
      { upstream: FIXED, watch: ['src'] },
    ],
    [
      `--also-watch: there is nothing to watch: ${other}. Name the command after --, or leave this out`,
      { upstream: FIXED, alsoWatch: ['src'] },
    ],
    [
      `--build: there is nothing to build: ${other}. Name the command after --, or leave this out`,
      { upstream: FIXED, build: true },
    ],
    [
      `--strategy: there is nothing to restart: ${other}. Name the command after --, or leave this out`,
      { upstream: FIXED, strategy: 'replace' },
    ],
    [`upstream: the rules of the configuration file can't apply: ${other}`, {}, ruled, { MCP_HOTLINE_UPSTREAM: FIXED }],
    [
      `--upstream: "http://localhost:8000/mcp" is where mcp-hotline itself is to listen; the server needs a port of its own, as in http://localhost:{port}/mcp`,
      { ...server, upstream: 'http://localhost:8000/mcp', http: 8000 },
    ],
    ['no server command, expected mcp-hotline [options] -- <command> [args…]', {}],
  ];
  for (const [expected, given, cwd = directory, env = {}] of cases)
    assert.equal(resolve(cwd, given, { env }), expected);
});

test('the port that the proxy is to listen on is no port for a server', (t) => {
  const { directory } = project(t);
  const isRefused = (upstream: string, given: CommandLineOptions, isHttpOnly = true) =>
    typeof resolve(directory, { ...server, upstream, ...given }, { isHttpOnly }) === 'string';
  assert.ok(isRefused('http://127.0.0.1:6280/mcp', {}));
  assert.ok(isRefused('http://localhost:80/mcp', { http: 80 }));
  assert.ok(isRefused('http://localhost/mcp', { http: 80 }));
  assert.ok(isRefused('http://[::1]:9000/mcp', { http: 9000 }));
  assert.ok(isRefused('http://10.0.0.5:9000/mcp', { http: 9000, host: '10.0.0.5', token: 'auto' }));
  assert.ok(isRefused('http://127.0.0.1:9000/mcp', { http: 9000, host: '0.0.0.0', token: 'auto' }));
  assert.ok(!isRefused('http://127.0.0.1:6280/mcp', {}, false));
  assert.ok(!isRefused('http://127.0.0.1:6281/mcp', {}));
  assert.ok(!isRefused('http://mcp.example.com:9000/mcp', { http: 9000 }));
  assert.ok(!isRefused('http://10.0.0.5:9000/mcp', { http: 9000 }));
  assert.ok(!isRefused(FREE, { http: 8000 }));
});

test('without a command nothing is found, watched or built, and each server has a state of its own', async (t) => {
  const { directory } = project(t, { 'package.json': '{ "scripts": { "build": "tsc" } }', 'server.js': '' });
  const completed = await completeConfig(resolved(directory, { upstream: FIXED }));
  assert.deepEqual([completed.config.command, completed.config.args, completed.config.rules], ['', [], []]);
  assert.deepEqual([completed.found, completed.warnings], [undefined, []]);
  const other = resolved(directory, { upstream: 'http://127.0.0.1:9000/mcp' });
  assert.notEqual(other.config.stateDir, completed.config.stateDir);
  assert.equal(serverName(completed.config), FIXED);
  assert.equal(serverName({ command: '', upstream: `${FIXED}?key=secret` }), FIXED);
  assert.equal(serverName({ command: '/usr/bin/node', upstream: FIXED }), 'node');
});

test('the port of a start is in the URL, in the arguments and in the environment, and nowhere else', () => {
  const env = { PATH: '/bin', PORT: '80', NOTE: '{port}' };
  const config = {
    upstream: FREE,
    command: 'serve{port}',
    args: ['{port}', '--listen=127.0.0.1:{port}/{port}', '{PORT}'],
    cwd: '/',
    env,
  };
  assert.ok(takesFreePort(config));
  assert.deepEqual(atPort(config, 4711, 'linux'), {
    url: 'http://127.0.0.1:4711/mcp',
    command: 'serve{port}',
    args: ['4711', '--listen=127.0.0.1:4711/4711', '{PORT}'],
    cwd: '/',
    env: { ...env, PORT: '4711' },
  });
  assert.deepEqual(atPort({ ...config, env: { Port: '80' } }, 4711, 'win32').env, { PORT: '4711' });
  const fixed = { ...config, upstream: FIXED, args: ['server.js'] };
  assert.ok(!takesFreePort(fixed));
  assert.deepEqual(atPort(fixed, undefined), {
    url: FIXED,
    command: 'serve{port}',
    args: ['server.js'],
    cwd: '/',
    env,
  });
});
