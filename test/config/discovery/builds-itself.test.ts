// Commands that build what they then run: no build of ours comes before them, and their sources are watched all the
// same. And those that only look like it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fact, place, type Content } from './fixture.js';

const tsconfig = { compilerOptions: { outDir: 'dist' }, include: ['src'] };

function files(scripts: Record<string, string>, more: Record<string, Content> = {}): Record<string, Content> {
  return {
    '.git/HEAD': '',
    'package.json': { name: 'p', scripts: { build: 'tsc', ...scripts } },
    'package-lock.json': '{}',
    'tsconfig.json': tsconfig,
    'tsconfig.other.json': { compilerOptions: { outDir: 'other' }, include: ['src'] },
    'tsconfig.check.json': { compilerOptions: { outDir: 'dist', noEmit: true }, include: ['src'] },
    'src/server.ts': '',
    'dist/server.js': '',
    ...more,
  };
}

const itself: [what: string, command: string, scripts: Record<string, string>, more?: Record<string, Content>][] = [
  ['tsc', 'npm run dev', { dev: 'tsc && node dist/server.js' }],
  ['tsc, with a semicolon', 'npm run dev', { dev: 'tsc; node dist/server.js' }],
  ['tsc by its tsconfig', 'npm run dev', { dev: 'npx tsc -p tsconfig.json && node dist/server.js' }],
  ['tsc -b', 'npm run dev', { dev: 'tsc -b && node dist/server.js' }],
  ['tsc with its output', 'npm run dev', { dev: 'tsc -p tsconfig.other.json --outDir dist && node dist/server.js' }],
  ['the script build', 'npm run dev', { build: 'node make.mjs', dev: 'npm run build && node dist/server.js' }],
  ['the words of the script build', 'npm run dev', { build: 'node a.mjs', dev: 'node a.mjs && node dist/server.js' }],
  ['a script that compiles', 'npm run dev', { make: 'rm -rf dist && tsc', dev: 'npm run make && node dist/server.js' }],
  ['variables in front', 'npm run dev', { dev: 'A=b cross-env C=d tsc && node dist/server.js' }],
  [
    'a bundler, by its output',
    'npm run dev',
    { dev: 'esbuild src/server.ts --outfile=dist/server.js && node dist/server.js' },
  ],
  ['a bundler that writes to dist', 'npm run dev', { dev: 'tsup && node dist/server.js' }],
  ['a script in a script', 'npm run dev', { dev: 'tsc && npm start', start: 'node dist/server.js' }],
  ['scripts in a row: run-s', 'npm run dev', { dev: 'run-s build start', start: 'node dist/server.js' }],
  ['scripts in a row: npm-run-all', 'npm run dev', { dev: 'npm-run-all -s build start', start: 'node dist/server.js' }],
  [
    'scripts in a row, by a pattern',
    'npm run dev',
    {
      'build:ts': 'tsc',
      'build:data': 'node data.mjs',
      dev: 'npx run-s "build:*" start',
      start: 'node dist/server.js',
    },
  ],
  ['prestart', 'npm start', { prestart: 'npm run build', start: 'node dist/server.js' }],
  ['prestart, with bun', 'bun run start', { prestart: 'tsc', start: 'node dist/server.js' }],
  [
    'prestart, with pnpm 9',
    'pnpm start',
    { prestart: 'pnpm build', start: 'node dist/server.js' },
    { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" },
  ],
];

for (const [what, command, scripts, more] of itself) {
  test(`no build of ours where the command builds itself: ${what}`, async (t) => {
    const here = place(t, files(scripts, more));
    const found = await here.find(command);
    assert.equal(found.rules[0]?.build, undefined, found.why);
    const { server } = await here.watched(found);
    assert.ok(server?.includes('src/server.ts'), `its sources are watched: ${server?.join(', ')}`);
    assert.ok(!server?.includes('dist/server.js'), 'and its output is not');
    assert.match(found.why, /dist\/server\.js lies in dist, .*, and the command makes it itself with "/);
    assert.ok(fact(found, 'built by'));
  });
}

const ours: [what: string, command: string, scripts: Record<string, string>, more?: Record<string, Content>][] = [
  ['only the types are checked', 'npm run dev', { dev: 'tsc --noEmit && node dist/server.js' }],
  ['the tsconfig emits nothing', 'npm run dev', { dev: 'tsc -p tsconfig.check.json && node dist/server.js' }],
  ['another output is made', 'npm run dev', { dev: 'tsc -p tsconfig.other.json && node dist/server.js' }],
  ['something else is bundled', 'npm run dev', { dev: 'esbuild web.ts --outdir=web && node dist/server.js' }],
  ['something else is run', 'npm run dev', { dev: 'npm run lint && node dist/server.js', lint: 'eslint .' }],
  ['prestart, which node --run leaves out', 'node --run start', { prestart: 'tsc', start: 'node dist/server.js' }],
  ['prestart is ignored', 'npm start --ignore-scripts', { prestart: 'tsc', start: 'node dist/server.js' }],
  [
    'prestart, which a later yarn leaves out',
    'yarn start',
    { prestart: 'tsc', start: 'node dist/server.js' },
    { 'yarn.lock': '__metadata:\n  version: 8\n' },
  ],
  ['prestart, of a pnpm that nobody knows', 'pnpm start', { prestart: 'tsc', start: 'node dist/server.js' }],
];

for (const [what, command, scripts, more] of ours) {
  test(`a build of ours all the same: ${what}`, async (t) => {
    const found = await place(t, files(scripts, more)).find(command);
    assert.equal(found.rules[0]?.build, 'build', found.why);
  });
}

test('a build that is named is run, whatever the command does', async (t) => {
  const here = place(t, files({ dev: 'tsc && node dist/server.js' }));
  const found = await here.find('npm run dev', { build: 'tsc -p tsconfig.json' });
  assert.equal(found.rules[0]?.build, 'tsc -p tsconfig.json');
});

test('a command that builds itself and has no script for it: the sources are watched', async (t) => {
  const here = place(t, { ...files({}), 'package.json': { scripts: { dev: 'tsc && node dist/server.js' } } });
  for (const more of [{}, { build: false as const }]) {
    const found = await here.find('npm run dev', more);
    assert.deepEqual((await here.watched(found))['server']?.includes('src/server.ts'), true, found.why);
  }
});

test('without a script: `sh -c` too', async (t) => {
  const here = place(t, files({}));
  const found = await here.find('sh', { args: ['-c', 'tsc && node dist/server.js'] });
  assert.equal(found.rules[0]?.build, undefined, found.why);
});
