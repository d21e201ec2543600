// Lets V8 compile what the bin runs at a start, and keeps it beside dist/bundle's files: by running the bin through a
// short session, with a reload and without reloading, since only what has been run is compiled. For Nodes that don't do
// it themselves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const warm = fileURLToPath(new URL('warm.mjs', import.meta.url));
const server = fileURLToPath(new URL('../fixtures/servers/bench-versions.mjs', import.meta.url));
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
};
const PATIENCE = 20_000;

/** Nothing depends on it but the time that a start takes, so what goes wrong is said and no failure. */
export async function compile() {
  if (module.enableCompileCache !== undefined) return;
  const directory = mkdtempSync(join(tmpdir(), 'hotline-build-'));
  try {
    const save = (version) => writeFileSync(join(directory, 'version.mjs'), `export const version = '${version}';\n`);
    save(1);
    // For what finds out about a project at a start.
    writeFileSync(join(directory, 'package.json'), '{ "name": "build", "type": "module" }\n');
    writeFileSync(
      join(directory, 'tsconfig.json'),
      '{ "compilerOptions": { "outDir": "dist" }, "include": ["*.ts"] }\n',
    );
    await session(directory, ['--watch', '.'], save);
    await session(directory, ['--no-reload'], save);
  } catch (error) {
    console.error(`compile: ${error.message}; a start will take a little longer`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function session(directory, options, save) {
  const args = [warm, ...options, '--state-dir', join(directory, '.state'), '--', process.execPath, server];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
  const over = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: over.signal }).then(() => {
    child.kill('SIGKILL');
    throw new Error('no answer in time');
  });
  try {
    await Promise.race([converse(child, save), late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

async function converse(child, save) {
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id, message) => {
    send({ id, ...message });
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (JSON.parse(line.value).id === id) return;
    }
    throw new Error('the bin ended too early');
  };
  await ask(1, initialize);
  send({ method: 'notifications/initialized' });
  await ask(2, { method: 'tools/list' });
  save(2);
  await ask(3, { method: 'tools/call', params: { name: 'version' } });
  child.stdin.end();
  const [code] = await exited;
  if (code !== 0) throw new Error(`the bin ended with exit code ${code}`);
}
