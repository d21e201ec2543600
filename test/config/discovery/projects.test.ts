// What belongs to a project: its language's files and manifests, its neighbours in a workspace, and how far up it
// reaches. The real watch tells which files are taken.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { fact, place } from './fixture.js';
import { cleanup } from '../../support/cleanup.js';

test('plain JavaScript: the package by its endings, its manifests, and its data', async (t) => {
  const here = place(t, {
    'package.json': {},
    'package-lock.json': {},
    'src/server.js': '',
    'src/data.json': '',
    'lib/a.mjs': '',
    'lib/b.cjs': '',
    'lib/c.ts': '',
    'state.json': '',
    'README.md': '',
    '.hidden.js': '',
    'node_modules/x/index.js': '',
    'dist/old.js': '',
    'ignored/a.js': '',
    '.gitignore': 'ignored\n',
  });
  const found = await here.find('node src/server.js');
  assert.deepEqual(await here.watched(found), {
    server: ['lib/a.mjs', 'lib/b.cjs', 'package.json', 'src/data.json', 'src/server.js', 'state.json'],
  });
  assert.deepEqual([found.rules[0]?.build, found.rules[0]?.then], [undefined, 'restart']);
  assert.match(
    found.why,
    /^watching \*\*\/\*\.\{js,mjs,cjs\} and \d more patterns, and data files: src\/server\.js is JavaScript$/,
  );
});

test('what is found does not depend on where one stands', async (t) => {
  const here = place(t, {
    'project/package.json': { scripts: { build: 'x' } },
    'project/tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
    'project/src/a.ts': '',
    'project/src/deep/b.ts': '',
    'else/where/x': '',
  });
  const expected = ['package.json', 'src/a.ts', 'src/deep/b.ts', 'tsconfig.json'].map((path) => `project/${path}`);
  for (const cwd of ['project', '.', 'project/src/deep', 'else/where']) {
    const found = await here.find('node ~/project/dist/a.js', { cwd: here.path(cwd) });
    const { server } = await here.watched(found, here.path(cwd));
    assert.deepEqual(server, expected, cwd);
    const isAround = cwd.startsWith('project');
    assert.equal(
      found.rules[0]?.build,
      isAround ? 'build' : `npm --prefix ${cwd === '.' ? '' : '../../'}project run build`,
      cwd,
    );
  }
});

test('a build elsewhere is run by the package manager of its lock file, also of one above', async (t) => {
  const tsconfig = { compilerOptions: { outDir: 'dist' }, include: ['src'] };
  for (const [lock, command] of [
    ['pnpm-lock.yaml', 'pnpm --dir'],
    ['yarn.lock', 'yarn --cwd'],
    ['bun.lock', 'bun --cwd'],
    ['package-lock.json', 'npm --prefix'],
  ] as const) {
    const here = place(t, {
      [`w/${lock}`]: '',
      'w/package.json': {},
      'w/a/package.json': { scripts: { build: 'x' } },
      'w/a/tsconfig.json': tsconfig,
    });
    const found = await here.find('node w/a/dist/i.js');
    assert.equal(found.rules[0]?.build, `${command} w/a run build`);
    const { server = [] } = await here.watched(found);
    assert.ok(server.includes('w/package.json') && !server.includes(`w/${lock}`), `${server}`);
  }
});

const workspace = {
  'package.json': { workspaces: ['packages/*'] },
  'package-lock.json': {},
  'packages/server/package.json': {
    name: '@w/server',
    dependencies: { '@w/lib': '*', '@w/plain': '*', theirs: '1' },
    scripts: { build: 'tsc' },
  },
  'packages/server/tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
  'packages/server/src/index.ts': '',
  'packages/lib/package.json': {
    name: '@w/lib',
    exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' } },
    dependencies: { '@w/server': '*' },
    scripts: { build: 'tsc' },
  },
  'packages/lib/tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
  'packages/lib/src/index.ts': '',
  'packages/plain/package.json': { name: '@w/plain', main: 'index.js' },
  'packages/plain/index.js': '',
  'packages/unrelated/package.json': { name: '@w/unrelated' },
  'packages/unrelated/index.js': '',
  'node_modules/@w/server': { link: '../../packages/server' },
  'node_modules/@w/lib': { link: '../../packages/lib' },
  'node_modules/@w/plain': { link: '../../packages/plain' },
  'node_modules/@w/unrelated': { link: '../../packages/unrelated' },
  'node_modules/theirs/index.js': '',
};

test('a workspace: the packages that the server depends on are watched, and built before it', async (t) => {
  const here = place(t, workspace);
  const found = await here.find('node packages/server/dist/index.js');
  const lib = ['package.json', 'packages/lib/package.json', 'packages/lib/src/index.ts', 'packages/lib/tsconfig.json'];
  assert.deepEqual(await here.watched(found), {
    '@w/lib': lib,
    server: [
      ...lib,
      'packages/plain/index.js',
      'packages/plain/package.json',
      'packages/server/package.json',
      'packages/server/src/index.ts',
      'packages/server/tsconfig.json',
    ],
  });
  assert.deepEqual(
    found.rules.map(({ build }) => build),
    ['lib', 'server'].map((name) => `npm --prefix packages/${name} run build`),
  );
  const linked = await here.find('node node_modules/@w/server/dist/index.js');
  assert.deepEqual(linked.rules, found.rules);
});

test('a workspace whose root builds everything is built once', async (t) => {
  const here = place(t, {
    ...workspace,
    'package.json': { workspaces: ['packages/*'], scripts: { build: 'tsc -b' } },
    'packages/server/package.json': { name: '@w/server', dependencies: { '@w/lib': '*' } },
  });
  const { rules } = await here.find('node packages/server/dist/index.js');
  assert.deepEqual(
    rules.map(({ name, build }) => [name, build]),
    [['server', 'build']],
  );
  const referring = { compilerOptions: { outDir: 'dist' }, include: ['src'], references: [{ path: '../lib' }] };
  const other = place(t, { ...workspace, 'packages/server/tsconfig.json': referring });
  const found = await other.find('node dist/index.js', { cwd: other.path('packages/server') });
  assert.deepEqual(
    found.rules.map(({ name, build }) => [name, build]),
    [['server', 'build']],
  );
});

test('a build that was given, or none, is for all of a workspace', async (t) => {
  const here = place(t, workspace);
  for (const build of ['make', false] as const) {
    const found = await here.find('node packages/server/dist/index.js', { build });
    assert.deepEqual(
      found.rules.map((rule) => [rule.name, rule.build]),
      [['server', build || undefined]],
    );
  }
});

test('Python: the project by its manifest, without its environments, with what it installs from next to it', async (t) => {
  const here = place(t, {
    'a/pyproject.toml': '[project]\nname = "a"\n[tool.uv.sources]\nb = { path = "../b", editable = true }\n',
    'a/requirements-dev.txt': '',
    'a/src/a/__main__.py': '',
    'a/src/a/x.json': '',
    'a/tests/test_a.py': '',
    'a/myenv/pyvenv.cfg': '',
    'a/myenv/lib/x.py': '',
    'a/venv/lib/x.py': '',
    'a/__pycache__/x.py': '',
    'b/pyproject.toml': '',
    'b/b.py': '',
    'c/c.py': '',
  });
  const found = await here.find('python -m a', { cwd: here.path('a') });
  assert.deepEqual(await here.watched(found, here.path('a')), {
    server: [
      'a/pyproject.toml',
      'a/requirements-dev.txt',
      'a/src/a/__main__.py',
      'a/src/a/x.json',
      'a/tests/test_a.py',
      'b/b.py',
      'b/pyproject.toml',
    ],
  });
});

test('Python without a manifest: the directory of the script, or the one that modules are looked for in', async (t) => {
  const here = place(t, { 'app/server.py': '', 'app/lib/x.py': '', 'other.py': '' });
  const script = await here.find('python app/server.py');
  assert.deepEqual(await here.watched(script), { server: ['app/lib/x.py', 'app/server.py'] });
  const module = await here.find('python -m app.server');
  assert.deepEqual(await here.watched(module), { server: ['app/lib/x.py', 'app/server.py', 'other.py'] });
});

test('Go, Rust, .NET, PHP, Ruby and Deno, by their endings and manifests', async (t) => {
  const here = place(t, {
    'go/go.mod': '',
    'go/go.sum': '',
    'go/cmd/x/main.go': '',
    'go/internal/y.go': '',
    'go/README.md': '',
    'rust/Cargo.toml': '[workspace]\nmembers = ["a", "b"]\n',
    'rust/Cargo.lock': '',
    'rust/a/Cargo.toml': '[package]\n',
    'rust/a/src/main.rs': '',
    'rust/b/src/lib.rs': '',
    'rust/target/debug/x.rs': '',
    'net/A/A.csproj': '<ProjectReference Include="..\\B\\B.csproj" />',
    'net/A/Program.cs': '',
    'net/A/obj/x.cs': '',
    'net/A/bin/Debug/y.cs': '',
    'net/B/B.csproj': '',
    'net/B/Lib.cs': '',
    'net/C/C.csproj': '',
    'php/composer.json': {},
    'php/src/s.php': '',
    'php/vendor/x/y.php': '',
    'ruby/Gemfile': '',
    'ruby/Gemfile.lock': '',
    'ruby/lib/s.rb': '',
    'ruby/x.gemspec': '',
    'deno/deno.json': {},
    'deno/main.ts': '',
    'deno/x.md': '',
    'swift/Package.swift': '',
    'swift/Sources/x/main.swift': '',
    'dart/pubspec.yaml': '',
    'dart/bin/x.dart': '',
    'elixir/mix.exs': '',
    'elixir/lib/x.ex': '',
    'elixir/deps/y.ex': '',
  });
  const go = ['go/cmd/x/main.go', 'go/go.mod', 'go/go.sum', 'go/internal/y.go'];
  const rust = ['rust/Cargo.lock', 'rust/Cargo.toml', 'rust/a/Cargo.toml', 'rust/a/src/main.rs', 'rust/b/src/lib.rs'];
  const net = ['net/A/A.csproj', 'net/A/Program.cs', 'net/B/B.csproj', 'net/B/Lib.cs'];
  const expected: [command: string, cwd: string, files: string[]][] = [
    ['go run ./cmd/x', 'go', go],
    ['go run cmd/x/main.go', 'go', go],
    ['cargo run -q', 'rust/a', rust],
    ['cargo +nightly run --manifest-path rust/a/Cargo.toml', '.', rust],
    ['dotnet run', 'net/A', net],
    ['dotnet run --project A/A.csproj', 'net', net],
    ['php src/s.php', 'php', ['php/composer.json', 'php/src/s.php']],
    ['ruby lib/s.rb', 'ruby', ['ruby/Gemfile', 'ruby/lib/s.rb', 'ruby/x.gemspec']],
    ['deno run main.ts', 'deno', ['deno/deno.json', 'deno/main.ts', 'deno/x.md']],
    ['swift run --package-path swift x', '.', ['swift/Package.swift', 'swift/Sources/x/main.swift']],
    ['dart run bin/x.dart', 'dart', ['dart/bin/x.dart', 'dart/pubspec.yaml']],
    ['dart run', 'dart', ['dart/bin/x.dart', 'dart/pubspec.yaml']],
    ['mix run --no-halt', 'elixir', ['elixir/lib/x.ex', 'elixir/mix.exs']],
  ];
  for (const [command, cwd, files] of expected) {
    const found = await here.find(command, { cwd: here.path(cwd) });
    assert.deepEqual(await here.watched(found, here.path(cwd)), { server: files }, command);
  }
});

test('a manifest above the repository, or in the home directory, makes no project of what lies below', async (t) => {
  const here = place(t, { 'package.json': {}, 'other.js': '', 'repo/server.js': '', 'repo/lib/a.js': '' });
  mkdirSync(here.path('repo/.git'));
  const found = await here.find('node repo/server.js');
  assert.deepEqual(await here.watched(found), { server: ['repo/lib/a.js', 'repo/server.js'] });

  const home = place(t, {
    'package.json': {},
    'other.js': '',
    'mine/server.js': '',
    'mine/lib/a.js': '',
    'tool.js': '',
  });
  const before = process.env['HOME'];
  process.env['HOME'] = home.directory;
  cleanup(t, () => (process.env['HOME'] = before));
  const below = await home.find('node mine/server.js');
  assert.deepEqual(await home.watched(below), { server: ['mine/lib/a.js', 'mine/server.js'] });
  const inside = await home.find('node tool.js');
  assert.deepEqual(await home.watched(inside), { server: ['other.js', 'tool.js'] });
});

test('manifests that are damaged are as good as none', async (t) => {
  const here = place(t, { 'package.json': '{ "scripts": ', 'server.js': '', 'tsconfig.json': '{ "include": [' });
  const found = await here.find('node server.js');
  assert.ok((await here.watched(found))['server']?.includes('server.js'));
  assert.equal(fact(await here.find('npm start'), 'entry'), 'server.js');
});
