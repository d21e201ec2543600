// TypeScript: which files a tsconfig names, with all of its ways to say so, and what follows from where the entry lies.
// The real watch tells which files are taken.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fact, place, type Content } from './fixture.js';

const build = { scripts: { build: 'tsc' } };

/** The files of the server's rule, without manifests and data. */
async function sources(t: TestContext, files: Record<string, Content>, command: string): Promise<string[]> {
  const here = place(t, files);
  const { server = [] } = await here.watched(await here.find(command));
  return server.filter((path) => !/\.(json|md)$/.test(path));
}

const tree: Record<string, Content> = {
  'package.json': build,
  'src/index.ts': '',
  'src/index.test.ts': '',
  'src/deep/er/view.tsx': '',
  'src/deep/old.cts': '',
  'src/plain.js': '',
  'src/data.json': '{}',
  'src/notes.md': '',
  'other/more.ts': '',
  'other/x.d.ts': '',
  'root.ts': '',
  'dist/index.js': '',
  'dist/index.d.ts': '',
  'node_modules/x/index.ts': '',
};

const cases: [title: string, tsconfig: object, files: string[]][] = [
  [
    'without files and include, everything but the output is source',
    { compilerOptions: { outDir: 'dist' } },
    [
      'other/more.ts',
      'other/x.d.ts',
      'root.ts',
      'src/deep/er/view.tsx',
      'src/deep/old.cts',
      'src/index.test.ts',
      'src/index.ts',
    ],
  ],
  [
    'a directory in include, and a pattern in exclude',
    { compilerOptions: { outDir: 'dist' }, include: ['src'], exclude: ['**/*.test.ts'] },
    ['src/deep/er/view.tsx', 'src/deep/old.cts', 'src/index.ts'],
  ],
  [
    'a directory in exclude',
    { compilerOptions: { outDir: 'dist' }, include: ['src/**/*'], exclude: ['src/deep'] },
    ['src/index.test.ts', 'src/index.ts'],
  ],
  [
    'JavaScript where it is compiled too',
    { compilerOptions: { outDir: 'dist', allowJs: true }, include: ['./src/*'] },
    ['src/index.test.ts', 'src/index.ts', 'src/plain.js'],
  ],
  [
    'single files, in files and in include, whatever is excluded',
    {
      compilerOptions: { outDir: 'dist' },
      files: ['root.ts', 'src/index.ts'],
      include: ['other/more.ts', 'src/*.test.ts'],
      exclude: ['src/index.ts'],
    },
    ['other/more.ts', 'root.ts', 'src/index.test.ts', 'src/index.ts'],
  ],
  ['files alone name all', { compilerOptions: { outDir: 'dist' }, files: ['src/index.ts'] }, ['src/index.ts']],
  [
    'question marks, and stars in the middle',
    { compilerOptions: { outDir: 'dist' }, include: ['*/mor?.ts', 'src/**/er/*'] },
    ['other/more.ts', 'src/deep/er/view.tsx'],
  ],
];

for (const [title, tsconfig, files] of cases) {
  test(`the files of a tsconfig: ${title}`, async (t) => {
    assert.deepEqual(await sources(t, { ...tree, 'tsconfig.json': tsconfig }, 'node dist/index.js'), files);
  });
}

test('what a file that is named alone imports counts too', async (t) => {
  const index = `import { more } from './deep/old.cjs';\n`;
  for (const tsconfig of [{ files: ['src/index.ts'] }, { include: ['src/index.ts'] }]) {
    const given = {
      ...tree,
      'src/index.ts': index,
      'tsconfig.json': { ...tsconfig, compilerOptions: { outDir: 'dist' } },
    };
    const files = await sources(t, given, 'node dist/index.js');
    assert.ok(files.includes('src/deep/old.cts') && !files.includes('other/more.ts'), `${files}`);
  }
});

test('comments, trailing commas and extends, relative and from a package', async (t) => {
  const here = place(t, {
    ...tree,
    'tsconfig.json': '// sources\n{ "extends": ["./config/base.json", "@tsconfig/x"], /* all */ "include": ["src"], }',
    'config/base.json': { extends: './deeper', compilerOptions: { outDir: '${configDir}/dist' } },
    'config/deeper.json': { compilerOptions: { strict: true } },
    'node_modules/@tsconfig/x/tsconfig.json': { compilerOptions: { target: 'es2022' } },
    'node_modules/@tsconfig/x/package.json': {},
  });
  const found = await here.find('node dist/index.js');
  assert.equal(found.rules[0]?.build, 'build');
  const { server = [] } = await here.watched(found);
  const manifests = server.filter((path) => path.endsWith('.json'));
  assert.deepEqual(manifests, [
    'config/base.json',
    'config/deeper.json',
    'package.json',
    'src/data.json',
    'tsconfig.json',
  ]);
});

test('tsconfig.build.json comes before tsconfig.json, and each is asked whether the entry is its own', async (t) => {
  const both = {
    ...tree,
    'tsconfig.json': { include: ['src', 'other'] },
    'tsconfig.build.json': {
      extends: './tsconfig.json',
      compilerOptions: { outDir: 'dist' },
      exclude: ['**/*.test.ts'],
    },
  };
  const built = await place(t, both).find('node dist/index.js');
  assert.equal(fact(built, 'tsconfig'), 'tsconfig.build.json');
  const tested = await place(t, both).find('tsx src/index.test.ts');
  assert.equal(fact(tested, 'tsconfig'), 'tsconfig.json');
});

test('project references: those of the entry are watched, with their tsconfigs, and not those of others', async (t) => {
  const composite = { compilerOptions: { composite: true, outDir: 'dist' }, include: ['src'] };
  const here = place(t, {
    'package.json': { scripts: { build: 'tsc -b' } },
    'tsconfig.json': { files: [], references: [{ path: './web' }, { path: './server/tsconfig.json' }] },
    'web/tsconfig.json': composite,
    'web/src/page.ts': '',
    'server/tsconfig.json': { ...composite, references: [{ path: '../shared' }] },
    'server/src/index.ts': '',
    'shared/tsconfig.json': { ...composite, references: [{ path: '../server' }] },
    'shared/src/types.ts': '',
  });
  const found = await here.find('node server/dist/index.js');
  assert.deepEqual(await here.watched(found), {
    server: [
      'package.json',
      'server/src/index.ts',
      'server/tsconfig.json',
      'shared/src/types.ts',
      'shared/tsconfig.json',
      'tsconfig.json',
    ],
  });
  assert.equal(found.rules[0]?.build, 'build');
});

test('references of references: what the entry needs at the second remove is watched too, with its tsconfig', async (t) => {
  const composite = { compilerOptions: { composite: true, outDir: 'dist' }, include: ['src'] };
  const here = place(t, {
    'package.json': { scripts: { build: 'tsc -b server' } },
    'server/tsconfig.json': { ...composite, references: [{ path: '../shared' }] },
    'server/src/index.ts': '',
    'shared/tsconfig.json': { ...composite, references: [{ path: '../base' }] },
    'shared/src/types.ts': '',
    'base/tsconfig.json': { ...composite, references: [{ path: '../root' }] },
    'base/src/base.ts': '',
    'root/tsconfig.json': composite,
    'root/src/root.ts': '',
  });
  for (const command of ['node server/dist/index.js', 'tsx server/src/index.ts']) {
    const { server } = await here.watched(await here.find(command));
    const expected = ['base', 'root', 'server', 'shared'].map((name) => `${name}/tsconfig.json`);
    for (const path of [...expected, 'shared/src/types.ts', 'base/src/base.ts', 'root/src/root.ts'])
      assert.ok(server?.includes(path), `${command}: ${path} among ${server?.join(', ')}`);
  }
});

test('an entry that is run from its source needs no build', async (t) => {
  const here = place(t, { ...tree, 'tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] } });
  for (const command of ['tsx src/index.ts', 'node src/index.ts', 'bun src/index.ts']) {
    const found = await here.find(command);
    assert.equal(found.rules[0]?.build, undefined);
    const { server } = await here.watched(found);
    assert.ok(server?.includes('src/plain.js'), 'what runs TypeScript runs JavaScript too');
  }
});

test('an entry in the output that does not exist yet is built from its sources', async (t) => {
  const here = place(t, {
    'package.json': build,
    'src/index.ts': '',
    'tsconfig.json': { compilerOptions: { outDir: 'lib' }, include: ['src'] },
  });
  const found = await here.find('node lib/index.js');
  assert.equal(found.rules[0]?.build, 'build');
  assert.match(
    found.why,
    /^watching src\/\*\*\/.*, building with "build": lib\/index\.js lies in lib, the output of tsconfig\.json$/,
  );
});

test('without a build script the output itself is watched, and the line says so', async (t) => {
  const files = { ...tree, 'package.json': {}, 'tsconfig.json': { compilerOptions: { outDir: 'dist' } } };
  const here = place(t, files);
  const found = await here.find('node dist/index.js');
  const data = ['src/data.json', 'src/notes.md'];
  assert.deepEqual(await here.watched(found), { server: ['dist/index.js', 'package.json', ...data, 'tsconfig.json'] });
  assert.match(found.why, /no script "build" to make it; name one with --build/);
});

test('a build script that never ends is none', async (t) => {
  const scripts = { build: 'tsc --watch' };
  const here = place(t, {
    ...tree,
    'package.json': { scripts },
    'tsconfig.json': { compilerOptions: { outDir: 'dist' } },
  });
  const found = await here.find('node dist/index.js');
  assert.equal(found.rules[0]?.build, undefined);
  assert.match(found.why, /, and the script "build" never ends \(tsc --watch\); name one with --build$/);
});

test('what a bundler writes is built too, whatever the tsconfig says of outputs', async (t) => {
  const tsconfig = { compilerOptions: { noEmit: true }, include: ['src'] };
  const here = place(t, { ...tree, 'tsconfig.json': tsconfig });
  const found = await here.find('node dist/index.js');
  assert.equal(found.rules[0]?.build, 'build');
  assert.ok((await here.watched(found))['server']?.includes('src/index.ts'));
  const plain = place(t, { 'package.json': build, 'src/index.js': '', 'build/index.js': '' });
  const without = await plain.find('node build/index.js');
  assert.deepEqual(await plain.watched(without), { server: ['package.json', 'src/index.js'] });
  assert.equal(without.rules[0]?.build, 'build');
});

test('an entry that only loads the output is built, and watched itself', async (t) => {
  for (const [name, text] of [
    ['bin/a.js', `#!/usr/bin/env node\nimport '../dist/index.js';\n`],
    ['bin/b.cjs', `require('../dist/index')\n`],
    ['bin/c.mjs', `const { run } = await import("../dist/index.js");\n`],
  ] as const) {
    const here = place(t, {
      ...tree,
      [name]: text,
      'tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] },
    });
    const found = await here.find(`node ${name}`);
    assert.equal(found.rules[0]?.build, 'build', name);
    const { server } = await here.watched(found);
    assert.ok(server?.includes('src/index.ts') && server.includes(name), `${server}`);
  }
});

test('what is compiled beside its source is built, and its own output is no source', async (t) => {
  const here = place(t, { 'package.json': build, 'src/a.ts': '', 'src/a.js': '', 'tsconfig.json': {} });
  const found = await here.find('node src/a.js');
  assert.equal(found.rules[0]?.build, 'build');
  assert.deepEqual(await here.watched(found), { server: ['package.json', 'src/a.ts', 'tsconfig.json'] });
});

test('JavaScript that a tsconfig only checks is source', async (t) => {
  const tsconfig = { compilerOptions: { checkJs: true, noEmit: true }, include: ['src'] };
  const here = place(t, { 'package.json': build, 'src/a.js': '', 'tsconfig.json': tsconfig });
  const found = await here.find('node src/a.js');
  assert.equal(found.rules[0]?.build, undefined);
  assert.deepEqual(await here.watched(found), { server: ['package.json', 'src/a.js', 'tsconfig.json'] });
});

test('a tsconfig that has nothing to do with the entry is none', async (t) => {
  const here = place(t, { ...tree, 'server.js': '', 'tsconfig.json': { include: ['src'] } });
  const found = await here.find('node server.js');
  assert.equal(fact(found, 'tsconfig'), undefined);
  assert.deepEqual(await here.watched(found), {
    server: ['package.json', 'server.js', 'src/data.json', 'src/notes.md', 'src/plain.js', 'tsconfig.json'],
  });
});

test('a tsconfig that cannot be read is told of, and its package is watched by its endings', async (t) => {
  const here = place(t, { ...tree, 'tsconfig.json': { extends: 'not-installed' } });
  const found = await here.find('tsx src/index.ts');
  assert.match(fact(found, 'problem') ?? '', /not-installed/);
  assert.ok((await here.watched(found))['server']?.includes('src/index.ts'));
});

test('directories whose names look like patterns are no patterns', async (t) => {
  const tsconfig = {
    compilerOptions: { outDir: 'dist' },
    include: ['src/[id]/**/*', 'src/(group)'],
    exclude: ['src/[id]/x'],
  };
  const files = await sources(
    t,
    {
      'package.json': build,
      'tsconfig.json': tsconfig,
      'src/[id]/a.ts': '',
      'src/[id]/x/b.ts': '',
      'src/(group)/c.ts': '',
      'src/i/d.ts': '',
    },
    'node dist/a.js',
  );
  assert.deepEqual(files, ['src/(group)/c.ts', 'src/[id]/a.ts']);
});

test('the given endings, the given build and no build', async (t) => {
  const here = place(t, { ...tree, 'tsconfig.json': { compilerOptions: { outDir: 'dist' }, include: ['src'] } });
  const ended = await here.find('node dist/index.js', { ext: ['md', 'tsx'] });
  assert.deepEqual(await here.watched(ended), {
    server: ['package.json', 'src/deep/er/view.tsx', 'src/notes.md', 'tsconfig.json'],
  });
  const given = await here.find('node dist/index.js', { build: 'make -j2' });
  assert.equal(given.rules[0]?.build, 'make -j2');
  assert.ok((await here.watched(given))['server']?.includes('src/index.ts'));
  const none = await here.find('node dist/index.js', { build: false });
  const data = ['src/data.json', 'src/notes.md'];
  assert.deepEqual(await here.watched(none), { server: ['dist/index.js', 'package.json', ...data, 'tsconfig.json'] });
  assert.equal(none.rules[0]?.build, undefined);
  const asked = await here.find('tsx src/index.ts', { build: 'lint' });
  assert.equal(asked.rules[0]?.build, 'lint');
});
