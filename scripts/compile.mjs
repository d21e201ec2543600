// Lets V8 compile what the bin runs at a start, and keeps it beside dist/bundle's files: by running the bin through a
// short session, with a reload and without reloading, by stdio and by HTTP, since only what has been run is compiled.
// For Nodes that don't do it themselves.
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
    await session(directory, ['--watch', '.', '--http', '0'], save);
    await session(directory, ['--no-reload'], save);
  } catch (error) {
    console.error(`compile: ${error.message}; a start will take a little longer`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function session(directory, options, save) {
  const args = [warm, ...options, '--state-dir', join(directory, '.state'), '--', process.execPath, server];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] });
  const url = options.includes('--http') ? urlFrom(child.stderr) : undefined;
  url?.catch(() => {});
  if (url === undefined) child.stderr.resume();
  const over = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: over.signal }).then(() => {
    child.kill('SIGKILL');
    throw new Error('no answer in time');
  });
  try {
    await Promise.race([converse(child, save, url), late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

async function converse(child, save, url) {
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
  if (url !== undefined) await byHttp(await url);
  child.stdin.end();
  const [code] = await exited;
  if (code !== 0) throw new Error(`the bin ended with exit code ${code}`);
}

/** The endpoint, as the log tells it. */
async function urlFrom(stderr) {
  for await (const line of createInterface(stderr)) {
    const found = /http:\/\/\S+\/mcp/.exec(line);
    if (found !== null) {
      setImmediate(() => stderr.resume());
      return found[0];
    }
  }
  throw new Error('nothing is served over HTTP');
}

/** A session with a stream of its own, and a request of the modern era, which the server may not speak. */
async function byHttp(url) {
  const send = async (message, headers = {}, method = 'POST') => {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    const body = message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
    return fetch(url, { method, headers: all, ...body });
  };
  const opened = await send({ id: 1, ...initialize });
  await opened.text();
  const opener = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await (await send({ method: 'notifications/initialized' }, opener)).text();
  const stream = await send(undefined, session, 'GET');
  await (await send({ id: 2, method: 'tools/list' }, opener)).text();
  await (await send({ id: 3, method: 'tools/call', params: { name: 'version' } }, opener)).text();
  await stream.body?.cancel();
  await (await send(undefined, session, 'DELETE')).text();
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
  await (await send({ id: 1, method: 'tools/list', params: { _meta: meta } }, headers)).text();
}
