// Nothing given: the built bin on real projects, without a single option. What is watched and built must have been
// found, or the edit would change nothing. Which files that are, in detail, is for test/config/discovery.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { emptyDirectory, project, startProxy, type Started } from '../support/harness.js';
import { root } from '../support/paths.js';
import type { Project } from '../support/project.js';

interface Found extends Started {
  readonly files: Project;
  /** What a tool says. */
  say(name?: string): Promise<string>;
  /** Replaces a text in a file. */
  edit(file: string, before: string, after: string): void;
  /** Resolves when the log tells of the n-th reload. */
  reloaded(nth: number): Promise<string>;
}

interface Options {
  cwd?: string;
  options?: readonly string[];
}

/** A copy of a fixture project, with what an installation would have put into it, and the proxy on it. */
async function found(t: TestContext, name: string, command: readonly string[], given: Options = {}): Promise<Found> {
  const files = project(t);
  cpSync(join(root, 'fixtures/projects', name), files.directory, { recursive: true });
  link(files, '.bin/tsc', 'typescript/bin/tsc');
  for (const one of ['typescript', '@types', '@typescript', 'undici-types']) link(files, one, one);
  if (name === 'workspace') {
    for (const own of ['server', 'greetings']) {
      mkdirSync(files.path('node_modules/@workspace'), { recursive: true });
      symlinkSync(join('../../packages', own), files.path(`node_modules/@workspace/${own}`));
    }
  }
  const proxy = startProxy(t, {
    options: given.options ?? [],
    command: command.map((word) => word.replace('~', files.directory)),
    cwd: given.cwd === undefined ? files.directory : join(files.directory, given.cwd),
  });
  await proxy.initialize();
  return {
    ...proxy,
    files,
    async say(tool = 'greet') {
      const { result, error } = await proxy.request('tools/call', { name: tool, arguments: {} });
      assert.equal(error, undefined, proxy.transcript());
      return result.content[0].text as string;
    },
    edit(file, before, after) {
      const text = readFileSync(files.path(file), 'utf8');
      assert.ok(text.includes(before), `${file} holds ${before}`);
      files.write(file, text.replace(before, after));
    },
    reloaded: (nth) => proxy.waitForLog(new RegExp(`: reloaded .*generation ${nth + 1}\\b`)),
  };
}

function link(files: Project, name: string, target: string): void {
  mkdirSync(join(files.path('node_modules'), name, '..'), { recursive: true });
  symlinkSync(join(root, 'node_modules', target), files.path(`node_modules/${name}`));
}

test('TypeScript with a build: it is built, watched by its tsconfig, and built again after an edit', async (t) => {
  const server = await found(t, 'typescript', ['node', 'dist/server.js']);
  assert.equal(await server.say(), 'Hello');
  const line = await server.waitForLog('watching src/');
  assert.match(line, /building with "build": dist\/server\.js lies in dist, the output of tsconfig\.build\.json$/);

  server.edit('src/tools.ts', 'Hello', 'Good evening');
  assert.equal(await server.say(), 'Good evening');
  await server.reloaded(1);

  server.edit('src/tools.ts', `'Good evening'`, '1');
  assert.match(await server.say(), /src\/tools\.ts.*error TS2322/s, 'the words of the compiler');
  server.edit('src/tools.ts', '=> 1', `=> 'Good night'`);
  assert.equal(await server.say(), 'Good night');
});

test('TypeScript: a new file, the tsconfig, what it extends and the manifest are noticed; tests are not', async (t) => {
  const server = await found(t, 'typescript', ['npm', 'start', '--silent']);
  assert.equal(await server.say(), 'Hello');
  server.files.write('src/tools.test.ts', 'export {};\n');
  server.files.write('dist/other.js', '// written by something else\n');
  server.files.write('src/more.ts', `export const bye = () => 'Bye';\n`);
  server.edit('src/tools.ts', 'greet:', `bye: (await import('./more.js')).bye, greet:`);
  assert.equal(await server.say('bye'), 'Bye');
  assert.match(await server.reloaded(1), /\(src\/more\.ts, src\/tools\.ts\)/);
  server.edit('tsconfig.build.json', '["src"]', '["src/**/*"]');
  assert.match(await server.reloaded(2), /\(tsconfig\.build\.json\)/);
  server.edit('tsconfig.json', 'es2022', 'es2023');
  assert.match(await server.reloaded(3), /\(tsconfig\.json\)/);
  server.edit('package.json', '"private": true', '"private": true, "version": "2.0.0"');
  assert.match(await server.reloaded(4), /\(package\.json\)/);
  assert.equal(await server.say('bye'), 'Bye');
});

test('an edited tsconfig that names other files has them watched', async (t) => {
  const server = await found(t, 'typescript', ['node', 'dist/server.js']);
  assert.equal(await server.say(), 'Hello');
  server.files.write('words/index.ts', `export const hello = 'Hi';\n`);
  server.edit('src/tools.ts', `'Hello'`, 'hello');
  server.edit('src/tools.ts', 'export', `import { hello } from '../words/index.js';\nexport`);
  server.edit('tsconfig.build.json', '"rootDir": "src"', '"rootDirs": ["src", "words"]');
  server.edit('tsconfig.build.json', '["src"]', '["src", "words"]');
  server.edit('package.json', 'dist/server.js', 'dist/src/server.js');
  server.files.write('dist/server.js', `import './src/server.js';\n`);
  assert.equal(await server.say(), 'Hi');
  server.edit('words/index.ts', 'Hi', 'Hey');
  assert.equal(await server.say(), 'Hey');
});

test('plain JavaScript: an edit, a new file, a file that goes, the manifest', async (t) => {
  const server = await found(t, 'javascript', ['node', 'server.js']);
  assert.equal(await server.say(), 'Hello');
  server.edit('lib/greet.js', 'Hello', 'Good evening');
  assert.equal(await server.say(), 'Good evening');
  server.files.write('lib/bye.js', `export const say = () => 'Bye';\n`);
  assert.equal(await server.say('bye'), 'Bye');
  server.files.remove('lib/bye.js');
  const { result } = await server.request('tools/list');
  assert.deepEqual(
    result.tools.map(({ name }: { name: string }) => name),
    ['greet'],
  );
  server.edit('package.json', '"private": true', '"private": true, "version": "2.0.0"');
  assert.match(await server.reloaded(4), /\(package\.json\)/);
});

test('the same through a script, from another directory, and with an absolute path', async (t) => {
  const script = await found(t, 'javascript', ['npm', '--prefix', '~', 'run', '--silent', 'start'], { cwd: 'lib' });
  const absolute = await found(t, 'javascript', [process.execPath, '~/server.js'], { cwd: '..' });
  for (const server of [script, absolute]) {
    assert.equal(await server.say(), 'Hello');
    server.edit('lib/greet.js', 'Hello', 'Good evening');
    assert.equal(await server.say(), 'Good evening');
  }
});

const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined;

test('Python, by its module', { skip: python === undefined && 'no python3' }, async (t) => {
  const server = await found(t, 'python', ['python3', '-m', 'greeter']);
  assert.equal(await server.say(), 'Hello');
  server.edit('greeter/greetings.py', 'Hello', 'Good evening');
  assert.equal(await server.say(), 'Good evening');
  server.edit('pyproject.toml', '1.0.0', '2.0.0');
  assert.match(await server.reloaded(2), /\(pyproject\.toml\)/);
  const line = await server.waitForLog('watching ');
  assert.match(line, /watching \*\*\/\*\.py and 2 more patterns, and data files: greeter\/__main__\.py is Python$/);
});

test('a workspace: both packages are built, in order, and an edit of either is served', async (t) => {
  const server = await found(t, 'workspace', ['node', 'packages/server/dist/server.mjs']);
  assert.equal(await server.say(), 'Hello');
  server.edit('packages/greetings/src/index.ts', 'Hello', 'Good evening');
  assert.equal(await server.say(), 'Good evening');
  server.edit('packages/server/src/server.mts', `type: 'text', text }`, `type: 'text', text: text + '!' }`);
  assert.equal(await server.say(), 'Good evening!');
  server.edit('tsconfig.base.json', 'es2022', 'es2023');
  assert.match(await server.reloaded(3), /\(tsconfig\.base\.json\)/);
});

test('a workspace, from inside of its server package', async (t) => {
  const server = await found(t, 'workspace', ['node', 'dist/server.mjs'], { cwd: 'packages/server' });
  assert.equal(await server.say(), 'Hello');
  server.edit('packages/greetings/src/index.ts', 'Hello', 'Good evening');
  assert.equal(await server.say(), 'Good evening');
});

test('a build that is given is kept, and one is found beside what is given to watch', async (t) => {
  const given = await found(t, 'typescript', ['node', 'dist/server.js'], {
    options: ['--build', 'tsc -p tsconfig.build.json'],
  });
  assert.equal(await given.say(), 'Hello');
  await given.waitForLog('building: tsc -p tsconfig.build.json');
  given.edit('src/tools.ts', 'Hello', 'Good evening');
  assert.equal(await given.say(), 'Good evening');

  const watched = await found(t, 'typescript', ['node', 'dist/server.js'], { options: ['--watch', 'src'] });
  assert.equal(await watched.say(), 'Hello', 'the build is found beside what is named');
  assert.match(
    await watched.waitForLog('building with "build"'),
    /: building with "build": dist\/server\.js lies in dist/,
  );
});

test('nothing found: the log says why and what to do, and the server serves', async (t) => {
  const script = 'process.stdin.pipe(process.stdout)';
  const server = startProxy(t, { command: [process.execPath, '-e', script], cwd: emptyDirectory });
  await server.send('{"jsonrpc":"2.0","method":"x"}');
  await server.waitFor(({ method }) => method === 'x', 'what was sent');
  const line = await server.waitForLog('nothing to watch was found');
  assert.match(
    line,
    /so the server is not reloaded: it runs code that is not in a file; name its files with --watch <path>$/,
  );
  await server.waitForLog('without reloading');
});
