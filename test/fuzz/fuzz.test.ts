/**
 * The short form of `npm run prove fuzz`: the whole corpus, and lines of another seed in every run. What is compared
 * with what is said in check-scan.ts, check-edit.ts and check-lines.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLine, runCase, type Found } from './cases.js';
import { readCorpus } from './corpus.js';
import { shrink } from './shrink.js';

const LINES = 50_000;
const corpus = readCorpus();

function told(found: Found | undefined): string | undefined {
  return found && `${found.what}\n${JSON.stringify(found.least.toString())}\n--line ${found.least.toString('base64')}`;
}

for (const { why, line } of corpus) {
  test(`P2 same bytes, in the corpus: ${why}`, () => {
    for (let seed = 1; seed <= 20; seed++) assert.equal(told(checkLine(line, seed)), undefined);
  });
}

test(`P2 splitter, scanner and editor agree with JSON.parse on ${LINES} random lines`, () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let found: Found | undefined;
  for (let number = 1, lines = 0; lines < LINES && found === undefined; number++) {
    const outcome = runCase(seed, number, corpus);
    lines += outcome.lines;
    found = outcome.found;
  }
  Error.stackTraceLimit = stackTraceLimit;
  assert.equal(told(found), undefined, `npm run prove fuzz -- --seed ${seed}: ${told(found)}`);
});

test('a case is the same whenever it is run, and what is found is made as short as it gets', () => {
  const lines = (): number[] => [1, 16, 32, 48].map((number) => runCase(7, number, corpus).lines);
  assert.deepEqual(lines(), lines());
  const least = shrink(Buffer.from('{"some":"text with an x and a y in it"}'), (line) => /x.*y/.test(line.toString()));
  assert.equal(least.toString(), 'xy');
});
