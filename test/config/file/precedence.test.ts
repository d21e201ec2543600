// Which of the sources of a value counts, for every option: command line, environment, file, default. And what the
// paths in a file are relative to. Real files, no processes.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveConfig, type Config, type CommandLineOptions } from '#src/config/config.js';
import { serverEnvironment } from '#src/config/server.js';
import { project } from '../../support/project.js';

const name = 'mcp-hotline.config.jsonc';

function resolve(
  cwd: string,
  given: CommandLineOptions = {},
  env: NodeJS.ProcessEnv = {},
): { config: Config; warnings: readonly string[] } {
  const result = resolveConfig(given, { cwd, env: { XDG_STATE_HOME: '/state', ...env } });
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

interface Row {
  /** As the command line and the file have it. */
  values: readonly [option: unknown, environment: string, file: unknown];
  /** What the Config has, from each, and without any. */
  results: readonly [option: unknown, environment: unknown, file: unknown, none: unknown];
}
const number = (key: string, none: unknown): [string, Row] => [
  key,
  { values: [11, '12', 13], results: [11, 12, 13, none] },
];
const choice = (key: string, [first, second]: readonly [string, string], none: string): [string, Row] => [
  key,
  { values: [first, second, first], results: [first, second, first, none] },
];
const list = (key: string): [string, Row] => [key, { values: [['a'], 'b', ['c']], results: [['a'], ['b'], ['c'], []] }];
const rule = (watch: string) => [{ name: 'default', watch: [watch], then: 'restart' }];
const built = (build?: string) => [{ name: 'default', watch: ['src'], ...(build && { build }), then: 'restart' }];
const MiB = 1024 * 1024;

const table = new Map<string, Row & { read?: (config: Config) => unknown; beside?: object }>([
  [
    'watch',
    { values: [['a'], 'b', ['c']], results: [rule('a'), rule('b'), rule('c'), []], read: ({ rules }) => rules },
  ],
  list('ignore'),
  list('ext'),
  number('debounce', 100),
  number('poll', undefined),
  [
    'build',
    {
      values: ['a', 'b', 'c'],
      results: [built('a'), built('b'), built('c'), built()],
      read: ({ rules }) => rules,
      beside: { watch: ['src'] },
    },
  ],
  number('buildTimeout', 120_000),
  ['reload', { values: [true, 'false', false], results: [true, false, false, true] }],
  choice('strategy', ['replace', 'overlap'], 'overlap'),
  choice('whileReloading', ['serve', 'hold'], 'hold'),
  choice('onFailure', ['serve', 'report'], 'report'),
  choice('retry', ['never', 'safe'], 'safe'),
  choice('notify', ['always', 'never'], 'changed'),
  choice('signal', ['SIGINT', 'SIGQUIT'], 'SIGTERM'),
  number('restartDelay', 0),
  number('drain', 10_000),
  number('hold', 50_000),
  number('startTimeout', 20_000),
  number('stopTimeout', 2000),
  number('concurrency', undefined),
  number('callTimeout', undefined),
  choice('hints', ['stderr', 'off'], 'changes'),
  ['maxMessage', { values: [1, '2', 3], results: [MiB, 2 * MiB, 3 * MiB, 128 * MiB] }],
  ['agentTools', { values: [false, 'auto', true], results: [false, 'auto', true, false] }],
  number('http', undefined),
  choice('host', ['127.0.0.2', '::1'], '127.0.0.1'),
  [
    'token',
    {
      values: ['option-option-option', 'environment-environment', 'file-file-file-file'],
      results: ['option-option-option', 'environment-environment', 'file-file-file-file', undefined],
    },
  ],
  list('allowedHost'),
  [
    'allowedOrigin',
    {
      values: [['https://a'], 'https://b', ['https://c']],
      results: [['https://a'], ['https://b'], ['https://c'], []],
    },
  ],
  number('maxSessions', 64),
  number('sessionTimeout', 1_800_000),
  ['share', { values: [false, 'true', true], results: [false, true, true, false] }],
  [
    'upstream',
    {
      values: ['http://a:1/b', 'http://c/d', 'http://e:{port}/f'],
      results: ['http://a:1/b', 'http://c/d', 'http://e:{port}/f', undefined],
    },
  ],
  ['reap', { values: [false, 'true', true], results: [false, true, true, false] }],
  choice('logLevel', ['debug', 'error'], 'info'),
  choice('logFormat', ['json', 'text'], 'text'),
  ['logFile', { values: ['/a', '/b', '/c'], results: ['/a', '/b', '/c', undefined] }],
  ['stateDir', { values: ['/a', '/b', '/c'], results: ['/a', '/b', '/c', /^\/state\/mcp-hotline\//] }],
]);

for (const [key, { values, results, read, beside }] of table) {
  test(`${key}: the option counts before the environment, that before the file, that before the default`, (t) => {
    const { directory, write } = project(t);
    const variable = `MCP_HOTLINE_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
    for (let sources = 0; sources < 8; sources++) {
      const has = [1, 2, 4].map((bit) => (sources & bit) !== 0);
      const [option, environment, file] = values;
      write(name, JSON.stringify({ ...beside, ...(has[2] && { [key]: file }) }));
      const { config } = resolve(
        directory,
        { command: 'node', ...(has[0] && { [key]: option }) },
        has[1] ? { [variable]: environment } : {},
      );
      const expected = results[has.includes(true) ? has.indexOf(true) : 3];
      const actual = read === undefined ? config[key as keyof Config] : read(config);
      if (expected instanceof RegExp) assert.match(String(actual), expected);
      else assert.deepEqual(actual, expected, `with ${has.join()}`);
    }
  });
}

test('a file and nothing else is enough to run', (t) => {
  const { directory } = project(t, {
    [name]: JSON.stringify({ command: 'node', args: ['server.js'], env: { A: 'file', B: '2' }, watch: ['src'] }),
  });
  const { command, args, cwd, env, rules } = resolve(directory, {}, { A: 'shell', C: '3' }).config;
  assert.deepEqual([command, args, cwd], ['node', ['server.js'], directory]);
  assert.deepEqual(env, { XDG_STATE_HOME: '/state', A: 'file', B: '2', C: '3' });
  assert.deepEqual(rules, rule('src'));
});

const servers: readonly [
  title: string,
  given: CommandLineOptions,
  env: NodeJS.ProcessEnv,
  file: object,
  expected: string,
][] = [
  ['the file alone', {}, {}, { command: 'f', args: ['1'] }, 'f 1'],
  ['the environment over the file', {}, { MCP_SERVER_COMMAND: 'e' }, { command: 'f', args: ['1'] }, 'e'],
  ['the command line over both', { command: 'g', args: ['2'] }, { MCP_SERVER_COMMAND: 'e' }, { command: 'f' }, 'g 2'],
  [
    'a command line without arguments',
    { command: 'g', args: [] },
    { MCP_SERVER_ARGS: 'x' },
    { command: 'f', args: ['1'] },
    'g',
  ],
  [
    'arguments of the environment for the command of the file',
    {},
    { MCP_SERVER_ARGS: 'x y' },
    { command: 'f', args: ['1'] },
    'f x y',
  ],
];

for (const [title, given, env, file, expected] of servers) {
  test(`what to run: ${title}`, (t) => {
    const { directory } = project(t, { [name]: JSON.stringify(file) });
    const { command, args } = resolve(directory, given, env).config;
    assert.equal([command, ...args].join(' '), expected);
  });
}

test('a file that names no command leaves the question open', (t) => {
  const { directory } = project(t, { [name]: '{ "hold": 5 }' });
  const result = resolveConfig({}, { cwd: directory, env: {} });
  assert.ok(!result.ok);
  assert.match(result.error, /^no server command, expected/);
});

test('paths in a file are relative to it, and those of the command line to where one stands', (t) => {
  const { directory, write } = project(t);
  const conf = {
    watch: ['src', '../lib/**/*.js', '/abs', 'b/*.ts'],
    ignore: ['*.log', '**/gen/*', 'out/', 'src/gen/*', '/abs/x'],
    logFile: 'a.log',
    stateDir: '../state',
  };
  write('conf/dev.json', JSON.stringify(conf));
  const { config } = resolve(directory, { command: 'node', config: 'conf/dev.json' });
  assert.equal(config.cwd, directory);
  assert.deepEqual(config.rules[0]?.watch, ['conf/src', 'lib/**/*.js', '/abs', 'conf/b/*.ts']);
  assert.deepEqual(config.ignore, ['*.log', '**/gen/*', 'out/', 'conf/src/gen/*', '/abs/x']);
  assert.equal(config.logFile, join(directory, 'conf/a.log'));
  assert.equal(config.stateDir, join(directory, 'state'));

  write('conf/dev.json', JSON.stringify({ ...conf, command: './run', args: ['x'] }));
  const own = resolve(directory, { config: 'conf/dev.json', logFile: 'b.log', ignore: ['x/y'] }).config;
  assert.deepEqual([own.command, own.cwd], ['./run', join(directory, 'conf')], 'its command runs beside it');
  assert.deepEqual(own.rules[0]?.watch, conf.watch);
  assert.deepEqual(own.ignore, ['../x/y']);
  assert.equal(own.logFile, join(directory, 'b.log'));
  assert.equal(own.stateDir, join(directory, 'state'));
});

test('cwd of the file is relative to it; --cwd says where to work and where to look for the file', (t) => {
  const { directory, write } = project(t, { [name]: JSON.stringify({ command: 'node', cwd: 'sub', watch: ['src'] }) });
  mkdirSync(join(directory, 'sub'));
  const inFile = resolve(directory).config;
  assert.deepEqual([inFile.cwd, inFile.rules[0]?.watch], [join(directory, 'sub'), ['../src']]);
  write(`sub/${name}`, JSON.stringify({ command: 'other' }));
  const { command, cwd } = resolve(directory, { cwd: 'sub' }).config;
  assert.deepEqual([command, cwd], ['other', join(directory, 'sub')]);
  write(name, JSON.stringify({ command: 'node', cwd: 'gone' }));
  const result = resolveConfig({}, { cwd: directory, env: {} });
  const problem = `the directory ${join(directory, 'gone')} does not exist`;
  assert.deepEqual(result, { ok: false, error: `${name}:1:19: ${problem}` });
  assert.deepEqual(resolveConfig({ cwd: 'gone' }, { cwd: directory, env: {} }), { ok: false, error: problem });
});

const rules = [
  { name: 'a', watch: ['a'], build: 'build a', then: 'continue' },
  { name: 'b', watch: ['b'], build: 'build b', then: 'restart' },
] as const;
const without = [
  { name: 'a', watch: ['a'], then: 'continue' },
  { name: 'b', watch: ['b'], then: 'restart' },
];

const overruled: readonly [
  title: string,
  file: readonly object[],
  given: CommandLineOptions,
  expected: readonly object[],
  warning: RegExp | undefined,
][] = [
  ['nothing', rules, {}, rules, undefined],
  [
    '--watch',
    rules,
    { watch: ['c'] },
    rule('c'),
    /^the rules of the configuration file have no effect, because --watch/,
  ],
  ['--no-build', rules, { build: false }, without, undefined],
  ['--build, with one rule', [rules[0]], { build: 'x' }, [{ ...rules[0], build: 'x' }], undefined],
  [
    '--build, with several',
    rules,
    { build: 'x' },
    rules,
    /^--build has no effect, because the configuration file has 2 rules/,
  ],
];

for (const [title, file, given, expected, warning] of overruled) {
  test(`rules of the file, and on the command line: ${title}`, (t) => {
    const { directory } = project(t, { [name]: JSON.stringify({ rules: file }) });
    const { config, warnings } = resolve(directory, { command: 'node', ...given });
    assert.deepEqual(config.rules, expected);
    assert.equal(warnings.length, warning === undefined ? 0 : 1, warnings.join('\n'));
    if (warning !== undefined) assert.match(warnings[0]!, warning);
  });
}

test('on Windows a variable of the file replaces the one of any case', () => {
  const more = { fallback: {}, added: { PATH: 'b' } };
  assert.deepEqual(serverEnvironment({ Path: 'a', X: '1' }, more, 'win32'), { X: '1', PATH: 'b' });
  assert.deepEqual(serverEnvironment({ Path: 'a' }, more, 'linux'), { Path: 'a', PATH: 'b' });
});
