// `wrap` on a terminal, where it asks; and a client that writes its file over ours.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newMarker, testEnvironment } from '../../support/harness.js';
import { bin } from '../../support/paths.js';
import { machine, mine, type Machine } from './machine.js';

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** On a pseudo terminal, as script(1) of util-linux makes one; types the answer once the question is there. */
async function answering(
  here: Machine,
  words: readonly string[],
  answer: string,
): Promise<{ code: number | null; shown: string }> {
  const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: here.project,
    env: testEnvironment(newMarker(), here.env),
    timeout: 60_000,
  });
  let [shown, typed] = ['', false];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (typed || !shown.includes('[y/N]')) return;
    typed = true;
    child.stdin.write(answer);
  });
  child.stdin.on('error', () => {});
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, shown };
}

test('on a terminal it asks, and anything but a yes is a no', { skip: !hasScript }, async (t) => {
  const here = machine(t);
  const file = join(here.project, '.mcp.json');
  here.write(file, JSON.stringify({ mcpServers: { mine } }));
  for (const answer of ['n\r', '\r', '\x04']) {
    const { code, shown } = await answering(here, ['wrap'], answer);
    assert.match(shown, /Change this file\? \[y\/N\]/);
    assert.match(shown, /nothing was changed/);
    assert.equal(code, 1);
    assert.doesNotMatch(here.read(file).toString(), /mcp-hotline\.js/);
  }
  const { code, shown } = await answering(here, ['wrap'], 'y\r');
  assert.equal(code, 0, shown);
  assert.match(here.read(file).toString(), /mcp-hotline\.js/);
});

test('a client that writes its file over ours is noticed, and said', async (t) => {
  const here = machine(t);
  const file = join(here.home, '.claude.json');
  const before = JSON.stringify({ projects: { [here.project]: { mcpServers: { mine } } } });
  here.write(file, before);
  const running = setInterval(() => {
    if (here.read(file).toString() !== before) writeFileSync(file, before);
  }, 10);
  t.after(() => clearInterval(running));
  const { code, stderr } = await here.run('wrap', '--yes');
  assert.equal(code, 1);
  assert.match(stderr, /~\/\.claude\.json was written by its client again, and the change is gone: quit the client/);
});
