// The documentation says what is so: promises in the words of the table, commands and files that exist, lines that fit
// on a screen. Whether it can be understood is left to its readers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requirements } from '../requirements.js';
import { root } from '../support/paths.js';
import { readTree } from './tree.js';

const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = [
  'README.md',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
];
const landed = requirements.filter(({ status }) => status === 'landed');

/** What stands between this heading and the next one of its level or above. */
function section(file: string, heading: string): string {
  const from = text(file).split(`\n${heading}\n`)[1];
  assert.ok(from !== undefined, `${file} has no "${heading}"`);
  return from.split(new RegExp(`\n#{1,${heading.indexOf(' ')}} `))[0] ?? '';
}

test('README lists the promises that have landed, in the words of test/requirements.ts', () => {
  const items = section('README.md', '## What it promises').trimStart().split('\n\n')[0] ?? '';
  assert.deepEqual(
    items.split(/\n(?=- )/).map((item) => item.replaceAll(/\s*\n\s*/g, ' ')),
    landed.map(({ id, title, text: words }) => `- **${id} ${title}.** ${words}`),
  );
});

test('docs/RELIABILITY.md says of every promise that has landed how it is tested', () => {
  const rows = section('docs/RELIABILITY.md', '## The promises and their tests').matchAll(
    /^\| (P\d+) \| ([^|]+) \| [^|]+ \|$/gm,
  );
  assert.deepEqual(
    [...rows].map(([, id, title]) => `${id} ${title}`),
    landed.map(({ id, title }) => `${id} ${title}`),
  );
});

test('every npm script and every proof that the documentation names exists', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  const { stderr: list } = spawnSync(process.execPath, ['scripts/prove.mjs'], { cwd: root, encoding: 'utf8' });
  const proofs = new Set([...list.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name));
  assert.ok(proofs.size >= 8, list);
  for (const file of [...pages, '.ci/run', 'CHANGELOG.md']) {
    for (const [named, name = '', proof] of text(file).matchAll(/npm run ([\w:]+)(?: ([\w]+))?/g)) {
      assert.ok(Object.hasOwn(scripts, name), `${file}: ${named}`);
      if (name === 'prove' && proof !== undefined) assert.ok(proofs.has(proof), `${file}: ${named}`);
    }
  }
});

test('every file of ours that the documentation names exists', () => {
  const files = ['src', 'test', 'scripts', 'bin'].flatMap((folder) =>
    [...readTree(folder, '')].map(([file]) => `${folder}/${file}`),
  );
  const isThere = (name: string): boolean =>
    files.some((file) => file === name || file.endsWith(`/${name}`)) || existsSync(join(root, name));
  for (const file of pages) {
    const named = [...text(file).matchAll(/`((?:[\w.-]+\/)*[\w-]+(?:\.test)?\.(?:ts|mjs))`/g)].map(
      ([, name = '']) => name,
    );
    const folders = [...text(file).matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, name = '']) => name);
    const gone = [...named, ...folders].filter((name) => !isThere(name) && !examples.has(name));
    assert.deepEqual(gone, [], file);
  }
});

/** Files of readers' own projects. */
const examples = new Set(['src/server.js', 'src/a.ts']);

test('a line of prose fits into 120 columns', () => {
  for (const file of [...pages, 'CHANGELOG.md']) {
    const prose = text(file)
      .replaceAll(/^```[^]*?^```$/gm, '')
      .split('\n')
      .filter((line) => !line.startsWith('|'));
    assert.deepEqual(
      prose.filter((line) => line.length > 120),
      [],
      file,
    );
  }
});

test('ARCHITECTURE.md can be read in one go: under 200 lines of at most 120 columns', () => {
  const lines = text('ARCHITECTURE.md').split('\n');
  assert.ok(lines.length <= 200, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter((line) => line.length > 120),
    [],
  );
});
