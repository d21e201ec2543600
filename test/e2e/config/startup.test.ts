// A configuration file and no command line: the built bin finds it, runs what it names, and refuses one that is wrong.
// What an edit of it does while the proxy runs is for other tests.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixture, project, startProxy, testEnvironment } from '../../support/harness.js';
import { bin, root } from '../../support/paths.js';

const [node, echo] = fixture('echo') as [string, string];
const name = 'mcp-hotline.config.jsonc';

test('the YAML-configured project runs by its configuration file alone', async (t) => {
  const { directory } = project(t);
  cpSync(join(root, 'fixtures/projects/yaml-config'), directory, { recursive: true });
  const proxy = startProxy(t, { command: [], cwd: directory });
  await proxy.initialize();
  const { result } = await proxy.request('tools/list');
  assert.deepEqual(
    result.tools.map((tool: { name: string }) => tool.name),
    ['greet', 'cook', 'season'],
  );
});

const report = `process.stderr.write('seen ' + JSON.stringify([process.cwd(), process.env.A, process.argv.slice(1)]) + '\\n')`;
const seen = (from: string): unknown => JSON.parse(from.slice('seen '.length));

test('the key in package.json will do, and its variables reach the server', async (t) => {
  const server = { command: node, args: ['-e', report, '--', 'x y', '$A'], env: { A: 'set' } };
  const { directory } = project(t, { 'package.json': JSON.stringify({ name: 'p', 'mcp-hotline': server }) });
  const proxy = startProxy(t, { command: [], cwd: directory });
  assert.deepEqual(seen(await proxy.waitForLog(/^seen /)), [directory, 'set', ['x y', '$A']]);
});

test('--config from elsewhere: the command runs beside its file', async (t) => {
  const { directory, path } = project(t, {
    'conf/dev.json': JSON.stringify({ command: node, args: ['-e', report], logFormat: 'json' }),
  });
  const proxy = startProxy(t, { options: ['--config', path('conf/dev.json')], command: [] });
  const [cwd] = seen(await proxy.waitForLog(/^seen /)) as [string];
  assert.equal(cwd, join(directory, 'conf'));
  await proxy.finished();
  assert.match(proxy.stderr(), /^\{"time":/m);
});

test('the command line counts before the file', async (t) => {
  const { directory } = project(t, { [name]: JSON.stringify({ command: 'no-such-command', logLevel: 'debug' }) });
  const proxy = startProxy(t, { options: ['--log-level', 'silent'], command: [node, '-e', report], cwd: directory });
  await proxy.waitForLog(/^seen /);
  await proxy.finished();
  assert.equal(proxy.stderr().trimEnd().split('\n').length, 1, proxy.stderr());
});

test('a file that is wrong is refused with a line for each problem, and exit code 1', async (t) => {
  const text = `{\n  "command": ${JSON.stringify(node)},\n  "hodl": 5,\n  "strategy": "overlpa",\n}\n`;
  const { directory } = project(t, { [name]: text });
  const proxy = startProxy(t, { command: [], cwd: directory });
  assert.deepEqual(await proxy.finished(), { code: 1, signal: null });
  const lines = proxy.stderr().trimEnd().split('\n');
  assert.equal(lines.length, 2, proxy.stderr());
  assert.match(
    lines[0]!,
    /^mcp-hotline: mcp-hotline\.config\.jsonc:3:3: hodl is not a known key; did you mean hold\? /,
  );
  assert.match(lines[1]!, /^mcp-hotline: mcp-hotline\.config\.jsonc:4:15: strategy: "overlpa" is not allowed/);
  assert.equal(proxy.messages.length, 0);
});

test('a file that is named and does not exist is refused', async (t) => {
  const proxy = startProxy(t, { options: ['--config', 'none.json'], command: [node, echo] });
  assert.deepEqual(await proxy.finished(), { code: 1, signal: null });
  assert.match(proxy.stderr(), /^mcp-hotline: the configuration file .*none\.json does not exist\n$/);
});

test('the schema that the fixture names is the one that ships', () => {
  const fixtureText = readFileSync(join(root, 'fixtures/projects/yaml-config', name), 'utf8');
  assert.ok(fixtureText.includes('"../../../schema/mcp-hotline.schema.json"'));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.ok(manifest.files.includes('schema'));
  assert.ok(Object.hasOwn(manifest.exports, './schema/mcp-hotline.schema.json'));
});

test('a project whose directory is gone is told as that, not as a configuration file', async (t) => {
  const files = project(t, { 'app/package.json': '{}', 'app/server.mjs': readFileSync(echo, 'utf8') });
  const proxy = startProxy(t, { command: [node, 'server.mjs'], cwd: files.path('app') });
  await proxy.initialize();
  files.remove('app');
  const { result } = await proxy.request('tools/call', { name: 'echo', arguments: {} });
  assert.equal(result.isError, true, proxy.transcript());
  assert.match(result.content[0].text, /can't be started, because its directory \S+\/app does not exist any more/);
  assert.doesNotMatch(result.content[0].text, /configuration/);
});

test("--watch that leaves out the server's own code is told in the log, with the option that is meant", async (t) => {
  const files = project(t, { 'server.mjs': readFileSync(echo, 'utf8'), 'prompts/a.md': '' });
  const proxy = startProxy(t, {
    command: [node, 'server.mjs'],
    cwd: files.directory,
    options: ['--watch', 'prompts'],
  });
  await proxy.waitForLog(/--watch leaves out server\.mjs, .* use --also-watch prompts instead/);
});

test('smoke says that the file is missing which the command names', (t) => {
  const { directory } = project(t);
  const { status, stderr } = spawnSync(node, [bin, 'smoke', '--', node, 'missing.js'], {
    cwd: directory,
    encoding: 'utf8',
    env: testEnvironment('smoke-missing'),
  });
  assert.equal(status, 2);
  assert.equal(stderr, `mcp-hotline: ${join(directory, 'missing.js')} does not exist\n`);
});
