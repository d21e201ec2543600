// The proxy started by hand: on a pseudo terminal, as script(1) of util-linux makes one.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { emptyDirectory, fixture, newMarker, processesLeft, testEnvironment } from '../support/harness.js';
import { bin } from '../support/paths.js';

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** Runs the bin on a terminal; types Ctrl+D once this was seen. What a terminal shows is stdout and stderr together. */
async function onTerminal(words: readonly string[], until: RegExp): Promise<{ code: number | null; shown: string }> {
  const marker = newMarker();
  const child = spawn('script', ['-qec', quoted([process.execPath, bin, ...words]), '/dev/null'], {
    cwd: emptyDirectory,
    env: testEnvironment(marker),
    timeout: 30_000,
  });
  let shown = '';
  let typed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (typed || !until.test(shown)) return;
    typed = true;
    child.stdin.write('\x04');
  });
  child.stdin.on('error', () => {});
  const [code] = (await once(child, 'close')) as [number | null];
  assert.deepEqual(await processesLeft(marker), []);
  return { code, shown: shown.replaceAll('\r\n', '\n') };
}

test(
  'on a terminal it says that it waits for a client, and shows a configuration for one',
  { skip: !hasScript },
  async () => {
    const { code, shown } = await onTerminal(['--no-reload', '--hold', '7', '--', ...fixture('tools')], /serving/);
    assert.equal(code, 0, shown);
    assert.match(shown, /^mcp-hotline: waiting for an MCP client on stdin, which is a terminal here\.\n/);
    const snippet = JSON.parse(/^\{\n[^]*?\n\}$/m.exec(shown)?.[0] ?? '');
    const args = [bin, '--no-reload', '--hold=7', `--cwd=${emptyDirectory}`, '--', ...fixture('tools')];
    assert.deepEqual(snippet, { mcpServers: { empty: { command: process.execPath, args } } });
    assert.match(shown, /mcp-hotline\.js smoke -- .*tools\.mjs/);
  },
);

test('on a terminal, without a command, it says how it is meant to be used', { skip: !hasScript }, async () => {
  const { code, shown } = await onTerminal([], /never/);
  assert.equal(code, 1);
  assert.match(
    shown,
    /^mcp-hotline: no server command, expected mcp-hotline \[options\] -- <command> \[args…\]; mcp-hotline --help/,
  );
  assert.deepEqual(
    JSON.parse(/^\{\n[^]*?\n\}$/m.exec(shown)?.[0] ?? '').mcpServers['my-server'].args.at(-1),
    'server.js',
  );
});

test('whoever asked for silence, or for JSON, gets no such words', { skip: !hasScript }, async () => {
  const server = ['node', '-e', `console.error("up"); process.stdin.resume()`];
  for (const words of [
    ['--log-level', 'silent'],
    ['--log-format', 'json'],
  ]) {
    const { shown } = await onTerminal(['--no-reload', ...words, '--', ...server], /up/);
    assert.doesNotMatch(shown, /waiting for an MCP client/);
  }
});
