/*
 * Proves on real processes that a build's outcome is told with its output, and that a build which is abandoned or takes
 * too long leaves no process behind.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { printedText } from '#src/agent/excerpt.js';
import { buildCauseText } from '#src/agent/failure.js';
import { planBuild } from '#src/build/plan.js';
import type { BuildOptions, BuildResult } from '#src/build/run.js';
import { runBuild } from '#src/build/run.js';
import { testEnvironment } from '../support/harness.js';
import { processesLeft, processesOf } from '../support/processes.js';
import type { Project } from '../support/project.js';
import { project } from '../support/project.js';

const marker = randomUUID();
const posix = { skip: process.platform === 'win32' };

function options(files: Project, more: Partial<BuildOptions> = {}): BuildOptions {
  const defaults = { timeout: 60_000, outputFile: files.path('state/build.log'), env: testEnvironment(marker) };
  return { signal: new AbortController().signal, ...defaults, ...more };
}

function runScript(t: TestContext, source: string, more?: Partial<BuildOptions>): Promise<BuildResult> {
  const files = project(t, { 'build.mjs': source });
  const plan = { command: process.execPath, args: ['build.mjs'], cwd: files.directory, label: 'node build.mjs' };
  return runBuild(plan, options(files, more));
}

test('a build that succeeds is built, with its output', async (t) => {
  const result = await runScript(t, `console.log('out'); console.error('err')`);
  assert.equal(result.kind, 'built');
  assert.ok('output' in result && result.ms >= 0);
  assert.deepEqual(printedText(result.output.excerpt()).trim().split('\n').sort(), ['err', 'out']);
});

test('a package.json script is run by npm', async (t) => {
  const manifest = JSON.stringify({ name: 'p', version: '1.0.0', scripts: { build: 'node build.mjs' } });
  const files = project(t, {
    'package.json': manifest,
    'package-lock.json': '{}',
    'build.mjs': `console.log(process.cwd())`,
  });
  const planned = await planBuild('build', files.directory);
  assert.ok(planned.ok);
  const result = await runBuild(planned.plan, options(files));
  assert.equal(result.kind, 'built');
  assert.ok('output' in result && printedText(result.output.excerpt()).includes(`\n${files.directory}\n`));
});

test('P7 a build that fails is told with its code and the words it printed', async (t) => {
  const result = await runScript(t, `console.error('src/a.ts(3,1): error TS1005'); process.exitCode = 2`);
  assert.ok(result.kind === 'failed');
  assert.equal(buildCauseText(result.cause), 'exited with code 2');
  assert.equal(printedText(result.output.excerpt()), 'src/a.ts(3,1): error TS1005\n');
});

test('P7 a long output is kept at both ends, and whole in the file', async (t) => {
  const files = project(t, {
    'build.mjs': `process.stdout.write('first\\n' + 'x'.repeat(3_000_000) + '\\nlast\\n'); process.exitCode = 1`,
  });
  const plan = { command: process.execPath, args: ['build.mjs'], cwd: files.directory, label: '' };
  const result = await runBuild(plan, options(files));
  assert.ok(result.kind === 'failed');
  assert.match(
    printedText(result.output.excerpt()),
    /^first\nx+\n… 2991820 bytes left out, the whole is in .*build\.log …\nx+\nlast\n$/,
  );
  assert.equal(readFileSync(files.path('state/build.log')).length, 3_000_012);
});

test('P14 an output file that cannot be written does not fail the build', async (t) => {
  const result = await runScript(t, `process.stdout.write('x'.repeat(300_000))`, { outputFile: '/dev/null/build.log' });
  assert.ok(result.kind === 'built');
  assert.match(printedText(result.output.excerpt()), /^x+\n… 291808 bytes left out …\nx+$/);
});

test('a build ended by a signal is told so', posix, async (t) => {
  const result = await runScript(t, `process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)`);
  assert.ok(result.kind === 'failed');
  assert.equal(buildCauseText(result.cause), 'was ended by SIGSEGV');
});

test('a command that is not there, or not where it was to run, is told by name', async (t) => {
  const files = project(t);
  const plan = { command: 'no-such-command', args: [], cwd: files.directory, label: '' };
  const result = await runBuild(plan, options(files));
  assert.ok(result.kind === 'failed');
  assert.equal(buildCauseText(result.cause), 'could not be started: no-such-command was not found');
  const nowhere = await runBuild({ ...plan, command: 'node', cwd: files.path('gone') }, options(files));
  assert.ok(nowhere.kind === 'failed');
  assert.match(buildCauseText(nowhere.cause), /^could not be started: the directory .*gone does not exist$/);
});

test('stdin is empty: a build that asks gets no answer instead of the client’s', async (t) => {
  const result = await runScript(t, `for await (const c of process.stdin) console.log(String(c)); console.log('end')`);
  assert.ok(result.kind === 'built');
  assert.equal(printedText(result.output.excerpt()), 'end\n');
});

/** Hangs, deaf to SIGTERM, with a child of the same kind, and says so in a file once both are up. */
const stubborn = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  process.on('SIGTERM', () => console.log('no'));
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => writeFileSync('up', ''));
  setInterval(() => {}, 1000);
`;

async function fileAppears(files: Project, name: string): Promise<void> {
  const events = watch(files.directory, { signal: AbortSignal.timeout(30_000) });
  if (existsSync(files.path(name))) return;
  for await (const _ of events) if (existsSync(files.path(name))) return;
}

test('P13 a build that takes too long is ended with all of its processes', posix, async (t) => {
  const files = project(t, { 'build.mjs': stubborn });
  const own = randomUUID();
  const plan = { command: process.execPath, args: ['build.mjs'], cwd: files.directory, label: '' };
  const running = runBuild(plan, options(files, { timeout: 4000, env: testEnvironment(own) }));
  await fileAppears(files, 'up');
  assert.equal(processesOf(own).length, process.platform === 'linux' ? 2 : 0);
  const result = await running;
  assert.deepEqual(processesOf(own), []);
  assert.ok(result.kind === 'failed');
  assert.equal(buildCauseText(result.cause), 'did not end within 4 s and was stopped');
  assert.equal(printedText(result.output.excerpt()), 'no\n');
});

test('P13 a build that is abandoned is gone, with all of its processes, when that is known', posix, async (t) => {
  const files = project(t, { 'build.mjs': stubborn });
  const own = randomUUID();
  const give = new AbortController();
  const plan = { command: process.execPath, args: ['build.mjs'], cwd: files.directory, label: '' };
  const running = runBuild(plan, options(files, { signal: give.signal, env: testEnvironment(own), timeout: 0 }));
  await fileAppears(files, 'up');
  give.abort();
  assert.deepEqual(await running, { kind: 'aborted' });
  assert.deepEqual(processesOf(own), []);
});

test('P13 what a build leaves running in its group is ended when it succeeds', posix, async (t) => {
  const own = randomUUID();
  const result = await runScript(
    t,
    `import { spawn } from 'node:child_process';
     spawn('sleep', ['1000'], { stdio: 'inherit' }).unref();
     process.exit(0);`,
    { env: testEnvironment(own) },
  );
  assert.equal(result.kind, 'built');
  assert.deepEqual(await processesLeft(own), []);
});

test('a process that left the group and holds the pipes does not hold the build', posix, async (t) => {
  const own = randomUUID();
  const result = await runScript(
    t,
    `import { spawn } from 'node:child_process';
     const child = spawn('sleep', ['1000'], { stdio: 'inherit', detached: true });
     console.log(child.pid);
     child.unref();`,
    { env: testEnvironment(own) },
  );
  assert.ok(result.kind === 'built');
  process.kill(Number(printedText(result.output.excerpt())), 'SIGKILL');
  assert.deepEqual(await processesLeft(own), []);
});

test('a build abandoned before it began is not begun', async (t) => {
  assert.deepEqual(await runScript(t, '', { signal: AbortSignal.abort() }), { kind: 'aborted' });
});
