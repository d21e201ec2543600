// What a client waits at its first connect, from the spawn to the answer to `initialize`: a server alone and behind the
// proxy, by turns. The proxy finds by itself what to watch, as it does for a new user. A Node server on the SDK, and a
// small Python one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../stats.js';
import type { Ground } from '../ways.js';
import type { Group, Sample } from './group.js';

const root = new URL('../../../../', import.meta.url);
const clientInfo = { name: 'bench', version: '1' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const initialize = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;

interface Server {
  readonly directory: string;
  readonly words: readonly [command: string, entry: string];
}

export const firstConnects: Group = async (ground, full) => {
  const sample: Record<string, number> = {};
  for (const [name, server] of Object.entries(await servers(ground))) {
    const times = { bare: [] as number[], proxied: [] as number[] };
    for (let turn = 0; turn < (full ? 9 : 3); turn += 1) {
      times.bare.push(await connect(ground, server, []));
      times.proxied.push(await connect(ground, server, [process.execPath, ground.bin, '--']));
    }
    for (const [way, taken] of Object.entries(times)) sample[`connect ${name} ${way}`] = median(taken);
  }
  return sample satisfies Sample;
};

/** Each in a project of its own, so that what is found is that project. */
async function servers({ scratch }: Ground): Promise<Record<string, Server>> {
  const found: Record<string, Server> = {};
  for (const [name, words] of [
    ['node', [process.execPath, 'sdk-v1.mjs']],
    ['python', ['python3', 'python-stdlib.py']],
  ] as const) {
    const directory = join(scratch, `connect-${name}`);
    await mkdir(directory, { recursive: true });
    await copyFile(fileURLToPath(new URL(`fixtures/servers/${words[1]}`, root)), join(directory, words[1]));
    found[name] = { directory, words };
  }
  await writeFile(join(found['node']!.directory, 'package.json'), '{ "name": "connect", "type": "module" }\n');
  const modules = join(found['node']!.directory, 'node_modules');
  await symlink(fileURLToPath(new URL('node_modules', root)), modules).catch(() => {}); // it is there from the last repeat
  return found;
}

/** In milliseconds; NaN where the server can't be run here. */
async function connect({ env }: Ground, { directory, words }: Server, before: readonly string[]): Promise<number> {
  const [command, ...args] = [...before, ...words];
  const begin = performance.now();
  const child = spawn(command, args, { cwd: directory, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.write(initialize);
  const exited = once(child, 'exit').catch(() => {});
  const answered = await Promise.race([once(child.stdout, 'data'), exited]);
  const took = performance.now() - begin;
  child.stdin.end();
  await exited;
  return String(answered?.[0]).startsWith('{') ? took : NaN;
}
