/*
 * Proves that the excerpt of an output shows both ends and says what it leaves out, cuts no character and no terminal
 * code in two, and that a file that can't be written costs nothing but the file.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fc } from '../support/property.js';
import { printedText } from '#src/agent/excerpt.js';
import { createOutput } from '#src/build/output.js';
import { project } from '../support/project.js';

async function excerpt(text: string | Buffer, file?: string, limit?: number, chunk = 1000): Promise<string> {
  const output = createOutput(file, limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) await output.write(bytes.subarray(at, at + chunk));
  await output.end();
  return printedText(output.excerpt());
}

test('up to 8 KB is shown whole', async () => {
  for (const size of [0, 1, 4096, 4352, 4353, 8191, 8192]) {
    const text = Array.from({ length: size }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
    assert.equal(await excerpt(text), text);
  }
});

test('of more, the first and the last 4 KB are shown, and where the whole lies', async (t) => {
  const file = project(t).path('state/build.log');
  const text = 'a'.repeat(4096) + 'm'.repeat(1234) + 'z'.repeat(4096);
  const shown = await excerpt(text, file);
  assert.equal(shown, `${'a'.repeat(4096)}\n… 1234 bytes left out, the whole is in ${file} …\n${'z'.repeat(4096)}`);
  assert.equal(readFileSync(file, 'utf8'), text);
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('P14 a file that cannot be written leaves the excerpt', async (t) => {
  const files = project(t, { 'a-file': '' });
  for (const file of [files.path('a-file/build.log'), files.directory]) {
    assert.match(await excerpt('x'.repeat(100_000), file), /^x+\n… 91808 bytes left out …\nx+$/);
  }
});

test('P12 an endless output does not fill the disk', async (t) => {
  const file = project(t).path('build.log');
  const shown = await excerpt('x'.repeat(100_000), file, 5500);
  assert.equal(statSync(file).size, 5500);
  assert.ok(shown.includes(`… 91808 bytes left out, the first 5500 are in ${file} …`));
});

test('terminal codes are removed', async () => {
  const coloured = '\x1b[1;31merror\x1b[0m \x1b]8;;file:///a\x1b\\a.ts\x1b]8;;\x07 \x1bc\x1b(Bok\x1b[2K\x1b';
  assert.equal(await excerpt(coloured), 'error a.ts ok');
});

test('neither characters nor terminal codes are cut in two', async () => {
  const unit = fc.constantFrom('é', '漢', '\u{1f525}', 'x', '\n', '\x1b[38;2;1;2;3m', '\x1b]8;;file:///x\x07');
  const text = fc.array(unit, { minLength: 3000, maxLength: 6000, size: 'max' }).map((units) => units.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9000 }), async (all, chunk) => {
      const shown = await excerpt(all, undefined, undefined, chunk);
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(shown, /[\ufffd\x1b\x07]|file:|38;2|\dm/);
      const [, first, left, last] = /^([^]*)\n… (\d+) bytes left out …\n([^]*)$/.exec(shown) ?? [];
      const plain = all.replace(/\x1b\[38;2;1;2;3m|\x1b\]8;;file:\/\/\/x\x07/g, ''); // oxlint-disable-line no-control-regex
      if (left === undefined) return assert.equal(shown, plain);
      assert.ok(plain.startsWith(first ?? ''));
      assert.ok(plain.endsWith(last ?? ''));
      const bytes = Buffer.byteLength(all) - Number(left);
      assert.ok(bytes <= 8192 && bytes > 8192 - 40);
    }),
    { numRuns: 50 },
  );
});

test('bytes that are no UTF-8 are survived', async () => {
  assert.ok((await excerpt(Buffer.alloc(20_000, 0x80))).includes('bytes left out'));
});
