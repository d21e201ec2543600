// The status file of a running proxy: what `mcp-hotline status` reads of it, with one session and with several, and
// that files of another layout are no error. What is printed is for test/cli/status.test.ts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readMarker } from '#src/state/restart-marker.js';
import { readAudit } from '#src/state/audit-trail.js';
import { aboutOf, runningProxies, StatusFile } from '#src/state/status-file.js';
import { project } from '../support/project.js';

const about = { cwd: '/here', command: 'node', args: ['server.js'] };

async function written(dir: string, holds: (text: string) => boolean): Promise<void> {
  const path = `${dir}/proxy-${process.pid}.json`;
  const text = (): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  const deadline = performance.now() + 10_000;
  while (!holds(text()) && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(holds(text()), text());
}

test('a proxy with one session is listed once, and the session has no name', async (t) => {
  const { directory } = project(t);
  const file = new StatusFile(directory, about, assert.fail);
  file.update('1', { generation: 1, server: process.pid });
  file.update('1', { client: 'a 1.0' });
  await written(directory, (text) => text.includes('a 1.0'));
  const [one, ...others] = await runningProxies(directory);
  assert.deepEqual(others, []);
  const { since, ...rest } = one!;
  assert.ok(!Number.isNaN(Date.parse(since)));
  assert.deepEqual(rest, { proxy: process.pid, ...about, generation: 1, server: process.pid, client: 'a 1.0' });
  await file.close();
  assert.deepEqual(await runningProxies(directory), []);
});

test('a proxy with several sessions is listed once for each, until they end', async (t) => {
  const { directory } = project(t);
  const file = new StatusFile(directory, about, assert.fail);
  file.update('a', { generation: 1 });
  file.update('b', { generation: 7 });
  await written(directory, (text) => text.includes('"b"'));
  const both = await runningProxies(directory);
  assert.deepEqual(
    both.map(({ session, generation }) => [session, generation]),
    [
      ['a', 1],
      ['b', 7],
    ],
  );
  file.remove('a');
  await written(directory, (text) => !text.includes('"a"'));
  const left = await runningProxies(directory);
  assert.deepEqual(
    left.map(({ session, generation }) => [session, generation]),
    [[undefined, 7]],
  );
  await file.close();
});

test('P14 a state directory of an older layout is ignored without an error', async (t) => {
  const flat = { proxy: process.pid, since: new Date().toISOString(), ...about, generation: 2, server: process.pid };
  const { directory } = project(t, {
    [`proxy-${process.pid}.json`]: JSON.stringify(flat),
    'proxy-1.json': '[]',
    'about.json': JSON.stringify({ directory: '/here' }),
    'restart.json': JSON.stringify({ at: 1 }),
    'audit.jsonl': `${JSON.stringify({ at: 1, what: 'reloaded' })}\n`,
  });
  assert.deepEqual(await runningProxies(directory), []);
  assert.equal(await aboutOf(directory), undefined);
  assert.deepEqual(await readMarker(directory), { kind: 'torn' });
  assert.deepEqual(await readAudit(directory), []);
  const problems: string[] = [];
  const file = new StatusFile(directory, about, (problem) => problems.push(problem));
  file.update('1', { generation: 1 });
  await written(directory, (text) => text.includes('"sessions"'));
  assert.equal((await runningProxies(directory)).length, 1);
  assert.deepEqual((await aboutOf(directory))?.about, about);
  await file.close();
  assert.deepEqual(problems, []);
});
