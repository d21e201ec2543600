// The syntax of environment files, as dotenv and Node agree on it, and whose variables count where several set the same
// one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig, type CommandLineOptions } from '#src/config/config.js';
import { parseEnvFile } from '#src/config/env-file.js';
import { configOfFiles } from './config-of-files.js';
import { fc } from '../support/property.js';
import { project } from '../support/project.js';

const syntax: readonly [
  title: string,
  text: string,
  variables: Record<string, string>,
  badLines?: readonly number[],
][] = [
  ['a plain value', 'A=1\nB = two words \n', { A: '1', B: 'two words' }],
  ['no value', 'A=\nB=""\n', { A: '', B: '' }],
  ['export and indentation', '  export A=1\nexport\tB=2\n', { A: '1', B: '2' }],
  ['comments', '# A=1\n  # B=2\nC=3 # four\nD=5#6\n', { C: '3', D: '5' }],
  ['a hash in quotes', `A="1 # 2" # 3\nB='#'\n`, { A: '1 # 2', B: '#' }],
  [
    'escapes in double quotes alone',
    `A="1\\n2\\t\\"3\\" \\\\ \\d"\nB='1\\n2'\nC=1\\n2\n`,
    {
      A: '1\n2\t"3" \\ \\d',
      B: '1\\n2',
      C: '1\\n2',
    },
  ],
  [
    'several lines in quotes',
    'A="-----\nkey\n-----"\nB=`x\n"y"`\nC=3\n',
    { A: '-----\nkey\n-----', B: 'x\n"y"', C: '3' },
  ],
  ['quotes that are never closed', `A="1\nB='2\nC=3\n`, { A: '"1', B: "'2", C: '3' }],
  ['an equals sign in the value', 'A=b=c\nB="d=e"\n', { A: 'b=c', B: 'd=e' }],
  ['nothing is expanded', 'A=$HOME\nB="${A}"\n', { A: '$HOME', B: '${A}' }],
  ['line ends of Windows, and a byte order mark', '\uFEFFA=1\r\nB="2"\r\nC=3', { A: '1', B: '2', C: '3' }],
  ['the last of two counts', 'A=1\nA=2\n', { A: '2' }],
  ['dots and dashes in names', 'a.b-c=1\n', { 'a.b-c': '1' }],
  ['what is no assignment', 'A=1\nsecret\n1B=2\n=3\n"x\ny"\nC=4\n', { A: '1', C: '4' }, [2, 3, 4, 5, 6]],
  ['line numbers behind a long value', 'A="1\n2"\nB\n', { A: '1\n2' }, [3]],
];

for (const [title, text, variables, badLines = []] of syntax) {
  test(`an environment file: ${title}`, () => {
    assert.deepEqual(parseEnvFile(text), { variables, badLines });
  });
}

test('an environment file: values come back from double quotes, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const plain = value.replace(/\r/g, '');
      const quoted = plain.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n');
      assert.deepEqual(parseEnvFile(`A=1\nB="${quoted}"\nC=2`), {
        variables: { A: '1', B: plain, C: '2' },
        badLines: [],
      });
    }),
  );
});

function resolve(cwd: string, given: CommandLineOptions, env: NodeJS.ProcessEnv = {}) {
  const result = resolveConfig({ command: 'node', ...given }, { cwd, env });
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.value;
}

test('--env-file: later files before earlier ones, the environment before both, env of the configuration before all', (t) => {
  const files = project(t, {
    'a.env': 'ONE=a\nTWO=a\nTHREE=a\nFOUR=a\n',
    'b.env': 'TWO=b\nTHREE=b\nFOUR=b\n',
    'mcp-hotline.config.json': '{ "env": { "FOUR": "file" } }',
  });
  const env = { THREE: 'environment', FOUR: 'environment', HOME: '/home' };
  const { config, warnings } = resolve(files.directory, { envFile: ['a.env', 'b.env'] }, env);
  assert.deepEqual(config.env, { ONE: 'a', TWO: 'b', THREE: 'environment', FOUR: 'file', HOME: '/home' });
  assert.deepEqual(config.envFiles, [files.path('a.env'), files.path('b.env')]);
  assert.deepEqual(warnings, []);
});

test('--env-file: as a variable, and in the configuration file relative to it', (t) => {
  const files = project(t, { 'a.env': 'A=1', 'b.env': 'A=2', 'conf/c.json': '{ "envFile": ["../b.env"] }' });
  const variable = resolve(files.directory, {}, { MCP_HOTLINE_ENV_FILE: 'a.env, b.env' });
  assert.deepEqual(variable.config.envFiles, [files.path('a.env'), files.path('b.env')]);
  assert.equal(resolve(files.directory, { config: 'conf/c.json' }).config.env['A'], '2');
});

test('--env-file: what is missing, unreadable or no assignment is a warning that tells no value', (t) => {
  const files = project(t, { 'dir/x': '', 'bad.env': 'A=1\nhunter2\n' });
  const { config, warnings } = resolve(files.directory, { envFile: ['none.env', 'dir', 'bad.env'] });
  assert.equal(config.env['A'], '1');
  assert.deepEqual(
    warnings.map((warning) => warning.replaceAll(files.directory, '~')),
    [
      'the environment file ~/none.env does not exist; the server starts without it until it is there',
      'the environment file ~/dir is a directory; the server starts without it until it is there',
      'the environment file ~/bad.env has no NAME=value in line 2: left out',
    ],
  );
});

test('--env-file: an edit that changes a variable needs another server, any other none', async (t) => {
  const files = project(t, { 'a.env': 'A=1\n', 'mcp-hotline.config.json': '{ "envFile": ["a.env"] }' });
  const again = () => resolveConfig({ command: 'node' }, { cwd: files.directory, env: { B: 'set' } });
  const first = again();
  assert.ok(first.ok);
  const config = configOfFiles(first.value, again);
  assert.ok(config.watchTargets.includes(files.path('a.env')));
  const reread = async () => {
    const result = await config.reread();
    assert.ok(result.ok);
    return result.value.change;
  };
  files.write('a.env', '# a word\nA=1\nB=hidden by the environment\n');
  assert.equal(await reread(), undefined);
  files.write('a.env', 'A=2\n');
  const change = await reread();
  assert.deepEqual([change?.changed, change?.needsRestart], [['env'], true]);
  files.write('mcp-hotline.config.json', '{ "envFile": ["a.env", "b.env"] }');
  await reread();
  assert.ok(config.watchTargets.includes(files.path('b.env')), 'a file that the configuration names later');
});

test('--env-file: on Windows a name in any case is the same variable', async () => {
  const { serverEnvironment } = await import('#src/config/server.js');
  const fallback = { PATH: 'c', y: '2' };
  const added = { Y: '3' };
  assert.deepEqual(serverEnvironment({ Path: 'a' }, { fallback, added }, 'win32'), { Path: 'a', Y: '3' });
  assert.deepEqual(serverEnvironment({ Path: 'a' }, { fallback, added }, 'linux'), {
    Path: 'a',
    PATH: 'c',
    y: '2',
    Y: '3',
  });
});
