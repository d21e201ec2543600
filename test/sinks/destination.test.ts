// Where log lines end up: a file, stderr when the file fails, nowhere when nobody reads; with real files and streams.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { after, test } from 'node:test';
import { createEventBus } from '#src/events/bus.js';
import { openLogDestination } from '#src/sinks/destination.js';
import { openLog } from '#src/sinks/open-log.js';

const dir = mkdtempSync(join(tmpdir(), 'mcp-hotline-log-'));
after(() => rmSync(dir, { recursive: true }));

function reader(): { stderr: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stderr, text: () => Buffer.concat(chunks).toString() };
}

test('without a file, lines go to stderr in order', async () => {
  const { stderr, text } = reader();
  const destination = openLogDestination({ file: undefined, stderr });
  for (const line of ['a\n', 'b\n', 'c\n']) destination.write(line);
  await destination.close(5000);
  assert.equal(text(), 'a\nb\nc\n');
});

test('a file is appended to, and stderr stays empty', async () => {
  const file = join(dir, 'append.log');
  writeFileSync(file, 'before\n');
  const { stderr, text } = reader();
  const destination = openLogDestination({ file, stderr });
  for (let line = 0; line < 100; line++) destination.write(`${line}\n`);
  await destination.close(5000);
  assert.equal(readFileSync(file, 'utf8'), `before\n${Array.from({ length: 100 }, (_, line) => `${line}\n`).join('')}`);
  assert.equal(text(), '');
});

test('P14 a log file that cannot be opened is reported once, and no line is lost', async () => {
  const { stderr, text } = reader();
  const destination = openLogDestination({ file: join(dir, 'no/such/dir/x.log'), stderr });
  destination.write('early\n');
  destination.write('early too\n');
  while (text() === '') await new Promise(setImmediate);
  destination.write('late\n');
  await destination.close(5000);
  const [report, ...lines] = text().trimEnd().split('\n');
  assert.match(report!, /^mcp-hotline: cannot write the log file: ENOENT.*; the log goes to stderr from here on$/);
  assert.deepEqual(lines, ['early', 'early too', 'late']);
});

test('P14 a full disk turns the log to stderr', { skip: !existsSync('/dev/full') }, async () => {
  const { stderr, text } = reader();
  const destination = openLogDestination({ file: '/dev/full', stderr });
  destination.write('one\n');
  destination.write('two\n');
  await destination.close(5000);
  assert.match(text(), /^mcp-hotline: cannot write the log file: ENOSPC[^\n]*\none\ntwo\n$/);
});

test('P14 a stderr that nobody reads drops lines, and says how many once it is read again', async () => {
  const stderr = new PassThrough({ highWaterMark: 1024 });
  const destination = openLogDestination({ file: undefined, stderr });
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 3000; count++) destination.write(line);
  assert.ok(stderr.writableLength < 1.1 * 1024 * 1024, `${stderr.writableLength} bytes are kept`);
  let text = '';
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  while (!text.includes('dropped')) await once(stderr, 'data');
  destination.write('again\n');
  await destination.close(5000);
  const lines = text.trimEnd().split('\n');
  const kept = lines.filter((one) => one.startsWith('x')).length;
  const dropped = /^mcp-hotline: (\d+) log lines were dropped because stderr was not read$/.exec(lines.at(-2)!);
  assert.equal(kept + Number(dropped?.[1]), 3000);
  assert.equal(lines.at(-1), 'again');
});

test('P14 a stderr that is gone takes nothing with it', async () => {
  const stderr = new PassThrough();
  const destination = openLogDestination({ file: undefined, stderr });
  destination.write('a\n');
  stderr.destroy(new Error('EPIPE'));
  await new Promise((resolve) => stderr.once('close', resolve));
  destination.write('b\n');
  await destination.close(5000);
});

test('closing does not wait for a reader longer than it may', async () => {
  const stderr = new Writable({ write() {} });
  const destination = openLogDestination({ file: undefined, stderr });
  destination.write('never taken\n');
  await destination.close(1);
});

test('what a log says about its destination has the format of the log', async () => {
  const { stderr, text } = reader();
  const file = join(dir, 'none/x.log');
  const events = createEventBus();
  const close = openLog(events, { level: 'error', format: 'json', file, stderr, env: {} });
  events.emit({ kind: 'not-started', command: 'a', isMissing: true, problem: '' });
  await close(5000);
  const lines = text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ level, event }) => [level, event]),
    [
      ['warn', 'warning'],
      ['error', 'failed'],
    ],
  );
});

test('a silent log opens no file', async () => {
  const file = join(dir, 'silent.log');
  const events = createEventBus();
  const close = openLog(events, { level: 'silent', format: 'text', file, stderr: reader().stderr, env: {} });
  events.emit({ kind: 'not-started', command: 'a', isMissing: true, problem: '' });
  await close(5000);
  assert.ok(!existsSync(file));
});
