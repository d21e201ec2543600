// The records that unwrap needs: kept by file, servers and name, dropped when they are used up, and never a reason to
// fail.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dropUndo, keepUndo, readUndo } from '#src/clients/undo-records.js';

function stateHome(t: TestContext): { dir: string; env: NodeJS.ProcessEnv } {
  const dir = mkdtempSync(join(tmpdir(), 'hotline-undo-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, env: { XDG_STATE_HOME: dir, LOCALAPPDATA: dir } };
}

const key = { file: '/home/me/.mcp.json', servers: ['mcpServers'], name: 'x' };
const another = { ...key, name: 'y' };
const elsewhere = { ...key, servers: ['projects', '/w', 'mcpServers'] };

test('P21 a record is found again by file, servers and name, and dropped alone', async (t) => {
  const { dir, env } = stateHome(t);
  assert.equal(await readUndo(key, env), undefined);
  assert.deepEqual(await keepUndo(key, { args: 'absent' }, env), { ok: true });
  assert.deepEqual(await keepUndo(another, { command: '|-\r\n  é' }, env), { ok: true });
  assert.deepEqual(await keepUndo(elsewhere, { args: 'empty' }, env), { ok: true });
  assert.deepEqual(await readUndo(key, env), { args: 'absent' });
  assert.deepEqual(await readUndo(another, env), { command: '|-\r\n  é' });
  assert.deepEqual(await readUndo(elsewhere, env), { args: 'empty' });
  assert.equal(await readUndo({ ...key, file: '/home/you/.mcp.json' }, env), undefined);
  await dropUndo(key, env);
  assert.equal(await readUndo(key, env), undefined);
  assert.deepEqual(await readUndo(elsewhere, env), { args: 'empty' });
  await keepUndo(another, undefined, env);
  await dropUndo(elsewhere, env);
  assert.deepEqual(readdirSync(join(dir, 'mcp-hotline')), []);
});

test('records are readable by the user alone, and a torn file is none', async (t) => {
  const { dir, env } = stateHome(t);
  await keepUndo(key, { args: 'absent' }, env);
  const [folder = ''] = readdirSync(join(dir, 'mcp-hotline'));
  const file = join(dir, 'mcp-hotline', folder, 'unwrap.json');
  assert.match(readFileSync(file, 'utf8'), /"file":"\/home\/me\/\.mcp\.json"/);
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  for (const text of ['{', 'null', '{"records":5}', '{"records":{"[\\"mcpServers\\",\\"x\\"]":{"args":"odd"}}}']) {
    writeFileSync(file, text);
    assert.equal(await readUndo(key, env), undefined, text);
  }
  assert.deepEqual(await keepUndo(key, { args: 'empty' }, env), { ok: true });
  assert.deepEqual(await readUndo(key, env), { args: 'empty' });
});

test('a state directory that can not be written is told as a value', async (t) => {
  const { dir, env } = stateHome(t);
  writeFileSync(join(dir, 'mcp-hotline'), 'a file is in the way');
  const written = await keepUndo(key, { args: 'absent' }, env);
  assert.ok(!written.ok && /can't be written/.test(written.problem));
  assert.deepEqual(await dropUndo(key, env), { ok: true });
});
