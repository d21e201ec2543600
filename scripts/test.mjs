// Runs the compiled tests: all of them, or those whose path contains one of the arguments. The list is taken from the
// test sources. A run also fails when it leaves a process behind or when a Node process in it emits a warning.
// Compiling is left to build.mjs; only what the bin runs is made anew, since that is quick and easily forgotten.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const filters = process.argv.slice(2);
const files = testFiles();
if (files.length === 0) fail(`no test file matches ${filters.join(', ')}`);
const missing = files.filter((file) => !existsSync(join(root, file)));
if (!(await bundle())) fail('what the bin runs could not be made');
if (missing.length > 0) fail(`not compiled, run npm run build: ${missing.join(', ')}`);

// Not MCP_HOTLINE_…: names of that form are the proxy's options.
const marker = `HOTLINE_TEST_RUN=${randomUUID()}`;
const scratch = mkdtempSync(join(tmpdir(), 'hotline-test-'));
const warnings = join(scratch, 'warnings.txt');

console.log(`running ${files.length} test ${files.length === 1 ? 'file' : 'files'}`);
let failed = (await run()) !== 0;
for (const line of unexpectedWarnings()) {
  console.error(`a process of this run emitted a warning: ${line}`);
  failed = true;
}
for (const { pid, command } of await leftovers()) {
  console.error(`a process of this run was left behind: ${pid} ${command}`);
  kill(pid);
  failed = true;
}
rmSync(scratch, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;

function testFiles() {
  const sources = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true });
  return sources
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort()
    .map((file) => `build/${file.replace(/\.ts$/, '.js')}`);
}

function run() {
  const [name, id] = marker.split('=');
  const env = { ...process.env, [name]: id, NODE_REDIRECT_WARNINGS: warnings };
  // Node 20 spends 60 ms more on every start with it.
  delete env.NODE_EXTRA_CA_CERTS;
  // Most users have Python write its caches. Without them a server never runs old bytecode, and no test would notice if
  // one did.
  delete env.PYTHONDONTWRITEBYTECODE;
  // The deadline is for a whole file: one that hangs fails instead of keeping everything waiting.
  const flags = ['--enable-source-maps', '--test', '--test-concurrency=3', '--test-timeout=900000'];
  const args = [...flags, '--test-reporter=spec', ...files];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code));
  });
}

function unexpectedWarnings() {
  if (!existsSync(warnings)) return [];
  return readFileSync(warnings, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('(node:') && !line.includes(' ExperimentalWarning: '));
}

/** Linux only. A process that is just ending gets three seconds. */
async function leftovers() {
  if (process.platform !== 'linux') return [];
  for (let attempt = 0; ; attempt += 1) {
    const found = markedProcesses();
    if (found.length === 0 || attempt === 30) return found;
    await wait(100);
  }
}

function markedProcesses() {
  const found = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(marker)) continue;
      found.push({ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') });
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  return found;
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

function fail(message) {
  console.error(`test: ${message}`);
  process.exit(1);
}
