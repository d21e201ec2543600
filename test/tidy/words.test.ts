// Every text that the program can print or send, side by side in words.txt, and every page of help in help.txt, as 80
// and 100 columns show them: a new or changed sentence fails here until somebody has read it beside its neighbours.
// `UPDATE_WORDS=1 node scripts/test.mjs tidy/words` writes both files anew. When a sentence is said is for the tests of
// whoever says it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commands } from '#src/cli/commands.js';
import { helpText } from '#src/cli/help.js';
import { root } from '../support/paths.js';
import { sentencesOf } from './sentences.js';
import { readTree } from './tree.js';

/** Their texts are for programs: scripts for shells, patterns that output is searched for. */
const forPrograms = /^(cli\/completion\/(bash|zsh|fish)|process\/orphan-guard|lineage\/busy)\.ts$/;
const widths = [80, 100];

const sentences = new Map(
  [...readTree('src', '.ts')]
    .filter(([file]) => !forPrograms.test(file))
    .map(([file, source]) => [file, sentencesOf(file, source)] as const)
    .filter(([, found]) => found.length > 0),
);

function compare(name: string, shown: string): void {
  const file = join(root, 'test/tidy', name);
  if (process.env['UPDATE_WORDS'] !== undefined) writeFileSync(file, shown);
  const advice =
    'read each new line aloud, as somebody who has never seen the code; then UPDATE_WORDS=1 writes the file';
  assert.equal(shown, readFileSync(file, 'utf8'), advice);
}

test('every sentence of the program is in words.txt, and has been read', () => {
  const shown = [...sentences].map(([file, found]) => [`── ${file}`, ...found, ''].join('\n'));
  compare('words.txt', shown.join('\n'));
});

const pages = await Promise.all(
  widths.flatMap((width) =>
    commands.map(async ({ name, examples }) => ({
      width,
      name,
      examples,
      text: await helpText(width, name, commands),
    })),
  ),
);

test('every page of help is in help.txt', () => {
  const shown = pages.map(({ width, name, text }) => `── help ${name}, ${width} columns\n${text}\n`);
  compare('help.txt', shown.join('\n'));
});

test('help fits the width of the terminal, and no example is broken', () => {
  for (const { width, name, examples, text } of pages) {
    const lines = text.split('\n');
    for (const line of lines) assert.ok(line.length <= width, `${name}, ${width} columns: ${line}`);
    for (const [line] of examples) assert.ok(lines.includes(`    ${line}`), `${name}, ${width} columns: ${line}`);
  }
});

/** Words that only somebody who knows the code understands; seen by people who tried the program for the first time. */
const insiders = /not developed here|is none of this project|watched for\b(?! (them|data))|not spoken|reloads running/;

test('no sentence needs knowledge of the code', () => {
  for (const [file, found] of sentences) {
    for (const text of found) assert.doesNotMatch(text, insiders, file);
  }
});

test('sentences are found wherever they stand', () => {
  const source = `
    import x from 'not this one';
    type A = 'nor this';
    const name = 'nor-this', list = 'nor these words'.split(' ');
    log.warn('warning', \`the file \${file} is \${b ? 'not there' : \`empty \${n}\`}; fix it\`);
    throw new Error("can't be\\nread");`;
  assert.deepEqual(sentencesOf('a.ts', source), [
    'the file {file} is {…}; fix it',
    'not there',
    'empty {n}',
    "can't be\\nread",
  ]);
});
