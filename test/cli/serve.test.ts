// `mcp-hotline serve` on the built bin, as a process: signals, and a token that can't be had. What it serves is for
// test/e2e/http; its options are for test/config/http.test.ts.

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { cleanup } from '../support/cleanup.js';
import { fixture, newMarker, processesLeft, project, testEnvironment } from '../support/harness.js';
import { bin } from '../support/paths.js';

const posix = { skip: process.platform === 'win32' };

interface Served {
  readonly child: ChildProcess;
  /** Resolves with everything on stderr, once it matches. */
  until(pattern: RegExp): Promise<string>;
  exit(): Promise<{ code: number | null; stderr: string; left: unknown }>;
}

function serve(t: TestContext, cwd: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Served {
  const marker = newMarker();
  const child = spawn(process.execPath, [bin, 'serve', ...words], { cwd, env: testEnvironment(marker, env) });
  cleanup(t, () => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    child,
    async until(pattern) {
      while (!pattern.test(stderr)) {
        const ended = await Promise.race([once(child.stderr, 'data').then(() => false), closed.then(() => true)]);
        assert.ok(!ended || pattern.test(stderr), stderr);
      }
      return stderr;
    },
    async exit() {
      const [code] = await closed;
      return { code, stderr, left: await processesLeft(marker) };
    },
  };
}

for (const [signal, expected] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} ends it and its server`, posix, async (t) => {
    const { child, until, exit } = serve(t, project(t).directory, ['--', ...fixture('stubborn')]);
    await until(/stubborn is up/);
    child.kill(signal);
    const { code, left } = await exit();
    assert.deepEqual([code, left], [expected, []]);
  });
}

test('P13 a second Ctrl+C kills at once a server that ignores the first', posix, async (t) => {
  const { child, until, exit } = serve(t, project(t).directory, ['--', ...fixture('stubborn')]);
  await until(/stubborn is up/);
  child.kill('SIGINT');
  await until(/ignoring SIGINT/);
  child.kill('SIGINT');
  const { code, left } = await exit();
  assert.deepEqual([code, left], [130, []]);
});

test('a token that can not be had is found before anything is started', posix, async (t) => {
  const { directory, path } = project(t, { 'state/http-token': '0123456789abcdef0123\n' });
  chmodSync(path('state/http-token'), 0o644);
  const words = ['--state-dir', 'state', '--token', 'auto', '--', ...fixture('stubborn')];
  const { code, stderr, left } = await serve(t, directory, words).exit();
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `mcp-hotline: --token auto: ${path('state/http-token')} can be read or written by other users; remove it, and another token is made\n`,
  );
  assert.deepEqual(left, []);
});
