// Servers as they should be pass a smoke run: in the eras that they speak, with calls, over a reload, and however the
// proxy learns of their command. That all fixture servers pass is for scripts/smoke.mjs to see.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  emptyDirectory,
  fixture,
  newMarker,
  processesLeft,
  processesOf,
  project,
  testEnvironment,
} from '../support/harness.js';
import { bin } from '../support/paths.js';
import { find, named, runBin, runSmoke } from './run-smoke.js';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const add = ['--call', 'add={"a":1,"b":2}', '--expect', '3'];

test('P16 a server of both eras is opened in both, and reloaded in both', async () => {
  const server = fixture('sdk-v2');
  const report = await runSmoke(['--reload', '--watch', server[1] ?? '', ...add], server);
  assert.deepEqual(named(report, 'failed'), [], JSON.stringify(report, undefined, 2));
  for (const [era, version] of [
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
  ] as const) {
    assert.equal(find(report, era, 'handshake').detail, `sdk-v2 1.0.0, ${version}`);
    assert.equal(find(report, era, 'call add').detail, '3');
    const reloaded = `${era}, over a reload`;
    assert.match(find(report, reloaded, 'reload').detail, /^generation 2 in \d+ ms$/);
    for (const name of ['lists', 'call add', 'reloads', 'exit', 'stdout', 'answers']) {
      assert.equal(find(report, reloaded, name).status, 'ok', name);
    }
  }
  assert.equal(report.exitCode, 0);
});

test('a published server passes, with all its lists and schemas, and is legacy only', async () => {
  const report = await runSmoke([], [process.execPath, everything, 'stdio']);
  assert.deepEqual(named(report, 'failed'), [], JSON.stringify(report, undefined, 2));
  assert.match(find(report, 'legacy', 'tools/list').detail, /^\d\d tools$/);
  assert.match(find(report, 'legacy', 'schemas').detail, /^\d\d schemas$/);
  assert.match(
    find(report, 'modern', 'handshake').detail,
    /^not supported by the server \(server\/discover: error -32601/,
  );
  assert.deepEqual(named(report, 'skipped'), ['modern: handshake']);
});

test('a Python server passes', { skip: spawnSync('python3', ['--version']).error !== undefined }, async () => {
  const report = await runSmoke(
    [...add, '--call', 'upper={"text":"ß"}', '--expect', 'SS'],
    fixture('python-stdlib.py'),
  );
  assert.deepEqual([report.exitCode, named(report, 'failed')], [0, []], JSON.stringify(report, undefined, 2));
});

test('a list is followed over its pages', async (t) => {
  const lists = { tools: Array.from({ length: 7 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } })) };
  const { directory } = project(t, {
    'server.mjs': `
      import { serve } from ${JSON.stringify(new URL('../../../fixtures/servers/reloadable.mjs', import.meta.url).href)};
      await serve({ answer: 'x', pageSize: 5, lists: ${JSON.stringify(lists)} });`,
  });
  const report = await runSmoke([], ['node', 'server.mjs'], {}, directory);
  assert.equal(find(report, 'legacy', 'tools/list').detail, '12 tools on 3 pages');
  assert.equal(report.exitCode, 0);
});

test('options of the proxy go to the proxy, and the command may come from the environment', async (t) => {
  const { directory } = project(t, { 'src/a.txt': 'a' });
  const [command = '', ...args] = fixture('tools');
  const env = { MCP_SERVER_COMMAND: command, MCP_SERVER_ARGS: JSON.stringify(args) };
  const words = ['smoke', '--reporter', 'json', '--reload', '--cwd', directory, '-w', 'src', '--strategy', 'replace'];
  const { code, stdout, stderr } = await runBin(words, env, emptyDirectory);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  const report = JSON.parse(stdout);
  assert.deepEqual(report.command, [command, ...args]);
  assert.equal(find(report, 'legacy, over a reload', 'reload').status, 'ok');
});

test('with a build, the proxy builds before the server is met; a build that fails is a server that cannot be started', async (t) => {
  const { directory, write } = project(t, {
    'src/a.txt': 'a',
    'build.mjs': `import { copyFileSync, mkdirSync } from 'node:fs'; mkdirSync('out', { recursive: true }); copyFileSync('server.mjs', 'out/server.mjs');`,
    'server.mjs': `import ${JSON.stringify(new URL('../../../fixtures/servers/tools.mjs', import.meta.url).href)};`,
  });
  const options = ['-w', 'src', '--build', 'node build.mjs'];
  const good = await runSmoke(options, ['node', 'out/server.mjs'], {}, directory);
  assert.deepEqual(named(good, 'failed'), [], JSON.stringify(good, undefined, 2));
  assert.equal(find(good, 'build', 'build').status, 'ok');
  write('src/a.txt', 'b');
  write('build.mjs', `console.error('no good at line 7'); process.exit(1);`);
  const broken = await runSmoke(options, ['node', 'out/server.mjs'], {}, directory);
  assert.equal(broken.exitCode, 2);
  assert.match(
    find(broken, 'build', 'build').problems.join('\n'),
    /^build failed: node build.mjs exited with code 1[^]*\nno good at line 7/,
  );
});

test(
  'a signal ends a run with its servers, and decides the exit code',
  { skip: process.platform === 'win32' },
  async () => {
    const marker = newMarker();
    const words = ['smoke', '--timeout', '60000', '--', ...fixture('smoke-no-handshake')];
    const child = spawn(process.execPath, [bin, ...words], { cwd: emptyDirectory, env: testEnvironment(marker) });
    const ended = once(child, 'exit');
    // The server, the proxy, and smoke itself.
    while (processesOf(marker).length < 3 && child.exitCode === null) await delay(20);
    child.kill('SIGINT');
    assert.deepEqual(await ended, [130, null]);
    assert.deepEqual(await processesLeft(marker), []);
  },
);
