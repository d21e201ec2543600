// Whether the guard can fail: what is planted here stands in the proxy's place, takes 5 ms more for every message, and
// is measured as the guard does it. That it lets the proxy itself pass is for --guard to show, what is too much of
// anything for report.test.ts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { grossRegressions } from './report.js';
import { groups } from './rows.js';
import { prepareGround } from './ways.js';

/** Passes lines on in both directions; `forward` is what it does with one for the server. */
function program(forward: string): string {
  return `const { spawn } = require('node:child_process');
const [command, ...args] = process.argv.slice(process.argv.indexOf('--') + 1);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.stdout.pipe(process.stdout);
const send = (text) => child.stdin.write(text + '\\n');
require('node:readline').createInterface(process.stdin).on('line', (line) => { ${forward} }).on('close', () => child.stdin.end());
`;
}

test('the guard finds 5 ms more for every message', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hotline-guard-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const planted = join(directory, 'planted.cjs');
  writeFileSync(planted, program('setTimeout(send, 5, line);'));
  const ground = await prepareGround(planted);
  t.after(() => ground.remove());
  // On a busy machine the pipe may seem to add nothing, which tells no ratio: the guard looks again, too.
  const repeats = [];
  let found: readonly string[] = [];
  for (let times = 0; times < 5 && found.length < 2; times++) {
    repeats.push(await groups['round-trip'](ground, false));
    found = grossRegressions({ 'round-trip': repeats })
      .map(({ text }) => text)
      .filter((text) => text.startsWith('round trip, 200 B, p50'));
  }
  assert.equal(found.length, 2);
});
