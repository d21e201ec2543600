// Every promise that has landed is proved by a test that names it, and no test names a promise that does not exist.
// Whether a test really proves what it names is left to its reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requirements } from '../requirements.js';
import { coverageProblems, idsNamed, misshapenTitles } from './coverage.js';
import { readTree } from './tree.js';

const sources = new Map([...readTree('test', '.test.ts'), ...readTree('test/sim/found', '.json')]);

test('every landed promise has a test, and every id in a test title is a promise', () => {
  assert.deepEqual(coverageProblems(requirements, sources), []);
});

test('a title that names promises has their ids first, and then a sentence', () => {
  assert.deepEqual(misshapenTitles(requirements, sources), []);
});

test('other forms of title are found', () => {
  const good = [
    "'P4 touch is nothing'",
    "'P4 P6 x'",
    "'P12.hold limits'",
    "'Plain words'",
    "'P9 lists that differ'",
    '`P3 ${x}`',
  ];
  const bad = ["'P4: x'", "'P4, P6 x'", "'P4 fresh: x'", "'P2 and P3 x'"];
  const made = new Map([['a.test.ts', [...good, ...bad].map((title) => source('test', title)).join('')]]);
  assert.deepEqual(
    misshapenTitles(requirements, made),
    bad.map((title) => `a.test.ts: ${title.slice(1, -1)}`),
  );
});

test('the table holds P1 to P21 in order, each id once', () => {
  assert.deepEqual(
    requirements.map(({ id }) => id),
    Array.from({ length: 21 }, (_, index) => `P${index + 1}`),
  );
  for (const { id, items = [] } of requirements) {
    assert.equal(new Set(items.map((item) => item.id)).size, items.length);
    for (const item of items) assert.ok(item.id.startsWith(`${id}.`), `${item.id} belongs to another promise`);
  }
});

// The made-up sources are put together here so that the check on the real tree does not take them for tests.
const source = (call: string, title: string): string => `${call}(${title}, () => {});\n`;

test('ids are read from the start of a title, several too, whatever the quotes', () => {
  const cases: [string, string[]][] = [
    [source('test', `'P2 same bytes: escapes'`), ['P2']],
    [source('describe', `"P12.hold limits"`), ['P12.hold']],
    [source('it', '`P3 ${name}`'), ['P3']],
    [source('test', `\n  'P2, P11: noise'`), ['P2', 'P11']],
    [source('test', `'P2 and P3 through everything'`), ['P2', 'P3']],
    [source('test', `'P2 P3: both'`), ['P2', 'P3']],
    [source('test', `'has P4 in the middle'`), []],
    [source('test', `'Plain words'`), []],
    [source('test.skip', `'P5 not run'`), []],
    [source('test.todo', `'P5 not written'`), []],
  ];
  for (const [text, ids] of cases) assert.deepEqual(idsNamed(text), ids, text);
});

test('the coverage check reports a landed promise without a test and an unknown id', () => {
  const table = [
    { id: 'P1', title: 'a', text: 'First.', status: 'landed' },
    { id: 'P2', title: 'b', text: 'Second.', status: 'planned' },
    { id: 'P3', title: 'c', text: 'Third.', status: 'landed', items: [{ id: 'P3.x', text: 'X.', status: 'landed' }] },
  ] as const;
  const made = new Map([['a.test.ts', source('test', `'P3 something'`) + source('test', `'P9 nothing'`)]]);
  assert.deepEqual(coverageProblems(table, made), [
    'P1 has landed and no test names it: First.',
    'P3.x has landed and no test names it: X.',
    'a.test.ts: a test names P9, which is not in the table',
  ]);
  made.set('b.test.ts', source('test', `'P1 P3.x done'`));
  assert.deepEqual(coverageProblems(table, made), ['a.test.ts: a test names P9, which is not in the table']);
});
