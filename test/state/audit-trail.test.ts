// The audit trail and the marker on the disk: rotation, permissions, several writers, torn lines, and what is read
// back. Which events become lines is for the tests of whole sessions.

import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Audit, readAudit, type AuditLine } from '#src/state/audit-trail.js';
import { followAudit } from '#src/state/follow.js';
import { readMarker, writeMarker, type Marker } from '#src/state/restart-marker.js';
import { isRunning } from '#src/state/is-running.js';
import { project } from '../support/project.js';

const bad = (problem: string): never => assert.fail(problem);

if (process.argv[2] === 'write') {
  const audit = new Audit(process.argv[3] ?? '', bad, 10_000);
  process.send?.('ready');
  await once(process, 'message');
  for (let n = 0; n < 150; n++) void audit.write('change', { generation: n });
  await audit.flushed();
  process.disconnect?.();
} else tests();

function tests(): void {
  test('lines are written whole, in order, for the user alone', async (t) => {
    const dir = project(t).path('made/state');
    const audit = new Audit(dir, bad);
    void audit.write('started', { generation: 1, pid: 7 });
    void audit.write('restart requested', { cause: 'line one\nline two' });
    await audit.write('stopped');
    const lines = await readAudit(dir);
    assert.deepEqual(
      lines.map(({ event, generation, cause }) => [event, generation, cause]),
      [
        ['started', 1, undefined],
        ['restart requested', undefined, 'line one\nline two'],
        ['stopped', undefined, undefined],
      ],
    );
    assert.equal(statSync(dir).mode & 0o777, 0o700);
    assert.equal(statSync(join(dir, 'audit.jsonl')).mode & 0o777, 0o600);
  });

  test('a full file is put aside, three are kept, and reading goes through all of them', async (t) => {
    const dir = project(t).path('state');
    const audit = new Audit(dir, bad, 1000);
    for (let generation = 0; generation < 200; generation++) void audit.write('reloaded', { generation });
    await audit.flushed();
    assert.deepEqual(readdirSync(dir).sort(), ['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2', 'audit.jsonl.3']);
    const kept = (await readAudit(dir)).map(({ generation }) => generation ?? -1);
    assert.equal(kept.at(-1), 199);
    assert.deepEqual(
      kept,
      kept.map((_, at) => 200 - kept.length + at),
      'without a gap',
    );
    for (const name of readdirSync(dir)) assert.ok(statSync(join(dir, name)).size < 1200);
  });

  test('a torn line breaks neither the reader nor the line after it', async (t) => {
    const dir = project(t).path('state');
    await new Audit(dir, bad).write('started');
    await new Audit(dir, bad).write('crashed');
    const file = join(dir, 'audit.jsonl');
    truncateSync(file, statSync(file).size - 10);
    await new Audit(dir, bad).write('reloaded');
    const foreign = [null, 42, [], {}, { time: 5, event: 7 }, { time: 'x', event: 'y', files: 3 }];
    for (const line of foreign) appendFileSync(file, `${JSON.stringify(line)}\n`);
    appendFileSync(file, 'nonsense\n\0\0\n{"time":"now"');
    assert.deepEqual(
      (await readAudit(dir)).map(({ event }) => event),
      ['started', 'reloaded'],
    );
  });

  test('two proxies on one directory lose none of each other’s lines, over rotations too', async (t) => {
    // Which of the two is first is chance; one round in two would show that both rotate at once.
    for (let round = 0; round < 6; round++) {
      const dir = project(t).path('state');
      const self = fileURLToPath(import.meta.url);
      const writers = [1, 2].map(() => fork(self, ['write', dir], { execArgv: [], stdio: 'inherit' }));
      await Promise.all(writers.map((writer) => once(writer, 'message')));
      const exits = writers.map((writer) => once(writer, 'exit'));
      for (const writer of writers) writer.send('go');
      assert.deepEqual(await Promise.all(exits), [
        [0, null],
        [0, null],
      ]);
      const lines = await readAudit(dir);
      for (const { pid } of writers) {
        const own = lines.filter((line) => line.proxy === pid).map(({ generation }) => generation);
        assert.deepEqual(
          own,
          Array.from({ length: 150 }, (_, n) => n),
        );
      }
      assert.ok(readdirSync(dir).includes('audit.jsonl.2'), 'it was rotated');
      assert.ok(!readdirSync(dir).some((name) => name.includes('lock')), 'nothing is left');
    }
  });

  test('a proxy that was killed while it rotated hinders nobody', async (t) => {
    const dir = project(t).path('state');
    const audit = new Audit(dir, bad, 500);
    await audit.write('started');
    const child = fork(fileURLToPath(import.meta.url), ['write', dir], { execArgv: [], stdio: 'ignore' });
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    writeFileSync(join(dir, 'audit.jsonl.lock'), String(child.pid));
    for (let n = 0; n < 20; n++) await audit.write('change');
    assert.ok(readdirSync(dir).includes('audit.jsonl.1'));
  });

  test('P14 what can not be written is told once', async (t) => {
    const files = project(t, { file: '' });
    const problems: string[] = [];
    const audit = new Audit(files.path('file/state'), (problem) => problems.push(problem));
    for (let n = 0; n < 3; n++) await audit.write('change');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /the audit trail can't be written/);
    assert.deepEqual(await readAudit(files.path('file/state')), []);
  });

  test('who follows a trail gets every line once, over a rotation too', async (t) => {
    const dir = project(t).path('state');
    const audit = new Audit(dir, bad, 500);
    await audit.write('started', { generation: 0 });
    const over = new AbortController();
    const seen: AuditLine[] = [];
    const done = new Promise<void>((resolve) => {
      const trail = followAudit(
        dir,
        (lines) => {
          seen.push(...lines);
          if (seen.at(-1)?.generation === 30) resolve();
        },
        over.signal,
      );
      void trail.past.then(async (past) => {
        seen.push(...past);
        void trail.follow();
        for (let generation = 1; generation <= 30; generation++) {
          await audit.write('reloaded', { generation });
          // A reader that is told of each line is never more than a file behind.
          while (seen.at(-1)?.generation !== generation) await new Promise((next) => setImmediate(next));
        }
      });
    });
    await done;
    over.abort();
    assert.deepEqual(
      seen.map(({ generation }) => generation),
      Array.from({ length: 31 }, (_, n) => n),
    );
  });

  const marker: Marker = {
    timestamp: '2026-11-16T09:30:00.000Z',
    reason: 'an edit',
    generation: 2,
    exitCode: null,
    method: 'change',
    proxy: process.pid,
  };

  test('a marker is read back as it was written, for the user alone, and replaced as a whole', async (t) => {
    const dir = project(t).path('state');
    assert.deepEqual(await readMarker(dir), { kind: 'none' });
    await writeMarker(dir, { ...marker, reason: 'x'.repeat(500) });
    assert.deepEqual(await writeMarker(dir, marker), { ok: true });
    assert.deepEqual(await readMarker(dir), { kind: 'found', marker });
    assert.deepEqual(readdirSync(dir), ['restart.json']);
    assert.equal(statSync(join(dir, 'restart.json')).mode & 0o777, 0o600);
  });

  test('every beginning of a marker is a torn one, and so is one that says nothing', async (t) => {
    const dir = project(t).path('state');
    await writeMarker(dir, marker);
    const file = join(dir, 'restart.json');
    const whole = readFileSync(file, 'utf8').trimEnd();
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(file, whole.slice(0, length));
      assert.deepEqual(await readMarker(dir), { kind: 'torn' }, whole.slice(0, length));
    }
    for (const text of ['null', '[]', '{}', '"x"', '{"timestamp":"never","generation":1}']) {
      writeFileSync(file, text);
      assert.deepEqual(await readMarker(dir), { kind: 'torn' }, text);
    }
  });

  test('a process is running or it is not', async () => {
    assert.equal(isRunning(process.pid), true);
    const child = fork(fileURLToPath(import.meta.url), ['none'], { execArgv: ['--version'], stdio: 'ignore' });
    await once(child, 'exit');
    assert.equal(isRunning(child.pid ?? 0), false);
  });

  test('P14 a pipe in place of the trail or the marker is told of, and nobody waits for its other end', async (t) => {
    const { directory } = project(t);
    for (const name of ['audit.jsonl', 'restart.json']) execFileSync('mkfifo', [join(directory, name)]);
    const problems: string[] = [];
    const audit = new Audit(directory, (problem) => void problems.push(problem));
    await audit.write('started');
    assert.match(problems.join(), /audit\.jsonl is not a regular file/);
    await assert.rejects(readAudit(directory), /audit\.jsonl is not a regular file/);
    assert.deepEqual(await readMarker(directory), { kind: 'torn' });
  });

  test('P14 a symbolic link in place of the trail is not followed', async (t) => {
    const { directory, write, path } = project(t);
    write('elsewhere', 'precious\n');
    symlinkSync(path('elsewhere'), path('audit.jsonl'));
    const problems: string[] = [];
    await new Audit(directory, (problem) => void problems.push(problem)).write('started');
    assert.equal(problems.length, 1);
    assert.equal(readFileSync(path('elsewhere'), 'utf8'), 'precious\n');
  });

  test('P14 a pipe in place of the lock of the rotation is told of, and lines are still written', async (t) => {
    const { directory } = project(t);
    execFileSync('mkfifo', [join(directory, 'audit.jsonl.lock')]);
    const problems: string[] = [];
    const audit = new Audit(directory, (problem) => void problems.push(problem), 1);
    for (let line = 0; line < 3; line++) await audit.write('started');
    assert.equal((await readAudit(directory)).length, 3);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems.join(), /audit\.jsonl\.lock is not a regular file/);
  });

  test('P14 a pipe in place of the trail does not keep those waiting who follow it', async (t) => {
    const { directory } = project(t);
    execFileSync('mkfifo', [join(directory, 'audit.jsonl')]);
    const { past } = followAudit(directory, () => {}, new AbortController().signal);
    await assert.rejects(past, /audit\.jsonl is not a regular file/);
  });
}
