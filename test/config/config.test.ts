// From options and environment to one Config: defaults, precedence, paths, rules, strategy. Real directories, no
// processes.

import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveConfig, type Config, type CommandLineOptions } from '#src/config/config.js';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-hotline-config-')));
after(() => rmSync(cwd, { recursive: true }));

function resolve(
  given: CommandLineOptions,
  env: NodeJS.ProcessEnv = {},
): { config: Config; warnings: readonly string[] } {
  const result = resolveConfig({ command: 'node', args: ['server.js'], ...given }, { cwd, env });
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

const errorOf = (given: CommandLineOptions, env: NodeJS.ProcessEnv = {}): string => {
  const result = resolveConfig(given, { cwd, env });
  assert.ok(!result.ok, 'an error was expected');
  return result.error;
};

test('builds are kept in the state directory of the user, whatever --state-dir says', () => {
  const env = { XDG_STATE_HOME: '/state' };
  const named = resolve({ stateDir: 'own' }, env).config;
  assert.equal(named.projectDir, resolve({}, env).config.projectDir);
  assert.match(named.stateDir, /own$/);
});

test('with nothing given, the defaults are those of the documentation', () => {
  const env = { XDG_STATE_HOME: '/state' };
  const { config, warnings } = resolve({}, env);
  const { stateDir, projectDir, ...rest } = config;
  for (const directory of [stateDir, projectDir]) {
    assert.match(directory, /^\/state\/mcp-hotline\/mcp-hotline-config-\w+-[0-9a-f]{16}$/);
  }
  assert.notEqual(stateDir, projectDir);
  assert.deepEqual(warnings, []);
  assert.deepEqual(rest, {
    command: 'node',
    args: ['server.js'],
    cwd,
    env,
    envFiles: [],
    reload: true,
    rules: [],
    ignore: [],
    ext: [],
    debounce: 100,
    poll: undefined,
    strategy: 'overlap',
    drain: 10_000,
    hold: 50_000,
    startTimeout: 20_000,
    buildTimeout: 120_000,
    stopTimeout: 2000,
    signal: 'SIGTERM',
    restartDelay: 0,
    onFailure: 'report',
    whileReloading: 'hold',
    retry: 'safe',
    concurrency: undefined,
    maxMessage: 128 * 1024 * 1024,
    notify: 'changed',
    agentTools: false,
    hints: 'changes',
    callTimeout: undefined,
    http: undefined,
    host: '127.0.0.1',
    token: undefined,
    allowedHost: [],
    allowedOrigin: [],
    maxSessions: 64,
    sessionTimeout: 1_800_000,
    share: false,
    upstream: undefined,
    reap: false,
    logLevel: 'info',
    logFormat: 'text',
    logFile: undefined,
  });
});

test('options override the environment, and that overrides the defaults', () => {
  const env = { MCP_HOTLINE_HOLD: '7', MCP_HOTLINE_DRAIN: '8', MCP_HOTLINE_STRATEGY: 'replace' };
  const { hold, drain, stopTimeout, strategy } = resolve({ hold: 5, strategy: 'overlap' }, env).config;
  assert.deepEqual([hold, drain, stopTimeout, strategy], [5, 8, 2000, 'overlap']);
});

test('--watch and --build make one rule', () => {
  assert.deepEqual(resolve({ watch: ['src', 'lib'] }).config.rules, [
    { name: 'default', watch: ['src', 'lib'], then: 'restart' },
  ]);
  assert.deepEqual(resolve({ watch: ['src'], build: 'compile' }).config.rules, [
    { name: 'default', watch: ['src'], build: 'compile', then: 'restart' },
  ]);
  assert.deepEqual(resolve({ watch: ['src'], build: false }, { MCP_HOTLINE_BUILD: 'compile' }).config.rules, [
    { name: 'default', watch: ['src'], then: 'restart' },
  ]);
  assert.deepEqual(resolve({ build: 'compile' }).config.rules, []);
});

const debuggers: readonly (readonly string[])[] = [
  ['node', '--inspect', 'a.js'],
  ['node', '--inspect=9230', 'a.js'],
  ['node', '--inspect-brk', 'a.js'],
  ['node', '--inspect-brk=0.0.0.0:1', 'a.js'],
  ['node', '--inspect-wait', 'a.js'],
  ['python', '-m', 'debugpy', '--listen', '1', 'a.py'],
  ['/usr/bin/debugpy', 'a.py'],
];

for (const [command = '', ...args] of debuggers) {
  test(`${[command, ...args].join(' ')} is replaced unless told otherwise`, () => {
    assert.equal(resolve({ command, args }).config.strategy, 'replace');
    assert.equal(resolve({ command, args, strategy: 'overlap' }).config.strategy, 'overlap');
    assert.equal(resolve({ command, args }, { MCP_HOTLINE_STRATEGY: 'overlap' }).config.strategy, 'overlap');
  });
}

test('what merely looks like a debugger is not one', () => {
  for (const arg of ['--inspection', '--inspect-port=1', 'debugpy.py', 'inspect']) {
    assert.equal(resolve({ args: [arg] }).config.strategy, 'overlap', arg);
  }
});

test('paths are relative to --cwd, which is relative to where one stands', () => {
  const result = resolveConfig(
    { command: 'x', cwd: '..', logFile: 'a.log', stateDir: 'state' },
    { cwd: join(cwd, 'sub'), env: {} },
  );
  assert.ok(result.ok);
  const { config } = result.value;
  assert.deepEqual([config.cwd, config.logFile, config.stateDir], [cwd, join(cwd, 'a.log'), join(cwd, 'state')]);
});

test('a directory that is none is an error that names it', () => {
  writeFileSync(join(cwd, 'file'), '');
  assert.equal(errorOf({ command: 'x', cwd: 'nowhere' }), `the directory ${join(cwd, 'nowhere')} does not exist`);
  assert.equal(errorOf({ command: 'x', cwd: 'file' }), `the directory ${join(cwd, 'file')} does not exist`);
});

test('P4 what the proxy writes may not be where the project is: that would not be watched', () => {
  for (const stateDir of ['.', '..', '/']) {
    assert.match(errorOf({ command: 'x', stateDir }), /^state-dir: .* holds the project itself, expected/, stateDir);
  }
  assert.equal(errorOf({ command: 'x', logFile: '.' }), `log-file: ${cwd} is a directory, expected a file`);
  for (const stateDir of ['.mcp-hotline', '..state', '../elsewhere']) {
    assert.ok(resolve({ stateDir }).config.stateDir.endsWith(stateDir.replace('../', '')), stateDir);
  }
});

test('without a command the error shows where it belongs', () => {
  assert.equal(errorOf({}), 'no server command, expected mcp-hotline [options] -- <command> [args…]');
});

test('the command of the environment counts only if none is given, its arguments with it', () => {
  const env = { MCP_SERVER_COMMAND: 'python', MCP_SERVER_ARGS: '-m "my server"' };
  const without = resolveConfig({}, { cwd, env });
  assert.ok(without.ok);
  assert.equal(without.value.config.command, 'python');
  assert.deepEqual(without.value.config.args, ['-m', 'my server']);
  const given = resolveConfig({ command: 'node' }, { cwd, env });
  assert.ok(given.ok);
  assert.equal(given.value.config.command, 'node');
  assert.deepEqual(given.value.config.args, []);
});

test('the environment is handed on as it is', () => {
  const env = { A: '1', MCP_HOTLINE_HOLD: '5', MCP_HOTLINE_GENERATION: '3' };
  const { config, warnings } = resolve({}, env);
  assert.deepEqual(config.env, env);
  assert.deepEqual(warnings, []);
});
