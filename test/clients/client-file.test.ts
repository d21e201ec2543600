// Reading and writing a client's file on a real disk: what stays as it was besides the text, and when nothing is
// written.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, readlinkSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readClientFile, writeClientFile, type ClientFile } from '#src/clients/client-file.js';

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'hotline-client-file-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function read(path: string): Promise<ClientFile> {
  const file = await readClientFile(path);
  if (!file.ok) assert.fail(file.error);
  return file.value;
}

async function problem(result: ReturnType<typeof writeClientFile>): Promise<string> {
  const outcome = await result;
  return outcome.ok ? 'no problem' : outcome.error;
}

test('P21 the text is replaced, with its byte order mark and line breaks; nothing else lies in the directory afterwards', async (t) => {
  const path = join(directory(t), 'mcp.json');
  writeFileSync(path, '\uFEFF{ "a": "é" }\r\n');
  const file = await read(path);
  assert.equal(file.text, '\uFEFF{ "a": "é" }\r\n');
  const written = await writeClientFile(file, file.text.replace('a', 'b'));
  assert.ok(written.ok);
  assert.deepEqual(readFileSync(path), Buffer.from('\uFEFF{ "b": "é" }\r\n'));
  assert.deepEqual(readdirSync(join(path, '..')), ['mcp.json']);
  assert.ok((await writeClientFile(written.value, 'again')).ok);
  assert.equal(readFileSync(path, 'utf8'), 'again');
});

const posix = { skip: process.platform === 'win32' && 'modes, owners and links are those of POSIX' };

test('P21 mode and owner stay', posix, async (t) => {
  const path = join(directory(t), 'mcp.json');
  for (const mode of [0o600, 0o664, 0o644]) {
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    if (process.getuid?.() === 0) chownSync(path, 12345, 54321);
    const before = statSync(path);
    assert.equal(await problem(writeClientFile(await read(path), 'new')), 'no problem');
    const after = statSync(path);
    assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
    rmSync(path);
  }
});

test('P21 a symbolic link stays one, and what it leads to is replaced', posix, async (t) => {
  const dir = directory(t);
  mkdirSync(join(dir, 'dotfiles'));
  writeFileSync(join(dir, 'dotfiles', 'real.json'), 'old');
  symlinkSync('dotfiles/real.json', join(dir, 'one.json'));
  symlinkSync('one.json', join(dir, 'two.json'));
  const file = await read(join(dir, 'two.json'));
  assert.ok(file.realPath.endsWith('real.json'));
  assert.equal(await problem(writeClientFile(file, 'new')), 'no problem');
  assert.equal(readFileSync(join(dir, 'dotfiles', 'real.json'), 'utf8'), 'new');
  assert.equal(readlinkSync(join(dir, 'two.json')), 'one.json');
  assert.ok(lstatSync(join(dir, 'one.json')).isSymbolicLink());
});

test('a file that has changed since it was read is left alone, whatever its time says', async (t) => {
  const path = join(directory(t), 'mcp.json');
  writeFileSync(path, 'old');
  const file = await read(path);
  const { atime, mtime } = statSync(path);
  writeFileSync(path, 'bad');
  const { utimesSync } = await import('node:fs');
  utimesSync(path, atime, mtime);
  assert.match(await problem(writeClientFile(file, 'new')), /has changed since it was read/);
  assert.equal(readFileSync(path, 'utf8'), 'bad');
  unlinkSync(path);
  assert.match(await problem(writeClientFile(file, 'new')), /can't be written/);
  assert.deepEqual(readdirSync(join(path, '..')), []);
});

test('a link that leads elsewhere by now is a change', posix, async (t) => {
  const dir = directory(t);
  for (const name of ['a', 'b']) writeFileSync(join(dir, name), 'old');
  symlinkSync('a', join(dir, 'link'));
  const file = await read(join(dir, 'link'));
  unlinkSync(join(dir, 'link'));
  symlinkSync('b', join(dir, 'link'));
  assert.match(await problem(writeClientFile(file, 'new')), /has changed since it was read/);
  assert.deepEqual([readFileSync(join(dir, 'a'), 'utf8'), readFileSync(join(dir, 'b'), 'utf8')], ['old', 'old']);
});

test('a read-only file and one with a second name are left alone', async (t) => {
  const dir = directory(t);
  writeFileSync(join(dir, 'a'), 'old');
  chmodSync(join(dir, 'a'), 0o444);
  assert.match(await problem(writeClientFile(await read(join(dir, 'a')), 'new')), /is read-only/);
  writeFileSync(join(dir, 'b'), 'old');
  linkSync(join(dir, 'b'), join(dir, 'c'));
  assert.match(await problem(writeClientFile(await read(join(dir, 'b')), 'new')), /hard link/);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => readFileSync(join(dir, name), 'utf8')),
    ['old', 'old', 'old'],
  );
  chmodSync(join(dir, 'a'), 0o644);
});

test('what is no text file is refused when it is read', async (t) => {
  const dir = directory(t);
  assert.match(await problem(readClientFile(join(dir, 'none'))), /none can't be read: ENOENT/);
  assert.match(await problem(readClientFile(dir)), /can't be read/);
  writeFileSync(join(dir, 'latin'), Buffer.from([0x22, 0xe9, 0x22]));
  assert.match(await problem(readClientFile(join(dir, 'latin'))), /is not UTF-8 text/);
  writeFileSync(join(dir, 'wide'), Buffer.from('\uFEFF{}', 'utf16le'));
  assert.match(await problem(readClientFile(join(dir, 'wide'))), /is not UTF-8 text/);
  if (process.platform === 'win32') return;
  assert.equal(spawnSync('mkfifo', [join(dir, 'pipe')]).status, 0);
  assert.match(await problem(readClientFile(join(dir, 'pipe'))), /not a regular file/);
});
