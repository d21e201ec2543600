// How one text becomes words: by table, by round trip, and against a real shell where there is one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { splitCommand } from '#src/process/split-command.js';

const cases: readonly [text: string, words: readonly string[]][] = [
  ['', []],
  ['  \t\n ', []],
  ['node server.js', ['node', 'server.js']],
  ['  a   b  ', ['a', 'b']],
  ['a "b c" d', ['a', 'b c', 'd']],
  ["a 'b c' d", ['a', 'b c', 'd']],
  [`a ""  '' b`, ['a', '', '', 'b']],
  [`--name="x y"z`, ['--name=x yz']],
  [`'it'\\''s'`, ["it's"]],
  ['a\\ b', ['a b']],
  ['a\\\nb', ['ab']],
  ['"a\\"b\\\\c\\$d\\`e"', ['a"b\\c$d`e']],
  ['"a\\nb"', ['a\\nb']],
  ["'a\\nb'", ['a\\nb']],
  ['$HOME `x` *.js && ls; #no', ['$HOME', '`x`', '*.js', '&&', 'ls;', '#no']],
  ['häß "löß 🚀"', ['häß', 'löß 🚀']],
];

for (const [text, words] of cases) {
  test(`${JSON.stringify(text)} is split into ${JSON.stringify(words)}`, () => {
    assert.deepEqual(splitCommand(text, 'linux'), { ok: true, words });
  });
}

test('what is not closed is an error that says so', () => {
  assert.deepEqual(splitCommand('a "b', 'linux'), { ok: false, error: 'a " is never closed' });
  assert.deepEqual(splitCommand("a 'b", 'linux'), { ok: false, error: "a ' is never closed" });
  assert.deepEqual(splitCommand('a \\', 'linux'), { ok: false, error: 'it ends in a backslash that escapes nothing' });
});

test('on Windows a backslash separates folders', () => {
  const text = 'C:\\work\\server.js "D:\\two words\\x" \\"quoted\\" end\\';
  assert.deepEqual(splitCommand(text, 'win32'), {
    ok: true,
    words: ['C:\\work\\server.js', 'D:\\two words\\x', '"quoted"', 'end\\'],
  });
});

const quotes: readonly ((word: string) => string)[] = [
  (word) => `'${word.replaceAll("'", "'\\''")}'`,
  (word) => `"${word.replace(/["\\$`]/g, '\\$&')}"`,
  (word) => (word === '' ? "''" : [...word].map((char) => (char === '\n' ? "'\n'" : `\\${char}`)).join('')),
];

test('words that are quoted, in whichever way, come out as they were', () => {
  const word = fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(...quotes));
  const gap = fc.constantFrom(' ', '  ', '\t', '\n');
  fc.assert(
    fc.property(fc.array(fc.tuple(word, gap)), (parts) => {
      const text = parts.map(([[raw, quote], space]) => quote(raw) + space).join('');
      assert.deepEqual(splitCommand(text, 'linux'), { ok: true, words: parts.map(([[raw]]) => raw) });
    }),
  );
});

test('any text at all gives words or an error, and never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof splitCommand(text).ok === 'boolean'));
});

test('a shell splits the same way what holds nothing to expand', { skip: process.platform === 'win32' }, () => {
  const piece = fc.constantFrom('a', 'B', '7', '-', '=', '.', ' ', '\t', '\\', '"', "'", 'é', '\n');
  const texts = fc
    .sample(fc.array(piece, { maxLength: 12 }), { numRuns: 150, seed: 7 })
    .map((pieces) => pieces.join(''));
  const whole = texts.flatMap((text) => {
    const split = splitCommand(text, 'linux');
    // A line break outside of quotes ends a shell's command, so such texts can't be compared.
    return split.ok && !/\n/.test(text.replace(/"[^"]*"|'[^']*'|\\\n/g, '')) ? [{ text, words: split.words }] : [];
  });
  const script = whole.map(({ text }) => `printf '%s\\036' start ${text}\nprintf '\\035'\n`).join('');
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  const seen = output
    .split('\x1d')
    .slice(0, -1)
    .map((one) => one.split('\x1e').slice(1, -1));
  assert.ok(whole.length > 30, 'too few texts to compare');
  assert.deepEqual(
    seen,
    whole.map(({ words }) => words),
  );
});
