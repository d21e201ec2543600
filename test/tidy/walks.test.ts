// The walks through the code in ARCHITECTURE.md can be followed: each file that they name is there, under the path that
// they say, and is joined by an import to another one of the walk. Whether they tell the truth is for their readers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/paths.js';
import { filesImported } from './structure.js';
import { readTree } from './tree.js';

type Tree = ReadonlyMap<string, string>;

/** Each with the number of files that a reader has to open at most. */
const walks: readonly [heading: string, most: number][] = [
  ['One `tools/call`, file by file', 12],
  ['One save, file by file', 20],
];

const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const sources = readTree('src', '.ts');

/** The files of the numbered steps, each once, in the order in which they are met. */
function filesOf(heading: string, text: string): string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const steps = section.trim().split('\n\n')[0] ?? '';
  return [...new Set([...steps.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file))];
}

function problemsOf(files: readonly string[], tree: Tree): string[] {
  const imports = filesImported(tree);
  const areJoined = (one: string, other: string): boolean =>
    imports.get(one)?.includes(other) === true || imports.get(other)?.includes(one) === true;
  return files.flatMap((file) => {
    if (!tree.has(file)) return [`${file}: is no file of src`];
    return files.some((other) => areJoined(file, other)) ? [] : [`${file}: is joined to no other file of the walk`];
  });
}

for (const [heading, most] of walks) {
  test(`ARCHITECTURE.md, "${heading}": the files are there, and at most ${most}`, () => {
    const files = filesOf(heading, page);
    assert.ok(files.length > 5 && files.length <= most, `${files.length} files: ${files.join(', ')}`);
    assert.deepEqual(problemsOf(files, sources), []);
  });
}

test('a walk that names a file which is gone, or which nothing leads to, is found', () => {
  const text =
    '# A\n\n## A walk\n\n1. `a/b.ts` then\n   `a/c.ts`,\n2. `a/d.ts`, `c.ts`, `a/b.ts`.\n\nNot `e.ts`.\n\n## B\n';
  const tree = new Map([
    ['a/b.ts', `import { c } from './c.js';`],
    ['a/c.ts', ''],
    ['a/d.ts', `import { e } from '../e.js';`],
    ['e.ts', ''],
  ]);
  const files = filesOf('A walk', text);
  assert.deepEqual(files, ['a/b.ts', 'a/c.ts', 'a/d.ts', 'c.ts']);
  assert.deepEqual(problemsOf(files, tree), [
    'a/d.ts: is joined to no other file of the walk',
    'c.ts: is no file of src',
  ]);
});
