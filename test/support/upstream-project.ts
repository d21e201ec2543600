// A project whose server speaks HTTP itself, with the proxy in front of it: the client is the test's own, by stdio.
// What the server says is in `src/behaviour.json`, so that a test changes it by writing that file. The servers are the
// `http-` ones of fixtures/servers.

import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { project, startProxy, type Started } from './harness.js';
import { root } from './paths.js';
import type { Project } from './project.js';

const server = (name: string): string => join(root, 'fixtures/servers', name);

/** What can stand behind the proxy, by name: its command, its endpoint and what it needs in its environment. */
export const kinds = {
  'v1 stateful': { command: [process.execPath, server('http-v1.mjs')], path: '/mcp', env: {} },
  'v1 stateless': { command: [process.execPath, server('http-v1.mjs')], path: '/mcp', env: { STATELESS: '1' } },
  'v1 SSE': { command: [process.execPath, server('http-v1-sse.mjs')], path: '/sse', env: {} },
  v2: { command: [process.execPath, server('http-v2.mjs')], path: '/mcp', env: {} },
  python: { command: ['python3', server('http-python.py')], path: '/mcp', env: {} },
} as const;

export type Kind = keyof typeof kinds;

export interface Says {
  readonly answer: string;
  /** Beside those that are always there. */
  readonly tools?: readonly string[];
  readonly annotations?: Record<string, { readOnlyHint?: boolean }>;
}

export interface UpstreamProject extends Started {
  readonly files: Project;
  /** Where the server listens, if its port is fixed. */
  readonly port: number | undefined;
  say(says: Says | string): void;
  /** The text that a tool answers with, failures included. */
  call(name?: string, given?: object): Promise<string>;
  /** Which generation answers, and its process. */
  generation(): Promise<{ generation: number; pid: number }>;
}

export interface UpstreamOptions {
  /** Every start gets a free port, unless this is set. */
  readonly isFixed?: boolean;
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly command?: readonly string[];
  readonly says?: Says;
  /** The test opens the session itself. */
  readonly isUnopened?: boolean;
}

export async function behind(t: TestContext, kind: Kind, given: UpstreamOptions = {}): Promise<UpstreamProject> {
  const files = project(t, { 'src/behaviour.json': JSON.stringify(given.says ?? { answer: 'one' }) });
  const { command, path, env } = kinds[kind];
  const port = given.isFixed === true ? await unusedPort() : undefined;
  const started = startProxy(t, {
    cwd: files.directory,
    command: given.command ?? command,
    options: ['--watch', 'src', '--upstream', `http://127.0.0.1:${port ?? '{port}'}${path}`, ...(given.options ?? [])],
    env: { ...env, ...(port === undefined ? {} : { PORT: String(port) }), ...given.env },
  });
  const opened: UpstreamProject = {
    ...started,
    files,
    port,
    say: (says) => files.write('src/behaviour.json', typeof says === 'string' ? says : JSON.stringify(says)),
    async call(name = 'answer', args = {}) {
      const { result, error } = await started.request('tools/call', { name, arguments: args });
      assert.equal(error, undefined, started.transcript());
      return result.content[0].text as string;
    },
    generation: async () => JSON.parse(await opened.call('generation')) as { generation: number; pid: number },
  };
  if (given.isUnopened !== true) await opened.initialize();
  return opened;
}

/** Free a moment ago. */
export async function unusedPort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
