// P14 as far as the watch goes: a system without watches or permissions to give is reported once, and watching goes on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { arrive, put, temporary, watched } from './fixture.js';

const STARVED = fileURLToPath(new URL('./starved.js', import.meta.url));
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

interface Seen {
  warnings: string[];
  changes: string[];
  polling: boolean;
}

function starve(command: string, args: string[], options: { uid?: number } = {}): Seen {
  const { stdout, stderr, status } = spawnSync(command, args, { env, encoding: 'utf8', ...options });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Seen;
}

function tree(dir: string): void {
  for (let n = 0; n < 20; n++) put(dir, `d${n}/a.ts`, `${n}`);
}

const UNSHARE = 'unshare';
const NAMESPACE = ['-Ur', 'sh', '-c', 'echo 8 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh'];
const canLimit = spawnSync(UNSHARE, [...NAMESPACE, 'true']).status === 0;

test('P14 no inotify watches left, polling instead', { skip: !canLimit && 'no user namespaces' }, (t) => {
  const dir = temporary(t);
  tree(dir);
  const seen = starve(UNSHARE, [...NAMESPACE, process.execPath, STARVED, dir, 'edit']);
  assert.equal(seen.warnings.length, 1);
  assert.match(seen.warnings[0]!, /^polling: .*ENOSPC.*max_user_watches/);
  assert.deepEqual(seen.changes, ['added d3/edited.ts']);
  assert.ok(seen.polling);
});

test('P14 no file descriptor left for inotify, polling instead', { skip: process.platform === 'win32' }, (t) => {
  const dir = temporary(t);
  tree(dir);
  const seen = starve('sh', ['-c', 'ulimit -n 60 && exec "$@"', 'sh', process.execPath, STARVED, dir, 'hoard']);
  assert.equal(seen.warnings.length, 1);
  assert.match(seen.warnings[0]!, /^polling: .*EMFILE/);
  assert.deepEqual(seen.changes, ['added d3/edited.ts']);
});

test('P14 an unreadable file or directory is reported once and counts as it is', (t) => {
  if (process.getuid === undefined) return t.skip('no permissions to take away');
  const dir = temporary(t);
  tree(dir);
  chmodSync(dir, 0o755);
  chmodSync(`${dir}/d1/a.ts`, 0);
  chmodSync(`${dir}/d2`, 0);
  const uid = process.getuid() === 0 ? { uid: 65534 } : {};
  const seen = starve(process.execPath, [STARVED, dir, 'look'], uid);
  chmodSync(`${dir}/d2`, 0o755);
  assert.deepEqual(seen.warnings.map((text) => text.split(' ').slice(0, 2).join(' ')).sort(), [
    'unreadable: d1/a.ts',
    'unreadable: d2',
  ]);
  assert.deepEqual(seen.changes, []);
});

test('one inotify watch a directory, none for what is ignored', { skip: process.platform !== 'linux' }, async (t) => {
  const dir = temporary(t);
  tree(dir);
  for (let n = 0; n < 100; n++) put(dir, `node_modules/p${n}/index.js`, '');
  const before = watches();
  const w = await watched(t, { dir });
  // The root, its 20 directories, and the directory that the root lies in.
  assert.equal(watches() - before, 22);
  w.write('new/dir/x.ts', '1');
  assert.deepEqual(await w.changes(), ['added new/dir/x.ts']);
  assert.equal(watches() - before, 24);
  await w.watch.close();
  await arrive();
  assert.equal(watches(), before);
});

// The last one: the events of its cleaning up would fill the queue of the next.
test('P6 more events than the kernel keeps, and none is lost', { skip: process.platform !== 'linux' }, async (t) => {
  const limit = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  if (limit > 40_000) return t.skip(`the queue holds ${limit} events`);
  const dir = temporary(t);
  tree(dir);
  const w = await watched(t, { dir });
  const script = `for (let n = 0; n < ${limit}; n++) require('fs').writeFileSync(process.argv[1] + '/d' + (n % 20) + '/f' + n + '.ts', 'x')`;
  // While this process waits, nobody reads the queue; each file is two events.
  assert.equal(spawnSync(process.execPath, ['-e', script, dir], { env }).status, 0);
  await arrive();
  assert.ok(w.watch.dirty);
  assert.equal((await w.changes()).length, limit);
});

function watches(): number {
  let count = 0;
  for (const file of readdirSync('/proc/self/fd')) {
    try {
      if (!readlinkSync(`/proc/self/fd/${file}`).includes('inotify')) continue;
      count += readFileSync(`/proc/self/fdinfo/${file}`, 'utf8').split('inotify wd').length - 1;
    } catch {
      // Closed since it was listed.
    }
  }
  return count;
}
