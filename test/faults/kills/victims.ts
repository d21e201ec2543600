// The project whose processes are killed, and how they are told apart from outside: the proxy, its servers, the child
// that each server has, the build, and the helper that runs a first build. Each is found by what the kernel knows of
// it. Who dies when is rounds.ts's.

import { readFileSync } from 'node:fs';
import { processesOf } from '../../support/processes.js';
import { script, scripted } from '../../support/reloadable.js';
import { bin } from '../../support/paths.js';

/**
 * Oldest and newest are of the generations that are alive: with two of them, what drains or serves, and the candidate.
 */
export const roles = ['newest server', 'oldest server', 'grandchild', 'build', 'build helper', 'proxy'] as const;
export type Role = (typeof roles)[number];

/** What the server is made of: its tools say the version, note an id down, and take their time. */
export function source(version: number, handshake: number): string {
  return script(`
    import { spawn } from 'node:child_process';
    import { appendFileSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    // Ends when its stdin does, that is with the server, and holds the server's stdout until then.
    const child = spawn('cat', [], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.unref();
    child.stdin.unref();
    await delay(${handshake});
    export const tools = {
      version: () => ${version},
      note: ({ id }) => (appendFileSync('notes', id + '\\n'), ${version}),
      slow: async ({ id, ms }) => (appendFileSync('notes', id + '\\n'), await delay(ms), ${version}),
    };
    const inputSchema = { type: 'object' };
    export const methods = {
      'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({
        name, inputSchema, annotations: { readOnlyHint: name === 'version' } })) }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: '${version}' }] }),
    };`);
}

/** With a build, what runs is a copy of the sources that takes the build a while to make. */
export function files(build: boolean): Record<string, string> {
  const { 'server.mjs': server } = scripted('') as { 'server.mjs': string };
  if (!build) return { 'server.mjs': server, 'src/script.mjs': source(0, 0) };
  return {
    'server.mjs': server.replace('./src/', './dist/'),
    'src/script.mjs': source(0, 0),
    'build.sh': 'cp src/script.mjs made && sleep 0.1 && mkdir -p dist && mv made dist/script.mjs\n',
  };
}

const HELPER = 'internal:build-helper';

export function victim(marker: string, role: Role): number | undefined {
  const all = processesOf(marker);
  const named = (text: string) => all.filter(({ command }) => command.includes(text)).map(({ pid }) => pid);
  switch (role) {
    case 'proxy':
      return named(bin).find((pid) => !named(HELPER).includes(pid));
    case 'build helper':
      return named(HELPER)[0];
    case 'build':
      return named('build.sh').find((pid) => !named(bin).includes(pid));
    case 'grandchild':
      return all.find(({ command }) => command === 'cat')?.pid;
    default: {
      const servers = all.filter(({ command }) => /^\S+ server\.mjs$/.test(command)).map(({ pid }) => pid);
      servers.sort((a, b) => generationOf(a) - generationOf(b));
      return role === 'oldest server' ? servers[0] : servers.at(-1);
    }
  }
}

function generationOf(pid: number): number {
  try {
    return Number(/\0MCP_HOTLINE_GENERATION=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // gone meanwhile
  }
}
