// `mcp-hotline explain` on the built bin: what it prints, for people and as data, and its exit code. What is found for which
// command is for test/config/discovery.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { shellLine } from '#src/cli/installation.js';
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
  const { directory } = project(t, typescript);
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
  build  build  (found)
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
  for (const line of ['  watch  server.js  (option)', '  build  make  (option)', '  --watch     server.js  (option)']) {
    assert.ok(given.stdout.includes(`${line}\n`), `${line}\n${given.stdout}`);
  }
});

test('an empty list in a file says nothing: what is watched is found, and explained as such', async (t) => {
  const { directory } = project(t, { 'mcp-hotline.config.jsonc': '{ "watch": [] }', 'server.js': '' });
  const { stdout } = await explain(directory, ['--', 'node', 'server.js']);
  assert.match(stdout, /server\.js {2}\(found\)/);
  assert.doesNotMatch(stdout, /\(file\)/);
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
