// `mcp-hotline explain` on the built bin: what it prints, for people and as data, and its exit code. What is found for
// which command is for test/config/discovery.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shellLine } from '#src/cli/shell-line.js';
import { newMarker, project, testEnvironment } from '../support/harness.js';
import { bin } from '../support/paths.js';

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function explain(cwd: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [bin, 'explain', ...words], {
    cwd,
    env: testEnvironment(newMarker(), env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const typescript = {
  'package.json': '{ "scripts": { "build": "tsc", "start": "node dist/index.js" } }',
  'tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, "include": ["src"], "exclude": ["src/old"] }',
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`src/file-${10 + index}.ts`, ''])),
};

test('everything is printed: what was found, the rule, its files, the build, the strategy, the options', async (t) => {
  const { directory } = project(t, { ...typescript, 'pnpm-lock.yaml': '' });
  const { code, stdout, stderr } = await explain(directory, ['--hold', '1000', '--', 'npm', 'start'], {
    MCP_HOTLINE_DEBOUNCE: '50',
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout
      .replaceAll(directory, '~')
      .replaceAll(process.execPath, 'node')
      .replaceAll(bin, 'bin')
      .replace(/\{package\.json,[^}]*\}/, '{manifests}'),
    `Server
  command    npm start  (option)
  directory  ~

Found from the command
  script start  node dist/index.js  (package.json)
  entry         dist/index.js  (the command)
  tsconfig      tsconfig.json  (above the entry)
  output        dist  (the output of tsconfig.json)
  build         build  (scripts in package.json)

Rule server
  watch  src/**/*.{ts,tsx,mts,cts}  (found)
         {manifests}  (found)
  data   .  (found)
         .env, json, jsonc, yaml, yml, toml, md, txt, csv, sql, graphql, html, hbs, j2, ejs, xml, ini: up to 1 MB, no tests, no docs
  files  14
         package.json
${Array.from({ length: 9 }, (_, index) => `         src/file-${10 + index}.ts`).join('\n')}
         … and 4 more
  build  pnpm run build  (found; by pnpm-lock.yaml)
  then   restart

Left out
  ignore  ~/src/old
          ~/dist

Reload
  strategy  overlap  (default)

Options that are not at their defaults
  --debounce  50  (environment)
  --hold      1000  (option)

To run it like this from any directory
    node bin --hold=1000 --cwd=~ -- npm start

watching src/**/*.{ts,tsx,mts,cts} and 1 more pattern, and data files, building with "build": dist/index.js lies in dist, the output of tsconfig.json
`,
  );
});

test('the line to run it by is one for a shell', () => {
  const words = ['/usr/bin/node', '--watch=a b', "it's", '', '*.ts', 'C:\\x'];
  assert.equal(shellLine(words, 'linux'), `/usr/bin/node '--watch=a b' 'it'\\''s' '' '*.ts' 'C:\\x'`);
  assert.equal(shellLine(words, 'win32'), `/usr/bin/node "--watch=a b" "it's" "" "*.ts" C:\\x`);
});

test('as data: the same facts, every option with its origin, all files', async (t) => {
  const { directory } = project(t, typescript);
  const { code, stdout } = await explain(directory, [
    '--json',
    '--no-build',
    '--',
    'node',
    '--inspect',
    'dist/index.js',
  ]);
  assert.equal(code, 0);
  const data = JSON.parse(stdout);
  assert.deepEqual(data.command, ['node', '--inspect', 'dist/index.js']);
  assert.deepEqual(data.strategy, { value: 'replace', from: 'found' });
  assert.deepEqual(data.rules[0].files, ['package.json', 'tsconfig.json']);
  assert.equal(data.rules[0].build, undefined);
  const from = (name: string) => data.options.find((one: { name: string }) => one.name === name);
  assert.deepEqual(from('build'), { name: 'build', value: false, from: 'option' });
  assert.deepEqual(from('max-message'), { name: 'max-message', value: 128, from: 'default' });
  assert.equal(from('watch').from, 'found');
  const server = ['--', 'node', '--inspect', 'dist/index.js'];
  assert.deepEqual(data.start, [process.execPath, bin, '--no-build', `--cwd=${directory}`, ...server]);
  assert.deepEqual(from('strategy'), { name: 'strategy', value: 'replace', from: 'found' });
});

test('what is given or written in a file is explained as such', async (t) => {
  const { directory } = project(t, {
    'mcp-hotline.config.jsonc': `{ "command": "node", "args": ["server.js"], "debounce": 7,
      "rules": [{ "name": "lists", "watch": ["a.yaml"], "imports": "import.*", "then": "notify" }] }`,
    'a.yaml': 'import: [b.yaml, c.yaml]\n',
    'b.yaml': '',
    'server.js': '',
  });
  const written = await explain(directory, []);
  assert.equal(written.code, 0);
  for (const line of [
    '  command        node server.js  (file)',
    `  configuration  ${join(directory, 'mcp-hotline.config.jsonc')}`,
    'Rule lists',
    '  watch    a.yaml  (file)',
    '  imports  import.*  (file)',
    '           b.yaml',
    '  then     notify',
    '  --debounce  7  (file)',
  ]) {
    assert.ok(written.stdout.includes(`${line}\n`), `${line}\n${written.stdout}`);
  }
  const given = await explain(directory, ['--watch', 'server.js', '--build', 'make']);
  for (const line of ['  watch  server.js  (option)', '  build  make  (option)']) {
    assert.ok(given.stdout.includes(`${line}\n`), `${line}\n${given.stdout}`);
  }
  assert.equal(given.stdout.split('server.js  (option)').length, 2, 'each pattern is shown once');
});

test('an empty list in a file says nothing: what is watched is found, and explained as such', async (t) => {
  const { directory } = project(t, { 'mcp-hotline.config.jsonc': '{ "watch": [] }', 'server.js': '' });
  const { stdout } = await explain(directory, ['--', 'node', 'server.js']);
  assert.match(stdout, /server\.js {2}\(found\)/);
  assert.doesNotMatch(stdout, /\(file\)/);
});

test('an empty directory is not listed among the files', async (t) => {
  const { directory } = project(t, { 'server.js': '' });
  mkdirSync(join(directory, 'empty'));
  const { stdout } = await explain(directory, ['--json', '--', 'node', 'server.js']);
  assert.deepEqual(JSON.parse(stdout).rules[0].files, ['server.js']);
});

test('nothing to watch: the reason, and exit code 1', async (t) => {
  const { directory } = project(t, { 'server.js': '' });
  const nothing = await explain(directory, ['--', 'npx', 'some-unknown-server']);
  assert.equal(nothing.code, 1);
  assert.match(
    nothing.stdout,
    /nothing to watch was found, .*some-unknown-server is not part of this project; .*--watch/,
  );
  const off = await explain(directory, ['--no-reload', '--', 'node', 'server.js']);
  assert.equal(off.code, 1);
  assert.match(off.stdout, /reloading is switched off: nothing is watched\n$/);
});

test('what is wrong is told as everywhere, and nothing is printed', async (t) => {
  const { directory } = project(t);
  for (const [words, error] of [
    [['--hold', 'x', '--', 'node'], /^mcp-hotline: --hold: "x" is not allowed/],
    [['--jsno', '--', 'node'], /^mcp-hotline: unknown option --jsno; did you mean --json\?$/],
    [
      [],
      /^mcp-hotline: no server command, expected mcp-hotline explain \[options\] -- <command> \[args…\]; mcp-hotline explain --help shows/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await explain(directory, words);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr.trimEnd(), error);
  }
});

test('explain: a pattern that two rules share is shown with the first', async (t) => {
  const library = { name: 'lib', main: 'dist/index.js', scripts: { build: 'tsc' } };
  const { directory } = project(t, {
    'package.json': '{ "name": "own", "dependencies": { "lib": "*" } }',
    'server.js': '',
    'lib/package.json': JSON.stringify(library),
    'lib/tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, "include": ["src"] }',
    'lib/src/index.ts': '',
    'node_modules/.keep': '',
  });
  symlinkSync('../lib', join(directory, 'node_modules/lib'));
  const { stdout } = await explain(directory, ['--', 'node', 'server.js']);
  assert.equal(stdout.split('lib/src/**/*').length, 2, stdout);
  assert.match(stdout, /and all of rule lib\n/);
  assert.match(stdout, /build {2}npm --prefix lib run build {2}\(found\)/);
});

test('explain: a file that the command names and that does not exist is told', async (t) => {
  const { directory } = project(t, { 'package.json': '{}' });
  const { stdout } = await explain(directory, ['--', 'node', 'missing.js']);
  assert.match(stdout, /missing\.js is JavaScript; but missing\.js does not exist\n$/);
});

const leftOut: [title: string, options: string[], command: string, warning: RegExp | undefined][] = [
  [
    'a directory beside the entry',
    ['--watch', 'prompts'],
    'node server.js',
    /leaves out server\.js, which the command runs, .*use --also-watch prompts instead/,
  ],
  [
    'a glob that does not match it',
    ['-w', 'prompts/*.md', '-w', 'src/**/*.ts'],
    'node server.js',
    /--also-watch prompts\/\*\.md --also-watch src/,
  ],
  [
    'all sources of a project',
    ['--watch', 'prompts'],
    'go run .',
    /leaves out all sources that were found from the command/,
  ],
  [
    'the sources of what is built',
    ['--watch', 'prompts', '--build', 'build'],
    'node dist/index.js',
    /leaves out all sources/,
  ],
  ['the entry', ['--watch', 'server.js'], 'node server.js', undefined],
  ['everything', ['--watch', '.'], 'node server.js', undefined],
  ['a glob that matches it', ['--watch', '*.js'], 'node server.js', undefined],
  ['added, not replaced', ['--also-watch', 'prompts'], 'node server.js', undefined],
  ['the entry, added', ['--watch', 'prompts', '--also-watch', 'server.js'], 'node server.js', undefined],
  ['some source of a project', ['--watch', 'main.go'], 'go run .', undefined],
  ['the sources of what is built, watched', ['--watch', 'src'], 'node dist/index.js', undefined],
  ['the output, built by somebody else', ['--watch', 'dist', '--no-build'], 'node dist/index.js', undefined],
];

for (const [title, options, command, warning] of leftOut) {
  test(`a warning where --watch leaves out the server's own code: ${title}`, async (t) => {
    const { directory } = project(t, {
      'go.mod': 'module own\n',
      'main.go': 'package main\n',
      'server.js': '',
      'prompts/a.md': '',
      'package.json': '{ "scripts": { "build": "tsc" } }',
      'tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, "include": ["src"] }',
      'src/index.ts': '',
      'dist/index.js': '',
    });
    const { stdout } = await explain(directory, [...options, '--json', '--', ...command.split(' ')]);
    const warnings = JSON.parse(stdout).warnings as string[];
    assert.equal(warnings.length, warning === undefined ? 0 : 1, warnings.join('\n'));
    if (warning !== undefined) assert.match(warnings[0]!, warning);
  });
}

test('rules of a file that leave out the entry: a warning that names alsoWatch', async (t) => {
  const { directory } = project(t, {
    'mcp-hotline.config.json': '{ "rules": [{ "watch": ["prompts"] }] }',
    'server.js': '',
    'prompts/a.md': '',
  });
  const { stdout } = await explain(directory, ['--json', '--', 'node', 'server.js']);
  assert.match(
    JSON.parse(stdout).warnings.join(),
    /^the rules of the configuration file leave out server\.js, .*"alsoWatch"$/,
  );
});

test('what would be served over HTTP is said, and a token is not', async (t) => {
  const { directory } = project(t, { 'server.js': '' });
  const server = ['--', 'node', 'server.js'];
  const token = '0123456789abcdef0123';
  const { stdout: off } = await explain(directory, server);
  assert.doesNotMatch(off, /^HTTP$/m);
  const { stdout: usual } = await explain(directory, ['--http', ...server]);
  assert.match(
    usual,
    /\nHTTP\n {2}endpoint {2}http:\/\/127\.0\.0\.1:6280\/mcp, or the next free port {2}\(option\)\n {2}token {5}none is needed: /,
  );
  const words = ['--http', '8080', '--host', '0.0.0.0', '--share', '--token', token, ...server];
  const { code, stdout } = await explain(directory, words);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /\n {2}endpoint {2}http:\/\/127\.0\.0\.1:8080\/mcp {2}\(option\)\n {2}token {5}clients must send /,
  );
  assert.match(stdout, /\n {2}servers {3}one process for all clients of one era\n/);
  assert.match(stdout, /\n {2}--token +\*{4} {2}\(option\)\n/);
  assert.ok(!stdout.includes(token), stdout);
  const { stdout: json } = await explain(directory, ['--json', '--http', '0', ...server], {
    MCP_HOTLINE_TOKEN: 'auto',
    XDG_STATE_HOME: join(directory, 'state'),
  });
  const { http } = JSON.parse(json) as { http: { tokenFile: string } };
  assert.match(http.tokenFile, /state.*http-token$/);
  assert.deepEqual(http, {
    host: '127.0.0.1',
    port: 0,
    url: null,
    from: 'option',
    token: 'auto',
    tokenFile: http.tokenFile,
    share: false,
  });
});

test('of a server that speaks HTTP itself, it is said where it is reached, and what its port means for a reload', async (t) => {
  const { directory } = project(t, { 'server.js': '', 'app.py': '' });
  const free = ['--upstream', 'http://127.0.0.1:{port}/mcp', '--', 'uvicorn', 'app:app', '--port', '{port}'];
  const { code, stdout } = await explain(directory, free);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /\nUpstream\n {2}endpoint {2}http:\/\/127\.0\.0\.1:\{port\}\/mcp {2}\(option\)\n {2}port {6}a free one at each start, as PORT in the environment, and in the arguments \(\{port\}\): /,
  );
  assert.match(stdout, /\n {2}strategy {2}overlap {2}\(default\)\n/);
  assert.match(stdout, /watching \*\*\/\*\.py/);
  const fixed = ['--upstream', 'http://127.0.0.1:8000/mcp', '--http', '--', 'node', 'server.js'];
  const { stdout: replaced } = await explain(directory, fixed);
  assert.match(replaced, /\n {2}port {6}fixed: the old server is stopped before the new one starts\n/);
  assert.match(replaced, /\n {2}strategy {2}replace {2}\(found\)\n/);
  assert.match(replaced, /\n {2}servers {3}one process for all clients\n/);
  assert.match(replaced, /\nWarnings\n {4}the server's port is fixed, /);
  const { stdout: json } = await explain(directory, ['--json', ...free]);
  assert.deepEqual((JSON.parse(json) as { upstream: unknown }).upstream, {
    url: 'http://127.0.0.1:{port}/mcp',
    from: 'option',
    starts: true,
    freePort: true,
    portIn: ['{port}'],
  });
});

test('of a server that somebody else starts, it is said that nothing is watched or started', async (t) => {
  const { directory } = project(t, { 'package.json': '{ "scripts": { "build": "tsc" } }' });
  const { code, stdout } = await explain(directory, ['--upstream', 'http://localhost:8000/mcp']);
  assert.equal(code, 0, stdout);
  const shown = stdout.replaceAll(directory, '~').replaceAll(process.execPath, 'node').replaceAll(bin, 'bin');
  assert.equal(
    shown,
    `Server
  directory  ~

Upstream
  endpoint  http://localhost:8000/mcp  (option)
  port      as the URL has it: somebody else starts the server
  sessions  one with the server for each client, also after it has been started again

To run it like this from any directory
    node bin --upstream=http://localhost:8000/mcp --cwd=~

nothing is watched or started: somebody else starts the server, and clients keep their session when that happens
`,
  );
});
