// The packages that the sources import are those of the table in ARCHITECTURE.md, in the files that it says. What is in
// them is bundled, so they are no dependencies of the published package; those that the project is known to stand on
// are named in package.json all the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/paths.js';
import { packagesImported } from './structure.js';
import { readTree } from './tree.js';

const text = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const { dependencies, devDependencies } = JSON.parse(text('package.json')) as Manifest;
const declared = { ...dependencies, ...devDependencies };

const standsOn = [
  'chokidar',
  'p-queue',
  'debounce',
  'cross-spawn',
  'yargs',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
];

/** One line for each package and each file, as the table has it. */
function rowsOf(page: string): string[] {
  const table = page.split('\n## Packages\n')[1]?.split('\n## ')[0] ?? '';
  return [...table.matchAll(/^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, name, files = '']) =>
    files.split(', ').map((file) => `${name} in ${file.replaceAll('`', '').trim()}`),
  );
}

test('ARCHITECTURE.md says which package is used in which file of src, and why', () => {
  const imported = packagesImported(readTree('src', '.ts')).map(({ file, name }) => `${name} in ${file}`);
  assert.deepEqual(rowsOf(text('ARCHITECTURE.md')).sort(), [...new Set(imported)].sort());
});

test('package.json names every package that src imports, and those that the project stands on', () => {
  const named = [...packagesImported(readTree('src', '.ts')).map(({ name }) => name), ...standsOn];
  assert.deepEqual(
    named.filter((name) => !Object.hasOwn(declared, name)),
    [],
  );
});

test('every test is run by node:test, and no other runner is there', () => {
  const others = [...readTree('test', '.test.ts')].filter(([, source]) => !/from 'node:test'/.test(source));
  assert.deepEqual(
    others.map(([file]) => file),
    [],
  );
  assert.deepEqual(
    Object.keys(declared).filter((name) => /^(jest|vitest|mocha|ava|tap|jasmine|uvu)$/.test(name)),
    [],
  );
});

test('the table is read row by row, several files in one too', () => {
  const page =
    '# A\n\n## Packages\n\n| package | file | why |\n|---|---|---|\n| `a` | `x.ts`, `y/z.ts` | because |\n\n## B\n';
  assert.deepEqual(rowsOf(page), ['a in x.ts', 'a in y/z.ts']);
});
