// A server that says which data it read when it started, and writes data when it is told to or by itself; without
// options, behind the built bin.

import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReloadProject, startWatched } from '../../support/reload-project.js';

const server = `
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : 'none');
const loaded = Object.fromEntries(process.argv.slice(2).map((file) => [file, read(file)]));
let calls = 0;
const state = () => writeFileSync('state.json', process.pid + ' ' + performance.now());
const background = {
  start: () => setTimeout(state, 300),
  // The server before is gone by then, and writes no more.
  interval: () => setInterval(state, 400),
  end: () => process.on('exit', state),
};
background[process.env.WRITES]?.();
const tools = {
  read: ({ file }) => loaded[file],
  generation: () => process.env.MCP_HOTLINE_GENERATION,
  async write({ file, text = process.pid + ' ' + calls, times = 1, pause = 0 }) {
    for (let time = 0; time < times; time++) {
      if (time > 0) await delay(pause);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text + ' '.repeat(time));
    }
    return 'written';
  },
  wait: ({ ms }) => delay(ms, 'waited'),
  later({ file }) {
    setImmediate(() => writeFileSync(file, process.pid + ' ' + calls));
    return 'answered';
  },
};
const result = async ({ method, params }) => {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'data', version: '1' } };
  if (method === 'tools/list')
    return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  calls++;
  return { content: [{ type: 'text', text: String(await tools[params.name](params.arguments)) }] };
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: await result(message) }));
});
`;

export interface Given {
  /** The files that the server reads when it starts. */
  reads?: readonly string[];
  files?: Record<string, string>;
  options?: readonly string[];
  watch?: readonly string[];
  /** Writes `state.json` with no call running: 300 ms after its start, every 100 ms, or at its end. */
  writes?: 'start' | 'interval' | 'end';
}

export async function serving(t: TestContext, given: Given): Promise<ReloadProject> {
  const { reads = [], files = {}, options = [], watch = [], writes } = given;
  const proxy = startWatched(t, {
    watch,
    options,
    files: { 'package.json': '{ "type": "module" }', 'server.mjs': server, ...files },
    command: [process.execPath, 'server.mjs', ...reads],
    env: writes === undefined ? {} : { WRITES: writes },
  });
  await proxy.initialize();
  await proxy.call('generation');
  return proxy;
}

/** So long after an answer, whatever changes is no longer put down to the call. */
export const apart = () => delay(300);

export const reloads = (proxy: ReloadProject) => proxy.logged('reloaded').length;
export const warnings = (proxy: ReloadProject) => proxy.logged('warning').map(({ text }) => text);
