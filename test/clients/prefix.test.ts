// What is written in front of a server's command, on each platform, and how a command is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTemporary, prefixOf, type Wrapping } from '#src/clients/prefix.js';
import { hidden, shownCommand } from '#src/clients/shown-words.js';
import { expandVariables } from '#src/clients/variables.js';
import type { Variables } from '#src/clients/client.js';

const usual: Wrapping = {
  platform: 'linux',
  installation: { node: '/usr/bin/node', bin: '/lib/mcp-hotline/bin/mcp-hotline.js' },
  portable: false,
  project: '/p',
  startedIn: '/p',
  directory: '/p',
  options: [],
};
const absolute = ['/usr/bin/node', '/lib/mcp-hotline/bin/mcp-hotline.js'];
const local = 'node_modules/mcp-hotline/bin/mcp-hotline.js';
const auto = ['--agent-tools', 'auto'];

const prefixes: [title: string, change: Partial<Wrapping>, words: readonly string[]][] = [
  ['absolute paths by default', {}, [...absolute, ...auto]],
  ['--cwd where the client starts servers elsewhere', { startedIn: undefined }, [...absolute, '--cwd', '/p', ...auto]],
  ['no --cwd for a server of another project', { startedIn: undefined, directory: undefined }, [...absolute, ...auto]],
  ['portable, in the project', { portable: true }, ['node', local, ...auto]],
  ['portable, in a directory below', { portable: true, startedIn: '/p/server' }, ['node', `../${local}`, ...auto]],
  ['portable, elsewhere', { portable: true, startedIn: undefined }, ['npx', 'mcp-hotline', '--cwd', '/p', ...auto]],
  [
    'portable, elsewhere, on Windows',
    { portable: true, startedIn: undefined, platform: 'win32', project: 'C:\\p', directory: 'C:\\p' },
    ['cmd', '/c', 'npx', 'mcp-hotline', '--cwd', 'C:\\p', ...auto],
  ],
  [
    'portable, in the project, on Windows',
    { portable: true, startedIn: 'C:\\p\\a', platform: 'win32', project: 'C:\\p' },
    ['node', `../${local}`, ...auto],
  ],
  [
    "portable, elsewhere, with a variable for the project's directory",
    { portable: true, startedIn: undefined, projectVariable: '${workspaceFolder}' },
    ['npx', 'mcp-hotline', '--cwd', '${workspaceFolder}', ...auto],
  ],
  [
    'an absolute path is not mixed with a variable',
    { startedIn: undefined, projectVariable: '${workspaceFolder}' },
    [...absolute, '--cwd', '/p', ...auto],
  ],
  ['options are taken over', { options: ['--watch', 'src'] }, [...absolute, ...auto, '--watch', 'src']],
  ['options go before ours', { options: ['--agent-tools=off'] }, [...absolute, '--agent-tools=off']],
  [
    'a --cwd that is given',
    { startedIn: undefined, options: ['--cwd', '/q', '--no-agent-tools'] },
    [...absolute, '--cwd', '/q', '--no-agent-tools'],
  ],
];

for (const [title, change, words] of prefixes) {
  test(`prefix: ${title}`, () => assert.deepEqual(prefixOf({ ...usual, ...change }), [...words, '--']));
}

test("an installation in a package runner's cache does not last", () => {
  const of = (bin: string) => isTemporary({ node: '', bin });
  assert.ok(of('/home/ann/.npm/_npx/0123/node_modules/mcp-hotline/bin/mcp-hotline.js'));
  assert.ok(of('C:\\Users\\ann\\AppData\\Local\\npm-cache\\_npx\\01\\node_modules\\mcp-hotline\\bin\\mcp-hotline.js'));
  assert.ok(of('/home/ann/.cache/pnpm/dlx/ab/node_modules/mcp-hotline/bin/mcp-hotline.js'));
  assert.ok(!of('/usr/lib/node_modules/mcp-hotline/bin/mcp-hotline.js'));
});

test('a command is shown without values of variables and without secrets', () => {
  const words = [
    'env',
    'API_KEY=abc',
    'node',
    'a b.js',
    '--token',
    'abc',
    '--api-key=abc',
    '--author',
    '--x=1',
    'EMPTY=',
  ];
  assert.deepEqual(hidden(words), [
    'env',
    'API_KEY=…',
    'node',
    'a b.js',
    '--token',
    '…',
    '--api-key=…',
    '--author',
    '--x=1',
    'EMPTY=',
  ]);
  assert.equal(shownCommand(['node', 'a b.js', '']), 'node "a b.js" ""');
});

const expansions: [word: string, variables: readonly Variables[], workspace: boolean, expected: string][] = [
  ['${workspaceFolder}/a.js', [], true, '/p/a.js'],
  ['${workspaceFolder:app}/a.js', [], true, '/p/a.js'],
  ['${workspaceFolderBasename}', [], true, 'p'],
  ['${userHome}/x', [], true, '/home/ann/x'],
  ['${workspaceFolder}/a.js', [], false, '${workspaceFolder}/a.js'],
  ['${env:ROOT}/a', ['${env:V}'], true, '/root/a'],
  ['${env:NOBODY}/a', ['${env:V}'], true, '${env:NOBODY}/a'],
  ['${input:key}', ['${env:V}'], true, '${input:key}'],
  ['${ROOT}/a', ['${V}'], false, '/root/a'],
  ['${NOBODY:-/else}/a', ['${V}'], false, '/else/a'],
  ['$ROOT/a${ROOT}', ['$V', '${V}'], false, '/root/a/root'],
  ['$ROOT', ['${V}'], false, '$ROOT'],
  ['{env:ROOT}/a', ['{env:V}'], false, '/root/a'],
  ['${env:ROOT}/a', ['{env:V}'], false, '${env:ROOT}/a'],
];

for (const [word, variables, workspace, expected] of expansions) {
  test(`variables: ${word} with ${variables.join(' ')}${workspace ? ' and ${workspaceFolder}' : ''}`, () => {
    const client = { variables, ...(workspace && { workspaceFolder: true as const }) };
    const known = { env: { ROOT: '/root' }, base: '/p', home: '/home/ann' };
    assert.equal(expandVariables(word, client, known), expected);
  });
}
