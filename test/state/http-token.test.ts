// The token of `--token auto`: made once, kept, and refused where somebody else may know it. Real files.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveToken, type ResolvedToken } from '#src/state/http-token.js';
import { project } from '../support/project.js';

const posix = { skip: process.platform === 'win32' };

async function auto(stateDir: string): Promise<ResolvedToken> {
  const resolved = await resolveToken({ token: 'auto', stateDir });
  assert.ok(resolved.ok, resolved.ok ? '' : resolved.error);
  return resolved.value;
}

async function refusal(stateDir: string): Promise<string> {
  const resolved = await resolveToken({ token: 'auto', stateDir });
  assert.ok(!resolved.ok);
  return resolved.error;
}

test('no token, and one that was chosen, are what they are, and nothing is written', async (t) => {
  const { directory } = project(t);
  for (const token of [undefined, '0123456789abcdef'])
    assert.deepEqual(await resolveToken({ token, stateDir: directory }), {
      ok: true,
      value: { token, file: undefined, isNew: false },
    });
  assert.deepEqual(readdirSync(directory), []);
});

test('auto makes a token of 256 bits, keeps it for the user alone, and takes it again', posix, async (t) => {
  const stateDir = join(project(t).directory, 'state', 'of a server');
  const made = await auto(stateDir);
  assert.match(made.token ?? '', /^[\w-]{43}$/);
  assert.deepEqual(made, { token: made.token, file: join(stateDir, 'http-token'), isNew: true });
  assert.equal(statSync(made.file ?? '').mode & 0o777, 0o600);
  assert.equal(statSync(stateDir).mode & 0o777, 0o700);
  assert.equal(readFileSync(made.file ?? '', 'utf8'), `${made.token}\n`);
  assert.deepEqual(readdirSync(stateDir), ['http-token']);
  assert.deepEqual(await auto(stateDir), { ...made, isNew: false });
  const other = await auto(join(project(t).directory, 'state'));
  assert.notEqual(other.token, made.token);
});

test('of several that start at once, all get the same token, and one has made it', async (t) => {
  const { directory } = project(t);
  const all = await Promise.all(Array.from({ length: 20 }, () => auto(directory)));
  assert.equal(new Set(all.map(({ token }) => token)).size, 1);
  assert.equal(all.filter(({ isNew }) => isNew).length, 1);
  assert.deepEqual(readdirSync(directory), ['http-token']);
});

test('P18 a file that others can read or write, or that is no file, is refused and left as it is', posix, async (t) => {
  const { directory, path } = project(t);
  const file = path('http-token');
  const good = '0123456789abcdef0123456789abcdef\n';
  writeFileSync(file, good, { mode: 0o600 });
  assert.equal((await auto(directory)).token, good.trim());
  for (const mode of [0o640, 0o604, 0o620, 0o602]) {
    chmodSync(file, mode);
    assert.equal(
      await refusal(directory),
      `--token auto: ${file} can be read or written by other users; remove it, and another token is made`,
    );
    assert.equal(readFileSync(file, 'utf8'), good);
  }
  rmSync(file);
  writeFileSync(path('elsewhere'), good, { mode: 0o600 });
  symlinkSync(path('elsewhere'), file);
  assert.match(await refusal(directory), /http-token is not a regular file; remove it/);
  rmSync(file);
  mkdirSync(file);
  assert.match(await refusal(directory), /http-token is not a regular file; remove it/);
});

test('a file without a token in it is refused', async (t) => {
  const { directory, path } = project(t);
  for (const text of ['', 'short\n', 'two words of a text\n', 'a'.repeat(2000)]) {
    writeFileSync(path('http-token'), text, { mode: 0o600 });
    assert.match(await refusal(directory), /http-token holds no token; remove it, and another token is made$/);
  }
});

test('a state directory that can not be written is an error with its reason', posix, async (t) => {
  const { path } = project(t, { state: 'a file' });
  assert.match(await refusal(path('state')), /^--token auto: .*ENOTDIR/);
});
