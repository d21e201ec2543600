// Whether the guard can fail: what is planted here stands in the proxy's place, takes 5 ms more for every message or builds large ones
// anew, and is measured as the guard does it. That it lets the proxy itself pass is for --guard to show.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { grossRegressions } from './report.js';
import { groups, type GroupName } from './rows.js';
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

async function regressions(t: TestContext, group: GroupName, forward: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'hotline-guard-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const planted = join(directory, 'planted.cjs');
  writeFileSync(planted, program(forward));
  const ground = await prepareGround(planted);
  t.after(() => ground.remove());
  return grossRegressions({ [group]: [await groups[group](ground, false)] }).map(({ text }) => text);
}

test('the guard finds 5 ms more for every message', async (t) => {
  const found = await regressions(t, 'round-trip', 'setTimeout(send, 5, line);');
  assert.equal(found.filter((text) => text.startsWith('round trip, 200 B, p50')).length, 2);
});

test('the guard finds messages that are parsed and built anew', async (t) => {
  const anew = 'const text = JSON.stringify(JSON.parse(line)); send(text);';
  const found = await regressions(t, 'throughput', anew);
  assert.equal(found.filter((text) => text.startsWith('throughput, 1 MB')).length, 2);
});
