// What discovery adds to a configuration, and what it leaves alone: options, environment and file come first. Also what
// follows when the files that it was read from are edited.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Result } from '#src/config/check.js';
import { resolveConfig, type CommandLineOptions } from '#src/config/config.js';
import { watchConfig, completeIfResolved, type CompletedConfig } from '#src/config/discovery/complete.js';
import { project } from '../../support/project.js';

const typescript = {
  'package.json': '{ "scripts": { "build": "tsc", "dev": "node --inspect dist/index.js" } }',
  'tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, "include": ["src"] }',
  'src/index.ts': '',
};

function resolve(
  cwd: string,
  given: CommandLineOptions = {},
  env: NodeJS.ProcessEnv = {},
): Promise<Result<CompletedConfig>> {
  const command = { command: 'node', args: ['dist/index.js'] };
  return completeIfResolved(resolveConfig({ ...command, ...given }, { cwd, env }));
}

async function complete(
  t: TestContext,
  given: CommandLineOptions,
  env = {},
  files: Record<string, string> = typescript,
): Promise<CompletedConfig> {
  const result = await resolve(project(t, files).directory, given, env);
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

test('nothing given: rules, ignored files and the line for the log are found', async (t) => {
  const { config, found } = await complete(t, { ignore: ['*.tmp'] });
  assert.deepEqual(
    config.rules.map(({ name, build, then }) => ({ name, build, then })),
    [{ name: 'server', build: 'build', then: 'restart' }],
  );
  assert.equal(config.ignore[0], '*.tmp');
  assert.match(config.ignore[1]!, /\/dist$/);
  assert.equal(config.strategy, 'overlap');
  assert.match(found?.why ?? '', /^watching src/);
});

test('what is said of watching and building is kept', async (t) => {
  const cases: [
    given: CommandLineOptions,
    env: NodeJS.ProcessEnv,
    name: string,
    build: string | undefined,
    isFound: boolean,
  ][] = [
    [{ build: 'make' }, {}, 'server', 'make', true],
    [{ build: true }, {}, 'server', 'build', true],
    [{ build: false }, {}, 'server', undefined, true],
    [{}, { MCP_HOTLINE_NO_BUILD: 'true' }, 'server', undefined, true],
    [{ watch: ['src'] }, {}, 'default', 'build', true],
    [{}, { MCP_WATCH_FILE: 'src' }, 'default', 'build', true],
    [{ watch: ['src'], build: 'make' }, {}, 'default', 'make', false],
    [{ watch: ['src'], build: false }, {}, 'default', undefined, false],
    [{ watch: ['dist'] }, {}, 'default', undefined, false],
    [{ watch: ['src', 'dist/**/*.js'] }, {}, 'default', undefined, false],
  ];
  for (const [given, env, name, build, isFound] of cases) {
    const { config, found } = await complete(t, given, env);
    const label = JSON.stringify([given, env]);
    assert.deepEqual(
      config.rules.map((rule) => [rule.name, rule.build]),
      [[name, build]],
      label,
    );
    assert.equal(found !== undefined, isFound, label);
  }
});

test('beside what is given to watch, the line tells of the build alone', async (t) => {
  const { found } = await complete(t, { watch: ['src'] });
  assert.equal(found?.why, 'building with "build": dist/index.js lies in dist, the output of tsconfig.json');
});

test('rules of a file are complete, and without reloading nothing is looked for', async (t) => {
  const file = '{ "rules": [{ "watch": ["lib"] }] }';
  const written = await complete(t, {}, {}, { ...typescript, 'mcp-hotline.config.json': file });
  assert.deepEqual(
    written.config.rules.map(({ watch, build }) => [watch, build]),
    [[['lib'], undefined]],
  );
  assert.equal(written.found, undefined);
  const off = await complete(t, { reload: false });
  assert.deepEqual([off.config.rules, off.found], [[], undefined]);
  assert.deepEqual((await complete(t, {}, { MCP_HOT_RELOAD: 'false' })).config.rules, []);
});

test('the strategy is found too, unless it is said', async (t) => {
  const debugged = { command: 'npm', args: ['run', 'dev'] };
  assert.equal((await complete(t, debugged)).config.strategy, 'replace');
  assert.equal((await complete(t, { ...debugged, watch: ['src'] })).config.strategy, 'replace');
  assert.equal((await complete(t, { ...debugged, strategy: 'overlap' })).config.strategy, 'overlap');
});

test('a watch mode is warned of, whoever says what to watch, unless a rule says that the server reloads itself', async (t) => {
  const watching = { command: 'node', args: ['--watch', 'src/index.ts'] };
  const warning = 'node --watch restarts the server too, and a client notices when two do: leave its watch mode out';
  const { found, warnings } = await complete(t, watching);
  assert.ok(found?.why.includes(warning));
  assert.deepEqual(warnings, []);
  assert.deepEqual((await complete(t, { ...watching, watch: ['src'], build: false })).warnings, [warning]);
  assert.deepEqual((await complete(t, { ...watching, watch: ['src'], build: 'build' })).warnings, [warning]);
  const file = (then: string) => ({
    ...typescript,
    'mcp-hotline.config.json': JSON.stringify({ rules: [{ watch: ['src'], then }] }),
  });
  assert.deepEqual((await complete(t, watching, {}, file('restart'))).warnings, [warning]);
  assert.deepEqual((await complete(t, watching, {}, file('notify'))).warnings, []);
});

test('nothing found: no rules, and a warning', async (t) => {
  const { config, found } = await complete(t, { command: 'node', args: ['-e', '1'] });
  assert.deepEqual([config.rules, found?.level], [[], 'warn']);
});

test('who said what is known', async (t) => {
  const files = {
    ...typescript,
    'mcp-hotline.config.json': '{ "hold": 1, "drain": 2, "debounce": 3, "command": "node" }',
  };
  const env = { MCP_HOTLINE_DRAIN: '4', MCP_HOTLINE_DEBOUNCE: '5' };
  const { origins, explicitOptions } = await complete(t, { debounce: 6 }, env, files);
  assert.deepEqual(
    { hold: origins['hold'], drain: origins['drain'], debounce: origins['debounce'], command: origins['command'] },
    { hold: 'file', drain: 'environment', debounce: 'option', command: 'option' },
  );
  assert.deepEqual([explicitOptions.hold, explicitOptions.drain, explicitOptions.debounce], [1, 4, 6]);
});

test('edited: other sources are found anew, and a half-written manifest changes nothing', async (t) => {
  const files = project(t, typescript);
  const again = () => resolve(files.directory, { command: 'npm', args: ['run', 'dev'] });
  const first = await again();
  assert.ok(first.ok);
  const config = watchConfig(first.value, again);
  for (const name of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'mcp-hotline.config.json']) {
    assert.ok(config.watchTargets.includes(files.path(name)), `${name} decides`);
  }
  const same = await config.reread();
  assert.ok(same.ok);
  assert.equal(same.value.change, undefined);

  files.write('tsconfig.json', '{ "compilerOptions": { "outDir": "dist" }, "include": ["src", "lib"] }');
  const other = await config.reread();
  assert.ok(other.ok);
  assert.deepEqual([other.value.change?.changed, other.value.change?.needsRestart], [['rules'], false]);
  const { rules } = config.current;
  assert.ok(rules[0]?.watch.some((path) => path.startsWith('lib/')));

  files.write('package.json', '{ "scripts": ');
  const broken = await config.reread();
  assert.ok(broken.ok);
  assert.deepEqual(config.current.rules, rules);
});

test('--also-watch adds to the rule of the server, whoever made the rules', async (t) => {
  const rules = (value: CompletedConfig) =>
    value.config.rules.map(({ name, watch, build }) => [name, watch.at(-1), build]);
  const also = { alsoWatch: ['docs'] };
  assert.deepEqual(rules(await complete(t, also)), [['server', 'docs', 'build']]);
  assert.deepEqual(rules(await complete(t, { ...also, watch: ['dist'] })), [['default', 'docs', undefined]]);
  assert.deepEqual(rules(await complete(t, { ...also, reload: false })), []);
  const file = (text: string) => ({ ...typescript, 'mcp-hotline.config.json': text });
  const two = file('{"rules": [{"name": "a", "watch": ["a"]}, {"name": "b", "watch": ["b"], "then": "notify"}]}');
  assert.deepEqual(rules(await complete(t, also, {}, two)), [
    ['a', 'docs', undefined],
    ['b', 'b', undefined],
  ]);
  const none = file('{"alsoWatch": ["docs"], "rules": [{"name": "b", "watch": ["b"], "then": "continue"}]}');
  assert.deepEqual(rules(await complete(t, {}, {}, none)), [
    ['b', 'b', undefined],
    ['server', 'docs', undefined],
  ]);
});

test('--also-watch is watched where nothing is found, and the line says so', async (t) => {
  const given = { command: 'no-such-program', args: [], alsoWatch: ['docs'] };
  const { config, found } = await complete(t, given);
  assert.deepEqual(
    config.rules.map(({ watch }) => watch),
    [['docs']],
  );
  assert.match(found?.why ?? '', /^watching docs and nothing else: /);
});

test('an installed copy is told whatever is said of watching and building', async (t) => {
  const packages = '.venv/lib/python3.12/site-packages';
  const files = {
    'pyproject.toml': '[project]\nname = "own"\n',
    'src/own/__main__.py': '',
    [`${packages}/own/__main__.py`]: '',
    '.venv/pyvenv.cfg': '',
    '.venv/bin/python': '',
  };
  const command = { command: '.venv/bin/python', args: ['-m', 'own'] };
  for (const given of [
    {},
    { watch: ['src'] },
    { watch: ['src'], build: false },
    { watch: ['src'], build: 'make' },
  ] as const) {
    const { config, warnings, found } = await complete(t, { ...command, ...given }, {}, files);
    assert.ok(config.installedCopy, JSON.stringify(given));
    assert.match([...warnings, found?.why].join(), /a copy that was installed without -e/, JSON.stringify(given));
  }
});
