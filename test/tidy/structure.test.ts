// The sources keep their shape: import direction, purity, homes of packages, opening comments, size. Each check is also
// run on a made-up tree that it must object to, because a check that can't fail proves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks, getsLong, openingComments, tooLong } from './structure.js';
import { readTree } from './tree.js';

const sources = readTree('src', '.ts');

for (const [title, check] of Object.entries(checks)) {
  test(`src: ${title}`, () => assert.deepEqual(check(sources), []));
}

test('test and scripts: every file opens with a comment', () => {
  assert.deepEqual(openingComments(readTree('test', '.ts')), []);
  assert.deepEqual(openingComments(readTree('scripts', '.mjs')), []);
});

test('src, test and scripts: files that get long are named', (t) => {
  const trees = { src: sources, test: readTree('test', '.ts'), scripts: readTree('scripts', '.mjs') };
  for (const [folder, files] of Object.entries(trees)) {
    assert.deepEqual(tooLong(files), []);
    for (const file of getsLong(files)) t.diagnostic(`${folder}/${file}: is it one thing?`);
  }
});

test('a file of 251 lines is said to get long, one of 250 is not', () => {
  const lines = (count: number) => new Map([['wire/x.ts', '\n'.repeat(count)]]);
  assert.deepEqual([getsLong(lines(250)), getsLong(lines(251))], [[], ['wire/x.ts: 251 lines, more than 250']]);
});

test('src, test and scripts: a comment fits into 120 columns', () => {
  const wide = [...sources, ...readTree('test', '.ts'), ...readTree('scripts', '.mjs')].flatMap(([file, text]) =>
    [...text.matchAll(/^ *(?:\/\/|\/\*\*|\*) .*$/gm)]
      .filter(([line]) => line.length > 120 && !line.includes('oxlint-disable') && !line.startsWith(' * |'))
      .map(([line]) => `${file}: ${line}`),
  );
  assert.deepEqual(wide, []);
});

test('test: every property test has the seed of the suite', () => {
  const others = [...readTree('test', '.ts')].filter(([, text]) => /from 'fast-check'/.test(text));
  assert.deepEqual(
    others.map(([file]) => file),
    ['support/property.ts', 'tidy/structure.test.ts'],
  );
});

const good: Record<string, string> = {
  'wire/lines.ts': `// Lines.\nexport const a = 1;\n`,
  'session/ledger.ts': `/* The ledger. */\nimport { a } from '../wire/lines.js';\nexport const b = a;\n`,
  'process/child.ts': `// Not setTimeout( or chokidar.\nimport spawn from 'cross-spawn';\nconst hint = 'Print it with console.error';\n`,
  'cli/main.ts': `// The command line.\nimport yargs from 'yargs';\nimport { c } from '../proxy.js';\nconsole.error(process.argv);\n`,
  'proxy.ts': `// The composition root.\nimport type { b } from './session/ledger.js';\nexport type C = typeof b;\n`,
};

test('no check objects to a tree in good shape', () => {
  for (const [title, check] of Object.entries(checks)) assert.deepEqual(check(tree({})), [], title);
});

const header = '// A comment.\n';
const offences: [title: string, file: string, text: string, problem: string][] = [
  ['imports point downwards only', 'wire/x.ts', `import '../session/ledger.js';`, 'wire must not import session'],
  ['imports point downwards only', 'wire/x.ts', `export type * from '../proxy.js';`, 'wire must not import proxy.ts'],
  [
    'imports point downwards only',
    'sinks/x.ts',
    `const x = await import('../cli/main.js');`,
    'sinks must not import cli',
  ],
  ['imports point downwards only', 'sinks/x.ts', `let a: import('../wire/lines.js').A;`, 'sinks must not import wire'],
  ['imports point downwards only', 'x.ts', `export * from './cli/main.js';`, 'x.ts must not import cli'],
  ['imports point downwards only', 'misc/x.ts', `import '../wire/lines.js';`, 'misc is no known layer'],
  ['pure code stays pure', 'session/x.ts', `import { x } from 'node:fs';`, 'pure code must not import node:fs'],
  ['pure code stays pure', 'exchange/x.ts', `import {\n  x,\n} from "p";`, 'pure code must not import p'],
  ['pure code stays pure', 'lineage/state.ts', `const now = Date.now();`, 'pure code must not use Date.now'],
  ['pure code stays pure', 'lists/compare.ts', `if (process.env.A) {}`, 'pure code must not use process'],
  [
    'every package has one home, and no MCP SDK is used',
    'wire/x.ts',
    `import y from 'yargs/yargs';`,
    'yargs belongs in cli/',
  ],
  [
    ...(['every package has one home, and no MCP SDK is used', 'cli/x.ts'] as const),
    ...([`import '@modelcontextprotocol/sdk/x.js';`, 'the proxy must not import @modelcontextprotocol/sdk'] as const),
  ],
  [
    ...(['a file that a comment names is there', 'wire/x.ts', '// Lines are lines.ts, and channel/lines.ts.'] as const),
    'a comment names channel/lines.ts, which is not there',
  ],
  ['no file outgrows its purpose', 'wire/x.ts', '\n'.repeat(400), '401 lines, more than 400'],
  ['only the cli prints, exits and reads argv', 'wire/x.ts', `console.log(1);`, 'console.log outside cli/'],
  ['only the cli prints, exits and reads argv', 'proxy.ts', `process.exit(1);`, 'process.exit outside cli/'],
  ['no time stamp decides and nothing is left to be done', 'watch/x.ts', `stat.mtimeMs;`, 'contains mtime'],
  ['no time stamp decides and nothing is left to be done', 'watch/x.ts', `// FIXME`, 'contains FIXME'],
];

for (const [title, file, text, problem] of offences) {
  test(`the check "${title}" finds: ${problem}`, () => {
    assert.deepEqual(checks[title]?.(tree({ [file]: header + text })), [`${file}: ${problem}`]);
  });
}

test('the check "imports have no cycle" names the way round', () => {
  const round = {
    'wire/a.ts': `${header}import './b.js';\n`,
    'wire/b.ts': `${header}import type { C } from './c.js';\n`,
    'wire/c.ts': `${header}export * from './a.js';\n`,
  };
  assert.deepEqual(checks['imports have no cycle']?.(tree(round)), ['wire/a.ts → wire/b.ts → wire/c.ts → wire/a.ts']);
});

test('the check "every file opens with a comment" finds one that does not', () => {
  const bad = { 'wire/x.ts': `import a from 'a';\n// Late.\n`, 'wire/y.ts': '' };
  assert.deepEqual(checks['every file opens with a comment']?.(tree(bad)), [
    'wire/x.ts: begins without a comment that says what it does',
    'wire/y.ts: begins without a comment that says what it does',
  ]);
});

function tree(extra: Record<string, string>): Map<string, string> {
  return new Map(Object.entries({ ...good, ...extra }));
}
