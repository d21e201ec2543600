// The data files of a package: which of them are found, and which are not, by the real watch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATA_ENDINGS, holdsNoData, isDataFile, MAX_DATA_BYTES } from '#src/watch/data-files.js';
import { place, type Content } from './fixture.js';

test('data files by name', () => {
  const data = [
    ...DATA_ENDINGS.map((ending) => `x.${ending}`),
    '.env',
    '.env.local',
    '.env.production.local',
    'Prompt.MD',
    'catalog.json',
    'openapi.spec.yaml',
    'package.json',
    'todo.json',
    'support.md',
    'readme-template.md',
    'readme.template.md',
    'README.md.hbs',
    'changelog-entry.md',
  ];
  const none = [
    'x.js',
    'x.png',
    'x.jsonl',
    'x.db',
    '.hidden.json',
    '.envrc',
    '.env.example',
    '.env.swp',
    '.env~',
    'x.json~',
    'README.md',
    'Readme.txt',
    'README.de.md',
    'README.zh-CN.md',
    'README_en.md',
    'CHANGELOG.md',
    'CHANGELOG-2.md',
    'LICENSE.txt',
    'AGENTS.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    'package-lock.json',
    'pnpm-lock.yaml',
    'packages.lock.json',
    'npm-shrinkwrap.json',
    'tsconfig.build.json',
    '.mcp.json',
    'mcp.json',
    'claude_desktop_config.json',
    'mcp-hotline.config.jsonc',
    'docker-compose.yml',
    'server.log.json',
    'log.txt',
    'error-log.txt',
    'coverage.xml',
    'x.test.json',
    'x.spec.json',
    'x.tmp',
    'x.json.tmp',
  ];
  assert.deepEqual(
    data.filter((name) => !isDataFile(name)),
    [],
  );
  assert.deepEqual(none.filter(isDataFile), []);
});

test('directories that hold no data of the server, anywhere or at the top of a project', () => {
  for (const name of ['node_modules', '.vscode', '.cursor', '.gemini', 'dist', 'test', 'tests', '__tests__', 'logs'])
    assert.ok(holdsNoData(name, false), name);
  for (const name of ['docs', 'doc', 'build', 'out', 'coverage', 'output', 'cache']) {
    assert.ok(holdsNoData(name, true), name);
    assert.ok(!holdsNoData(name, false), name);
  }
  for (const name of ['prompts', 'data', 'templates', 'config', 'src', 'public'])
    assert.ok(!holdsNoData(name, true), name);
});

const data: Record<string, Content> = {
  'prompts/hello.md': '',
  'config/settings.yaml': '',
  'templates/deep/page.hbs': '',
  'settings.json': '{}',
  '.env': 'A=1',
  '.env.local': 'A=2',
  'large.json': 'x'.repeat(MAX_DATA_BYTES + 1),
  'secret.json': '{}',
  'private/x.json': '{}',
  'private/.env': '',
  'README.md': '',
  'docs/x.md': '',
  'tests/x.json': '{}',
  'lib/__tests__/x.json': '{}',
  'logs/x.txt': '',
  '.mcp.json': '{}',
  '.vscode/mcp.json': '{}',
  'package-lock.json': '{}',
  'npm-shrinkwrap.json': '{}',
  'pnpm-lock.yaml': '',
  'yarn.lock': '',
  'bun.lock': '',
  'deno.lock': '',
  'uv.lock': '',
  'poetry.lock': '',
  'Pipfile.lock': '{}',
  'node_modules/x/data.json': '{}',
  '.gitignore': '.env*\nsecret.json\nprivate/\n',
};
const found = [
  '.env',
  '.env.local',
  'config/settings.yaml',
  'prompts/hello.md',
  'settings.json',
  'templates/deep/page.hbs',
];

const projects: [title: string, files: Record<string, Content>, command: string, sources: string[]][] = [
  ['plain JavaScript', { 'package.json': {}, 'server.js': '' }, 'node server.js', ['package.json', 'server.js']],
  ['a script without a manifest', { 'server.js': '' }, 'node server.js', ['server.js']],
  [
    'TypeScript with a build',
    {
      'package.json': { scripts: { build: 'tsc' } },
      'tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
      'src/index.ts': '',
      'dist/index.js': '',
      'dist/x.json': '{}',
    },
    'node dist/index.js',
    ['package.json', 'src/index.ts', 'tsconfig.json'],
  ],
  ['Python', { 'pyproject.toml': '', 'app/__main__.py': '' }, 'python3 -m app', ['app/__main__.py', 'pyproject.toml']],
  ['Go', { 'go.mod': '', 'main.go': '' }, 'go run .', ['go.mod', 'main.go']],
];

for (const [title, files, command, sources] of projects) {
  test(`data files belong to what is found: ${title}`, async (t) => {
    const here = place(t, { ...data, ...files });
    const watched = await here.watched(await here.find(command));
    assert.deepEqual(watched, { server: [...found, ...sources].sort() });
  });
}

test('a .env where the server is started counts though its package is elsewhere, and other files there do not', async (t) => {
  const here = place(t, { '.env': '', 'x.json': '{}', 'app/package.json': {}, 'app/a.js': '', 'app/x.json': '{}' });
  const watched = await here.watched(await here.find('node app/a.js'));
  assert.deepEqual(watched, { server: ['.env', 'app/a.js', 'app/package.json', 'app/x.json'] });
});

test('the data of a package that is linked belongs to the server too', async (t) => {
  const here = place(t, {
    'server/package.json': { dependencies: { lib: '*' } },
    'server/a.js': '',
    'server/node_modules/lib': { link: '../../lib' },
    'lib/package.json': { name: 'lib', main: 'index.js' },
    'lib/index.js': '',
    'lib/words.json': '{}',
    'other/x.json': '{}',
  });
  const { server = [] } = await here.watched(await here.find('node server/a.js'));
  assert.ok(server.includes('lib/words.json') && !server.includes('other/x.json'), `${server}`);
});

test('where endings are given, or a directory holds more than a project, there is no more data than is said', async (t) => {
  const here = place(t, { 'package.json': {}, 'a.js': '', 'b.json': '{}', '.env': '' });
  const { server } = await here.watched(await here.find('node a.js', { ext: ['js'] }));
  assert.deepEqual(server, ['a.js', 'package.json']);
  assert.equal((await here.find('node a.js', { ext: ['js'] })).rules[0]?.data, undefined);
});
