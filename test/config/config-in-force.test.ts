// An edit of the configuration file while a proxy runs: what is read anew, what follows from it, what stays. Real
// files, no processes.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { resolveConfig, type Config, type CommandLineOptions } from '#src/config/config.js';
import type { ConfigChange, ConfigInForce } from '#src/config/config-in-force.js';
import { compare } from '#src/config/difference.js';
import { configOfFiles } from './config-of-files.js';
import { project, type Project } from '../support/project.js';

const name = 'mcp-hotline.config.jsonc';

interface Outcome {
  readonly changed: ConfigChange['changed'];
  readonly restart: boolean;
  readonly warnings: readonly string[];
  readonly config: Config;
}

interface Running extends Project {
  /** The configuration at the start. */
  config: Config;
  inForce: ConfigInForce;
  edit(file: object | string): void;
  reread(): Promise<Outcome>;
  /** What is wrong with the edit. */
  refused(): Promise<string>;
}

function running(t: TestContext, file: object, given: CommandLineOptions = {}): Running {
  const files = project(t, { [name]: JSON.stringify(file) });
  const resolve = () => resolveConfig(given, { cwd: files.directory, env: { XDG_STATE_HOME: '/state' } });
  const first = resolve();
  assert.ok(first.ok, first.ok ? '' : first.error);
  const { config } = first.value;
  const inForce = configOfFiles(first.value, resolve);
  return {
    ...files,
    config,
    inForce,
    edit: (content) => files.write(name, typeof content === 'string' ? content : JSON.stringify(content)),
    async reread() {
      const result = await inForce.reread();
      assert.ok(result.ok, result.ok ? '' : result.error);
      const { change, warnings } = result.value;
      return {
        changed: change?.changed ?? [],
        restart: change?.needsRestart ?? false,
        warnings,
        config: inForce.current,
      };
    },
    async refused() {
      const result = await inForce.reread();
      assert.ok(!result.ok, 'it was taken');
      return result.error;
    },
  };
}

const base = { command: 'node', args: ['server.js'], watch: ['src'], hold: 5 };

const edits: readonly [title: string, edit: object, changed: readonly string[], restart: boolean][] = [
  ['the same in other words', { ...base, $schema: 'x' }, [], false],
  ['a limit', { ...base, hold: 6, drain: 7 }, ['drain', 'hold'], false],
  ['what is watched', { ...base, watch: ['src', 'lib'], ignore: ['x'] }, ['rules', 'ignore'], false],
  ['an argument', { ...base, args: ['server.js', '-v'] }, ['args'], true],
  ['another command', { ...base, command: 'bun' }, ['command'], true],
  ['a variable', { ...base, env: { A: '1' } }, ['env'], true],
  ['the working directory', { ...base, cwd: '..' }, ['cwd', 'rules'], true],
  ['less than before', { command: 'node', args: ['server.js'] }, ['rules', 'hold'], false],
];

for (const [title, edit, changed, restart] of edits) {
  test(`an edit of ${title} ${restart ? 'needs another server' : 'needs no other server'}`, async (t) => {
    const session = running(t, base);
    session.edit(edit);
    const reread = await session.reread();
    assert.deepEqual([reread.changed, reread.restart, reread.warnings], [changed, restart, []]);
    assert.equal(reread.config.stateDir, session.config.stateDir, 'stays where it is');
  });
}

test('what the proxy was built on stays, and that is said once', async (t) => {
  const session = running(t, base);
  session.edit({ ...base, logFile: 'a.log', logLevel: 'debug', stateDir: 'state', reload: false, hold: 6 });
  const reread = await session.reread();
  const { logFile, logLevel, stateDir, projectDir, reload, hold } = reread.config;
  assert.deepEqual([logFile, logLevel, reload, hold], [undefined, 'info', true, 6]);
  assert.deepEqual([stateDir, projectDir], [session.config.stateDir, session.config.projectDir]);
  assert.deepEqual(reread.changed, ['hold']);
  const later = 'takes effect when mcp-hotline is started again';
  assert.deepEqual(
    reread.warnings,
    ['reload', 'logLevel', 'logFile', 'stateDir'].map(
      (key) => `${key} has changed in the configuration file, which ${later}`,
    ),
  );
  const again = await session.reread();
  assert.deepEqual([again.changed, again.warnings], [[], []]);
});

test('an edit that is wrong is told with all its problems, and mended by the next one', async (t) => {
  const session = running(t, base);
  session.edit({ ...base, hodl: 5, drain: 'x' });
  const lines = (await session.refused()).split('\n');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /^mcp-hotline\.config\.jsonc:1:\d+: (hodl|drain)/);
  session.edit('{ "command": "node"');
  assert.equal(await session.refused(), 'mcp-hotline.config.jsonc:1:20: a } is missing here');
  session.edit(base);
  assert.deepEqual((await session.reread()).changed, []);
});

test('what the command line says is not for the file to change', async (t) => {
  const session = running(t, base, { command: 'python', args: ['x.py'], hold: 1 });
  session.edit({ ...base, command: 'bun', hold: 9, drain: 9 });
  const reread = await session.reread();
  assert.deepEqual([reread.changed, reread.config.command, reread.config.hold], [['drain'], 'python', 1]);
});

test('a file that appears in a better place takes over, and one that goes leaves its place to the next', async (t) => {
  const files = project(t, { 'package.json': '{ "name": "x" }' });
  const resolve = () => resolveConfig({ command: 'node', args: [] }, { cwd: files.directory, env: {} });
  const first = resolve();
  assert.ok(first.ok);
  const inForce = configOfFiles(first.value, resolve);
  assert.deepEqual(
    inForce.watchTargets,
    [name, 'mcp-hotline.config.json', 'package.json'].map((file) => join(files.directory, file)),
  );
  const hold = async (): Promise<number> => {
    const result = await inForce.reread();
    assert.ok(result.ok);
    return inForce.current.hold;
  };
  files.write('package.json', '{ "mcp-hotline": { "hold": 1 } }');
  assert.equal(await hold(), 1);
  files.write(name, '{ "hold": 2 }');
  assert.equal(await hold(), 2);
  files.remove(name);
  assert.equal(await hold(), 1);
  files.remove('package.json');
  assert.equal(await hold(), 50_000);
});

test('a file that was named and is gone is an error, and so is one that no longer names the command', async (t) => {
  const session = running(t, base);
  session.remove(name);
  assert.match(await session.refused(), /^no server command/);
  session.write('conf.json', JSON.stringify(base));
  const resolve = () => resolveConfig({ config: 'conf.json' }, { cwd: session.directory, env: {} });
  const first = resolve();
  assert.ok(first.ok);
  const inForce = configOfFiles(first.value, resolve);
  assert.deepEqual(inForce.watchTargets, [session.path('conf.json')]);
  session.remove('conf.json');
  assert.deepEqual(await inForce.reread(), {
    ok: false,
    error: `the configuration file ${session.path('conf.json')} does not exist`,
  });
});

test('a configuration compared with itself needs nothing', (t) => {
  const { config } = running(t, base);
  const again = { config: structuredClone(config), explicitOptions: {} };
  assert.deepEqual(compare({ config, explicitOptions: {} }, again), {
    config,
    changed: [],
    needsRestart: false,
    warnings: [],
  });
});

test('listeners hear of each replacement, with what was in force before, until they are disposed of', async (t) => {
  const session = running(t, base);
  const heard: [number, number, readonly string[]][] = [];
  const subscription = session.inForce.onChange(({ previous, current, changed }) => {
    assert.equal(current, session.inForce.current);
    heard.push([previous.hold, current.hold, changed]);
  });
  await session.reread();
  session.edit({ ...base, hold: 6 });
  await session.reread();
  session.edit('{');
  await session.refused();
  session.edit({ ...base, hold: 7 });
  await session.reread();
  subscription[Symbol.dispose]();
  session.edit(base);
  await session.reread();
  assert.deepEqual(heard, [
    [5, 6, ['hold']],
    [6, 7, ['hold']],
  ]);
});
