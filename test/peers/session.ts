// A session of a published SDK client with a published server, direct or through the proxy, as a transcript that can be
// compared: what was asked, what came back, what was heard. Through the proxy the server is edited on the way, by a
// file that imports it. What is asked is the tests'.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransport2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../support/cleanup.js';
import { newMarker, processesLeft, project, proxyCommand, testEnvironment } from '../support/harness.js';
import type { Project } from '../support/project.js';
import { readLog } from '../support/proxy-log.js';
import { createWaits } from '../support/waits.js';
import type { Waits } from '../support/waits.js';

export type SdkClient = Client1 | Client2;

export interface Server {
  /** The URL of the module that is the server. */
  readonly entry: string;
  readonly args?: (files: Project) => string[];
  readonly env?: (files: Project) => Record<string, string>;
  /** What the server finds when it starts. */
  readonly files?: Record<string, string | Buffer>;
  /** Given to the client as its roots, from the second look on the second one. */
  readonly roots?: readonly string[];
}

export interface Session {
  readonly client: SdkClient;
  readonly files: Project;
  /** Writes a step and what came of it into the transcript; an error is an outcome like any other. */
  record(what: string, ask: (client: SdkClient) => Promise<unknown>): Promise<void>;
  call(name: string, args?: object): Promise<void>;
  /** Saves other code, where there is a proxy that reloads; nothing else. Has returned = has been saved. */
  edit(): void;
  /** The notifications, in order, and from now on. */
  readonly heard: Waits<string>;
  /** From the next question on, the client has other roots. */
  moveRoots(): Promise<void>;
  readonly transcript: string[];
  /** How often the server was replaced, by the proxy's own account. */
  reloads(): Promise<number>;
}

export type Way = 'direct' | 'reloading';
export type ClientName = 'v1' | 'v2';

const info = { name: 'test-client', version: '1.0.0' };

export async function open(t: TestContext, way: Way, name: ClientName, server: Server): Promise<Session> {
  const source = (edits: number) => `import ${JSON.stringify(server.entry)}; // ${edits}\n`;
  const files = project(t, { ...server.files, 'server.mjs': source(0) });
  const marker = newMarker();
  const command = [process.execPath, 'server.mjs', ...(server.args?.(files) ?? [])];
  const watched = ['--watch', 'server.mjs', '--log-format', 'json'];
  const [file, ...args] = way === 'direct' ? command : proxyCommand(watched, command);
  const env = testEnvironment(marker, server.env?.(files));
  const target = { command: file!, args, cwd: files.directory, env, stderr: 'pipe' as const };

  let stderr = '';
  const log = () => stderr;
  const heard = createWaits<string>(log);
  const reloaded = createWaits<number>(log);
  const transcript: string[] = [];
  let edits = 0;
  let root = 0;
  const roots = () => ({ roots: [{ uri: `file://${files.path(server.roots![root]!)}`, name: 'root' }] });
  const capabilities = server.roots === undefined ? {} : { roots: { listChanged: true } };
  const hear = ({ method, params }: { method: string; params?: object | undefined }) =>
    heard.offer(JSON.stringify({ method, params }));

  const [client, transport] = name === 'v1' ? first() : second();
  transport.stderr?.on('data', (chunk: Buffer) => {
    const known = reloadsIn(stderr);
    stderr += String(chunk);
    for (let count = known + 1; count <= reloadsIn(stderr); count++) reloaded.offer(count);
  });
  cleanup(t, async () => {
    await client.close();
    assert.deepEqual(await processesLeft(marker), [], log());
  });
  await client.connect(transport);

  function first(): [Client1, StdioTransport1] {
    const made = new Client1(info, { capabilities });
    if (server.roots !== undefined) made.setRequestHandler(ListRootsRequestSchema, roots);
    made.fallbackNotificationHandler = async (notification) => hear(notification);
    return [made, new StdioTransport1(target)];
  }
  function second(): [Client2, StdioTransport2] {
    const made = new Client2(info, { capabilities, versionNegotiation: { mode: 'legacy' } });
    if (server.roots !== undefined) made.setRequestHandler('roots/list', roots);
    made.fallbackNotificationHandler = async (notification) => hear(notification);
    return [made, new StdioTransport2(target)];
  }

  const session: Session = {
    client,
    files,
    heard,
    transcript,
    async record(what, ask) {
      const outcome = await ask(client).then(
        (result) => JSON.stringify(result),
        (error: unknown) => `failed: ${String(error)}`,
      );
      transcript.push(`${what} → ${outcome.replaceAll(files.directory, 'DIRECTORY')}`);
    },
    call: (tool, given = {}) =>
      session.record(`${tool} ${JSON.stringify(given).replaceAll(files.directory, 'DIRECTORY')}`, () =>
        client.callTool({ name: tool, arguments: { ...given } }),
      ),
    edit() {
      if (way === 'reloading') files.write('server.mjs', source(++edits));
    },
    async moveRoots() {
      root++;
      await client.sendRootsListChanged();
    },
    async reloads() {
      if (edits > 0) await reloaded.wait((count) => count === edits, `reload ${edits}`);
      return reloaded.past.length;
    },
  };
  return session;
}

const reloadsIn = (log: string): number => readLog(log).filter(({ event }) => event === 'reloaded').length;
